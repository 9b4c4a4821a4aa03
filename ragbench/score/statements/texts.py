"""Other text: words in their order, on word boundaries, numbers and dates written one way.

An article or a possessive stands for any other: ``certified copy of the death certificate`` is
said by ``certified copy of his death certificate``.
"""

from __future__ import annotations

import functools
import re

__all__ = ["find_text"]

_DETERMINERS = r"(?:the|an?|his|her|their|your|my|our|its|this|that|(?:\w+ )?\w+'s?)"
_DETERMINER = re.compile(r"(?<!\w)(?:the|an?|his|her|their|your|its)(?!\w)")


def find_text(wanted: str, text: str) -> list[tuple[int, int]]:
    """Where a folded text stands in another, in order."""
    return [match.span() for match in _pattern(wanted).finditer(text)] if wanted else []


@functools.lru_cache(maxsize=1024)
def _pattern(wanted: str) -> re.Pattern[str]:
    words = [
        _DETERMINERS if number and _DETERMINER.fullmatch(word) else re.escape(word)
        for number, word in enumerate(wanted.split())
    ]
    return re.compile(r"(?<!\w)(?<!\d[.,])" + r"\s+".join(words) + r"(?!\w)(?![.,]\d)")
