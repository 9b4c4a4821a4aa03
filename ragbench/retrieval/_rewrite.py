"""Query rewriters: what is searched for instead of what was said."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from ragbench.registry import Registry
from ragbench.retrieval._base import Hit, Retriever, Scalar, check_query
from ragbench.retrieval._rules import RewriteRules, read_rules

__all__ = ["REWRITERS", "RewriterSpec", "RewritingRetriever", "Rules"]

_BUILT_IN = Path(__file__).with_name("rules.toml")


class RewriterSpec(Protocol):
    """A registered spec: makes another query of a query."""

    @property
    def identity(self) -> str:
        """What the rewriting depends on.

        Raises:
            SpecError: a file that the spec names is absent or malformed.
        """
        ...

    def rewrite(self, query: str) -> str:
        """The query that is searched for; never empty when the given one is not."""
        ...


REWRITERS: Registry[RewriterSpec] = Registry("rewriter", see="ragbench list rewriters")


class RewritingRetriever:
    """A retriever that is asked the rewritten query.

    Attributes:
        retriever: what is asked.
        rewriter: what rewrites.
    """

    def __init__(self, retriever: Retriever, rewriter: RewriterSpec) -> None:
        self.retriever, self.rewriter = retriever, rewriter
        self.identity = f"{retriever.identity}+{rewriter.identity}"  # reads the file

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self.retriever.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`."""
        check_query(query, n)
        return self.retriever.retrieve(self.rewriter.rewrite(query), n, where)


@REWRITERS.register("rules")
@dataclass(frozen=True)
class Rules:
    """Leaves out stop phrases, writes abbreviations out, appends synonyms.

    Args:
        file: a TOML or YAML file of rules; none takes those that are shipped, for English.
    """

    file: str | None = None

    def __post_init__(self) -> None:
        if self.file is not None:
            read_rules(self._path)  # fails before any work is done

    @cached_property
    def identity(self) -> str:
        """A hash of the rules; where the file stands does not matter."""
        text = json.dumps(dataclasses.asdict(self._rules), sort_keys=True)
        return f"rules sha256={hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def rewrite(self, query: str) -> str:
        """See `RewriteRules.rewrite`."""
        return self._rules.rewrite(query)

    @property
    def _path(self) -> Path:
        return _BUILT_IN if self.file is None else Path(self.file).expanduser()

    @cached_property
    def _rules(self) -> RewriteRules:
        return read_rules(self._path)
