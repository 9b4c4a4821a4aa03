"""How an agent of the user's own tells of searches that it made itself.

It may return them with its reply (`Reply.retrieved`), or call `report_retrieval` wherever it
searches, such as in the retriever of its own framework: what was reported since the last reply goes
with the next one. Searches of another simulation are never mixed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ragbench.errors import UsageError
from ragbench.simulate._roles import OWN_SEARCH, Retrieved

__all__ = ["collecting", "report_retrieval"]

_REPORTED: ContextVar[list[Retrieved] | None] = ContextVar("reported", default=None)


def report_retrieval(query: str, hits: Iterable[Any], tool: str = OWN_SEARCH) -> None:
    """Tell of one search of the agent's own, from within its ``step``.

    Args:
        query: what was searched for.
        hits: what came back, best first: each a mapping with ``doc_id``, ``start`` and ``end``, or
            with ``text`` (and ``doc_id`` where it is known), or a text; ``score`` may stand beside.
        tool: what the search is called in the records.

    Raises:
        UsageError: it is called outside of a simulation's step.
    """
    reported = _REPORTED.get()
    if reported is None:
        raise UsageError(
            "report_retrieval was called outside of an agent's step. Call it while ragbench waits "
            "for the reply that used the search, in the same thread or task, or one started there."
        )
    reported.append(Retrieved(query, tuple(hits), tool))


@contextmanager
def collecting() -> Iterator[list[Retrieved]]:
    """The list into which searches are reported inside."""
    reported: list[Retrieved] = []
    token = _REPORTED.set(reported)
    try:
        yield reported
    finally:
        _REPORTED.reset(token)
