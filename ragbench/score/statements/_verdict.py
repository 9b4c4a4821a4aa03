"""Whether an agent has stated a value: said, contested, or not said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbench.records import StatementStatus
from ragbench.score.statements._alternatives import offer
from ragbench.score.statements._contradiction import denied_quote, other_answer, retraction
from ragbench.score.statements._conventions import NO_CONVENTIONS, Conventions
from ragbench.score.statements._elsewhere import elsewhere
from ragbench.score.statements._inline import inline_list
from ragbench.score.statements._mention import Mention, Wanted, mentions, wanted
from ragbench.score.statements._negation import ONLY_ASKED, denial
from ragbench.score.statements._proposal import (
    ONLY_PROPOSED,
    ONLY_REPEATED,
    agrees_to,
    proposed,
)
from ragbench.score.statements._reading import Reading, sentence_ends
from ragbench.score.statements._rows import unpicked
from ragbench.score.statements._topic import topic

__all__ = ["Told", "Verdict", "judge_statement", "says"]

_SHOWN = 90
_CONDITIONAL = re.compile(r"\b(?:if|when|unless|provided)\b")


@dataclass(frozen=True, slots=True)
class Told:
    """A message of the conversation, in order, read once.

    Attributes:
        step: its step.
        reading: what stands in it.
        by_agent: whether the agent sent it; a customer's message states nothing, but may change
            what is spoken of.
    """

    step: int
    reading: Reading
    by_agent: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a value.

    Attributes:
        step: the first message that states it, or mentions it when it is contested; None when
            none does.
        reason: why it is contested, in a sentence; empty otherwise.
    """

    status: StatementStatus
    step: int | None = None
    reason: str = ""


@dataclass(slots=True)
class _Standing:
    """How it stands after each sentence: the topic it was said of, or why it is contested.

    ``proposed`` is the message that proposes it, until the customer answers.
    """

    first: int | None = None
    said_at: int | None = None
    about: frozenset[str] = frozenset()
    holds: bool = False
    reason: str = ""
    proposed: int | None = None


def says(message: str, info: str, conventions: Conventions = NO_CONVENTIONS) -> bool:
    """Whether the message states the value; a contested statement is none.

    >>> says("The fee is $1,250.00.", "1250 USD"), says("It takes 1234 days", "23")
    (True, False)
    >>> says("Due on March 3rd, 2026", "2026-03-03"), says("25 % of it", "$25")
    (True, False)
    >>> says("It is not $12.50, it is $15.00", "$12.50")
    False
    """
    told = Told(0, Reading(message, conventions))
    return judge_statement((told,), (info,), conventions).status is StatementStatus.SAID


def judge_statement(
    told: Sequence[Told], any_of: Sequence[str], conventions: Conventions = NO_CONVENTIONS
) -> Verdict:
    """Whether the agent's messages state a value, in any of its wordings.

    Args:
        told: the conversation, in order.
        any_of: the wordings of which one is enough.
        conventions: how values are to be read; those of the readings.
    """
    verdicts = [_judged(told, wanted(info, conventions)) for info in any_of]
    order = (StatementStatus.SAID, StatementStatus.CONTESTED, StatementStatus.NOT_SAID)
    return min(verdicts, key=lambda one: (order.index(one.status), one.step or 0))


def _judged(told: Sequence[Told], want: Wanted) -> Verdict:
    standing, asked, heard = _Standing(), "", ""
    for one in told:
        if not one.by_agent:
            if standing.proposed is not None and agrees_to(one.reading.text):
                standing.said_at, standing.holds = standing.proposed, True
            standing.proposed = None
            asked = f"{asked} {one.reading.text}"
            heard = f"{heard} {one.reading.text}"
            continue
        text, found = mentions(want, one.reading)
        if standing.first is None and not any(mention.agrees for mention in found):
            continue
        _follow(standing, one, want, text, found, asked, heard)
        if standing.first is not None:
            asked = ""
    if standing.first is None:
        return Verdict(StatementStatus.NOT_SAID)
    if standing.holds:
        return Verdict(StatementStatus.SAID, standing.said_at)
    return Verdict(StatementStatus.CONTESTED, standing.first, standing.reason)


def _follow(
    standing: _Standing,
    one: Told,
    want: Wanted,
    text: str,
    found: list[Mention],
    asked: str,
    heard: str,
) -> None:
    """What the sentences of a message do to how the value stands."""
    same = text is one.reading.text
    ends = one.reading.sentence_ends if same else sentence_ends(text)
    said_before = standing.holds
    for start, end, following in _sentences(text, ends):
        inside = [n for n, m in enumerate(found) if start <= m.start < end and m.agrees]
        if standing.holds:
            later = said_before and standing.said_at != one.step
            back = retraction(
                standing.about, text, found, (start, end), asked=asked if later else "", later=later
            )
            if back is not None:
                standing.holds, standing.reason = False, _why(back, text[start:end])
        for number in inside:
            standing.first = one.step if standing.first is None else standing.first
            how = _contest(want, text, found, number, ends, (start, end), following, heard)
            if how is None:
                standing.said_at = one.step if standing.said_at is None else standing.said_at
                standing.about = topic(text, found[number], start, end)
                standing.holds = True
                how = _within(standing.about, text, found, number, (start, end))
            elif standing.holds and (not how[1] or _CONDITIONAL.search(text, start, end)):
                continue  # offered once more among others, or denied for another case
            if how is not None:
                standing.holds, standing.reason = False, _why(how[0], text[start:end])
                standing.proposed = one.step if how[0] in (ONLY_PROPOSED, ONLY_ASKED) else None


def _sentences(text: str, ends: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Start and end of every sentence, and the sentence after it."""
    for number, end in enumerate(ends):
        start = ends[number - 1] if number else 0
        following = text[end : ends[number + 1]] if number + 1 < len(ends) else ""
        yield start, end, following


def _contest(
    want: Wanted,
    text: str,
    found: Sequence[Mention],
    number: int,
    ends: Sequence[int],
    span: tuple[int, int],
    following: str,
    heard: str,
) -> tuple[str, bool] | None:
    """Why a mention is no statement, and whether it denies the value; None when it states it."""
    how = denial(text, found[number], *span, following)
    how = how or denied_quote(text, found, found[number], span[0])
    how = how or elsewhere(text, found, found[number], span, following, heard)
    if how is not None:
        return how, how not in (ONLY_ASKED, ONLY_PROPOSED, ONLY_REPEATED)
    if proposed(want, text[span[0] : found[number].start], text[found[number].end : span[1]]):
        return ONLY_PROPOSED, False
    how = offer(want, text, found, number, *span) or unpicked(want, text, found, number, ends)
    how = how or inline_list(want, text, found, found[number])
    how = how or other_answer(text, found, found[number])
    return None if how is None else (how, False)


def _within(
    about: frozenset[str],
    text: str,
    found: Sequence[Mention],
    number: int,
    span: tuple[int, int],
) -> tuple[str, bool] | None:
    """Whether the rest of the sentence corrects the mention."""
    rest = (found[number].end, span[1])
    if any(one.agrees for one in found[number + 1 :] if one.start < rest[1]):
        return None
    how = retraction(about, text, found, rest, later=False)
    return None if how is None else (how, True)


def _why(how: str, sentence: str) -> str:
    shown = " ".join(sentence.split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    return f"{how}: {shown!r}"
