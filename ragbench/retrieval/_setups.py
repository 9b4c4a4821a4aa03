"""Retrieval setups: named compositions of a retriever and of what stands in the prompt.

Names are tau3's where they mean the same. A setup either offers a search tool, or inlines text into
the prompt, or neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragbench.errors import UnknownName
from ragbench.evidence import LocatedItem, union
from ragbench.records import Document, InlinedSpan, Task

__all__ = ["SETUPS", "Setup", "inlined_spans", "inlined_text", "setup_named"]


@dataclass(frozen=True, slots=True)
class Setup:
    """A retrieval setup.

    Attributes:
        retriever: spec of the retriever behind the search tool, None for no search tool.
        inline: what stands in the prompt: nothing, the whole corpus, the task's required documents,
            or the evidence passages alone.
        vectors: whether the index needs an embedder.
        about: one line for ``ragbench list setups``.
    """

    name: str
    retriever: str | None
    inline: Literal["nothing", "corpus", "documents", "passages"]
    vectors: bool
    about: str


SETUPS: Mapping[str, Setup] = {
    setup.name: setup
    for setup in (
        Setup("dense", "dense", "nothing", True, "Search tool over embeddings in ChromaDB."),
        Setup("bm25", "bm25", "nothing", False, "Search tool over BM25, no embeddings."),
        Setup(
            "golden_retrieval",
            None,
            "documents",
            False,
            "The required documents in the prompt, whole.",
        ),
        Setup(
            "golden_passages", None, "passages", False, "The evidence passages alone in the prompt."
        ),
        Setup("full_kb", None, "corpus", False, "The whole corpus in the prompt."),
        Setup("no_knowledge", None, "nothing", False, "Neither a search tool nor documents."),
    )
}


def setup_named(name: str) -> Setup:
    """The setup of a name.

    Raises:
        UnknownName: no setup is called so.
    """
    if name not in SETUPS:
        raise UnknownName("retrieval setup", name, SETUPS, "ragbench list setups")
    return SETUPS[name]


def inlined_spans(
    setup: Setup, task: Task, items: Iterable[LocatedItem], documents: Mapping[str, Document]
) -> tuple[InlinedSpan, ...]:
    """What the setup puts into the prompt for a task, sorted by document and offset.

    ``golden_retrieval`` takes ``required_documents`` where the task names them, else the documents
    of the first alternative of every evidence item.
    """
    items = tuple(items)
    if setup.inline == "corpus":
        return tuple(
            InlinedSpan(doc_id=d, start=0, end=len(documents[d].text)) for d in sorted(documents)
        )
    first = [item.any_of[0] for item in items if item.any_of]
    if setup.inline == "documents":
        names = _required(task, documents) or {passage.doc_id for passage in first}
        return tuple(
            InlinedSpan(doc_id=d, start=0, end=len(documents[d].text)) for d in sorted(names)
        )
    if setup.inline == "passages":
        spans: dict[str, list[tuple[int, int]]] = {}
        for passage in first:
            whole = (0, len(documents[passage.doc_id].text))
            spans.setdefault(passage.doc_id, []).append(passage.span or whole)
        return tuple(
            InlinedSpan(doc_id=doc_id, start=start, end=end)
            for doc_id in sorted(spans)
            for start, end in union(spans[doc_id])
        )
    return ()


def inlined_text(spans: Iterable[InlinedSpan], documents: Mapping[str, Document]) -> str:
    """The prompt's knowledge section: each stretch under its document's title and id."""
    parts = []
    for span in spans:
        document = documents[span.doc_id]
        parts.append(
            f"## {document.title}\n({span.doc_id})\n\n{document.text[span.start : span.end]}"
        )
    return "\n\n".join(parts)


def _required(task: Task, documents: Mapping[str, Document]) -> set[str]:
    by_name = {alias: doc.doc_id for doc in documents.values() for alias in doc.aliases}
    wanted = task.required_documents or ()
    return {by_name.get(name, name) for name in wanted if by_name.get(name, name) in documents}
