"""Markdown: the text as it is shown, metadata from a front matter, sections from headings.

The front matter (`_front`) is removed, and so is what comments and HTML leave out (`_markup`); all
else is kept as it is written, tables, links, footnotes and escapes among it. Headings are those of
CommonMark, ``#`` lines and paragraphs underlined with ``=`` or ``-``, outside of quotes and lists;
an underlined line of a table is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._front import split_front_matter
from ragbench.ingest.load._headings import Heading, sections
from ragbench.ingest.load._markup import block_parser, line_starts, shown
from ragbench.ingest.load._metadata import flatten, scalar
from ragbench.ingest.load._parsed import Parsed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["headings_of", "parse"]

_ROW = re.compile(r".*\|.*\|")
_NAMED = re.compile(r"\s*\{[#.:][^{}]*\}\s*\Z")
_MAX_HEADING = 1_000  # characters; a longer line is no heading, whatever it begins with


def parse(data: bytes, encoding: str | None = None) -> Parsed:
    """One document; a front matter's ``id`` is an alias.

    Raises:
        DocumentUnreadable: the bytes are no text, or the front matter cannot be read.
    """
    text, found_encoding = decode(data, ".md", fallback=encoding)
    fields, text = split_front_matter(text)
    text, left_out = shown(text)
    headings = list(headings_of(text))
    title, alias = scalar(fields.get("title")), scalar(fields.get("id"))
    taken = (("title", title), ("id", alias))
    metadata = flatten(fields, leave=tuple(name for name, value in taken if value is not None))
    if found_encoding not in ("utf-8", "utf-8-sig"):
        metadata["encoding"] = found_encoding
    stated = title or next((found.text for found in headings), "")
    aliases = () if alias is None else (str(alias),)
    places = sections(headings, len(text))
    return Parsed(text, str(stated), metadata, places, aliases, left_out=dict(left_out))


def headings_of(text: str) -> Iterator[Heading]:
    r"""The headings in order.

    >>> [(h.level, h.text) for h in headings_of("# A {#a}\n```\n# no\n```\nB\n*b*\n---\n")]
    [(1, 'A'), (2, 'B b')]
    """
    env: dict[str, Any] = {}
    tokens = block_parser().parse(text, env)
    starts = line_starts(text)
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        content = inline.content
        underlined = token.markup in "=-"
        if len(content) > _MAX_HEADING or (underlined and _ROW.match(content)):
            continue
        name = _plain(_NAMED.sub("", content), env)
        if name:
            yield Heading(starts[token.map[0]], int(token.tag[1]), name)


@cache
def _inline_parser() -> MarkdownIt:
    """Made once: that takes longer than most headings."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _plain(content: str, env: dict[str, Any]) -> str:
    """A heading as its reader sees it, without the marks of emphasis, links and code."""
    words: list[str] = []
    for inline in _inline_parser().parseInline(content, env):
        for token in inline.children or ():
            if token.type in ("softbreak", "hardbreak"):
                words.append(" ")
            elif token.type != "html_inline":
                words.append(token.content)
    return " ".join("".join(words).split())
