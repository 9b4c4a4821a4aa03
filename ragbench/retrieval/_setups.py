"""Retrieval setups: named compositions of a retriever and of what stands in the prompt.

Names are tau3's where they mean the same. A setup is written ``BASE+MODIFIER+...``: a base of
`SETUPS`, and any of the `MODIFIERS` on a base with a search tool. Every part may carry arguments,
as in ``hybrid(fusion=weighted)+rerank(model=FOLDER)+grep``; there is no list of combinations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from ragbench.errors import SpecError, UnknownName
from ragbench.evidence import LocatedItem, union
from ragbench.own import is_own
from ragbench.records import Document, InlinedSpan, Task
from ragbench.retrieval._base import RETRIEVERS
from ragbench.retrieval._grep import Grep
from ragbench.retrieval._rerank import RERANKERS
from ragbench.retrieval._rewrite import REWRITERS
from ragbench.retrieval._stack import Stack, split_terms, stack_of
from ragbench.spec import ComponentSpec

__all__ = ["MODIFIERS", "SETUPS", "Setup", "inlined_spans", "inlined_text", "setup_named"]

Inline = Literal["nothing", "corpus", "documents", "passages"]


@dataclass(frozen=True, slots=True)
class Setup:
    """A retrieval setup.

    Attributes:
        name: as it is written, modifiers in the order of `MODIFIERS`.
        stack: the retriever behind the search tool with what stands around it, None for no search
            tool.
        grep: what is behind the tool for patterns, None for no such tool.
        inline: what stands in the prompt: nothing, the whole corpus, the task's required documents,
            or the evidence passages alone.
    """

    name: str
    stack: Stack | None = None
    grep: Grep | None = None
    inline: Inline = "nothing"

    @property
    def retriever(self) -> str | None:
        """Spec of the retriever behind the search tool."""
        return None if self.stack is None else str(self.stack)

    @property
    def vectors(self) -> bool:
        """Whether the index needs an embedder."""
        return self.stack is not None and self.stack.needs_vectors


SETUPS: Mapping[str, str] = {
    "dense": "Search tool over embeddings in ChromaDB.",
    "bm25": "Search tool over BM25, no embeddings.",
    "hybrid": "Search tool over both, fused.",
    "grep_only": "Tool for regular expressions, no search tool.",
    "golden_retrieval": "The required documents in the prompt, whole.",
    "golden_passages": "The evidence passages alone in the prompt.",
    "full_kb": "The whole corpus in the prompt.",
    "no_knowledge": "Neither a search tool nor documents.",
}
"""Base names, and one line about each."""

MODIFIERS: Mapping[str, str] = {
    "rerank": "A cross-encoder reads the first hits again.",
    "grep": "A tool for regular expressions beside the search tool.",
    "rewrite": "Queries are rewritten by rules before they are searched for.",
}
"""What can be added to dense, bm25 and hybrid, in any combination, and one line about each."""

_INLINED: Mapping[str, Inline] = {
    "golden_retrieval": "documents",
    "golden_passages": "passages",
    "full_kb": "corpus",
    "no_knowledge": "nothing",
}


def setup_named(name: str) -> Setup:
    """The setup of a name.

    A retriever of the user's own is a base, too: ``my_search.py:MySearch+grep``.

    Raises:
        UnknownName: no base or modifier is called so.
        SpecError: the name does not parse, a part refuses an argument, or the base takes no
            modifiers.

    >>> setup_named("bm25+rewrite+grep").name
    'bm25+grep+rewrite'
    """
    base, *terms = split_terms(name)
    if base.name not in SETUPS and not is_own(base.name):
        raise UnknownName("retrieval setup", base.name, SETUPS, "ragbench list setups")
    if base.name not in RETRIEVERS:
        return _without_search(base, terms, name)
    ordered = sorted(terms, key=_place)
    written = "+".join(map(str, [base, *ordered]))
    greps = [term for term in ordered if term.name == "grep"]
    if len(greps) > 1:
        raise SpecError(f"The setup {name!r} has +grep twice. Name it once.")
    others = [term for term in ordered if term.name != "grep"]
    return Setup(written, stack_of(base, others, name), _grep(greps[0]) if greps else None)


def _without_search(base: ComponentSpec, terms: list[ComponentSpec], name: str) -> Setup:
    if terms:
        raise SpecError(
            f"The setup {base.name!r} has no search tool and takes no modifier, but {name!r} was "
            f"asked for. Modifiers go with {', '.join(one for one in SETUPS if one in RETRIEVERS)}."
        )
    if base.name == "grep_only":
        return Setup(str(base), grep=_grep(ComponentSpec("grep", base.args)))
    if base.args:
        raise SpecError(f"The setup {base.name!r} has no arguments, but {name!r} was asked for.")
    return Setup(base.name, inline=_INLINED[base.name])


def _place(term: ComponentSpec) -> int:
    """Where the term stands in a name; components count as the modifier of their axis."""
    components = {"rerank": [*RERANKERS], "rewrite": [*REWRITERS], "grep": []}
    for number, modifier in enumerate(MODIFIERS):
        if term.name in (modifier, *components[modifier]):
            return number
    raise UnknownName("modifier of a retrieval setup", term.name, MODIFIERS, "ragbench list setups")


def _grep(term: ComponentSpec) -> Grep:
    return cast(Grep, RETRIEVERS.create(term))


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
