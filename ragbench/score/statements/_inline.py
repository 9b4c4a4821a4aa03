"""Whether a value is one of a list in running text: ``Classic £1.80, Plus £1.20, Premier £0.90``.

Three or more labels with their values, none of which is then picked. Things of one bill (balance,
fee, total; parts that add up; what is the customer's own) are no such list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._alternatives import adds_up
from ragbench.score.statements._mention import Mention, Wanted
from ragbench.score.statements._rows import GENERIC_LIST, PERSONAL, THING

__all__ = ["inline_list"]

_PER = r"(?:\s(?:\w+\s)?(?:days?|weeks?|months?|years?|hours?))?"
_PER += r"(?:,?\s(?:per|an?|each|every)\s\w+|"
_PER += r"\s(?:aer|gross|net|p\.a\.|monthly|daily|yearly|annually))?"
_BETWEEN = re.compile(
    rf"{_PER}\s?(?:[,;]|\.(?:\s?\d\.\d)?|\sand\b)\s(?:and\s)?(?:[\d.]+\s)?"
    r"(?:[a-z][\w'-]*\.?\s){0,2}?(?P<label>(?:[a-z][\w'-]*\s){0,2}[a-z][\w'-]*):?\s(?:from\s)?"
)
_FIRST = re.compile(r"(?:^|[.:;,(\"']\s?|\n)\s?(?P<label>(?:[a-z][\w'-]*\s){0,3}[a-z][\w'-]*):?\s$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|costs?|will|would|has|have|had|takes?|pays?|comes|get|gets|i|we|you|"
    r"it|that|this|they|he|she|of|from|on|at|until|by|to|in|after|then|"
    r"so|before|within|tax|net|gross)\b"
)
_PICKED = re.compile(r"\b(?:for you|yours|your|so|in your case|you)\b")


def inline_list(want: Wanted, text: str, found: Sequence[Mention], mention: Mention) -> str | None:
    """How a mention is one of a list in running text, in words; None when it is not.

    Args:
        want: the value.
        text: a folded text.
        found: the value and others of its kind in it, in order.
        mention: where the value stands.
    """
    if want.kind != "quantity":
        return None
    run, labels = _run([one for one in found if not one.loose], text, mention)
    if len(run) < 3 or len({one.value for one in run}) < 3 or any(map(_VERB.search, labels)):
        return None
    line = text.rfind("\n", 0, run[0].start) + 1
    head, tail = text[line : run[0].start], text[run[-1].end :]
    above = text[:line].rstrip("\n").rpartition("\n")[2]
    if _is_account(head, above, labels) or adds_up(text, run):
        return None
    names = "|".join(re.escape(label.split()[-1]) for label in labels)
    if _PICKED.search(tail.replace("helps you", "")) or re.search(rf"\b(?:{names})\b", tail):
        return None
    return f"one of a list of {len(run)}"


def _is_account(head: str, above: str, labels: Sequence[str]) -> bool:
    """Whether it lists what is the customer's: another thing with each value."""
    for lead in (head, above):
        if PERSONAL.search(lead) and not GENERIC_LIST.search(lead):
            return True
    named = [thing[-1] for thing in map(THING.findall, labels) if thing]
    return len(named) >= len(labels) - 1 and len(set(named)) == len(named)


def _run(firm: Sequence[Mention], text: str, mention: Mention) -> tuple[list[Mention], list[str]]:
    """The run of labelled values in which a mention stands, and the labels."""
    run: list[Mention] = []
    labels: list[str] = []
    for one in firm:
        link = _BETWEEN.fullmatch(text[run[-1].end : one.start]) if run else None
        if link is None:
            if mention in run:
                break
            first = _FIRST.search(text[: one.start])
            run, labels = ([one], [first["label"]]) if first else ([], [])
        else:
            run.append(one)
            labels.append(link["label"])
    return (run, labels) if mention in run else ([], [])
