"""The mode ``react``: a text protocol, for models that have neither calls nor schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ragbench.llm import ChatRequest, Completion, whole_text
from ragbench.records import Message, ToolCall
from ragbench.simulate._environment import ToolView
from ragbench.simulate._loose import read_loosely
from ragbench.simulate._modes import Entry, Spoken, Unreadable, catalogue, labelled, spoken_text
from ragbench.simulate._roles import Reply

__all__ = ["React"]

_LABEL = re.compile(
    r"^[ \t>*#`-]*(thought|action input|action|final answer|final|observation)\b[ \t*`]*:[ \t*]*",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"([\w.-]+)[ \t]*\((.*)\)?", re.DOTALL)
_FORM = (
    "Write either\nThought: ...\nAction: NAME OF A TOOL\nAction Input: {JSON OBJECT}\n"
    "or\nThought: ...\nFinal: YOUR MESSAGE"
)


class React:
    """``Thought:``, then ``Action:`` with ``Action Input:``, or ``Final:``, the message.

    The first action or message counts; what a model makes up after it (an ``Observation:`` of its
    own) is dropped, from its history too. Input in a code fence, with text behind it, or without
    some of its quotes is read; what cannot be is sent back twice.

    Args:
        other: who the other side is, such as ``Customer``.
    """

    n_corrections = 2

    def __init__(self, other: str) -> None:
        self._other = other

    def instructions(self, tools: Sequence[ToolView]) -> str:
        """The form of a reply and the tools."""
        return (
            f"{_FORM}\nto the {self._other.lower()}. Write one of the two, then stop; what a tool "
            f"answers is told to you. Tools:\n{catalogue(tools) or '(none)'}"
        )

    def request(self, messages: Sequence[Entry], tools: Sequence[ToolView]) -> ChatRequest:
        """The messages alone."""
        return ChatRequest(tuple(messages))

    def read(self, completion: Completion) -> Spoken:
        """The first action or message of a completion.

        Raises:
            Unreadable: it holds neither, or an input that is no object.
        """
        text = spoken_text(completion)
        labels = list(_LABEL.finditer(text))
        for number, label in enumerate(labels):
            name = label.group(1).lower()
            if name.startswith("final"):
                end = next((m.start() for m in labels[number:] if _is(m, "observation")), len(text))
                return self._final(text[:end].rstrip(), label, text[label.end() : end])
            if name == "action":
                return self._action(text, labels[number:])
            if name == "observation":
                break
        raise Unreadable(f"Your reply has neither an action nor a message. {_FORM}")

    def told(self, spoken: Spoken | None, news: Sequence[Message]) -> list[Entry]:
        """The last reply as far as it was used; results and words as one message of the user."""
        calls = () if spoken is None else spoken.reply.calls
        answered = labelled(calls, news, self._other, "Observation")
        own = [] if spoken is None else [{"role": "assistant", "content": spoken.raw}]
        return [*own, answered]

    def _final(self, raw: str, label: re.Match[str], said: str) -> Spoken:
        if not said.strip():
            raise Unreadable("There is no message after Final.")
        reply = Reply(text=whole_text(said.strip()), reasoning=_unlabelled(raw[: label.start()]))
        return Spoken(reply, whole_text(raw))

    def _action(self, text: str, labels: list[re.Match[str]]) -> Spoken:
        """The call of the first label, with the input of the label after it, if it is one."""
        end = labels[1].start() if len(labels) > 1 else len(text)
        body = text[labels[0].end() : end].strip()
        given = ""
        if len(labels) > 1 and _is(labels[1], "action input"):
            end = labels[2].start() if len(labels) > 2 else len(text)
            given = text[labels[1].end() : end].strip()
        name = body.split("\n", 1)[0].strip(" \t`*\"'")
        inline = _INLINE.fullmatch(body.strip("`* "))
        if inline is not None:
            name, given = inline.group(1), given or inline.group(2).rstrip(") ")
        if not name:
            raise Unreadable(f"There is no tool after Action. {_FORM}")
        try:
            arguments = read_loosely(given)
        except ValueError as error:
            raise Unreadable(
                f"The input of {name} is no JSON object ({error}). Write it as "
                'Action Input: {"NAME": VALUE}'
            ) from error
        thought = text[: labels[0].start()].rstrip()
        written = json.dumps(arguments, ensure_ascii=False)
        raw = f"{thought}\nAction: {name}\nAction Input: {written}".lstrip()
        call = ToolCall(id="", name=whole_text(name), arguments=arguments)
        return Spoken(Reply(calls=(call,), reasoning=_unlabelled(thought)), whole_text(raw))


def _unlabelled(thought: str) -> str | None:
    """What stands before an action or a message: the model's own thought."""
    return whole_text(_LABEL.sub("", thought)).strip() or None


def _is(label: re.Match[str], name: str) -> bool:
    return label.group(1).lower() == name
