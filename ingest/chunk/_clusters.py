"""What a reader takes for one character: no cut is made inside it.

An accent behind its letter, a family of emoji joined by U+200D, a flag of two letters and a Hangul
syllable spelled in jamo are several characters of the text and one on the screen (Unicode's
extended grapheme clusters, as the library ``regex`` finds them).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

__all__ = ["clusters", "inside_clusters", "next_whole", "whole"]

_MAY_JOIN = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0590-\u109f\u1100-\u1aff\u1b00-\u1cff\u1dc0-\u1dff\u200c\u200d"
    "\u20d0-\u20ff\u2cef-\u2cf1\u2d7f\u302a-\u302f\u3099\u309a\ua66f-\ua6f1\ua802-\uabff"
    "\ud7b0-\ud7ff\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\uff9e\uff9f\U00010000-\U0001ffff"
    "\U000e0000-\U000e0fff]"
)
"""More than what can stand in a cluster of several characters; most texts hold none of it."""

_PATTERN = (
    r"(?:(?=.[\p{GCB=EX}\p{GCB=SM}\p{GCB=ZWJ}\p{GCB=V}\p{GCB=T}\p{RI}])|(?=\p{GCB=PP})"
    r"|(?=\p{GCB=L}[\p{GCB=L}\p{GCB=LV}\p{GCB=LVT}]))\X"
)
"""A cluster of several characters; the looks ahead only spare trying `\\X` at every character."""


_FAR = 1024
"""Characters before an offset that are looked at, when no beginning of a cluster is known."""


@cache
def _several() -> Any:  # noqa: ANN401  (regex ships no types)
    import regex

    return regex.compile(_PATTERN, regex.DOTALL)


@cache
def _any() -> Any:  # noqa: ANN401
    import regex

    return regex.compile(r"\X")


def clusters(text: str) -> list[str]:
    r"""The clusters of a text.

    >>> list(map(len, clusters("cafe\u0301")))
    [1, 1, 1, 2]
    """
    found: list[str] = _any().findall(text) if _MAY_JOIN.search(text) else list(text)
    return found


def inside_clusters(text: str) -> set[int]:
    r"""The offsets at which a cut would part a cluster; that of CR LF is left out.

    >>> inside_clusters("cafe\u0301 x")
    {4}
    """
    if text.isascii() or not _MAY_JOIN.search(text):
        return set()
    return {at for m in _several().finditer(text) for at in range(m.start() + 1, m.end())}


def whole(text: str, low: int, offset: int) -> int:
    """The last offset up to ``offset`` that parts no cluster.

    Args:
        text: any text.
        low: an offset that parts none.
        offset: where the cut would be, behind ``low``.

    Returns:
        ``offset`` itself when one cluster reaches from ``low`` beyond it.
    """
    before, _ = _around(text, low, offset)
    return before if before > low else offset


def next_whole(text: str, offset: int) -> int:
    """The first offset from ``offset`` on that parts no cluster."""
    return _around(text, max(0, offset - _FAR), offset)[1]


def _around(text: str, low: int, offset: int) -> tuple[int, int]:
    """The nearest offsets that part no cluster, up to the offset and from it on."""
    if not 0 < offset < len(text):
        return offset, offset
    if text[offset] == "\n" and text[offset - 1] == "\r":
        return offset - 1, offset + 1
    start = offset
    while start > low and not _begins_anew(text[start - 1], text[start]):
        start -= 1
    if start == offset or not _MAY_JOIN.search(text, start, offset + 1):
        return offset, offset
    for match in _any().finditer(text, start):
        if match.end() > offset:
            return match.start(), offset if match.start() == offset else match.end()
    return offset, offset


def _begins_anew(before: str, char: str) -> bool:
    """Whether a cluster surely begins at ``char``, but for CR LF, seen without tables."""
    may_prepend = "\u0600" <= before < "\u2000" or before > "\uffff"
    return (char.isascii() or "\u3400" <= char <= "\u9fff") and not may_prepend
