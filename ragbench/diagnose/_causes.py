"""Why an evidence item was not covered by its need's deadline: the first cause that holds.

===================  ===============================================================================
``not_in_index``     no alternative's document is in the index
``lost_in_parsing``  the document is there, its quote is not in the loaded text
``not_offered``      there was no retrieval tool
``not_searched``     no call returned before the deadline
``truncated``        it was in a result, but was not delivered
``not_asked``        no call's query came near the need, see `NEAR`, or covers the item within k
``filtered``         a query covers it within k, but the call's own filter leaves its document out
``own_k``            a query covers it within k, but the call asked for fewer hits
``split``            no single chunk holds theta of any of its passages
``query``            the need's own question covers it within k, the agent's queries did not
``cut_off``          an agent's query, or the question, covers it within 4k (smallest depth kept)
``ranking``          neither does
``undetermined``     the run's index, a question, or a tool to ask it is missing, a model behind the
                     tool did not answer, the agent's searches cannot be seen, or it made one by
                     means of its own, which cannot be made again
===================  ===============================================================================

"Covers within d" means the first d hits, unfiltered, together with what had been seen by the
deadline; k is the setup's. Taxonomy after Barnett et al. 2024 (arXiv 2401.05856); the tests are our
own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbench.diagnose._timeline import Timeline
from ragbench.errors import LLMError
from ragbench.evidence import THETA, LocatedItem, Seen, Span, n_characters, within
from ragbench.records import HitRecord, Need, RetrievalEvent
from ragbench.retrieval import REWRITTEN
from ragbench.toolkit import folded_query

__all__ = ["AGENTS_OWN", "CAUSES", "NEAR", "Probe", "cause_of"]

CAUSES = (
    "not_in_index", "lost_in_parsing", "not_offered", "not_searched", "truncated", "not_asked",
    "filtered", "own_k", "split", "query", "cut_off", "ranking", "undetermined",
)  # fmt: skip

AGENTS_OWN = ("not_searched", "not_asked", "filtered", "own_k", "query")
"""Causes that another search by the agent would have avoided; the others are the setup's."""

NEAR = 0.4
"""A query is near a need from this similarity on, to its nearest wording or document's title.

`Probe.nearness` gives it. The bound lies in the widest gap between the two kinds of trajectories in
``bench/not_asked.jsonl``, labelled by hand; ``bench/calibrate_not_asked.py`` finds it again.
"""


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

    def nearness(self, query: str, texts: Sequence[str]) -> float:
        """Cosine of the query to the nearest of the texts, by an embedder that every run has."""
        ...


@dataclass(frozen=True, slots=True)
class _Case:
    """An uncovered item with what is held against it.

    Attributes:
        calls: those that had returned by the deadline.
        seen: what had been seen by then.
    """

    item: LocatedItem
    need: Need
    timeline: Timeline
    calls: Sequence[RetrievalEvent]
    seen: Seen

    @property
    def documents(self) -> set[str]:
        """The documents in which the item stands: no hit elsewhere can cover any of it."""
        return {passage.doc_id for passage in self.item.any_of}


Found = tuple[str, int | None]
"""A cause, and the depth for ``cut_off``."""


def cause_of(
    item: LocatedItem, need: Need, deadline: int, timeline: Timeline, probe: Probe | None
) -> Found:
    """The cause for an item that was not covered by the deadline, and the depth for ``cut_off``."""
    calls = timeline.calls_before(deadline)
    case = _Case(item, need, timeline, calls, timeline.seen_before(deadline))
    if item.problem is not None:
        return item.problem, None
    if not timeline.context.searches_seen:
        return "undetermined", None
    if not timeline.context.trajectory.offered:
        return "not_offered", None
    if not calls:
        return "not_searched", None
    if _found_undelivered(case):
        return "truncated", None
    if probe is None or need.question is None:
        return "undetermined", None
    try:
        return _probed(case, probe, need.question)
    except LLMError:  # what rewrites or reranks did not answer: nobody knows what it would find
        return "undetermined", None


def _probed(case: _Case, probe: Probe, question: str) -> Found:
    """The cause, as far as the index can tell it."""
    if not _was_asked(case, probe):
        return "not_asked", None
    if any(event.reported for event in case.calls):  # what those would find cannot be asked again
        return "undetermined", None
    tests: dict[str, Callable[[], bool]] = {
        "filtered": lambda: any(_is_filtered(case, event, probe) for event in case.calls),
        "own_k": lambda: any(_asks_for_fewer(case, event, probe) for event in case.calls),
        "split": lambda: _is_split(case, probe),
    }
    for cause, holds in tests.items():
        if holds():
            return cause, None
    if probe.search_tool is None:
        return "undetermined", None
    asked = _depth(case, question, probe.search_tool, probe)
    queries = dict.fromkeys((event.query, event.tool) for event in case.calls)
    depths = [_depth(case, query, tool, probe) for query, tool in queries]
    reached = [depth for depth in depths if depth is not None]
    if asked is not None and asked <= probe.k and not any(d <= probe.k for d in reached):
        return "query", None
    reached += [] if asked is None else [asked]
    return ("cut_off", min(reached)) if reached else ("ranking", None)


