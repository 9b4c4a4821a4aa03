r"""Searching for a regular expression, in time linear in the text.

The engine is RE2: it never backtracks, so that no pattern makes a text of twice the length take
more than twice as long. It has no backreferences and no look-around, and its ``\w``, ``\d`` and
``\b`` are those of ASCII (``\p{L}`` is any letter). ``^`` and ``$`` match at lines.

Ligatures, full-width forms and the like are plain in text and pattern alike (`folded`).
A chunk's score is the number of matches in its text. A match of nothing, such as ``x*`` at a ``y``,
is none, and at most 100 places of a chunk are looked at: after each the engine may read on to the
chunk's end, so that without a bound the whole would be quadratic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from ragbench.errors import UsageError
from ragbench.ingest.chunk import folded
from ragbench.ingest.index import Index
from ragbench.registry import spec_of
from ragbench.retrieval._base import RETRIEVERS, Hit, Queries, Scalar, check_query, rank_hits

__all__ = ["Grep", "GrepRetriever", "compile_pattern"]

_MOST_MATCHES = 100
_MOST_INSTRUCTIONS = 2500
"""Of a compiled pattern; a character of text costs at most so many steps."""


class GrepRetriever:
    """Chunks whose text matches the query, a regular expression; most matches first."""

    def __init__(self, index: Index, spec: Grep) -> None:
        self._index, self._spec = index, spec
        self._chunks = index.chunks
        self._texts = [folded(chunk.text).encode() for chunk in self._chunks]

    @property
    def identity(self) -> str:
        """The spec."""
        return str(spec_of(self._spec))

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return len(self._chunks)

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`; the query is a pattern.

        Raises:
            UsageError: the query is empty or no pattern, or n is below 1.
        """
        check_query(query, n)
        pattern = compile_pattern(query, ignore_case=self._spec.ignore_case)
        counted = [(self._chunks[i], self._count(pattern, i)) for i in self._index.matching(where)]
        return rank_hits([(chunk, count) for chunk, count in counted if count], n)

    def _count(self, pattern: Any, number: int) -> int:  # noqa: ANN401  (RE2 ships no types)
        matches = islice(pattern.finditer(self._texts[number]), _MOST_MATCHES)
        return sum(match.start() < match.end() for match in matches)


def compile_pattern(pattern: str, *, ignore_case: bool) -> Any:  # noqa: ANN401
    """The compiled pattern.

    Raises:
        UsageError: RE2 does not know the syntax, or the pattern is too large.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = not ignore_case
    try:
        compiled = re2.compile(f"(?m){folded(pattern, re2.escape)}", options)
    except re2.error as error:
        found = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        reason = found.replace("(?m)", "", 1)
        raise UsageError(
            f"The pattern {pattern!r} is no regular expression of RE2: {reason}. {_remedy(reason)}"
        ) from error
    if compiled.programsize > _MOST_INSTRUCTIONS:
        raise UsageError(
            f"The pattern {pattern!r} is too large: it compiles to {compiled.programsize:,} "
            f"instructions, {_MOST_INSTRUCTIONS:,} are allowed. Repeat less, or look for a part."
        )
    return compiled


def _remedy(reason: str) -> str:
    if "(?=" in reason or "(?!" in reason or "(?<" in reason:
        return "There is no look-around; match the surroundings too."
    if "escape sequence" in reason:
        return "There are no backreferences; a backslash itself is written \\\\."
    return "Put a backslash before a character that is meant literally: . * + ? ( ) [ ] { } | \\"


@RETRIEVERS.register("grep")
@dataclass(frozen=True)
class Grep:
    """Chunks that a regular expression matches, most matches first; the query is the pattern.

    Args:
        ignore_case: whether capitals and small letters are equal; ``(?-i)`` in a pattern overrides.
    """

    ignore_case: bool = True

    needs_vectors: ClassVar[bool] = False
    queries: ClassVar[Queries] = "pattern"

    def open(self, index: Index) -> GrepRetriever:
        """The retriever over the index."""
        return GrepRetriever(index, self)
