"""What the judge reads: the conversation, and the passages that the agent had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragbench.records import (
    Document,
    Message,
    RetrievalEvent,
    ReviewedPassage,
    ToolCall,
    Trajectory,
)
from ragbench.toolkit import canonical_json

__all__ = ["passages_of", "passages_text", "transcript"]

_NAMES = {"user": "customer", "assistant": "agent"}


def transcript(trajectory: Trajectory) -> str:
    """Every message, call and result on lines of their own, each with its step.

    A search stands with the number of passages that it delivered; the passages themselves are a
    section of their own.
    """
    events = {event.call_id: event for event in trajectory.events}
    return "\n".join(line for message in trajectory.messages for line in _lines(message, events))


def passages_of(trajectory: Trajectory) -> tuple[ReviewedPassage, ...]:
    """What the agent had, each span once, with the first step that could use it.

    First what stood in the prompt, then what searches delivered, in their order.
    """
    steps: dict[tuple[str, int, int], int] = {}
    for span in trajectory.inlined:
        steps.setdefault((span.doc_id, span.start, span.end), 0)
    for event in sorted(trajectory.events, key=lambda event: (event.step, event.position)):
        for hit in event.delivered:
            steps.setdefault((hit.doc_id, hit.start, hit.end), event.step + 1)
    return tuple(
        ReviewedPassage(doc_id=doc_id, start=start, end=end, step=step)
        for (doc_id, start, end), step in steps.items()
    )


def passages_text(passages: Iterable[ReviewedPassage], documents: Mapping[str, Document]) -> str:
    """The passages, numbered from 1, each with its document and its step."""
    blocks = []
    for number, passage in enumerate(passages, start=1):
        document = documents[passage.doc_id]
        text = document.text[passage.start : passage.end]
        blocks.append(f"[{number}] {document.title} (from step {passage.step})\n{text}")
    return "\n\n".join(blocks) or "(none)"


def _lines(message: Message, events: Mapping[str, RetrievalEvent]) -> list[str]:
    at = f"[step {message.step}]"
    if message.role == "tool":
        return [f"{at} result: {_result(message, events)}"]
    name = _NAMES.get(message.role, message.role)
    lines = [f"{at} {name}: {message.content}"] if message.content else []
    return [*lines, *(f"{at} {name} calls {_written(call)}" for call in message.tool_calls)]


def _result(message: Message, events: Mapping[str, RetrievalEvent]) -> str:
    event = events.get(message.tool_call_id or "")
    if event is None or event.error is not None:
        return message.content or ""
    return f"{event.n_delivered} passages"


def _written(call: ToolCall) -> str:
    return f"{call.name}({canonical_json(call.arguments)})"
