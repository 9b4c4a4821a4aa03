"""Times of day: 14:15, 2.15 p.m., 2:15 in the afternoon, 14h15, 3pm, noon."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FoundTime", "agrees", "find_times"]

_HALF = (
    r"(?P<half>[ap]\.?\s?m\b\.?|in the (?:morning|afternoon|evening)|(?:this|tomorrow) "
    r"(?:morning|afternoon|evening)|at night|noon\b|o'clock in the (?:morning|afternoon|evening))"
)
_COLON = re.compile(
    r"(?<![\w.,:/$€£¥])(?P<hour>\d{1,2})(?P<sep>[:h])(?P<minute>\d{2})(?::\d{2})?(?![\d:])(?!\.\d)"
    rf"(?:\s*{_HALF})?"
)
_DOTTED = re.compile(
    r"(?<![\w.,:/$€£¥-])(?P<hour>\d{1,2})(?P<sep>\.)(?P<minute>[0-5]\d)(?![\d%])(?![.,/]\d)"
    rf"(?:\s*{_HALF})?(?!\s*(?:%|[$€£¥]|per\b|percent|pounds?\b|dollars?\b|euros?\b|gbp\b|usd\b|"
    r"eur\b|francs?\b|points?\b|days?\b|months?\b|years?\b|hours?\b|million\b|thousand\b))"
)
_CUE = re.compile(
    r"(?:\b(?:at|by|from|until|till|before|after|between|around|about|and|to|is|closes?|opens?|"
    r"ends?|time|or|than|o'clock)|[:(|-])\s*$"
)
_WHOLE = re.compile(
    rf"(?<![\w.,:/$€£¥])(?P<hour>\d{{1,2}})\s*(?:{_HALF}|(?P<clock>o'clock)(?!\s+in))"
)
_HUNDRED = re.compile(r"(?<![\w.,:/$€£¥])(?P<hour>[012]\d)(?P<minute>[0-5]\d)\s*(?:hours|hrs)\b")
_NAMED = re.compile(r"(?<!\w)(?P<name>noon|midday|mid-day|midnight)(?!\w)")
_NAMES = {"noon": 720, "midday": 720, "mid-day": 720, "midnight": 0}
_HOUR, _DAY = 60, 24 * 60


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time of day.

    Attributes:
        minutes: since midnight, that it can be; two when the half of the day is not told.
        certain: whether it can be nothing else; ``at 12.15`` could be a number.
    """

    minutes: frozenset[int]
    start: int
    end: int
    certain: bool


def agrees(expected: FoundTime, found: FoundTime) -> bool:
    """Whether both can be one time."""
    return bool(expected.minutes & found.minutes)


def find_times(text: str) -> list[FoundTime]:
    """Every time of a folded text, in order.

    A dotted time without half of the day (``12.15``) looks like a number; it is read behind a word
    such as ``at`` or ``until`` only.
    """
    found: list[FoundTime] = []
    for pattern in (_COLON, _DOTTED, _WHOLE, _HUNDRED, _NAMED):
        for match in pattern.finditer(text):
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            minutes = _minutes(match)
            if not minutes:
                continue
            certain = pattern is not _DOTTED or bool(match["half"])
            if certain or _cued(text, match.start()):
                found.append(FoundTime(minutes, *match.span(), certain))
    return sorted(found, key=lambda one: one.start)


def _cued(text: str, start: int) -> bool:
    return _CUE.search(text, max(0, start - 12), start) is not None


def _minutes(match: re.Match[str]) -> frozenset[int]:
    groups = match.groupdict()
    if groups.get("name"):
        return frozenset({_NAMES[groups["name"]]})
    written, half = groups["hour"], groups.get("half") or ""
    hour, minute = int(written), int(groups.get("minute") or 0)
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return frozenset()
    if half and hour <= 12:
        late = half.startswith("p") or any(w in half for w in ("noon", "evening", "night"))
        return frozenset({(hour % 12 + (12 if late else 0)) * _HOUR + minute})
    at = hour % 24 * _HOUR + minute
    if 0 < hour < 12 and not written.startswith("0"):
        return frozenset({at, at + _DAY // 2})
    return frozenset({at})
