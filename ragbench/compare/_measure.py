"""One index, one retriever: every question is asked, timed, and scored at every k.

Rules fixed here: a question is asked once, as deep as the deepest k needs, since the hits of a
smaller k are the first of those; latency is that of this one search. The time of embedding a query
is measured apart, on a sample of the queries, each embedded alone as a user would ask it; those
that were known from an earlier run are embedded again for their time. The others are embedded
together. Distinct documents are looked for among the first 100 chunks, or the first 4 k where those
are more.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

from ragbench.compare._documents import document_scores, rank_hits_of
from ragbench.compare._grid import Cell
from ragbench.compare._records import HitTuple, QuestionResult
from ragbench.compare._resolve import ResolvedQuestion
from ragbench.compare._sets import best_of_parts
from ragbench.compare._spans import Rulers, SpanContext, spans_of
from ragbench.compare.measures import DocumentMeasure, SpanMeasure, parse_measure
from ragbench.evidence import Seen
from ragbench.ingest.index import Index
from ragbench.records import HitRecord, Question
from ragbench.retrieval import Hit, Retriever, hit_record, waits_for_model

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.embed import Embedder, EmbeddingCache

__all__ = [
    "DOCUMENT_MEASURES",
    "SPAN_MEASURES",
    "Asked",
    "Corpus",
    "QueryVectors",
    "TimedIndex",
    "ask",
    "measures_at",
    "score",
]

DOCUMENT_MEASURES = ("R", "P", "nDCG", "RR", "AP")
SPAN_MEASURES = ("span_recall", "span_precision", "IoU", "F1")
_CEILING = "precision_omega"
_DEPTH = 100
_FACTOR = 4
_SAMPLE = 20
"""Questions whose texts are embedded alone, for the time that it takes."""


@cache
def measures_at(k: int) -> tuple[str, ...]:
    """The names of everything that is measured at a k, the first table's first."""
    documents = [f"{name}@{k}" for name in DOCUMENT_MEASURES]
    spans = [f"{name}@{k}" for name in SPAN_MEASURES]
    tokens = [f"{name}(unit=tokens)@{k}" for name in SPAN_MEASURES]
    published = [f"{name}(variant=published)@{k}" for name in SPAN_MEASURES[:3]]
    distinct = [f"{name}(count=documents)@{k}" for name in DOCUMENT_MEASURES]
    ceilings = [_CEILING, f"{_CEILING}(unit=tokens)", f"{_CEILING}(variant=published)"]
    names = [*spans, ceilings[0], *documents, *tokens, ceilings[1], *published, ceilings[2]]
    return tuple(str(parse_measure(name)) for name in [*names, *distinct])


class QueryVectors:
    """Vectors of queries by one model, with the time that embedding some of them took.

    Args:
        embedder: the model.
        cache: the store's; a vector that it holds is taken from it.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self.embedder, self._cache = embedder, cache
        self._vectors: dict[str, np.ndarray] = {}
        self._n_timed = 0
        self.times_ms: dict[str, float] = {}

    def prepare(self, questions: Iterable[Sequence[str]]) -> None:
        """Embed what is not known: a sample of questions text by text for its times, then the rest.

        Args:
            questions: the texts of each.

        Raises:
            ModelUnavailable: the model does not load.
        """
        from ragbench.ingest.embed import embed_cached

        new = [texts for texts in questions if not self._vectors.keys() >= set(texts)]
        if not new:
            return
        self.embedder.embed(["ready"], "query")
        step = max(1, len(new) // _SAMPLE)
        for texts in new[::step][: max(0, _SAMPLE - self._n_timed)]:
            self._n_timed += 1
            for text in texts:
                if text not in self.times_ms:
                    self.times_ms[text] = self._timed(text)
        wanted = list(dict.fromkeys(text for texts in new for text in texts))
        vectors, _ = embed_cached(self.embedder, self._cache, wanted, "query")
        self._vectors.update(zip(wanted, vectors, strict=True))

    def _timed(self, text: str) -> float:
        """Milliseconds that embedding the text takes, which is kept when it was not known."""
        from ragbench.ingest.embed import embed_cached

        started = time.perf_counter()
        _, n_new = embed_cached(self.embedder, self._cache, [text], "query")
        if not n_new:
            started = time.perf_counter()
            self.embedder.embed([text], "query")
        return _ms_since(started)

    def vector(self, text: str) -> np.ndarray:
        """The vector of one query."""
        if text not in self._vectors:
            self.prepare([[text]])
        return self._vectors[text]

    def close(self) -> None:
        """Close the cache's file."""
        self._cache.close()


class TimedIndex:
    """An index that takes queries' vectors from `QueryVectors` and adds up the time that it takes.

    It stands for the index; whatever it does not say itself is the index's.

    Attributes:
        inside_ms: spent on queries' vectors since it was set to 0.
        asked: the texts whose vectors were asked for since it was emptied.
    """

    def __init__(self, index: Index, vectors: QueryVectors | None) -> None:
        self._index, self._vectors = index, vectors
        self.inside_ms = 0.0
        self.asked: list[str] = []

    def embed_query(self, text: str) -> np.ndarray:
        """See `Index.embed_query`."""
        started = time.perf_counter()
        vectors = self._vectors
        found = self._index.embed_query(text) if vectors is None else vectors.vector(text)
        self.inside_ms += _ms_since(started)
        self.asked.append(text)
        return found

    @property
    def embedder(self) -> Embedder:
        """See `Index.embedder`; the model that is loaded already."""
        return self._index.embedder if self._vectors is None else self._vectors.embedder

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the index has)
        return getattr(self._index, name)

    def as_index(self) -> Index:
        """Itself, to whom an index is wanted."""
        return cast(Index, self)

    def take_times(self) -> tuple[float, float | None]:
        """Milliseconds spent here, and what embedding those queries takes; both start anew."""
        known = self._vectors.times_ms if self._vectors is not None else {}
        times = [known.get(text) for text in self.asked]
        defined = [found for found in times if found is not None]
        inside = self.inside_ms
        self.inside_ms, self.asked = 0.0, []
        return inside, sum(defined) if times and len(defined) == len(times) else None


