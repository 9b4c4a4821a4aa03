"""The small Markdown-like notation in which PDF and DOCX documents of the corpora are written.

A source begins with a front matter of `key: value` lines between two `---` lines (`title`,
`reference`, `header`, `footer`), then holds blocks separated by empty lines:

- `# `, `## `, `### `: headings
- `- ` and `1. `: list items, one per line, continued by indented lines
- `| a | b |` rows, the second being `|---|---|`: a table whose first row is its head
- `> `: a note in small print
- `+++`: a page break
- `[^1]` in a text: a mark, and `[^1]: text` a block of its own: the footnote, at the foot of the
  page on which the mark stands (PDF only; no mark in a table or after a number)
- `::: columns` ... `:::`, each a block of its own: what is between is set in two columns (PDF only)
- anything else: a paragraph; `**bold**`, `*italic*` and backquoted `code` are the inline marks

The notation is deliberately smaller than Markdown, so that both writers support all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "heading", "paragraph", "bullet", "number", "table", "note", "page_break", "footnote", "columns"
]

_HEADING = re.compile(r"^(#{1,3}) +(.*)$")
_NUMBER = re.compile(r"^(\d+)\. +(.*)$")
_FOOTNOTE = re.compile(r"^\[\^(\d+)\]: +(.*)$")
_INLINE = re.compile(r"(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`|\[\^\d+\])")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a source: its kind, its text, its table rows or the blocks in its columns.

    `level` is that of a heading, or the number of a list item or footnote.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: front matter and blocks in reading order."""

    fields: dict[str, str]
    blocks: tuple[Block, ...]


def parse_source(text: str, name: str) -> Source:
    """Parse a whole source.

    Raises:
        ValueError: When the front matter is missing or a table row has another number of cells.
    """
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise ValueError(f"{name} has no front matter between two '---' lines")
    head, body = text[4:].split("\n---\n", 1)
    fields = dict(_field(line, name) for line in head.splitlines() if line.strip())
    source = Source(fields, tuple(_in_columns(_blocks(body, name), name)))
    _check_footnotes(source, body, name)
    return source


def split_inline(text: str) -> list[tuple[str, str]]:
    """Split a text into `(style, text)` runs by style: `plain`, `bold`, `italic`, `code`, `mark`.

    A mark is the number of a footnote.

    >>> split_inline("Use `x_1` **now**.")
    [('plain', 'Use '), ('code', 'x_1'), ('plain', ' '), ('bold', 'now'), ('plain', '.')]
    """
    runs = []
    for part in filter(None, _INLINE.split(text)):
        if part.startswith("**"):
            runs.append(("bold", part[2:-2]))
        elif part.startswith("*") and len(part) > 2:
            runs.append(("italic", part[1:-1]))
        elif part.startswith("`"):
            runs.append(("code", part[1:-1]))
        elif part.startswith("[^"):
            runs.append(("mark", part[2:-1]))
        else:
            runs.append(("plain", part))
    return runs


def _in_columns(blocks: Iterator[Block], name: str) -> Iterator[Block]:
    """Gather what stands between `::: columns` and `:::`."""
    inside: list[Block] | None = None
    for block in blocks:
        if block.kind != "columns":
            if inside is None:
                yield block
            else:
                inside.append(block)
        elif block.text and inside is None:
            inside = []
        elif not block.text and inside is not None:
            yield Block("columns", blocks=tuple(inside))
            inside = None
        else:
            raise ValueError(f"{name}: '::: columns' and ':::' do not alternate")
    if inside is not None:
        raise ValueError(f"{name}: '::: columns' is not closed by ':::'")


def _check_footnotes(source: Source, body: str, name: str) -> None:
    if misread := re.search(r"\S*\d[\W_]?\[\^\d+\](?!:)", body):
        raise ValueError(f"{name}: {misread[0]!r} reads as one number; put the mark behind a word")
    notes = {block.level for block in source.blocks if block.kind == "footnote"}
    marks = {int(number) for number in re.findall(r"\[\^(\d+)\](?!:)", body)}
    if notes != marks:
        raise ValueError(f"{name}: marks {sorted(marks)}, but footnotes {sorted(notes)}")


def _field(line: str, name: str) -> tuple[str, str]:
    key, sign, value = line.partition(":")
    if not sign:
        raise ValueError(f"{name}: front matter line {line!r} is no 'key: value'")
    return key.strip(), value.strip()


def _blocks(body: str, name: str) -> Iterator[Block]:
    for group in re.split(r"\n[ \t]*\n", body.strip("\n")):
        lines = [line for line in group.splitlines() if line.strip()]
        if lines and lines[0].startswith("|"):
            yield _table(lines, name)
        elif lines:
            yield from _texts(lines)


def _table(lines: list[str], name: str) -> Block:
    rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines]
    if len(rows) < 2 or not all(re.fullmatch(r":?-+:?", cell) for cell in rows[1]):
        raise ValueError(
            f"{name}: the table that starts {lines[0]!r}: its second line is no '|---|'"
        )
    del rows[1]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError(f"{name}: the table that starts {lines[0]!r} has rows of {widths} cells")
    return Block("table", rows=tuple(rows))


def _texts(lines: list[str]) -> Iterator[Block]:
    """Yield the text blocks of one group; a list item or paragraph may run over several lines."""
    current: Block | None = None
    for line in lines:
        start = _start(line)
        if start is None and current is not None and current.kind != "heading":
            current = Block(current.kind, f"{current.text} {line.strip()}", current.level)
            continue
        if current is not None:
            yield current
        current = start or Block("paragraph", line.strip())
    if current is not None:
        yield current


def _start(line: str) -> Block | None:
    """Return the block that this line opens, or None when it continues the one before."""
    if heading := _HEADING.match(line):
        return Block("heading", heading[2].strip(), len(heading[1]))
    if number := _NUMBER.match(line):
        return Block("number", number[2].strip(), int(number[1]))
    if line.startswith("- "):
        return Block("bullet", line[2:].strip())
    if line.startswith("> "):
        return Block("note", line[2:].strip())
    if footnote := _FOOTNOTE.match(line):
        return Block("footnote", footnote[2].strip(), int(footnote[1]))
    if line.strip() in ("::: columns", ":::"):
        return Block("columns", line.strip()[4:])
    if line.strip() == "+++":
        return Block("page_break")
    return None