def _was_asked(case: _Case, probe: Probe) -> bool:
    """Whether a query came near one of the need's wordings or one of its documents' titles.

    A query that covers the item within k is near by proof, whatever its words.
    """
    need, documents = case.need, case.timeline.context.documents
    wordings = dict.fromkeys((*need.queries("desk"), *need.queries("natural")))
    folded = {folded_query(wording) for wording in wordings}
    if any(folded_query(event.query) in folded for event in case.calls):
        return True
    places = [doc_id for item in case.timeline.context.items if item.need_id == need.id
              for doc_id in item.doc_ids]  # fmt: skip
    texts = [*wordings, *dict.fromkeys(documents[doc_id].title for doc_id in places)]
    queries = dict.fromkeys(event.query for event in case.calls)
    if any(probe.nearness(query, texts) >= NEAR for query in queries):
        return True
    again = dict.fromkeys((e.query, e.tool) for e in case.calls if not e.reported)
    depths = (_depth(case, query, tool, probe) for query, tool in again)
    return any(depth is not None and depth <= probe.k for depth in depths)


def _is_filtered(case: _Case, event: RetrievalEvent, probe: Probe) -> bool:
    """Whether the call's filter leaves out a document with which its query covers within k."""
    found = _lost_hits(case, event, probe) if _filter_of(case, event) else ()
    return any(not _passes(case, event, hit) for hit in found)


def _asks_for_fewer(case: _Case, event: RetrievalEvent, probe: Probe) -> bool:
    """Whether the call's query covers within k, but the call asked for fewer hits than that."""
    own = event.parameters.get("k", probe.k)
    if not isinstance(own, int) or own >= probe.k:
        return False
    depth = _depth(case, event.query, event.tool, probe)
    return depth is not None and own < depth <= probe.k


def _lost_hits(case: _Case, event: RetrievalEvent, probe: Probe) -> Sequence[HitRecord]:
    """The hits with which the query covers the item within k; none when it does not."""
    depth = _depth(case, event.query, event.tool, probe)
    if depth is None or depth > probe.k:
        return ()
    hits = probe.hits(event.query, 4 * probe.k, event.tool)[:depth]
    return [hit for hit in hits if hit.doc_id in case.documents]


def _filter_of(case: _Case, event: RetrievalEvent) -> dict[str, str]:
    """What the call demands of a document's metadata; other parameters filter nothing."""
    known = {key for document in case.timeline.context.documents.values()
             for key in document.metadata}  # fmt: skip
    return {
        key: str(value)
        for key, value in event.parameters.items()
        if key in known and key not in ("k", REWRITTEN) and value is not None
    }


def _passes(case: _Case, event: RetrievalEvent, hit: HitRecord) -> bool:
    metadata = case.timeline.context.documents[hit.doc_id].metadata
    return all(str(metadata.get(k)) == value for k, value in _filter_of(case, event).items())


def _depth(case: _Case, query: str, tool: str, probe: Probe) -> int | None:
    """The smallest number of hits, to 4k, that cover the item with what was seen."""
    together, documents = case.seen.copy(), case.documents
    for depth, hit in enumerate(probe.hits(query, 4 * probe.k, tool), 1):
        if hit.doc_id in documents:
            together.add([(hit.doc_id, hit.start, hit.end)])
            if together.covers(case.item.any_of):
                return depth
    return None


def _found_undelivered(case: _Case) -> bool:
    together, documents = case.seen.copy(), case.documents
    for event in case.calls:
        hits = [hit for hit in event.hits[event.n_delivered :] if hit.doc_id in documents]
        together.add((hit.doc_id, hit.start, hit.end) for hit in hits)
    return together.covers(case.item.any_of)


def _is_split(case: _Case, probe: Probe) -> bool:
    for passage in case.item.any_of:
        if passage.span is None:
            return False
        text = case.timeline.texts[passage.doc_id]
        size = n_characters(text, [passage.span])
        for part in within(passage.span, probe.chunk_spans(passage.doc_id)):
            if n_characters(text, [part]) / size >= THETA:
                return False
    return True
