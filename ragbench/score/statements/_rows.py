"""Whether a value stands in a table, among conditions, or in a copied page, and is not picked.

Rows of the customer's own affairs (balance, fee, total) are an answer: each is another thing, or
the line above says that they are the customer's. Rows of a tariff are none until one is picked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragbench.score.statements._mention import Mention, Wanted

__all__ = ["GENERIC_LIST", "PERSONAL", "THING", "unpicked"]

PERSONAL = re.compile(r"\b(?:you|your|yours|i|i've|i'm|me|my|we've|you're|you'll|you've)\b")
GENERIC_LIST = re.compile(
    r"\b(?:our|which|depend\w*|one of|schedule|table|list|tariff|plans?|class(?:es)?|tiers?|rules|"
    r"possible|options?)\b"
)
_CONDITION = re.compile(
    r"^(?:[-•]\s|\d+[.)]\s)?(?:and |or |but |otherwise )?(?:if|when|in case|should|for (?!you\b|"
    r"your\b)"
    r"(?:\w+ ){1,3}\w*|on the|with the|under)\b"
)
_HEDGED = re.compile(
    r"[^,]*\b(?:(?<!\d )(?<!st )(?<!th )may(?! \d)|"
    r"might|could|maybe|perhaps|possibly)\b(?! (?:i|you|we))"
)
_RESOLVED = re.compile(r"\b(?:for you|in your case|yours|your own)\b")
_BULLET = re.compile(r"^(?:[-•|]\s?|\d+[.)]\s)")
_THINGS = (
    "balance fee charge total refund interest payment deposit amount limit price cost instalment "
    "rate credit debit tax transfer allowance principal capital remainder salary rent redress "
    "compensation income subtotal sum opened opens closes closed due starts ends start end expires "
    "expiry deadline appointment arrival delivery application notice cooling-off release"
).split()
THING = re.compile(rf"\b({'|'.join(_THINGS)})s?\b")
_LONG_WORDS, _FEW = 110, 0.012
_MANY_VALUES = 7


def unpicked(
    want: Wanted, text: str, found: Sequence[Mention], number: int, ends: Sequence[int]
) -> str | None:
    """Why a mention is not picked from what stands around it; None when it stands by itself.

    Args:
        want: the value.
        text: a folded text.
        found: the value and others of its kind in it, in order.
        number: the mention's place in ``found``.
        ends: where the sentences of the text end.
    """
    mention = found[number]
    if want.kind != "text":
        firm = [one for one in found if not one.loose]
        if _is_row(text, firm, mention):
            return "one of the rows of a table"
        if _is_condition(text, firm, mention, ends):
            return "one of several, each under a condition"
    return "part of a page that is copied" if _is_copied(want, text, found, mention) else None


def _is_row(text: str, found: Sequence[Mention], mention: Mention) -> bool:
    rows = list(_block(text, found, mention))
    values = {one.value for _, one in rows}
    if len(rows) < 3 or len(values) < 3:
        return False
    first = min(start for start, _ in rows)
    above = text[:first].rstrip("\n").rpartition("\n")[2]
    if _is_head(above):
        above = text[: max(0, first - len(above) - 1)].rstrip("\n").rpartition("\n")[2]
    if PERSONAL.search(above) and not GENERIC_LIST.search(above):
        return False
    labels = [text[start : one.start] for start, one in rows]
    if any(PERSONAL.search(label) for label in labels):
        return False
    things = [THING.findall(label)[-1:] for label in labels]
    named = [thing[0] for thing in things if thing]
    return not (len(named) >= len(rows) - 1 and len(set(named)) == len(named))


def _is_head(line: str) -> bool:
    """The head of a table, or the rule under it."""
    return line.startswith("|") or set(line) <= set("-|: ")


def _block(text: str, found: Sequence[Mention], mention: Mention) -> Iterator[tuple[int, Mention]]:
    """Start and first mention of every line of the block of rows in which the mention stands."""
    lines: list[tuple[int, int]] = []
    position = 0
    for line in text.split("\n"):
        lines.append((position, position + len(line)))
        position += len(line) + 1
    own = next(i for i, (start, end) in enumerate(lines) if start <= mention.start <= end)
    if not _row(text, lines[own], found):
        return
    low = high = own
    while low > 0 and _row(text, lines[low - 1], found):
        low -= 1
    while high + 1 < len(lines) and _row(text, lines[high + 1], found):
        high += 1
    for bounds in lines[low : high + 1]:
        yield bounds[0], _row(text, bounds, found)[0]


def _row(text: str, line: tuple[int, int], found: Sequence[Mention]) -> list[Mention]:
    """The mentions of a line that is a row: short, with a label or a bullet before them."""
    start, end = line
    inside = [one for one in found if start <= one.start < end]
    words = len(text[start:end].split())
    if not inside or words > 16:
        return []
    label = text[start : inside[0].start]
    is_row = _BULLET.match(label) or re.search(r"[:|=–-]\s*$", label) or words <= 6
    return inside if is_row else []


def _is_condition(
    text: str, found: Sequence[Mention], mention: Mention, ends: Sequence[int]
) -> bool:
    """Whether its sentence and a neighbour are conditions with different values."""
    starts = [0, *ends[:-1]]
    own = next(i for i, end in enumerate(ends) if mention.start < end)
    sentence = text[starts[own] : ends[own]].strip()
    cue = _CONDITION if _CONDITION.match(sentence) else _HEDGED
    if not cue.match(sentence) or _RESOLVED.search(sentence):
        return False
    for near in (own - 1, own + 1):
        if 0 <= near < len(ends) and cue.match(text[starts[near] : ends[near]].strip()):
            others = [one for one in found if starts[near] <= one.start < ends[near]]
            if any(one.value != mention.value for one in others):
                return True
    return False


def _is_copied(want: Wanted, text: str, found: Sequence[Mention], mention: Mention) -> bool:
    """A long text that addresses nobody, with many values or many lines: a page, not an answer."""
    words = text.split()
    if len(words) < _LONG_WORDS:
        return False
    if len(PERSONAL.findall(text)) > _FEW * len(words):
        return False
    line = text[text.rfind("\n", 0, mention.start) + 1 : mention.end]
    if PERSONAL.search(line):
        return False
    return text.count("\n") >= 3 or len({one.value for one in found}) >= _MANY_VALUES
