"""Whether a value is said of something else than the customer's case as it is.

Of a case that did not happen, of a rule that is past, of a product the customer does not have, of
what others believe or ask for. One value alone is contested by none but the first and the last:
the others need the answer beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._mention import Mention

__all__ = ["elsewhere"]

_NEAR = 160
_OR_ELSE = re.compile(
    r"[^.;?]*\bor (?:do|would|is|shall)\b[^.;?]*\b(?:another|other|different)\b[^.;?]*\?"
)
_UNREAL = re.compile(
    r"(?:^|[,;:]\s)\W*(?:had|were)\s(?:you|your|yours|we|it|this|that|the|there|they)\b(?! to\b)"
    r"[^?]*?(?:\bwould\b|'d\b)|(?<!even )\bif\b[^,;?]*\b(?:were(?:n't)?(?! to\b)|had(?:n't)?)\b"
    r"[^?]*?(?:\bwould\b|'d\b)"
)
_MYTH = re.compile(
    r"\b(?:myth|misunderstanding|misconception|misbelief|rumou?r|fallacy|untrue|not true|false|"
    r"wrong|incorrect|mistaken|not the case|isn't true|isn't the case)\s(?:to \w+ |idea |belief )?"
    r"that\b[^,;:.]{0,50}$|\bcontrary to\b[^,;:.]{0,40}$"
)
_NOT_FOR = re.compile(
    r"(?:\bnot|n't)\s(?:something|anything|a matter|a case|a question|a job|a task|one|meant|"
    r"intended|handled by|dealt with by)(?:\s(?:for|by))?\s(?:the\s|our\s)?$"
)
_ECHO = re.compile(
    r"\W*(?:you'd|you would|you) (?:like|want|wish|hope|were hoping)\b[^:;,.]{0,50}$"
)
_NOT_YET = re.compile(
    r"\bi (?:understand|see|hear you)\b.*\b(?:look into|let you know|check|find out|see what)\b"
)
_EDITION = r"(?:tariff|rules?|terms|price list|fee schedule|edition|policy|conditions|rates)"
_PAST = re.compile(
    rf"\b(?:previously|formerly|until (?:last|the|this|\w+ (?:19|20)\d\d)|before the change|"
    rf"in the (?:19|20)\d\d {_EDITION}|"
    rf"(?:old|former|previous|earlier|last year's) {_EDITION})\b"
)
_WAS = re.compile(r"\b(?:was|were|had|stood|used to|came to)\b")
_PRESENT = re.compile(
    rf"\b(?:today|now|currently|nowadays|these days|at present|in force|"
    rf"(?:new|current|present) {_EDITION})\b"
)
_NOUN = r"(?:card|account|bond|loan|plan|mortgage|saver|policy|package|fund|isa)"
_NAMED = re.compile(rf"\b(?P<name>[a-z]\w+ {_NOUN})\b")
_ANSWERED = re.compile(r"\b(?:none|nothing|no|free)\b")
_OTHERS = re.compile(r"\b(?:other|most|some|many) (?:banks|providers|lenders|companies|insurers)\b")
_WITH_US = re.compile(r"\b(?:with us|ours|at our bank|here it|we only|our own)\b")


def elsewhere(
    text: str,
    found: Sequence[Mention],
    mention: Mention,
    span: tuple[int, int],
    following: str,
    asked: str,
) -> str | None:
    """What else a mention is said of, in words; None when it is the customer's case.

    Args:
        text: a folded text.
        found: the value and others of its kind in it.
        mention: where the value stands.
        span: where its sentence starts and ends.
        following: the sentence after it.
        asked: what the customer has said so far, folded.
    """
    start, end = span
    before = text[start : mention.start]
    if _UNREAL.search(before) and "the same" not in text[start:end]:
        return "said of a case that is not so"
    if _MYTH.search(before) or _NOT_FOR.search(before):
        return "denied before it is said"
    rest = text[mention.end : end] + following
    if _ECHO.fullmatch(before) and _NOT_YET.search(text, mention.end, mention.end + _NEAR):
        return "only repeated"
    if _OR_ELSE.match(text, mention.end):
        return "only offered"
    others = [one for one in found if mention.end <= one.start and not one.agrees and not one.loose]
    if _is_past(before, text[mention.end : end], following, bool(others)):
        return "said of the past, and another value of today"
    return _of_another(before, rest, asked, bool(others))


def _is_past(before: str, after: str, following: str, answered: bool) -> bool:
    if not answered or "balance" in before:
        return False
    own = before + after.partition(";")[0]
    later = after.partition(";")[2] + following
    return bool(_PAST.search(own) and _WAS.search(own) and _PRESENT.search(later))


def _of_another(before: str, rest: str, asked: str, answered: bool) -> str | None:
    """Whether it is a provider's or product's that is named beside the customer's own."""
    if answered and _OTHERS.search(before) and _WITH_US.search(rest):
        return "said of other providers"
    own = _NAMED.findall(before)
    if not own or own[-1] in asked:
        return None
    for name in _NAMED.finditer(rest):
        if name["name"] != own[-1] and name["name"] in asked:
            if answered or _ANSWERED.search(rest, name.end()):
                return f"said of the {own[-1]}, not of the {name['name']}"
    return None
