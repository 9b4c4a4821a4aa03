"""Query rewriters: what is searched for instead of what was said."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from ragbench.llm import Models
from ragbench.registry import Registry
from ragbench.retrieval._base import Hit, Retriever, Scalar, check_query
from ragbench.retrieval._rerank import RerankedRetriever
from ragbench.retrieval._rules import RewriteRules, read_rules

__all__ = ["REWRITERS", "Makes", "Rewriter", "RewriterSpec", "RewritingRetriever", "Rules"]

_BUILT_IN = Path(__file__).with_name("rules.toml")

Makes = Literal["query", "passage"]
"""What a rewriter makes of a query: another one, or a passage as an answer to it could read."""


class Rewriter(Protocol):
    """An opened rewriter."""

    @property
    def identity(self) -> str:
        """What the rewriting depends on."""
        ...

    @property
    def makes(self) -> Makes:
        """What it makes; only a query is shown to a reranker in the place of the given one."""
        ...

    def rewrite(self, query: str) -> str:
        """What is searched for; never empty when the given query is not.

        Raises:
            LLMError: a model that does the rewriting failed.
        """
        ...


class RewriterSpec(Protocol):
    """A registered spec: makes another query of a query.

    Attributes:
        waits: whether rewriting waits for a model elsewhere.
    """

    waits: ClassVar[bool]

    @property
    def identity(self) -> str:
        """What the rewriting depends on.

        Raises:
            SpecError: a file that the spec names is absent or malformed.
        """
        ...

    def open(self, models: Models | None = None) -> Rewriter:
        """The rewriter; ``models`` are those of the run, for one that asks a model."""
        ...


REWRITERS: Registry[RewriterSpec] = Registry("rewriter", see="ragbench list rewriters")


class RewritingRetriever:
    """A retriever that is asked the rewritten query.

    Searching is done by one thread at a time; waiting for a model is not.

    Attributes:
        waits: whether a search waits for a model elsewhere.
    """

    def __init__(self, retriever: Retriever, rewriter: Rewriter, waits: bool) -> None:
        self.waits = waits
        self._retriever, self._rewriter = retriever, rewriter
        # A reranker that waits has a lock of its own, around less.
        inner_waits = isinstance(retriever, RerankedRetriever) and retriever.waits
        self._alone: contextlib.AbstractContextManager[object] = (
            contextlib.nullcontext() if inner_waits else threading.Lock()
        )
        self.identity = f"{retriever.identity}+{rewriter.identity}"  # reads the file

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._retriever.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`.

        Raises:
            LLMError: a model that does the rewriting or reranking failed.
        """
        check_query(query, n)  # before anything is asked
        return self.retrieve_rewritten(query, self.rewrite(query), n, where)

    def rewrite(self, query: str) -> str:
        """What is searched for instead of the query.

        Raises:
            UsageError: the query is empty or no text.
            LLMError: a model that does the rewriting failed.
        """
        check_query(query, 1)
        return self._rewriter.rewrite(query)

    def retrieve_rewritten(
        self, query: str, rewritten: str, n: int, where: Mapping[str, Scalar] | None = None
    ) -> list[Hit]:
        """The hits of what the query was rewritten to."""
        inner = self._retriever
        with self._alone:
            if self._rewriter.makes == "passage" and isinstance(inner, RerankedRetriever):
                return inner.retrieve(rewritten, n, where, about=query)
            return inner.retrieve(rewritten, n, where)


@REWRITERS.register("rules")
@dataclass(frozen=True)
class Rules:
    """Leaves out stop phrases, writes abbreviations out, appends synonyms.

    Args:
        file: a TOML or YAML file of rules; none takes those that are shipped, for English.
    """

    file: str | None = None

    waits: ClassVar[bool] = False
    makes: ClassVar[Makes] = "query"

    def __post_init__(self) -> None:
        if self.file is not None:
            read_rules(self._path)  # fails before any work is done

    @cached_property
    def identity(self) -> str:
        """A hash of the rules; where the file stands does not matter."""
        text = json.dumps(dataclasses.asdict(self._rules), sort_keys=True)
        return f"rules sha256={hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def open(self, models: Models | None = None) -> Rules:
        """Itself; rules ask no model."""
        return self

    def rewrite(self, query: str) -> str:
        """See `RewriteRules.rewrite`."""
        return self._rules.rewrite(query)

    @property
    def _path(self) -> Path:
        return _BUILT_IN if self.file is None else Path(self.file).expanduser()

    @cached_property
    def _rules(self) -> RewriteRules:
        return read_rules(self._path)
