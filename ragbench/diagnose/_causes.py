"""Why an evidence item was not covered by its need's deadline: the first cause that holds.

==================  ================================================================================
``not_in_index``    no alternative's document is in the index
``lost_in_parsing``  the document is there, its quote is not in the loaded text
``not_offered``     there was no retrieval tool
``not_searched``    no call returned before the deadline
``truncated``       it was in a result, but was not delivered
``split``           no single chunk holds theta of any of its passages
``query``           the need's own question covers it within k, the agent's queries did not
``cut_off``         an agent's query, or the question, covers it within 4k (smallest depth kept); an
                    agent's query that covers it within k was cut off by the call's own k or filter
``ranking``         neither does
``undetermined``    the run's index, a question, or a tool to ask it is missing, or a model behind
                    the tool did not answer
==================  ================================================================================

"Covers within d" means the first d hits, unfiltered, together with what had been seen by the
deadline. Taxonomy after Barnett et al. 2024 (arXiv 2401.05856); the tests are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragbench.diagnose._timeline import Timeline
from ragbench.errors import LLMError
from ragbench.evidence import THETA, LocatedItem, Seen, Span, n_characters, within
from ragbench.records import HitRecord, RetrievalEvent

__all__ = ["CAUSES", "Probe", "cause_of"]

CAUSES = (
    "not_in_index", "lost_in_parsing", "not_offered", "not_searched", "truncated", "split", "query",
    "cut_off", "ranking", "undetermined",
)  # fmt: skip


class Probe(Protocol):
    """The run's own index and retriever, to ask what another query would have found.

    Attributes:
        k: hits of a call that names no k.
        search_tool: the retrieval tool that can be asked a question, None when there is none.
    """

    k: int
    search_tool: str | None

    def hits(self, query: str, depth: int, tool: str) -> Sequence[HitRecord]:
        """The first hits of a query to a tool, unfiltered, best first."""
        ...

    def chunk_spans(self, doc_id: str) -> Sequence[Span]:
        """The spans of a document's chunks."""
        ...


def cause_of(
    item: LocatedItem, question: str | None, deadline: int, timeline: Timeline, probe: Probe | None
) -> tuple[str, int | None]:
    """The cause for an item that was not covered by the deadline, and the depth for ``cut_off``."""
    calls = timeline.calls_before(deadline)
    seen = timeline.seen_before(deadline)
    if item.problem is not None:
        return item.problem, None
    if not timeline.context.trajectory.offered:
        return "not_offered", None
    if not calls:
        return "not_searched", None
    if _found_undelivered(item, calls, seen):
        return "truncated", None
    if probe is not None and _is_split(item, probe, timeline):
        return "split", None
    if probe is None or question is None or probe.search_tool is None:
        return "undetermined", None
    try:
        asked = _depth(item, probe.hits(question, 4 * probe.k, probe.search_tool), seen)
        return _ranked_cause(item, asked, calls, seen, probe)
    except LLMError:  # what rewrites or reranks did not answer: nobody knows what it would find
        return "undetermined", None


def _ranked_cause(
    item: LocatedItem, asked: int | None, calls: Sequence[RetrievalEvent], seen: Seen, probe: Probe
) -> tuple[str, int | None]:
    """The cause, given the depth at which the need's own question covers the item."""
    queries = dict.fromkeys((event.query, event.tool) for event in calls)
    depths = [_depth(item, probe.hits(query, 4 * probe.k, tool), seen) for query, tool in queries]
    reached = [depth for depth in depths if depth is not None]
    if asked is not None:
        if asked <= probe.k and not any(depth <= probe.k for depth in reached):
            return "query", None
        reached.append(asked)
    return ("cut_off", min(reached)) if reached else ("ranking", None)


def _depth(item: LocatedItem, hits: Sequence[HitRecord], seen: Seen) -> int | None:
    """The smallest number of hits that, with what was seen, cover the item."""
    together, documents = seen.copy(), _documents(item)
    for depth, hit in enumerate(hits, 1):
        if hit.doc_id in documents:
            together.add([(hit.doc_id, hit.start, hit.end)])
            if together.covers(item.any_of):
                return depth
    return None


def _found_undelivered(item: LocatedItem, calls: Sequence[RetrievalEvent], seen: Seen) -> bool:
    together, documents = seen.copy(), _documents(item)
    for event in calls:
        hits = [hit for hit in event.hits[event.n_delivered :] if hit.doc_id in documents]
        together.add((hit.doc_id, hit.start, hit.end) for hit in hits)
    return together.covers(item.any_of)


def _documents(item: LocatedItem) -> set[str]:
    """The documents in which the item stands: no hit elsewhere can cover any of it."""
    return {passage.doc_id for passage in item.any_of}


def _is_split(item: LocatedItem, probe: Probe, timeline: Timeline) -> bool:
    for passage in item.any_of:
        if passage.span is None:
            return False
        text = timeline.texts[passage.doc_id]
        size = n_characters(text, [passage.span])
        for part in within(passage.span, probe.chunk_spans(passage.doc_id)):
            if n_characters(text, [part]) / size >= THETA:
                return False
    return True
