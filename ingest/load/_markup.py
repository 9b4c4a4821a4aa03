"""HTML within Markdown, by meaning: comments, deletions, raised text, tables, headings.

Rules fixed here: a comment is left out and counted, wherever it begins; so are deleted, struck out
(``~~`` too) and hidden text. Blocks of HTML are read as HTML, their headings become ``#`` lines.
Tags within a paragraph are taken away, ``<sup>`` and ``<sub>`` set apart (`_marks`), ``<br>`` is a
line break. Code is never touched, and neither is a word in angle brackets that is no element of
HTML, or that nothing closes, such as ``<amount>``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from ragbench.ingest.load._blocks import Blocks
from ragbench.ingest.load._marks import lowered, raised, set_apart

__all__ = ["block_parser", "line_starts", "shown"]

_LINE_END = re.compile(r"\r\n?|\n")
_CODE = r"(?P<ticks>(?<!`)`+(?!`))(?:(?!\n[ \t\r]*\n).)*?(?<!`)(?P=ticks)(?!`)"
_FENCE = (
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*"
    r"(?:\n.*?^[ \t>]*(?P=fence)[`~]*[ \t\r]*$|.*\Z)"
)
_COMMENT = re.compile(rf"{_FENCE}|\\[\\`<]|{_CODE}|(?P<comment><!--)", re.S | re.M)
_ATTRIBUTE = r"\s+[^<>\s\"'=/]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?"
_TAG = rf"</?(?P<name>[A-Za-z][A-Za-z0-9]*)(?P<rest>(?:{_ATTRIBUTE})*)\s*/?>"
_INLINE = re.compile(rf"\\[\\`<~]|{_CODE}|(?P<strike>(?<!~)~~(?!~))|{_TAG}", re.S)
_ANY_TAG = re.compile(r"</?([A-Za-z][\w-]*)(?=[\s/>])")
_BLANK = re.compile(r"[ \t\r]*(?:\n|\Z)")
_PARAGRAPHS = re.compile(r"(\n[ \t\r]*\n)")
_HIDDEN = re.compile(r"\shidden(?=[\s=/>]|\Z)|display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_ALT = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.I)
_LEFT_OUT = {"del": "deleted", "s": "struck out", "strike": "struck out", "~~": "struck out"}
_VOID = frozenset("br hr img input wbr col area base link meta source track embed param".split())
_ELEMENTS = _VOID | frozenset(
    "a abbr address article aside b bdi bdo big blockquote body button caption center cite code "
    "colgroup data dd del details dfn dialog div dl dt em fieldset figcaption figure font footer "
    "form h1 h2 h3 h4 h5 h6 head header html i iframe ins kbd label legend li main map mark math "
    "nav noscript object ol optgroup option output p picture pre q rp rt ruby s samp script "
    "section select small span strike strong style sub summary sup svg table tbody td template "
    "textarea tfoot th thead time title tr tt u ul var video audio".split()
)


@cache
def block_parser() -> Any:  # noqa: ANN401  (the library is imported when it is needed)
    """CommonMark's blocks and tables; what stands within a block is not parsed."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def line_starts(text: str) -> list[int]:
    """Where each line begins, and the text's end."""
    return [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]


def shown(text: str) -> tuple[str, Counter[str]]:
    """The text as its reader sees it, and what it leaves out, counted by kind.

    >>> shown("A <!-- no --> fee of $35<sup>1</sup> ~~or $40~~.")
    ('A fee of $35[1] .', Counter({'comment': 1, 'struck out': 1}))
    """
    left_out: Counter[str] = Counter()
    if "<" not in text and "~~" not in text:
        return text, left_out
    text = _without_comments(text, left_out)
    starts = line_starts(text)
    parts: list[str] = []
    position = 0
    for token in block_parser().parse(text):
        if token.type not in ("fence", "code_block", "html_block") or token.map is None:
            continue
        start, end = starts[token.map[0]], starts[token.map[1]]
        if start < position:
            continue  # within a table that has been read
        parts.append(_paragraphs(text[position:start], left_out))
        if token.type == "html_block":
            end = _end_of(text, start, end)
            read = _html(text[start:end], left_out, nested=bool(token.level))
            parts.append(read if _BLANK.match(text, end) or not read else f"{read}\n")
        else:
            parts.append(text[start:end])
        position = end
    parts.append(_paragraphs(text[position:], left_out))
    return "".join(parts), +left_out  # without what held no text


def _without_comments(text: str, left_out: Counter[str]) -> str:
    if "<!--" not in text:
        return text
    starts = line_starts(text)
    tokens = block_parser().parse(text)
    code = {
        line for token in tokens if token.type == "code_block" for line in range(*token.map or (0,))
    }
    parts: list[str] = []
    kept = position = 0
    while (match := _COMMENT.search(text, position)) is not None:
        start, position = match.start(), match.end()
        if match["comment"] is None or bisect_right(starts, start) - 1 in code:
            continue
        begin = starts[bisect_right(starts, start) - 1]
        alone = not text[begin:start].strip()
        close = text.find("-->", start + 2)
        if close < 0 and not alone:
            continue  # never closed, within a line: as it stands
        end = len(text) if close < 0 else close + 3
        left_out["comment"] += bool(text[start + 4 : end].removesuffix("-->").strip())
        start, end = _with_space(text, (begin if alone else start), end, alone=alone)
        parts.append(text[kept:start])
        kept = position = end
    return "".join([*parts, text[kept:]])


