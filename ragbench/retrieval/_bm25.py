"""Lexical retrieval: BM25 over the chunks' texts (Robertson & Zaragoza 2009, Lucene's variant).

Tokens are words, case-folded, without English stop words, stemmed by Snowball's English stemmer;
numbers with their thousands separators and decimals (``$1,250.00`` and ``1250`` are one token);
codes such as ``open_account_4821``, whole; and pairs of neighbouring characters in scripts that do
not separate words. Words are kept whole at hyphens' sides, not across them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ragbench.ingest.index import Index
from ragbench.records import Chunk
from ragbench.retrieval._base import RETRIEVERS, Hit, Scalar, check_query, rank_hits

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Bm25", "Bm25Retriever", "tokens"]

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!\w)|\d+(?:\.\d+)?(?![\w]))"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<word>(?:(?![{_UNSPACED}])\w)+(?:['’](?:(?![{_UNSPACED}])\w)+)?)"
)
_CODE = re.compile(r"[\d_]")


def tokens(text: str) -> list[str]:
    """The tokens that BM25 counts.

    >>> tokens("Wiring $1,250.00 costs the customer's bank 25.5, see open_account_4821")
    ['wire', '1250', 'cost', 'custom', 'bank', '25.5', 'see', 'open_account_4821']
    """
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        piece = match.group()
        if match.lastgroup == "number":
            found.append(_number(piece))
        elif match.lastgroup == "unspaced":
            found += [piece[i : i + 2] for i in range(max(1, len(piece) - 1))]
        elif _CODE.search(piece):
            found.append(piece)
        else:
            word = re.split("['’]", piece)[0]
            if word not in _stop_words():
                found.append(_stem(word))
    return found


def _number(piece: str) -> str:
    plain = piece.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


@cache
def _stemmer() -> Any:  # noqa: ANN401  (PyStemmer ships no types)
    import Stemmer

    return Stemmer.Stemmer("english")


def _stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


class Bm25Retriever:
    """BM25 over the chunks of an index; a chunk that shares no term with the query is no hit."""

    def __init__(self, index: Index) -> None:
        import bm25s

        self._index = index
        self._chunks = index.chunks
        self._model = bm25s.BM25(method="lucene")
        corpus = [tokens(chunk.text) for chunk in self._chunks]
        self._terms = {term for terms in corpus for term in terms}
        if self._terms:
            self._model.index(corpus, show_progress=False)

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return len(self._chunks)

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`; a query of unknown terms finds nothing."""
        check_query(query, n)
        terms = [term for term in tokens(query) if term in self._terms]
        if not terms:
            return []
        scores = self._model.get_scores(terms)
        return rank_hits(self._scored(scores, where), n)

    def _scored(
        self, scores: np.ndarray, where: Mapping[str, Scalar] | None
    ) -> list[tuple[Chunk, float]]:
        if not where:
            return [(self._chunks[i], scores[i]) for i in scores.nonzero()[0].tolist()]
        return [(self._chunks[i], scores[i]) for i in self._index.matching(where) if scores[i] > 0]


@RETRIEVERS.register("bm25")
@dataclass(frozen=True)
class Bm25:
    """Shared terms, weighted by how rare they are."""

    def open(self, index: Index) -> Bm25Retriever:
        """The lexical retriever over the index."""
        return Bm25Retriever(index)
