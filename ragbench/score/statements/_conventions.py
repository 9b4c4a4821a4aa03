"""What a domain says about reading values: its clock, the order of its dates, its synonyms."""

from __future__ import annotations

import datetime as dt
import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbench.domains import Domain

__all__ = ["NO_CONVENTIONS", "Conventions"]


@dataclass(frozen=True, slots=True)
class Conventions:
    """How values are to be read.

    Attributes:
        today: the fixed clock's day; a date without year is the nearest such date to it. None: a
            date without year agrees with that day of any year.
        day_first: 3/4/2026 is 3 April; otherwise it is no date, for it could be 4 March as well.
        synonyms: a word or unit, and each of the wordings that mean the same.
    """

    today: dt.date | None = None
    day_first: bool = False
    synonyms: tuple[tuple[str, str], ...] = field(default=())

    @classmethod
    def of(cls, domain: Domain) -> Conventions:
        """Those of a domain."""
        pairs = tuple((word, other) for word, others in domain.synonyms for other in others)
        return cls(domain.now.date(), domain.day_first, pairs)

    def unified(self, folded: str) -> str:
        """A folded text with every synonym replaced by the word that it stands for.

        >>> business = Conventions(synonyms=(("working days", "business days"),))
        >>> business.unified("one business day, not 5 business days")
        'one working day, not 5 working days'
        """
        for pattern, replacement in _patterns(self.synonyms):
            folded = pattern.sub(replacement, folded)
        return folded


NO_CONVENTIONS = Conventions()


@functools.cache
def _patterns(synonyms: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_pattern(word.casefold(), other.casefold()) for word, other in synonyms)


def _pattern(word: str, other: str) -> tuple[re.Pattern[str], str]:
    """A wording in singular and plural, with spaces or hyphens between its words."""
    plural = word.endswith("s") and other.endswith("s")
    stem = other[:-1] if plural else other
    written = "[ -]".join(map(re.escape, stem.split()))
    pattern = re.compile(rf"(?<!\w){written}{'(s?)' if plural else ''}(?!\w)")
    return pattern, word[:-1] + r"\1" if plural else word