def _with_space(text: str, start: int, end: int, *, alone: bool) -> tuple[int, int]:
    """The stretch to take away: a line of its own whole, else one of the spaces around it."""
    rest = _BLANK.match(text, end)
    if alone:
        return start, end if rest is None else rest.end()
    if text[start - 1] in " \t" and (rest is not None or text[end : end + 1] in (" ", "\t")):
        start -= 1
    return start, end


def _end_of(text: str, start: int, end: int) -> int:
    """The end of a block of HTML; a table, or what is hidden, ends where it is closed."""
    opened: list[str] = []
    for match in re.finditer(_TAG, text[start:end]):
        name = match["name"].lower()
        if name in ("table", "del") or (_HIDDEN.search(match["rest"]) and name not in _VOID):
            opened.append(name)
    for name in dict.fromkeys(opened):
        block = text[start:end].lower()
        missing = len(re.findall(rf"<{name}\b", block)) - block.count(f"</{name}")
        close = re.compile(rf"</{name}\s*>[^\n]*(?:\n|\Z)", re.I).search(text, end)
        if missing > 0 and close is not None:
            end = close.end()
    return end


class _Marked(Blocks):
    """Blocks whose headings are Markdown's."""

    def add(
        self, text: str, *, tight: bool = False, level: int | None = None, label: str = ""
    ) -> bool:
        marked = text if level is None else f"{'#' * min(level, 6)} {text}"
        return super().add(marked, tight=tight, label=label)


def _html(block: str, left_out: Counter[str], *, nested: bool) -> str:
    names = {name.lower() for name in _ANY_TAG.findall(block)}
    if nested or not names or names - _ELEMENTS:
        return _paragraphs(block, left_out)
    from ragbench.ingest.load.html import read_into

    blocks = _Marked(left_out)
    read_into(block.encode("utf-8", "surrogatepass"), blocks)
    return f"{blocks.text}\n" if blocks.text else ""


def _paragraphs(text: str, left_out: Counter[str]) -> str:
    if "<" not in text and "~~" not in text:
        return text
    pieces = _PARAGRAPHS.split(text)
    return "".join(
        piece if number % 2 else _Paragraph(left_out).read(piece)
        for number, piece in enumerate(pieces)
    )


@dataclass(frozen=True, slots=True)
class _Open:
    name: str
    at: int
    rest: str


class _Paragraph:
    """The text of one paragraph, its tags by meaning."""

    def __init__(self, left_out: Counter[str]) -> None:
        self._left_out = left_out
        self._out: list[str] = []
        self._open: list[_Open] = []

    def read(self, text: str) -> str:
        """The paragraph as it is shown."""
        position = 0
        for match in _INLINE.finditer(text):
            name = "~~" if match["strike"] else (match["name"] or "").lower()
            if name != "~~" and name not in _ELEMENTS:
                continue  # code, an escape, or a word in angle brackets
            self._out.append(text[position : match.start()])
            position = match.end()
            if name in _VOID:
                self._void(name, match["rest"], text, match)
            elif match.group().startswith("</") or (name == "~~" and self._is_open(name)):
                self._close(name)
            else:
                self._open.append(_Open(name, len(self._out), match["rest"] or ""))
                self._out.append(match.group())
        self._out.append(text[position:])
        for opened in self._open:
            if opened.rest.strip():
                self._out[opened.at] = ""
        return set_apart("".join(self._out))

    def _is_open(self, name: str) -> bool:
        return any(opened.name == name for opened in self._open)

    def _void(self, name: str, rest: str, text: str, match: re.Match[str]) -> None:
        if name == "img":
            alt = _ALT.search(rest)
            self._out.append((alt[1] or alt[2] or "") if alt else "")
        elif name == "br":
            line = text[text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0]
            one_line = "|" in line or line.lstrip().startswith("#")
            ended = re.match(r"[ \t\r]*(?:\n|\Z)", text[match.end() :])
            self._out.append(" " if one_line else "" if ended else "\n")

    def _close(self, name: str) -> None:
        if not self._is_open(name):
            return
        while self._open[-1].name != name:
            self._open.pop()
        opened = self._open.pop()
        inner = "".join(self._out[opened.at + 1 :])
        kind = _LEFT_OUT.get(name) or ("hidden" if _HIDDEN.search(opened.rest) else None)
        if kind is not None:
            self._left_out[kind] += bool(inner.strip())
            inner = ""
        elif name in ("sup", "sub"):
            inner = (raised if name == "sup" else lowered)(inner)
        self._out[opened.at :] = [inner]
