"""What had been seen when: the retrieval calls in order, and each evidence item's first coverage.

A hit reaches the agent at the step after the call. Calls are ordered by (step, position), and each
is held against all earlier ones; a call that raised delivered nothing and is counted apart.
"""

from __future__ import annotations

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
    """

    context: TrialContext
    calls: tuple[RetrievalEvent, ...]
    raised: tuple[RetrievalEvent, ...]
    texts: dict[str, str]

    @classmethod
    def of(cls, context: TrialContext) -> Timeline:
        """The timeline of a trial."""
        events = sorted(context.trajectory.events, key=lambda event: (event.step, event.position))
        returned = tuple(event for event in events if event.error is None)
        raised = tuple(event for event in events if event.error is not None)
        texts = {doc_id: document.text for doc_id, document in context.documents.items()}
        return cls(context, returned, raised, texts)

    def seen_before(self, step: int) -> Seen:
        """Union of what calls before the step delivered, and of what is inlined."""
        return self._seen(event for event in self.calls if event.step < step)

    def seen_by_call(self, index: int) -> Seen:
        """What had been delivered by the calls before the index-th, also in the same message."""
        return self._seen(self.calls[:index])

    def calls_before(self, step: int) -> tuple[RetrievalEvent, ...]:
        """The calls whose results had reached the agent at the step."""
        return tuple(event for event in self.calls if event.step < step)

    def covered_at(self, item: LocatedItem) -> int | None:
        """The first step at which the item was covered; 0 when inlined, None when never."""
        for step in sorted({0, *(event.step + 1 for event in self.calls)}):
            if self.seen_before(step).covers(item.any_of):
                return step
        return None

    def calls_to_sufficiency(self) -> int | None:
        """Calls until every item was covered: 0 when inlined, None when never or without items."""
        if not self.context.items:
            return None
        for n in range(len(self.calls) + 1):
            seen = self.seen_by_call(n)
            if all(seen.covers(item.any_of) for item in self.context.items):
                return n
        return None

    def _seen(self, events: Iterable[RetrievalEvent]) -> Seen:
        seen = Seen(self.texts)
        seen.add((span.doc_id, span.start, span.end) for span in self.context.trajectory.inlined)
        for event in events:
            seen.add((hit.doc_id, hit.start, hit.end) for hit in event.delivered)
        return seen


def spans_by_document(hits: Iterable[HitRecord]) -> dict[str, list[tuple[int, int]]]:
    """The union of the hits' spans, per document."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        spans.setdefault(hit.doc_id, []).append((hit.start, hit.end))
    return {doc_id: union(found) for doc_id, found in spans.items()}


def characters(spans: dict[str, list[tuple[int, int]]], texts: dict[str, str]) -> int:
    """Characters that are not white space in spans per document."""
    return sum(n_characters(texts[doc_id], found) for doc_id, found in spans.items())
