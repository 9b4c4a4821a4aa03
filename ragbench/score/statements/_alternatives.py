"""Whether a value is one of several that are offered: a range, a choice, a list, a table.

Several amounts of an ordinary answer are none of these: each is about a thing of its own. A list
that is followed by the answer is an answer, for there the value stands once more by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from ragbench.score.statements._mention import Mention, Wanted
from ragbench.score.statements._negation import BOUNDARY

__all__ = ["adds_up", "offer"]

_OR = re.compile(r"[^.;]{0,60}?(?:\bor\b|\bversus\b|\bvs\b)(?! rather)\s?(?:[\w'-]+\s){0,4}")
_SLASH = re.compile(r"\s?/\s?")
_RANGE = re.compile(r"\s?-\s?|\s(?:to|through|until|till|up to)\s(?:the\s)?")
_AND = re.compile(r"\s?(?:,|and|&|,\s?and|-)\s?(?:the\s)?")
_ITEM = re.compile(r"\s?(?:,|;|and|&|,\s?and|/|\n-?|or|,\s?or)\s?(?:the\s|on\s|at\s|of\s)?")
_BETWEEN = re.compile(r"\b(?:between|anywhere from|somewhere from)\s(?:the\s)?$")
_FROM = re.compile(r"\bfrom\s(?:the\s)?$")
_CHANGED = re.compile(
    r"\b(?:rais\w+|ris\w+|rose|chang\w+|increas\w+|reduc\w+|lower\w*|mov\w+|go(?:es|ing)?|went|"
    r"drop\w*|extend\w*|brought|bring\w*|cut|lift\w*|fell|fall\w*|adjust\w*|correct\w*|updat\w+|"
    r"grow\w*|shift\w*|brings)\b"
)
_PERIOD = re.compile(
    r"\b(?:open\w*|closed|hours|runs?|valid|period|window|available|lasts?|stays?|covers?|holiday|"
    r"term|from|season|year|quarter|maintenance|works?|line)\b"
)
_UNITS = re.compile(
    r"^[\s-]?(?:(?:working|business|banking|calendar|full)\s)?"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?)\b"
)
_EITHER = re.compile(r"\b(?:either|one of|any of|some of|neither)\b")
_UP_TO = re.compile(
    r"\b(?:fees?|charges?|costs?|price|penalty|interest|it|that|this|be|charged|pay)\b"
    r"(?:\s(?:is|are|can|could|may|might|will|would|be|of|cost|come|charged|anything|anywhere|"
    r"possibly|perhaps|for this|to))*\s(?:anything |anywhere )?up to\s(?:about )?$"
)
_COMPARED = re.compile(
    r"(?:'s|\b(?:is|are|was|were|be|costs?|cost|comes to|pay|charged?|takes?|total(?:s|led)?))\s"
    r"(?:\w+\s)?"
    r"(?:(?:more|less|fewer|higher|lower|later|earlier|longer)\sthan|over|under|above|below|nearly|"
    r"almost)\s(?:the\s)?$"
)
_COUNTED_FROM = re.compile(
    r"\b(?:days?|weeks?|months?|day)\s(?:before|after|from|prior to|following)\s(?:the\s)?$"
)
_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|such as|e\.g\.),?\s(?:a |an )?(?:\w+ )?(?:of )?$"
)
_HEDGED = re.compile(
    r"\b(?:(?<!\d )(?<!st )(?<!th )may(?! \d)|"
    r"might|could|maybe|perhaps|possibly|potentially)\b"
)
_DEPENDS = re.compile(
    r"\b(?:depend\w*|as follows|fee schedule|price list|our (?:fees|rates|prices|charges|codes|"
    r"dates)|"
    r"(?:fees|rates|prices|charges|codes|amounts|dates|values|figures|options|limits|times|"
    r"possibilities)"
    r"(?: that apply| here| we have| in use)?(?: are|:| include)|any of|one of|possible|could be)"
)


def offer(
    want: Wanted, text: str, found: Sequence[Mention], number: int, start: int, end: int
) -> str | None:
    """How a mention is offered among others, in words; None when it stands by itself.

    Args:
        want: the value.
        text: a folded text.
        found: the value and others of its kind in it, in order.
        number: the mention's place in ``found``.
        start: where its sentence starts.
        end: where it ends.
    """
    mention = found[number]
    before, after = text[start : mention.start], text[mention.end : end]
    if want.kind == "text":
        return _either_text(before, after)
    if _hangs(want, before):
        return "it stands as a bound or an example, not as the value"
    inside = [one for one in found if start <= one.start < end]
    place = inside.index(mention)
    for other in inside[max(0, place - 1) : place] + inside[place + 1 : place + 2]:
        if other.value != mention.value:
            first, last = sorted((mention, other), key=lambda one: one.start)
            how = _pair(want, text, first, last, start, end)
            if how is not None:
                return how
    return _listed(text, inside, place, start, end)


def _either_text(before: str, after: str) -> str | None:
    chosen = re.search(r"\beither\b[^,;:]{0,60}$", before) and re.search(r"\bor\b", after)
    chosen = chosen or (
        re.search(r"\bor\s(?:an?\s|the\s|your\s)?$", before) and _EITHER.search(before)
    )
    return "one of several" if chosen else None


def _hangs(want: Wanted, before: str) -> bool:
    tail = before[-80:]
    if _EXAMPLE.search(tail):
        return True
    if want.kind == "quantity":
        compared = _COMPARED.search(tail)
        if compared and not re.search(r"\b(?:not|never|no|n't)\b|n't\b", compared[0]):
            return not re.search(r"(?:not|n't|never)\s*$", tail[: compared.start()].rstrip() + " ")
        return _UP_TO.search(tail) is not None
    return want.kind == "date" and _COUNTED_FROM.search(tail) is not None


def _pair(
    want: Wanted, text: str, first: Mention, last: Mention, start: int, end: int
) -> str | None:
    """How two neighbours of different values stand to each other."""
    gap, before = text[first.end : last.start], text[start : first.start]
    if _SLASH.fullmatch(gap):
        return "one of several"
    if _OR.fullmatch(gap) and not _BOUNDED_OR.search(gap):
        if first.loose or last.loose:
            return "one of several" if len(gap.split()) <= 2 else None
        return "one of several"
    if first.loose and last.loose:
        return None
    if _BETWEEN.search(before) and _AND.fullmatch(_UNITS.sub("", gap)):
        return None if _is_period(want, text[start:end], between=True) else "an end of a range"
    if _RANGE.fullmatch(_UNITS.sub("", gap)) and not _is_sum(text, last):
        changed = _FROM.search(before) and _CHANGED.search(before)
        if changed or _is_period(want, text[start:end], between=False):
            return None
        return "an end of a range"
    return None


_BOUNDED_OR = re.compile(r"\bor (?:more|less|later|earlier|sooner|fewer|longer|above|below|so)\b")


def _is_period(want: Wanted, sentence: str, *, between: bool) -> bool:
    """Whether the ends of a range of days or times are facts of their own."""
    if want.kind not in ("date", "time"):
        return False
    found = set(_PERIOD.findall(sentence))
    return bool(found - {"from"} if between else found)


def _is_sum(text: str, last: Mention) -> bool:
    return re.match(r"[^.;\n]{0,40}=", text[last.end :]) is not None


def _listed(text: str, inside: Sequence[Mention], place: int, start: int, end: int) -> str | None:
    """Whether it is one of a run of values, or of conditions, that leave the choice open."""
    run = [inside[place]]
    for step in (-1, 1):
        at = place
        while 0 <= at + step < len(inside):
            first, last = sorted((inside[at], inside[at + step]), key=lambda one: one.start)
            if not _ITEM.fullmatch(text[first.end : last.start]):
                break
            at += step
            run.append(inside[at])
    distinct = {one.value for one in run}
    sentence = text[start:end]
    if len(distinct) >= 4 or (len(distinct) == 3 and _DEPENDS.search(sentence)):
        return f"one of a list of {len(distinct)}"
    others = {one.value for one in inside if not one.loose}
    if len(others) >= 3 and _is_open_list(text, inside, start, end):
        return f"one of a list of {len(others)}"
    if len(others) >= 2 and _all_behind(inside, text, start, end, _HEDGED):
        return "one of several that could be"
    if len(others) >= 2 and sum(bool(_IF_TAIL.match(t)) for t in _tails(text, inside, end)) >= 2:
        return "one of several, each under a condition"
    return None


def _tails(text: str, inside: Sequence[Mention], end: int) -> list[str]:
    """What stands behind each mention, up to the next."""
    ends = [*(one.start for one in inside[1:]), end]
    return [text[one.end : stop] for one, stop in zip(inside, ends, strict=True)]


def _is_open_list(text: str, inside: Sequence[Mention], start: int, end: int) -> bool:
    """A list of categories with their values that names no answer and is no account of events."""
    sentence = text[start:end]
    if _OWED.search(sentence):
        return False
    if _DEPENDS.search(sentence):
        return True
    if _EVENT.search(sentence) or adds_up(text, inside):
        return False
    return sum(bool(_CATEGORY.match(tail)) for tail in _tails(text, inside, end)) >= 3


_EVENT = re.compile(
    r"(?:'ve|'s been)\b|\b(?:has|have|had|were|was|been|charged|refunded|booked|posted|took|added|"
    r"waived|credited|made|owe|moved|sent)\b"
)
_OWED = re.compile(r"\byou (?:owe|owed|paid|have paid|were charged)\b|\bi(?:'ve| have) \w+ed\b")
_IF_TAIL = re.compile(r"\s(?:[\w'-]+\s){0,2}(?:if|when|in case|should you|provided)\s")
_CATEGORY = re.compile(r"\s(?:\w+\s)?(?:for|if|on|with|when|under|in case)\s")


def adds_up(text: str, inside: Sequence[Mention]) -> bool:
    """Whether the sum of the values is stated too: then they are parts of one bill."""
    values = [one.value for one in inside if isinstance(one.value, Decimal)]
    if len(values) < 3:
        return False
    return max(values) * 2 == sum(values) or f"{sum(values)}" in text.replace(",", "")


def _all_behind(
    inside: Sequence[Mention], text: str, start: int, end: int, cue: re.Pattern[str]
) -> bool:
    """Whether every mention of a sentence stands in a clause with the cue."""
    cuts = [start, *(match.end() for match in BOUNDARY.finditer(text, start, end)), end]
    for one in inside:
        lower = max(cut for cut in cuts if cut <= one.start)
        if not cue.search(text, lower, one.start):
            return False
    return True
