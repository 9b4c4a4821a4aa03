"""One spelling of characters that look alike, for whatever compares texts: vectors, BM25, grep.

Ligatures, full-width forms and other compatibility characters become the plain ones (NFKC), hyphens
and minus signs ``-``; soft hyphens, marks of direction and what has no width go. Offsets are those
of the text as it was loaded: only what is compared is folded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

__all__ = ["folded"]

_PLAIN = {
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u061c\u180e"), None),
    **dict.fromkeys(range(0x202A, 0x202F), None),
    **dict.fromkeys(range(0x2066, 0x206A), None),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-"),
}
_NUMBERS = re.compile(r"(?<=\d)([¹²³⁰-⁹₀-₉¼-¾⅐-⅞①-⓿])")
"""A raised, lowered or circled digit or a fraction behind a digit: another number."""
_ANY = re.compile(r"[^\x00-\x7f]+")


def folded(text: str, escape: Callable[[str], str] | None = None) -> str:
    r"""The text in one spelling.

    Args:
        text: any.
        escape: applied to what characters beyond ASCII have become, for patterns.

    >>> folded("oﬃce, re\u00adfund, ＦＥＥ 35\u00a0USD"), folded("35¹ and 2½ m²")
    ('office, refund, FEE 35 USD', '35 1 and 2 1/2 m2')
    """
    if text.isascii():
        return text
    text = _NUMBERS.sub(r" \1", text)
    if escape is None:
        return _plain(text)
    return _ANY.sub(lambda match: escape(_plain(match.group())), text)


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN))
    return plain.translate(_PLAIN).replace("\u2044", "/")
