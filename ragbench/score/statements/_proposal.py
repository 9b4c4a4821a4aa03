"""Whether a value is only proposed, in a question, or only repeated from the customer.

``Would 13:30 suit you?`` states nothing until the customer agrees; what an offer would cost is told
(``Shall I order it for £12.50?``), and so is a fact that the question mentions (``before it matures
on 29 May``).
"""

from __future__ import annotations

import re

from ragbench.score.statements._mention import Wanted
from ragbench.score.statements._negation import BOUNDARY

__all__ = ["ONLY_PROPOSED", "ONLY_REPEATED", "agrees_to", "proposed", "repeated"]

ONLY_PROPOSED = "only proposed"
ONLY_REPEATED = "only repeated"

_ASKS = re.compile(
    r"(?:^|[,:;.—-]\s|\b(?:so|then|or|and|but)\s)\W*(?:(?:would|do|does|did|will|could|can|may|"
    r"might|"
    r"shall|should|is|are|have|had)(?:n't)?\s(?:you|i|we|it|that|this|your|the)\b|(?:would|does|"
    r"is|"
    r"will|could|can|might|should|do)(?:n't)?\s(?=(?:\w+day,?\s)?$|(?:on|at|half|quarter|\d)\b|"
    r"[$€£¥]|[\w ]{1,30}\($)|(?:how|what) about\b|what if\b|what do you say\b|how does\b|"
    r"how would\b|any chance\b|are you free\b|fancy\b|if (?:i|we)\b[^?]*\bwould\b)"
)
_TOLD = re.compile(
    r"\b(?:for|at(?! (?:half|quarter))|costs?|price|fee|charge|charges|charged|rate|rates|"
    r"penalty|premium|given|because|since|which|who|that (?:is|costs|matures|ends)|knowing)\b"
    r"[^,;]*$"
)
_FACT = re.compile(
    r"\b(?:when|before|after|until|till|deadline|cut-off|due|expir\w+|matur\w+|ends?|ending|opens|"
    r"closes|starts|which|who|since|because|as|given|that (?:is|was)|booked|arranged|scheduled|"
    r"your (?:appointment|call|meeting|bond))\b"
)
_AGREES = re.compile(
    r"\W*(?:(?:oh|ah|hi|well|ok|okay|great)[,.!]? )*(?:yes|yeah|yep|yup|sure|please|ok|okay|fine|"
    r"perfect|great|good|lovely|agreed|absolutely|certainly|of course|alright|all right|"
    r"sounds (?:good|fine|great|perfect)|(?:that|it)(?:'s| is| will be|'ll be| would be|'d be)? "
    r"(?:works?|suits?|fine|ok|okay|good|great|perfect|do|all right|alright)|works for me|"
    r"suits me|go ahead|do (?:it|that)|let's do|i agree|i'd like that|(?:that )?would be "
    r"(?:fine|good|great|perfect|lovely))\b"
)
_REFUSES = re.compile(
    r"\b(?:but|instead|rather|later|earlier|another|different|however|no|not|don't|can't|cannot|"
    r"won't|unless|actually)\b(?! (?:problem|worries|issue))"
)
_ECHO = re.compile(
    r"\W*(?:(?:ok|okay|right|sorry|thanks|thank you|so)[,.]? )*(?:(?:i|we) (?:can |"
    r"do )?(?:understand|see|hear|gather|note|realise|"
    r"appreciate)(?: that)? |so )?(?:you(?:'d|'ve|'re)?|your (?:friend|colleague|husband|wife|"
    r"message|question))\s(?:would |have |had |were |are |also |just |were just )*(?:like|want|"
    r"wanted|wish|wished|hope|hoped|"
    r"hoping|ask|asked|asking|mention|mentioned|told|quoted|expect|expected|expecting|said|say|"
    r"request|requested|claim|claimed|thought|think|believe|believed|read|heard|promised|after|"
    r"looking for|about)\b[^:;]{0,60}$"
)
_PUT_OFF = re.compile(
    r"\b(?:look into|let you know|check|find out|see what|see if|see whether|get back to you|"
    r"ask (?:a|my|our|the)|pass (?:this|that|it) on|come back to you|look at (?:it|this|that)|"
    r"investigate|verify|raise (?:this|that|it)|can't say|cannot say|not sure|don't know|"
    r"bear with me|one moment|take a look|have a look|will review|be in touch)\b"
)
_NEAR = 160
_AFFIRMS = re.compile(
    r"\b(?:right|correct|true|indeed|refunded|done|yes|it is|that is|that's it|agreed|exactly|"
    r"confirm(?:ed)?|credited|returned)\b"
)


def proposed(want: Wanted, before: str, after: str) -> bool:
    """Whether a mention stands only in a question that proposes it.

    Args:
        want: the value.
        before: its sentence up to it.
        after: its sentence behind it.
    """
    if want.kind not in ("date", "time", "quantity") or "?" not in after[-4:]:
        return False
    if BOUNDARY.search(after.rstrip(" ?\"')\n")) and not before.rstrip().endswith("("):
        return False
    openers = list(_ASKS.finditer(before))
    if not openers:
        return False
    between = before[openers[-1].end() :]
    if want.kind == "quantity":
        return want.text[:1] in "$€£¥" and not _TOLD.search(between)
    return not _FACT.search(before[openers[-1].start() :])


def agrees_to(reply: str) -> bool:
    """Whether a customer's folded reply agrees to what was proposed.

    >>> agrees_to("yes please"), agrees_to("no, later"), agrees_to("fine, but not so early")
    (True, False, False)
    """
    return _AGREES.match(reply) is not None and _REFUSES.search(reply) is None


def repeated(before: str, after: str, rest: str) -> bool:
    """Whether a mention only repeats the customer: nothing is said of it yet.

    Args:
        before: its sentence up to it.
        after: its sentence behind it.
        rest: the text behind the sentence.
    """
    if not _ECHO.fullmatch(before):
        return False
    near = f"{after} {rest}"[:_NEAR]
    put_off = _PUT_OFF.search(near)
    if _AFFIRMS.search(near[: put_off.start()] if put_off else near):
        return False
    if put_off:
        return True
    return not rest.strip() and not after.strip(" .!?)\"'") and "i " in before
