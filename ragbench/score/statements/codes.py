"""Codes: letters and digits, such as LF-4, written with or without their hyphens and spaces."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

__all__ = ["FoundCode", "find_codes", "is_code"]

_CODE = re.compile(r"(?=[a-z-]*\d)[a-z]{1,6}-?\d{1,6}(?:[- ]?[a-z0-9]+)*")
_SEPARATOR = re.compile(r"[- ]")


@dataclass(frozen=True, slots=True)
class FoundCode:
    """A code in a text, without its separators."""

    code: str
    start: int
    end: int


def is_code(wanted: str) -> bool:
    """Whether a folded text is a code as a whole.

    >>> is_code("lf-4"), is_code("l-8109 part-t"), is_code("12 days"), is_code("fee")
    (True, True, False, False)
    """
    return len(wanted) <= 30 and _CODE.fullmatch(wanted) is not None


def find_codes(text: str, wanted: str) -> list[FoundCode]:
    """Every code of a folded text that begins with the letters of the wanted one, in order."""
    own, family = _patterns(wanted)
    found = [FoundCode(_plain(wanted), *match.span()) for match in own.finditer(text)]
    for match in family.finditer(text):
        if not any(one.start < match.end() and match.start() < one.end for one in found):
            found.append(FoundCode(_plain(match[0]), *match.span()))
    return sorted(found, key=lambda one: one.start)


@functools.lru_cache(maxsize=1024)
def _patterns(wanted: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    parts = re.findall(r"[a-z]+|\d+", wanted)
    written = parts[0]
    rest = wanted[len(parts[0]) :]
    for part in parts[1:]:
        gap, rest = rest[: rest.index(part)], rest[rest.index(part) + len(part) :]
        wide = r"[-_./ ]{0,2}" if gap or part.isdigit() else ""
        written += (r",?" + wide if " " in gap else wide) + part
    edge_before, edge_after = r"(?<![\w])(?<!\w-)", r"(?!\w)(?!-\w)(?![./]\w)"
    own = re.compile(edge_before + written + edge_after)
    family = re.compile(rf"{edge_before}{parts[0]}[- ]?\d+(?:-?[a-z0-9]+)*(?!\w)")
    return own, family


def _plain(code: str) -> str:
    return _SEPARATOR.sub("", code)
