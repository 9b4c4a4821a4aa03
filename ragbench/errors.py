"""The error tree: what a person can fix, each with the exit code it ends the command with.

::

    RagbenchError                exit 1  what a person can fix; printed without traceback
    ├── UsageError               exit 2  the command line itself is wrong
    │   └── UnknownName          exit 2  a name that is not known; suggests the nearest one
    ├── SpecError                exit 2  a spec that does not parse or has a bad argument
    ├── DocumentUnreadable               one file's own failure: listed, never ends an ingest
    ├── StoreError               exit 1  a store or index: absent, corrupt, locked, of another kind
    ├── OwnPartError             exit 1  a part of the user's own raised, or gave what it may not
    ├── ModelUnavailable         exit 1  an embedding model that does not load or fails its check
    ├── DomainError              exit 1  a domain folder, task, tool or policy that is malformed
    │   └── EvidenceError        exit 1  a quote absent or ambiguous under the domain's own loader
    ├── QuestionSetError         exit 1  a question set, its corpus or its judgements are malformed
    ├── RunError                 exit 1  a run folder: locked, of another configuration, damaged
    └── LLMError                 exit 1  a chat model's call failed for good; ``kind`` says how

Every message says what went wrong with the offending value quoted, what is allowed or was found,
and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "DocumentUnreadable",
    "DomainError",
    "EvidenceError",
    "LLMError",
    "ModelUnavailable",
    "OwnPartError",
    "QuestionSetError",
    "RagbenchError",
    "RunError",
    "SpecError",
    "StoreError",
    "UnknownName",
    "UsageError",
    "did_you_mean",
]


class RagbenchError(Exception):
    """Something the user can fix; the command line prints it without a traceback."""

    exit_code = 1


class UsageError(RagbenchError):
    """The command line itself is wrong: a value out of range, options that exclude each other."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that is not among the known ones.

    Args:
        kind: what was looked up, singular (``"chunker"``).
        name: the name that was given.
        known: every name that would have been accepted.
        see: a command that lists them, when one exists.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], see: str = "") -> None:
        known = sorted(known)
        message = f"No {kind} is called {name!r}. Known: {', '.join(known) or 'none'}"
        message += did_you_mean(name, known)
        if see:
            message += f"{'' if message.endswith('?') else '.'} See: {see}"
        super().__init__(message)
        self.kind, self.name, self.known = kind, name, known


class SpecError(RagbenchError):
    """A component spec that does not parse, or an argument that the component refuses."""

    exit_code = 2


class DocumentUnreadable(RagbenchError):
    """One file cannot become a document; ingest lists it with its reason and goes on.

    Args:
        reason: a stable word for counting: ``encrypted``, ``empty``, ``no-text``, ``garbled``,
            ``mislabelled``, ``malformed``, ``unreadable``, ``unsupported``, ``undecodable``,
            ``timeout``, ``memory``, ``crashed``, ``link`` (a folder that was read already) or
            ``missing`` (named by a manifest, but absent).
        detail: one sentence for a person: what was found and what to do.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


class StoreError(RagbenchError):
    """A store or index that is absent, corrupt, locked, or was built with other components."""


class OwnPartError(RagbenchError):
    """A part of the user's own that raised or gave what it may not; names its file and line."""


class ModelUnavailable(RagbenchError):
    """An embedding model whose package, weights or hub cannot be reached, or whose check failed."""


class DomainError(RagbenchError):
    """A domain folder, task, tool or policy rule that is malformed."""


class EvidenceError(DomainError):
    """An evidence quote that is absent or ambiguous under the domain's own loader."""


class QuestionSetError(RagbenchError):
    """A question set whose file, corpus or judgements are malformed; the message names the line."""


class RunError(RagbenchError):
    """A run folder that is locked, holds another configuration, or is damaged."""


class LLMError(RagbenchError):
    """A call of a chat model that failed for good, after its retries.

    Args:
        kind: ``auth`` (401, 403), ``not_found`` (the model, or the address), ``bad_request``,
            ``context_overflow``, ``rate_limit``, ``server`` (5xx), ``connection``, ``timeout``,
            ``malformed`` (a reply that is no chat completion, or one without choices),
            ``cache_miss`` (a request that the replayed file does not hold), or ``budget``.
        message: what happened and what to do; without secrets.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.call: object = None
        """The `LLMCall` that failed, where there was one."""

    @property
    def stops_run(self) -> bool:
        """Whether every further call would fail in the same way, so that a run is to stop."""
        return self.kind in ("auth", "budget")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The suggestion to append to a message, or an empty string when nothing is near.

    >>> did_you_mean("fixd", ["fixed", "recursive"])
    "; did you mean 'fixed'?"
    >>> did_you_mean("zzz", ["fixed"])
    ''
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
