"""Whether a value is said of something else than the customer's case as it is.

Of a case that did not happen, of a rule that is past, of a product the customer does not have, of
what others believe or ask for. One value alone is contested by none but the first and the last:
the others need the answer beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._earlier import is_past
from ragbench.score.statements._mention import Mention
from ragbench.score.statements._proposal import ONLY_PROPOSED, ONLY_REPEATED, repeated
from ragbench.score.statements._whose import is_anothers

__all__ = ["elsewhere"]

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
    r"(?:\bnot|n't)\s(?:something|anything|a matter|a case|a question|a job|a task|one|1|meant|"
    r"intended|handled by|dealt with by|up to|down to|the (?:job|task|business|concern) of)"
    r"(?:\s(?:for|by))?\s(?:the\s|our\s)?$|"
    r"\b(?:this|that|it|these|such cases)(?:\s(?:is|are)n't|(?:'s|\s(?:is|are))\snot)\s"
    r"(?:really\s|actually\s)?(?:for|with|in the hands of|one of)\s(?:the\s|our\s)?$"
)


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
    if repeated(before, text[mention.end : end], text[end:]):
        return ONLY_REPEATED
    if _OR_ELSE.match(text, mention.end):
        return ONLY_PROPOSED
    if is_past(text, found, mention, span):
        return "said of the past, and another value of today"
    return is_anothers(text, found, mention, text[mention.end : end] + following, asked)
