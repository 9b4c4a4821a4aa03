"""What a value is said of: the words of its clause that mean something."""

from __future__ import annotations

import re

from ragbench.score.statements._mention import Mention
from ragbench.score.statements._negation import BOUNDARY

__all__ = ["GENERIC", "topic", "words_of"]

_WORD = re.compile(r"[^\W_][\w'-]*")
_EMPTY = frozenset(
    "a an the it its this that these those there they he she we i you your yours our his her their "
    "is are was were be been being will would shall should can could may might "
    "must has have had do "
    "does did of for to in on at by from with and or but so as than then also too just only not no "
    "please it's that's there's i've we've you'll i'll therefore hence now still again exactly yes "
    "comes come amounts cost costs total totals pay payable due charged applies apply get us me my "
    "if when which who whom what any all both up out per about into let make sure know here well "
    "day until sorry actually apologies correction mean meant misspoke wait rather fact "
    "instead in".split()
)
GENERIC = frozenset(
    "amount figure number date time code value answer correct right actual real true one thing sum "
    "proper updated earlier previous mistake error wrong message said told checked looked checking "
    "looking read say double-checked i'm thing confusion case".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words of a folded text that mean something, in the singular.

    >>> sorted(words_of("your late fees are due"))
    ['fee', 'late']
    """
    found = (word.strip("'-").removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in found
        if word not in _EMPTY
    )


def topic(text: str, mention: Mention, start: int, end: int) -> frozenset[str]:
    """What the clause of a mention is about, without the value itself.

    Args:
        text: a folded text.
        mention: where the value stands.
        start: where its sentence starts.
        end: where it ends.
    """
    before, after = text[start : mention.start], text[mention.end : end]
    cuts = [match.end() for match in BOUNDARY.finditer(before)]
    # What stands before a colon or in the cell of a row says what the value is.
    cuts = [cut for cut in cuts if before[:cut].rstrip()[-1:] not in (":", "|")]
    clause = before[cuts[-1] if cuts else 0 :]
    boundary = BOUNDARY.search(after)
    return words_of(f"{clause} {after[: boundary.start()] if boundary else after}")
