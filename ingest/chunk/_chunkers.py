"""The chunkers without a model or a grammar: ``recursive``, ``fixed``, ``document``, ``page``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ragbench.ingest.chunk._base import CHUNKERS, Context
from ragbench.ingest.chunk._boundaries import PART, WORD, trim
from ragbench.ingest.chunk._cut import Cutter, Size
from ragbench.ingest.chunk._units import TokenizerName
from ragbench.ingest.chunk._wordpieces import count_tokens
from ragbench.records import Chunk, Document

__all__ = ["Fixed", "Page", "Recursive", "WholeDocument"]

_SIZE_TOKENS = 256


@CHUNKERS.register("recursive")
@dataclass(frozen=True)
class Recursive:
    """Ends a chunk at the last paragraph that fits, else line, sentence, clause, word, character.

    A chunk never ends behind a heading when another end of its kind is there.

    Args:
        size_tokens: most tokens of a chunk, at least 8; 256 unless ``size_chars`` is given.
        overlap_tokens: most tokens that a chunk repeats from the one before, below the size.
        tokenizer: what ``size_tokens`` counts.
        size_chars: most characters of a chunk, at least 32, instead of ``size_tokens``.
        overlap_chars: most characters that a chunk repeats, below ``size_chars``.
        context: what a chunk is embedded with.
    """

    size_tokens: int | None = None
    overlap_tokens: int = 0
    tokenizer: TokenizerName = "wordpiece"
    size_chars: int | None = None
    overlap_chars: int = 0
    context: Context = None

    def __post_init__(self) -> None:
        if self.size_tokens is None and self.size_chars is None:
            object.__setattr__(self, "size_tokens", _SIZE_TOKENS)
        if self.size_tokens is not None and self.size_chars is not None:
            raise ValueError(
                f"size_tokens is {self.size_tokens} and size_chars is {self.size_chars}; give one"
            )
        unit = "chars" if self.size_chars is None else "tokens"
        if getattr(self, f"overlap_{unit}"):
            other = "tokens" if unit == "chars" else "chars"
            raise ValueError(f"overlap_{unit} goes with size_{unit}; give overlap_{other}")
        self._size()

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        return Cutter(document, self._size()).chunks(0, len(document.text))

    def _size(self) -> Size:
        if self.size_chars is not None:
            return Size(self.size_chars, self.overlap_chars, None)
        return Size(self.size_tokens or 0, self.overlap_tokens, self.tokenizer)


@CHUNKERS.register("fixed")
@dataclass(frozen=True)
class Fixed:
    """Fills every chunk with as many whole words as fit.

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        overlap_tokens: most tokens that a chunk repeats from the one before, below the size.
        tokenizer: what sizes count.
        context: what a chunk is embedded with.
    """

    size_tokens: int = _SIZE_TOKENS
    overlap_tokens: int = 0
    tokenizer: TokenizerName = "wordpiece"
    context: Context = None

    def __post_init__(self) -> None:
        self._size()

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        cutter = Cutter(document, self._size(), (WORD, PART), keep_headings=False)
        return cutter.chunks(0, len(document.text))

    def _size(self) -> Size:
        return Size(self.size_tokens, self.overlap_tokens, self.tokenizer)


@CHUNKERS.register("document")
@dataclass(frozen=True)
class WholeDocument:
    """Makes the whole document one chunk, however long.

    Args:
        context: what a chunk is embedded with.
    """

    context: Context = None

    def chunk(self, document: Document) -> list[Chunk]:
        """One chunk without the white space around the text, or none when there is nothing else."""
        start, end = trim(document.text, 0, len(document.text))
        if start == end:
            return []
        return [Chunk(document.doc_id, start, end, document.text[start:end], count_tokens)]


@CHUNKERS.register("page")
@dataclass(frozen=True)
class Page:
    """Makes each page one chunk; a longer one is cut further as ``recursive`` does.

    What stands on no page, such as a whole Markdown file, is treated as one page.

    Args:
        size_tokens: most tokens of a chunk, at least 8. The default holds nearly every page; it is
            more than most embedding models read, and an ingest counts the chunks that are.
        overlap_tokens: most tokens that the parts of one page repeat.
        tokenizer: what sizes count.
        context: what a chunk is embedded with.
    """

    size_tokens: int = 1024
    overlap_tokens: int = 0
    tokenizer: TokenizerName = "wordpiece"
    context: Context = None

    def __post_init__(self) -> None:
        self._size()

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        cutter = Cutter(document, self._size())
        edges = {0, len(document.text)}
        for place in document.places:
            if place.page is not None:
                edges |= {place.start, place.end}
        stretches = pairwise(sorted(edges))
        return [chunk for start, end in stretches for chunk in cutter.chunks(start, end)]

    def _size(self) -> Size:
        return Size(self.size_tokens, self.overlap_tokens, self.tokenizer)
