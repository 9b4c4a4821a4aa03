"""Whether a value is another product's or provider's, beside the customer's own.

Two values of a kind that are tied to two things: the one of ``yours``, ``your card``, ``with us``
is the answer, and the other is not. One value alone is the answer, unless it is ``for X only``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._mention import Mention
from ragbench.score.statements._rows import THING

__all__ = ["is_anothers"]

_NOUN = r"(?:card|account|bond|loan|plan|mortgage|saver|policy|package|fund|isa|tariff|deposit)"
_NO_NAME = (
    r"(?:the|your|yours|an?|this|that|these|our|my|new|old|any|each|every|same|other|another|"
    r"which|"
    r"such|his|her|their|with|for|of|bank|current|debit|credit|savings?|replacement|to|on|no)"
)
NAMED = re.compile(rf"\b(?P<name>(?!{_NO_NAME}\b)[a-z]\w+ {_NOUN})\b")
_OTHERS = re.compile(
    r"\b(?:other|most|some|many|certain|several) (?:banks|providers|lenders|companies|insurers|"
    r"branches|firms|institutions|building societies|customers)\b|\belsewhere\b|\bcompetitors\b"
)
_OWN = re.compile(
    rf"\b(?:yours|your (?:own )?(?:\w+ ){{0,2}}{_NOUN}|with us|ours|at our bank|here it|our own|"
    rf"for you|in your case|you asked about|the one you have|"
    rf"we (?:only |just )?(?:charge|ask|take|pay|require|want|offer|give|need))\b"
)
_ANSWERED = re.compile(r"\b(?:none|nothing|no|free)\b")
_CUT = re.compile(r"[.;!?]\s|\n|,\s|\s(?:but|while|whereas|and)\s|—|\s-\s")


def is_anothers(
    text: str, found: Sequence[Mention], mention: Mention, rest: str, heard: str
) -> str | None:
    """Whose the value is, in words; None when it can be the customer's.

    Args:
        text: a folded text.
        found: the value and others of its kind in it, in order.
        mention: where the value stands.
        rest: its sentence and the next one, behind it.
        heard: what the customer has said so far, folded.
    """
    own = _segment(text, mention)
    names = [name for name in NAMED.findall(own) if name not in heard]
    foreign = _OTHERS.search(own) is not None or bool(names and names == NAMED.findall(own))
    if not foreign or _OWN.search(own):
        return None
    who = names[-1] if names else "other providers"
    if names and re.search(r"\bonly\b", own) and NAMED.search(heard):
        return f"said of the {who} only"
    for other in (one for one in found if not (one.agrees or one.loose)):
        beside = _segment(text, other)
        tie = _OWN.search(beside)
        same = set(THING.findall(beside)) <= set(THING.findall(own)) | {"deposit"}
        if tie and same and who not in beside:
            return f"said of the {who}, and another value of the customer's"
    more = any(one.start >= mention.end and not (one.agrees or one.loose) for one in found)
    for name in NAMED.finditer(rest):
        named = names and name["name"] in heard
        if named and (more or _ANSWERED.search(rest, name.end())):
            return f"said of the {who}, not of the {name['name']}"
    return None


def _segment(text: str, mention: Mention) -> str:
    """What stands around a mention, up to the next stop, comma or conjunction."""
    cuts = [0, *(cut.end() for cut in _CUT.finditer(text, 0, mention.start))]
    after = _CUT.search(text, mention.end)
    return text[cuts[-1] : after.start() if after else len(text)]
