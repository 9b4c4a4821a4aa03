"""A retriever with what stands around it, as one spec: ``RETRIEVER+RERANKER+REWRITER``.

``hybrid(depth=50)+rerank(model=FOLDER)+rewrite`` is such a spec; reranker and rewriter may be left
out and may come in either order. ``rerank`` and ``rewrite`` stand for the default component of
their axis, ``cross_encoder`` and ``rules``. A query is rewritten, then retrieved, then reranked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from ragbench.errors import SpecError, UnknownName
from ragbench.ingest.index import Index
from ragbench.llm import Models
from ragbench.registry import spec_of
from ragbench.retrieval._base import RETRIEVERS, Hit, Queries, Retriever, RetrieverSpec, Scalar
from ragbench.retrieval._rerank import RERANKERS, RerankedRetriever, RerankerSpec
from ragbench.retrieval._rewrite import REWRITERS, RewriterSpec, RewritingRetriever
from ragbench.spec import ComponentSpec, parse_spec, shown_name

__all__ = [
    "SHORTHANDS",
    "Stack",
    "open_retriever",
    "parse_stack",
    "retrieve_and_tell",
    "split_terms",
    "waits_for_model",
]

SHORTHANDS = {"rerank": "cross_encoder", "rewrite": "rules"}
"""Words for the default component of an axis."""


@dataclass(frozen=True)
class Stack:
    """A retriever, and a reranker and a rewriter if there are any."""

    retriever: RetrieverSpec
    reranker: RerankerSpec | None = None
    rewriter: RewriterSpec | None = None

    def __str__(self) -> str:
        parts = (self.retriever, self.reranker, self.rewriter)
        return "+".join(str(spec_of(part)) for part in parts if part is not None)

    @property
    def name(self) -> str:
        """The spec without the arguments that have their defaults, as short as it parses back.

        >>> parse_stack("hybrid(fusion=rrf, depth=50)+rules(file=none)").name
        'hybrid(depth=50)+rewrite'
        """
        parts = (self.retriever, self.reranker, self.rewriter)
        return "+".join(_short(part) for part in parts if part is not None)

    @property
    def needs_vectors(self) -> bool:
        """Whether the index must have been made with an embedder."""
        return self.retriever.needs_vectors

    @property
    def queries(self) -> Queries:
        """What it is asked."""
        return self.retriever.queries

    @property
    def waits(self) -> bool:
        """Whether a search waits for a chat model."""
        return any(part is not None and part.waits for part in (self.reranker, self.rewriter))

    def check(self) -> None:
        """Load what is needed besides the index, so that its absence shows before work begins.

        Raises:
            ModelUnavailable: the reranker's model does not load.
            SpecError: the rewriter's file is absent or malformed.
        """  # a chat model is not asked: that would cost, and `ragbench doctor` is for it
        for part in (self.rewriter, self.reranker):
            if part is not None:
                _ = part.identity

    def open(self, index: Index, models: Models | None = None) -> Retriever:
        """The retriever over an index.

        Args:
            index: what is searched.
            models: the run's, for parts that ask a chat model; None records and limits nothing.

        Raises:
            StoreError: the index lacks what the retriever needs.
            ModelUnavailable: the reranker's model does not load.
        """
        retriever: Retriever = self.retriever.open(index)
        if self.reranker is not None:
            retriever = RerankedRetriever(retriever, self.reranker.open(models))
        if self.rewriter is not None:
            retriever = RewritingRetriever(retriever, self.rewriter.open(models), self.waits)
        return retriever


def parse_stack(text: str) -> Stack:
    """The stack that a spec names.

    Raises:
        UnknownName: a part has no such name.
        SpecError: the text does not parse, a component refuses an argument, or parts do not go
            together.

    >>> str(parse_stack("dense + rewrite"))
    'dense+rules(file=none)'
    """
    first, *terms = split_terms(text)
    return stack_of(first, terms, text)


def stack_of(retriever: ComponentSpec, terms: list[ComponentSpec], text: str) -> Stack:
    """The stack of a retriever and further terms, which are named in `text`."""
    stack = Stack(RETRIEVERS.create(retriever))
    for term in terms:
        name = SHORTHANDS.get(term.name, term.name)
        spec = ComponentSpec(name, term.args)
        if name in RERANKERS:
            _once(stack.reranker, "reranker", text)
            stack = Stack(stack.retriever, RERANKERS.create(spec), stack.rewriter)
        elif name in REWRITERS:
            _once(stack.rewriter, "rewriter", text)
            stack = Stack(stack.retriever, stack.reranker, REWRITERS.create(spec))
        else:
            known = [*SHORTHANDS, *RERANKERS, *REWRITERS]
            raise UnknownName("reranker or rewriter", term.name, known, "ragbench list rerankers")
    if terms and stack.queries == "pattern":
        raise SpecError(
            f"{text!r} does not go together: {retriever.name} is asked patterns, which can be "
            "neither rewritten nor reranked. Add rerank and rewrite to dense, bm25 or hybrid."
        )
    return stack


def open_retriever(spec: str, index: Index, models: Models | None = None) -> Retriever:
    """The retriever that a spec names, over an index; see `Stack.open`.

    Raises:
        UnknownName, SpecError: the spec names none or is refused.
        StoreError: the index lacks what the retriever needs.
        ModelUnavailable: a reranker's model does not load.
    """
    return parse_stack(spec).open(index, models)


def waits_for_model(retriever: Retriever) -> bool:
    """Whether a search of it may wait for something: a chat model, or code of the user's own."""
    return bool(getattr(retriever, "waits", False))


def retrieve_and_tell(
    retriever: Retriever, query: str, n: int, where: Mapping[str, Scalar] | None = None
) -> tuple[list[Hit], str | None]:
    """The hits, and what was searched for instead of the query, None without a rewriter."""
    if not isinstance(retriever, RewritingRetriever):
        return retriever.retrieve(query, n, where), None
    rewritten = retriever.rewrite(query)
    return retriever.retrieve_rewritten(query, rewritten, n, where), rewritten


def split_terms(text: str) -> list[ComponentSpec]:
    """The specs between the plus signs that stand in neither parentheses nor quotes.

    >>> [term.name for term in split_terms("bm25(k1=1e+0) + rewrite(file='a+b.toml')")]
    ['bm25', 'rewrite']
    """
    terms, depth, quote, escaped = [""], 0, "", False
    for character in text:
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character in "'\"" and depth:
            quote = character
        else:
            depth += (character == "(") - (character == ")")
        if character == "+" and not quote and depth == 0:
            terms.append("")
        else:
            terms[-1] += character
    return [parse_spec(term) for term in terms]


def _short(part: object) -> str:
    spec = spec_of(part)
    defaults = {field.name: field.default for field in dataclasses.fields(part)}  # type: ignore[arg-type]
    kept = tuple((key, value) for key, value in spec.args if defaults.get(key, ...) != value)
    word = next((word for word, name in SHORTHANDS.items() if name == spec.name), spec.name)
    return str(ComponentSpec(shown_name(word), kept))


def _once(part: object, axis: str, text: str) -> None:
    if part is not None:
        raise SpecError(f"{text!r} names two {axis}s. Name one.")
