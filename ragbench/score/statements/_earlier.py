"""Whether a value is one of the past, beside that of today."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._mention import Mention
from ragbench.score.statements._negation import BOUNDARY
from ragbench.score.statements._topic import words_of

__all__ = ["is_past"]

_EDITION = (
    r"(?:tariff|rules?|terms|price list|fee schedule|edition|policy|conditions|rates?|fees?|"
    r"charges?|price|limit|form|version)"
)
_PAST = re.compile(
    rf"\b(?:previously|formerly|originally|until (?:last|the|this|recently|then|january|\w+ "
    rf"(?:19|20)\d\d|(?:19|20)\d\d)|before(?: the change| that| then| january|\W*$)|last (?:year|"
    rf"month|spring|summer|autumn|winter)|in (?:the )?(?:19|20)\d\d|back then|back in|at the time|"
    rf"at that time|in those days|in the past|years? ago|months? ago|once|used to|"
    rf"(?:old|former|previous|earlier|last year's) {_EDITION})\b"
)
_WAS = re.compile(
    r"\b(?:was|were|had|stood|used to|came to|charged|cost|took|paid|opened|closed|allowed|"
    r"applied|ran|lasted|began|ended)\b"
)
_IS = re.compile(
    r"(?:'s|'re)\b|\b(?:is|are|costs?|charges?|stands?|pays?|takes?|opens?|closes?|comes?|"
    r"amounts?|can|sets?|allows?|applies|lasts?|has|have|use|uses|require|requires)\b"
)
_PRESENT = re.compile(
    rf"\b(?:today|now|currently|nowadays|these days|at present|presently|at the moment|in force|"
    rf"this year|since|as of|as from|from (?:january|march|now) on|(?:new|current|present) "
    rf"(?:one|1|{_EDITION}))\b"
)
_NEW = re.compile(r"\b(?:new|current|present) \w+ (?:is|costs)\b")
_OLD = re.compile(r"\b(?:old|former|previous) \w+ (?:was|cost)\b")
_SAME = re.compile(
    r"[\s,;—-]*(?:(?:and|but|today|now|currently|nowadays|these days|at present|presently|"
    r"this year|"
    r"since (?:\w+ ?){1,3}?|as of (?:\w+ ?){1,3}?|as from (?:\w+ ?){1,3}?|in (?:19|20)\d\d|until "
    r"last year|last year|previously|formerly|before that|before|back then|at the moment),?\s)*"
    r"(?:it|that|this|we|they|the (?:new|current|present|old|former|previous) (?:one|1))\b"
)
_EVENTS = re.compile(
    r"\byou(?:'ve| have| were| had)?\s(?:charged|paid|opened|got|received|sent|took)|"
    r"\b(?:balance|payment|purchase|transaction|refund|salary|deposit|instalment|appointment|"
    r"call|i|i've)\b|\bon \d|\byou were\b"
)


def is_past(text: str, found: Sequence[Mention], mention: Mention, span: tuple[int, int]) -> bool:
    """Whether the clause of a mention is of the past, and one next to it of today.

    Args:
        text: a folded text.
        found: the value and others of its kind in it, in order.
        mention: where the value stands.
        span: where its sentence starts and ends.
    """
    own = _clause(text, mention, span)
    if not _WAS.search(own) or _EVENTS.search(own):
        return False
    if _PRESENT.search(own) and not _PAST.search(own):
        return False
    firm = [one for one in found if one is mention or not one.loose]
    number = firm.index(mention)
    for near in (*firm[number + 1 : number + 2], *firm[max(0, number - 1) : number]):
        gap = text[min(mention.end, near.end) : max(mention.start, near.start)]
        if near.agrees or gap.count(". ") > 1 or "\n" in gap:
            continue
        if near.start < mention.start and not (_PAST.search(own) or _OLD.search(own)):
            continue
        if _is_today(text, near, own):
            return True
    return False


def _clause(text: str, mention: Mention, span: tuple[int, int]) -> str:
    """The clause with the mention cut out, and what leads the sentence: ``until last year``."""
    start, end = span
    cuts = [cut.start() for cut in BOUNDARY.finditer(text, start, mention.start)]
    lead = text[cuts[-1] if cuts else start : mention.start]
    opening = text[start : cuts[0]] if cuts else ""
    if len(opening.split()) <= 5 and not _WAS.search(opening) and not _IS.search(opening):
        lead = f"{opening}{lead}"
    boundary = BOUNDARY.search(text, mention.end, end)
    return f"{lead} {text[mention.end : boundary.start() if boundary else end]}"


def _is_today(text: str, other: Mention, past: str) -> bool:
    """Whether another value is said of today, and of the same thing."""
    start = max(text.rfind(mark, 0, other.start) + len(mark) for mark in (". ", "; ", "\n", "? "))
    start = 0 if start <= 1 else start
    stops = [at for at in (text.find(m, other.end) for m in (". ", "; ", "\n")) if at >= 0]
    clause = _clause(text, other, (start, min(stops, default=len(text))))
    if _WAS.search(clause) and not _IS.search(clause):
        return False
    if not (_PRESENT.search(clause) or _NEW.search(clause)) or not _IS.search(clause):
        return False
    if _EVENTS.search(clause):
        return False
    return bool(
        _SAME.match(clause) or _SAME.match(past) or words_of(clause) & words_of(past) - _OF_TIME
    )


_OF_TIME = words_of("last year month today now currently previously until since before one new old")
