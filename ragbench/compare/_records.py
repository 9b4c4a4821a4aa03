"""What a grid stores: one line per finished cell, one per question, and how to read them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CellRecord", "HitTuple", "IngestRecord", "QuestionRecord", "QuestionResult"]

HitTuple = tuple[str, int, int, float, int]
"""Document, start, end, score, tokens."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class QuestionRecord(_Record):
    """A question with what has to be found, as the report shows it (``questions.jsonl``).

    Attributes:
        group: questions of one group are no independent observations.
        grades: relevant documents.
        evidence: per item the first place where it stands, as document, start, end and text; start
            and end are None for a whole document and for what parsing lost.
        labels: what it can be sliced by: values of its relevant documents' properties.
    """

    id: str
    text: str
    group: str
    where: str = ""
    grades: dict[str, int]
    evidence: tuple[tuple[str, int | None, int | None, str], ...]
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class QuestionResult(_Record):
    """One question under one setup.

    Attributes:
        values: every measure by its name; None is undefined.
        n_tokens: of the first k chunks together.
        search_ms: the retrieval without embedding the query.
        embed_ms: embedding the query; None when it was not measured, or there is no model.
        hits: the first k chunks, best first.
        documents: the first k distinct documents.
        missed: numbers of the items of evidence that the k chunks do not cover.
    """

    id: str
    values: dict[str, float | None]
    n_tokens: int
    search_ms: float
    embed_ms: float | None = None
    hits: tuple[HitTuple, ...] = ()
    documents: tuple[str, ...] = ()
    missed: tuple[int, ...] = ()


class IngestRecord(_Record):
    """How a collection was made; one line of ``ingests.jsonl`` each, written when it is finished.

    Attributes:
        seconds: of the ingest that built it; None when it stood in the store already.
        n_embedded: texts embedded by it.
        n_cached: chunks whose vector was known already.
    """

    collection: str
    index_id: str
    seconds: float | None
    n_documents: int
    n_chunks: int
    n_tokens: int
    n_embedded: int
    n_cached: int
    n_truncated: int
    index_bytes: int


class CellRecord(_Record):
    """One finished cell; a line of ``cells.jsonl``.

    Attributes:
        error: why the cell failed; None when it did not. A failed cell has no figures.
        ingest: how its collection was made.
        retriever_identity: what its results depend on beside the index.
        questions: in the order of the question set.
        oracle: reward of the oracle per task, None for a task that could not be scored; empty when
            nothing was run.
    """

    schema_version: int = 1
    cell_id: str
    name: str
    loader: str
    chunker: str
    embedder: str | None
    retriever: str
    k: int
    error: str | None = None
    ingest: IngestRecord | None = None
    embedder_identity: str | None = None
    retriever_identity: str = ""
    questions: tuple[QuestionResult, ...] = ()
    oracle: dict[str, float | None] = Field(default_factory=dict)
