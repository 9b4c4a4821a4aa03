"""From a stretch of text to chunks: how far each reaches, where it ends, where the next begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from re import Match, Pattern

from ragbench.ingest.chunk._boundaries import SENTENCE, SEPARATORS, Boundaries, trim
from ragbench.ingest.chunk._clusters import clusters
from ragbench.ingest.chunk._rulers import CharacterRuler, Ruler, TokenRuler, tokenizer
from ragbench.ingest.chunk._units import TokenizerName
from ragbench.ingest.chunk._wordpieces import count_tokens
from ragbench.records import Chunk, Document

__all__ = ["MIN_CHARS", "MIN_TOKENS", "Cutter", "Size"]

MIN_TOKENS = 8
"""No single character has more word pieces than this, so that every text can be cut to size."""
MIN_CHARS = 32
_TOKEN_CHARS = 32
"""Characters that are one token at least; a word piece of English has 4."""


@dataclass(frozen=True, slots=True)
class Size:
    """Most tokens, or characters when no tokenizer is named, of a chunk and of its overlap.

    Raises:
        ValueError: the size is too small, or the overlap no part of it.
    """

    size: int
    overlap: int = 0
    tokenizer: TokenizerName | None = "wordpiece"

    def __post_init__(self) -> None:
        unit, least = ("chars", MIN_CHARS) if self.tokenizer is None else ("tokens", MIN_TOKENS)
        if self.size < least:
            raise ValueError(f"size_{unit} is {self.size}; it must be at least {least}")
        if not 0 <= self.overlap < self.size:
            raise ValueError(
                f"overlap_{unit} is {self.overlap}; it must be from 0 to below size_{unit} "
                f"({self.size})"
            )

    def measure(self, n_tokens: int, n_chars: int) -> int:
        """What a stretch takes of the size: its tokens, or more when its words are endless.

        Word pieces make one token of a word over 100 characters, however long.
        """
        return max(n_tokens, n_chars // _TOKEN_CHARS)

    def ruler(self, text: str, start: int, end: int) -> Ruler:
        """A ruler on a stretch of a text."""
        if self.tokenizer is None:
            return CharacterRuler(text, end, self.size)
        return TokenRuler(text, start, end, self.size, tokenizer(self.tokenizer))


class Cutter:
    """Cuts stretches of one document to size.

    A chunk ends at the last place of the strongest separator that leaves a quarter of the size
    before it, else as far as it reaches.

    Args:
        document: whose chunks they are.
        size: how long they may be.
        separators: where a chunk may end, strongest first.
        keep_headings: end no chunk behind a heading when it may end elsewhere.
    """

    def __init__(
        self,
        document: Document,
        size: Size,
        separators: Sequence[Pattern[str]] = SEPARATORS,
        *,
        keep_headings: bool = True,
    ) -> None:
        self.document, self.text = document, document.text
        self.boundaries = Boundaries(document)
        self._size, self._separators, self._keep_headings = size, separators, keep_headings

    def chunks(self, start: int, end: int) -> list[Chunk]:
        """The chunks of a stretch; see `ragbench.ingest.chunk` for what is promised."""
        if not self.text[start:end].strip():
            return []
        ruler = self._size.ruler(self.text, start, end)
        doc_id, text = self.document.doc_id, self.text
        chunks: list[Chunk] = []
        for first, last in self._ranges(ruler, start, end):
            low, high = trim(text, first, last)
            if low < high and (not chunks or high > chunks[-1].end):
                n_tokens = ruler.n_tokens(first, last)
                tokens = count_tokens if n_tokens is None else n_tokens
                chunks.append(Chunk(doc_id, low, high, text[low:high], tokens))
        return chunks

    def whole_chunk(self, start: int, end: int, n_tokens: int | None = None) -> list[Chunk]:
        """The stretch as one chunk, whatever its size; none when it is white space only.

        Args:
            start: where it begins.
            end: where it ends.
            n_tokens: its word pieces, when they are known; else they are counted when asked for.
        """
        start, end = trim(self.text, start, end)
        if start >= end:
            return []
        tokens = count_tokens if n_tokens is None else n_tokens
        return [Chunk(self.document.doc_id, start, end, self.text[start:end], tokens)]

    def _ranges(self, ruler: Ruler, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ranges within the size, in order; each may begin up to the overlap before the last."""
        first = done = start
        while done < end:
            first = self._first(ruler, first, done)
            last = self._last(ruler, first, done, end)
            if last is None and first < done:
                first = done
                continue
            if last is None:
                last = self._inside_unit(ruler, first)
            yield first, last
            done = last
            first = self._overlapping(ruler, first, done)

    def _first(self, ruler: Ruler, first: int, done: int) -> int:
        """Where the chunk begins: as little later as lets it hold something new, or a whole row."""
        while first < done and ruler.reach(first) <= done:
            first = self._behind_row(ruler, ruler.at_or_after(first + 1), done)
        if first < done:
            row_end = self.boundaries.row_end(done + 1)
            if row_end > ruler.reach(first) and row_end <= ruler.reach(done):
                return done
        return first

    def _last(self, ruler: Ruler, first: int, done: int, end: int) -> int | None:
        """Where the chunk ends; None when nothing behind ``done`` fits."""
        reach = ruler.reach(first)
        while reach > done:
            last = reach if reach >= end else self._choose(ruler, first, done, reach)
            excess = ruler.excess(first, last)
            if not excess:
                return last
            reach = ruler.before(last, excess)
        return None

    def _choose(self, ruler: Ruler, first: int, done: int, reach: int) -> int:
        """The best end up to ``reach``."""
        low = max(ruler.filled(first, reach), ruler.at_or_after(done + 1))
        search = max(done, ruler.before(low, 1))
        for separator in self._separators:
            for match in self._matches(separator, search, reach):
                stop = ruler.at_or_after(match.end())
                if not low <= stop <= reach or self._behind_heading(first, match.start()):
                    continue
                row = self._row_start(ruler, done, stop, in_prose=separator is SENTENCE)
                if row == stop or separator is not SENTENCE:
                    return row
        return self._row_start(ruler, done, reach)

    def _matches(self, separator: Pattern[str], low: int, high: int) -> Iterator[Match[str]]:
        """The matches from the last to the first, looked for from the end."""
        edge = max(low, high - _NEAR)
        while edge > low and not self.text[edge - 1].isalnum():  # within no separator
            edge -= 1
        yield from reversed(list(separator.finditer(self.text, edge, high)))
        yield from reversed(list(separator.finditer(self.text, low, edge)))

    def _behind_heading(self, first: int, end: int) -> bool:
        return self._keep_headings and self.boundaries.ends_with_heading(first, end)

    def _row_start(self, ruler: Ruler, done: int, stop: int, *, in_prose: bool = False) -> int:
        row = self.boundaries.row_start(done, stop, in_prose=in_prose)
        return stop if row == stop else min(ruler.at_or_after(row), stop)

    def _overlapping(self, ruler: Ruler, first: int, done: int) -> int:
        """Where the next chunk begins."""
        if not self._size.overlap:
            return done
        return self._behind_row(ruler, ruler.back(first, done, self._size.overlap), done)

    def _behind_row(self, ruler: Ruler, start: int, done: int) -> int:
        row_end = self.boundaries.row_end(start)
        return done if row_end >= done else ruler.at_or_after(row_end)

    def _inside_unit(self, ruler: Ruler, first: int) -> int:
        """The end of a chunk for which a single unit is too long once it is cut out."""
        unit = self.text[first : ruler.at_or_after(first + 1)]
        parts = clusters(unit)
        parts = parts if len(parts) > 1 else list(unit)
        n = len(parts) - 1
        while n > 1 and ruler.excess(first, first + len("".join(parts[:n]))):
            n -= 1
        return first + len("".join(parts[:n]))


_NEAR = 256
"""Characters at the end of a chunk that are searched first."""
