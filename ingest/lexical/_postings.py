"""Which chunks hold which token, and how often: all that BM25 counts, as arrays.

Nothing here depends on how often an index was renewed: tokens stand in order of their UTF-8 bytes,
tokens that no chunk holds any more are left out, and the postings of a token are in order of the
chunks. So renewing the arrays of an earlier generation gives those of a first ingest, to the byte.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Postings", "count_tokens", "renewed"]


@dataclass(frozen=True)
class Postings:
    """The tokens of n chunks.

    Attributes:
        words: uint8, the tokens' UTF-8 bytes, one after another.
        word_starts: int64 (tokens + 1), where each begins in ``words``.
        starts: int64 (tokens + 1), where the postings of each token begin.
        rows: int32, numbers of chunks.
        counts: how often the chunk holds the token; the smallest unsigned type that fits.
        lengths: int32 (n), tokens of each chunk, repeated ones too.
    """

    words: np.ndarray
    word_starts: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    counts: np.ndarray
    lengths: np.ndarray

    def find(self, token: str) -> int | None:
        """The number of a token, None when no chunk holds it."""
        wanted, n_tokens = token.encode(), len(self.starts) - 1
        number = bisect_left(range(n_tokens), wanted, key=self._word)
        found = number < n_tokens and self._word(number) == wanted
        return number if found else None

    def of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The chunks that hold a token, ascending, and how often each does."""
        start, end = int(self.starts[number]), int(self.starts[number + 1])
        return self.rows[start:end], self.counts[start:end]

    @cached_property
    def mean_length(self) -> float:
        """Mean number of tokens of a chunk."""
        return float(self.lengths.sum(dtype="int64")) / len(self.lengths)

    def _word(self, number: int) -> bytes:
        start, end = int(self.word_starts[number]), int(self.word_starts[number + 1])
        return self.words[start:end].tobytes()

    def tokens(self) -> list[str]:
        """All tokens, in their order."""
        text, starts = self.words.tobytes(), self.word_starts.tolist()
        return [text[a:b].decode() for a, b in pairwise(starts)]


def count_tokens(texts: Iterable[list[str]]) -> Postings:
    """The postings of chunks, given as the tokens of each.

    >>> found = count_tokens([["fee", "wire", "fee"], [], ["wire"]])
    >>> found.tokens(), found.lengths.tolist(), [part.tolist() for part in found.of(1)]
    (['fee', 'wire'], [3, 0, 1], [[0, 2], [1, 1]])
    """
    import numpy as np

    known: dict[str, int] = {}
    tokens, rows, counts, lengths = array("i"), array("i"), array("i"), array("i")
    for row, text in enumerate(texts):
        lengths.append(len(text))
        for token, count in Counter(text).items():
            tokens.append(known.setdefault(token, len(known)))
            rows.append(row)
            counts.append(count)
    parts = [np.array(values, dtype=np.int32) for values in (tokens, rows, counts, lengths)]
    return _arranged(list(known), *parts)


def renewed(before: Postings, moved: np.ndarray, fresh: Postings, at: np.ndarray) -> Postings:
    """The postings after some chunks went and others came.

    Args:
        before: of the chunks that were.
        moved: for each of them its new number, -1 when it is gone.
        fresh: of the chunks that are new.
        at: for each of those its number.
    """
    import numpy as np

    rows = moved[before.rows]
    stays = rows >= 0
    old, new = before.tokens(), fresh.tokens()
    known = {token: i for i, token in enumerate(old)}
    fresh_ids = np.array([known.setdefault(token, len(known)) for token in new], dtype=np.int32)
    tokens = np.concatenate([_tokens_of(before)[stays], fresh_ids[_tokens_of(fresh)]])
    lengths = np.zeros(int((moved >= 0).sum()) + len(at), dtype=np.int32)
    lengths[moved[moved >= 0]] = before.lengths[moved >= 0]
    lengths[at] = fresh.lengths
    return _arranged(
        list(known),
        tokens,
        np.concatenate([rows[stays], at[fresh.rows]]).astype(np.int32),
        np.concatenate([before.counts[stays], fresh.counts]).astype(np.int32),
        lengths,
    )


def _tokens_of(postings: Postings) -> np.ndarray:
    """The number of each posting's token."""
    import numpy as np

    n_tokens = len(postings.starts) - 1
    return np.repeat(np.arange(n_tokens, dtype=np.int32), np.diff(postings.starts))


def _arranged(
    known: list[str],
    tokens: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    lengths: np.ndarray,
) -> Postings:
    """The postings in their order, without tokens that no posting names."""
    import numpy as np

    used = np.bincount(tokens, minlength=len(known)) if known else np.zeros(0, dtype=np.int64)
    order = sorted((i for i in range(len(known)) if used[i]), key=known.__getitem__)
    place = np.zeros(len(known), dtype=np.int64)
    place[order] = np.arange(len(order))
    by_token = np.argsort(place[tokens] * max(1, len(lengths)) + rows, kind="stable")
    words = [known[i].encode() for i in order]
    return Postings(
        words=np.frombuffer(b"".join(words), dtype=np.uint8),
        word_starts=_running([len(word) for word in words]),
        starts=_running(used[order]),
        rows=rows[by_token],
        counts=counts[by_token].astype(np.min_scalar_type(int(counts.max(initial=0)))),
        lengths=lengths,
    )


def _running(sizes: list[int] | np.ndarray) -> np.ndarray:
    import numpy as np

    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)
