"""What had been seen when: the retrieval calls in order, and each evidence item's first coverage.

A hit reaches the agent at the step after the call. Calls are ordered by (step, position), and each
is held against all earlier ones; a call that raised delivered nothing and is counted apart.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from ragbench.evidence import LocatedItem, Seen, n_characters, union
from ragbench.records import HitRecord, RetrievalEvent
from ragbench.score import TrialContext

__all__ = ["Timeline", "characters", "spans_by_document"]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The calls that returned, in order, over one trial's evidence.

    Attributes:
        calls: events without error, by (step, position).
        raised: events with an error, by (step, position).
        texts: loaded text by document id.
        seen: what had been seen after the first n calls, n from 0; not to be added to.
        n_needed: per evidence item, after how many calls it was covered: 0 when it was inlined,
            None when never. What has been seen only grows, so that this one number says it all.
    """

    context: TrialContext
    calls: tuple[RetrievalEvent, ...]
    raised: tuple[RetrievalEvent, ...]
    texts: dict[str, str]
    seen: tuple[Seen, ...]
    n_needed: dict[LocatedItem, int | None]

    @classmethod
    def of(cls, context: TrialContext) -> Timeline:
        """The timeline of a trial."""
        events = sorted(context.events, key=lambda event: (event.step, event.position))
        returned = tuple(event for event in events if event.error is None)
        raised = tuple(event for event in events if event.error is not None)
        texts = {doc_id: document.text for doc_id, document in context.documents.items()}
        start = Seen(texts)
        start.add((span.doc_id, span.start, span.end) for span in context.trajectory.inlined)
        seen = [start]
        for event in returned:
            now = seen[-1].copy()
            now.add((hit.doc_id, hit.start, hit.end) for hit in event.delivered)
            seen.append(now)
        n_needed = {item: _n_needed(item, seen) for item in context.items}
        return cls(context, returned, raised, texts, tuple(seen), n_needed)

    def n_before(self, step: int) -> int:
        """How many calls were made before the step: their results had reached the agent at it."""
        return bisect_left(self.calls, step, key=lambda event: event.step)

    def seen_before(self, step: int) -> Seen:
        """Union of what calls before the step delivered, and of what is inlined."""
        return self.seen[self.n_before(step)]

    def calls_before(self, step: int) -> tuple[RetrievalEvent, ...]:
        """The calls whose results had reached the agent at the step."""
        return self.calls[: self.n_before(step)]

    def covered_at(self, item: LocatedItem) -> int | None:
        """The first step at which the item was covered; 0 when inlined, None when never."""
        n = self.n_needed[item]
        return None if n is None else self.calls[n - 1].step + 1 if n else 0

    def is_covered(self, item: LocatedItem, n_calls: int) -> bool:
        """Whether the first so many calls, in one message or not, cover the item."""
        n = self.n_needed[item]
        return n is not None and n <= n_calls

    def calls_to_sufficiency(self) -> int | None:
        """Calls until every item was covered: 0 when inlined, None when never or without items."""
        needed = [n for n in self.n_needed.values() if n is not None]
        return max(needed, default=None) if len(needed) == len(self.n_needed) else None


def _n_needed(item: LocatedItem, seen: list[Seen]) -> int | None:
    n = bisect_left(seen, True, key=lambda state: state.covers(item.any_of))
    return n if n < len(seen) else None


def spans_by_document(hits: Iterable[HitRecord]) -> dict[str, list[tuple[int, int]]]:
    """The union of the hits' spans, per document."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        spans.setdefault(hit.doc_id, []).append((hit.start, hit.end))
    return {doc_id: union(found) for doc_id, found in spans.items()}


def characters(spans: dict[str, list[tuple[int, int]]], texts: dict[str, str]) -> int:
    """Characters that are not white space in spans per document."""
    return sum(n_characters(texts[doc_id], found) for doc_id, found in spans.items())
