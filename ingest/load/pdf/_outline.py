"""Headings of a PDF from its outline (bookmarks), where they can be relied on.

Rules fixed here: a bookmark is a heading when its title fills one to three lines of the page that
it leads to, white space, ligatures and a section number in front apart; the heading begins where
that line does. Where a title stands there more often than bookmarks of this title lead there, none
of them is placed. From a bookmark that could not be placed on, only the headings above it are
known; an outline whose order is not that of the pages gives no heading at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._headings import Heading
from ragbench.ingest.load._metadata import well_formed

__all__ = ["Bookmark", "placed"]

MAX_BOOKMARKS = 20_000
_MAX_LINES = 3
_MAX_TITLE = 300
_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r"[^\W\d_]{0,10}[\d.]*[\d.):–-]+(?=\D)")
"""A section number without white space: ``1.2``, ``A.``, ``Chapter3:``, ``iv)``."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of an outline.

    Attributes:
        level: depth of nesting, from 1.
        title: as the outline writes it.
        page: index of the page that it leads to, from 0; None when it leads to none.
    """

    level: int
    title: str
    page: int | None


def placed(
    bookmarks: Sequence[Bookmark], pages: Sequence[str], starts: Sequence[int]
) -> list[Heading]:
    """The headings in order; one without text stands where an unplaced bookmark may begin.

    Args:
        bookmarks: the outline in its own order.
        pages: text of each page.
        starts: offset of each page in the document's text.
    """
    offsets = _offsets(bookmarks, pages, starts)
    headings: list[Heading] = []
    position = 0
    for bookmark, offset in zip(bookmarks, offsets, strict=True):
        if offset is not None:
            start, title = offset, _title(bookmark)
        else:
            page_start = position if bookmark.page is None else starts[bookmark.page]
            next_page = 0 if bookmark.page is None else bookmark.page + 1
            if next_page and next_page < len(starts) and starts[next_page] <= position:
                return []
            start, title = max(position, page_start), ""
        if start < position:
            return []
        headings.append(Heading(start, bookmark.level, title))
        position = start
    return headings if any(heading.text for heading in headings) else []


def _offsets(
    bookmarks: Sequence[Bookmark], pages: Sequence[str], starts: Sequence[int]
) -> list[int | None]:
    """Where each bookmark's title stands, None where that is not sure."""
    keys = [(bookmark.page, _compact(_title(bookmark))) for bookmark in bookmarks]
    wanted = Counter(keys)
    lines = {page: _lines(pages[page]) for page, _ in wanted if page is not None}
    taken: Counter[tuple[int | None, str]] = Counter()
    found: list[int | None] = []
    for page, key in keys:
        candidates = _candidates(lines[page], key) if page is not None and key else []
        if page is None or len(candidates) != wanted[page, key]:
            found.append(None)
            continue
        found.append(starts[page] + candidates[taken[page, key]])
        taken[page, key] += 1
    return found


def _lines(page: str) -> dict[str, list[tuple[int, int]]]:
    """Spans of one to three lines by their compact text, also without a number in front."""
    lines = [match for match in _LINE.finditer(page) if match.group().strip()]
    compact = [_compact(match.group()) for match in lines]
    found: dict[str, list[tuple[int, int]]] = {}
    for first, line in enumerate(lines):
        text = ""
        for last in range(first, min(first + _MAX_LINES, len(lines))):
            text += compact[last]
            if len(text) > _MAX_TITLE:
                break
            span = (line.start(), lines[last].end())
            for key in {text, _without_number(text)} - {""}:
                found.setdefault(key, []).append(span)
    return found


def _candidates(lines: dict[str, list[tuple[int, int]]], key: str) -> list[int]:
    """Beginnings of the places where the title stands; spans that overlap are one place."""
    exact = set(lines.get(key, ()))
    begins: list[tuple[bool, int]] = []
    end = -1
    for start, stop in sorted({*exact, *lines.get(_without_number(key), ())}):
        here = ((start, stop) in exact, start)
        if start >= end:
            begins.append(here)
        else:  # a number alone on the line before belongs to the title only if this has one too
            begins[-1] = max(begins[-1], here)
        end = max(end, stop)
    return [start for _, start in begins]


def _title(bookmark: Bookmark) -> str:
    kept = (char if char.isprintable() else " " for char in well_formed(bookmark.title))
    return fold("".join(kept))[:_MAX_TITLE]


def _compact(text: str) -> str:
    """The text without white space and without a hyphen at its end, ligatures resolved."""
    return "".join(unicodedata.normalize("NFKC", text).split()).removesuffix("-")


def _without_number(compact: str) -> str:
    match = _NUMBER.match(compact)
    return compact[match.end() :] if match else compact