@dataclass(slots=True)
class Asked:
    """What a retriever answered to one question.

    Attributes:
        hits: best first, deeper than any k.
    """

    question: ResolvedQuestion
    hits: list[HitRecord]
    search_ms: float
    embed_ms: float | None


def ask(
    retriever: Retriever, index: TimedIndex, questions: Sequence[ResolvedQuestion], k: int
) -> Iterator[Asked]:
    """Ask every question so deep that k chunks, and where possible k documents, are found."""
    if questions:  # what is made at the first search
        first = questions[0].question.queries[0]
        # What a model has answered is not asked again, and would take no time.
        retriever.retrieve(f"{first} " if waits_for_model(retriever) else first, 1)
    for resolved in questions:
        index.take_times()
        started = time.perf_counter()
        hits = _search(retriever, resolved.question, max(k, min(_FACTOR * k, _DEPTH)))
        elapsed = _ms_since(started)
        inside, embed_ms = index.take_times()
        deepest = max(_FACTOR * k, _DEPTH)
        if _n_documents(hits) < min(k, index.manifest.n_documents) and len(hits) < deepest:
            hits = _search(retriever, resolved.question, deepest)
        records = [hit_record(hit) for hit in hits]
        yield Asked(resolved, records, max(0.0, elapsed - inside), embed_ms)


def _search(retriever: Retriever, question: Question, n: int) -> list[Hit]:
    if not question.parts:
        return retriever.retrieve(question.text, n)
    return best_of_parts([retriever.retrieve(part, n) for part in question.parts], n)


def _n_documents(hits: Sequence[Hit]) -> int:
    return len({hit.chunk.doc_id for hit in hits})


@dataclass(frozen=True)
class Corpus:
    """What scoring needs of an index: its chunks' spans, and the rulers of its texts."""

    index: Index

    @cached_property
    def chunks(self) -> dict[str, list[tuple[int, int]]]:
        """Every chunk's span by document."""
        return spans_of(self.index.chunks)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Every document's text."""
        return {doc_id: document.text for doc_id, document in self.index.documents.items()}


def score(
    cell: Cell, asked: Sequence[Asked], corpus: Corpus, rulers: Rulers
) -> tuple[QuestionResult, ...]:
    """The results of every question at the cell's k.

    Raises:
        UsageError: a score is not finite, or a chunk was returned twice.
    """
    measures = {name: parse_measure(name) for name in measures_at(cell.k)}
    grades = {one.question.question.id: one.question.grades for one in asked}
    rankings = {one.question.question.id: rank_hits_of(one.hits, cell.name) for one in asked}
    documents = document_scores(
        [one for one in measures.values() if isinstance(one, DocumentMeasure)], grades, rankings
    )
    results = []
    for one in asked:
        question_id = one.question.question.id
        context = SpanContext(one.question.items, one.hits, corpus.chunks, rulers)
        values: dict[str, float | None] = {}
        for name, measure in measures.items():
            if isinstance(measure, DocumentMeasure):
                values[name] = documents[measure][question_id]
            elif isinstance(measure, SpanMeasure):
                values[name] = measure.score(context)
        results.append(_result(cell.k, one, values, rankings[question_id], corpus.texts))
    return tuple(results)


def _result(
    k: int,
    asked: Asked,
    values: dict[str, float | None],
    ranking: Sequence[str],
    texts: Mapping[str, str],
) -> QuestionResult:
    hits = asked.hits[:k]
    return QuestionResult(
        id=asked.question.question.id,
        values=values,
        n_tokens=sum(hit.n_tokens for hit in hits),
        search_ms=round(asked.search_ms, 4),
        embed_ms=None if asked.embed_ms is None else round(asked.embed_ms, 4),
        hits=tuple(_tuple(hit) for hit in hits),
        documents=tuple(dict.fromkeys(ranking))[:k],
        missed=_missed(asked.question, hits, texts),
    )


def _tuple(hit: HitRecord) -> HitTuple:
    return (hit.doc_id, hit.start, hit.end, hit.score, hit.n_tokens)


def _missed(
    question: ResolvedQuestion, hits: Sequence[HitRecord], texts: Mapping[str, str]
) -> tuple[int, ...]:
    """Numbers of the items that the hits do not cover, as a trajectory's diagnosis covers them."""
    seen = Seen(texts)
    seen.add((hit.doc_id, hit.start, hit.end) for hit in hits)
    grades = tuple(question.question.relevant.values()) or (1,) * len(question.located)
    return tuple(
        number
        for number, (item, grade) in enumerate(zip(question.located, grades, strict=True))
        if grade > 0 and not seen.covers(item.any_of)
    )


def _ms_since(started: float) -> float:
    return 1000 * (time.perf_counter() - started)
