"""Sentences of a text, and chunks of whole sentences.

A *segment* is a sentence, a row of a table, a heading, or an item of a list; a paragraph's end ends
a sentence too, a line's end does not. A full stop ends none behind an initial or an abbreviation
that a name or number follows, nor before a small letter. Chinese and Japanese end theirs with
``。！？``; Thai ends none, so that its segments are paragraphs, and long ones are cut at spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbench.ingest.chunk._boundaries import SENTENCE, Boundaries
from ragbench.ingest.chunk._clusters import next_whole
from ragbench.ingest.chunk._cut import Cutter, Size
from ragbench.ingest.chunk._rulers import tokenizer
from ragbench.records import Chunk, Document

__all__ = ["Packer", "Segment", "segments"]

_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]")
_NO_END = re.compile(
    r"\b(?:[A-Z]|e\.g|i\.e|cf|vs|approx|Fig|Mrs?|Ms|Dr|Prof|St|z\.B|d\.h|bzw|ca)\.\s*$"
)
_NO_END_BEFORE_DIGIT = re.compile(r"\b(?:Nos?|Art|Sec|Ch|pp?|Nr|Abs)\.\s*$")
_LOOK_BACK = 10


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch that is not cut while it fits; segments follow each other without a gap."""

    start: int
    end: int
    is_heading: bool = False


def segments(document: Document, boundaries: Boundaries) -> list[Segment]:
    """The segments of a document; white space belongs to the one before it."""
    text = document.text
    found: list[Segment] = []
    for start, end, kind in _blocks(text, boundaries):
        if kind in ("prose", "item"):
            for stop in _ends(text, start, end):
                found.append(Segment(start, stop))
                start = stop
        if start < end:
            found.append(Segment(start, end, kind == "heading"))
    return found


def _blocks(text: str, boundaries: Boundaries) -> Iterator[tuple[int, int, str]]:
    """The paragraphs, items, rows and headings, each with the blank lines behind it."""
    start = at = 0
    kind, closed = "", True
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        found = _kind(text, at, end, boundaries)
        if found == "blank":
            closed = True
        else:
            if closed or found != "prose":
                if kind:
                    yield start, at, kind
                    start = at
                kind = found
            closed = found in ("row", "heading")
        at = end
    if kind:
        yield start, at, kind


def _kind(text: str, start: int, end: int, boundaries: Boundaries) -> str:
    """What the line is."""
    if boundaries.is_heading(start):
        return "heading"
    if text.find("|", start, end) >= 0:
        return "row"
    if _ITEM.match(text, start, end):
        return "item"
    return "blank" if text[start:end].isspace() else "prose"


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Where each sentence of a paragraph ends, white space behind it included."""
    for match in SENTENCE.finditer(text, start, end):
        stop = match.end()
        if text[match.start()] == "." and (
            text[stop : stop + 1].islower() or _goes_on(text, match.start(), stop)
        ):
            continue
        if stop < end and next_whole(text, stop) == stop:
            yield stop


def _goes_on(text: str, stop: int, next_start: int) -> bool:
    """Whether the full stop belongs to an abbreviation."""
    before = text[max(0, stop - _LOOK_BACK) : stop + 1]
    if _NO_END.search(before):
        return True
    return text[next_start : next_start + 1].isdigit() and bool(_NO_END_BEFORE_DIGIT.search(before))


class Packer:
    """Packs whole segments into chunks of one document.

    Args:
        cutter: cuts a segment that is over the size.
        size: how long chunks may be; the overlap is made of whole segments.
    """

    def __init__(self, cutter: Cutter, size: Size) -> None:
        self._cutter, self._size = cutter, size
        self._tokenizer = tokenizer(size.tokenizer or "wordpiece")

    def chunks(self, segments: Sequence[Segment]) -> list[Chunk]:
        """As many neighbouring segments in each chunk as fit."""
        counts, sizes = self._measured(segments)
        found: list[Chunk] = []
        first = done = 0
        while done < len(segments):
            if sizes[done] > self._size.size:
                found += self._cutter.chunks(segments[done].start, segments[done].end)
                first = done = done + 1
                continue
            last = self._last(segments, sizes, first, done)
            if last == done:
                first = done
                continue
            n_tokens = sum(counts[first:last]) if self._tokenizer.additive else None
            start, end = segments[first].start, segments[last - 1].end
            found += self._cutter.whole_chunk(start, end, n_tokens)
            first, done = self._back(sizes, first, last), last
        return found

    def _measured(self, segments: Sequence[Segment]) -> tuple[list[int], list[int]]:
        """Tokens of each segment, 0 for those that are surely too long, and what each takes."""
        texts = [self._cutter.text[segment.start : segment.end].strip() for segment in segments]
        lengths = list(map(len, texts))
        most = self._size.size
        counts = self._tokenizer.count_all(
            [text if self._size.measure(0, len(text)) <= most else "" for text in texts]
        )
        return counts, list(map(self._size.measure, counts, lengths))

    def _last(self, segments: Sequence[Segment], sizes: list[int], first: int, done: int) -> int:
        """Where a chunk ends; ``done`` when it would hold nothing new."""
        last, total = first, 0
        while last < len(segments) and total + sizes[last] <= self._size.size:
            total += sizes[last]
            last += 1
        last = max(last, done)
        while not self._tokenizer.additive and last - first > 1 and last > done:
            if self._count(segments[first].start, segments[last - 1].end) <= self._size.size:
                break
            last -= 1
        shorter = last
        while shorter > done + 1 and shorter < len(segments) and segments[shorter - 1].is_heading:
            shorter -= 1
        return last if segments[shorter - 1].is_heading else shorter

    def _back(self, sizes: list[int], first: int, last: int) -> int:
        """Where the next chunk begins: whole segments back, up to the overlap."""
        start, left = last, self._size.overlap
        while left and start > first + 1 and sizes[start - 1] <= left:
            start -= 1
            left -= sizes[start]
        return start

    def _count(self, start: int, end: int) -> int:
        return self._tokenizer.count(self._cutter.text[start:end].strip())
