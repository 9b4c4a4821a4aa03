"""Whether extracted PDF text is text: fonts without a Unicode table give codes instead of letters.

The gate is conservative: only text that no reader of any language could use is refused. Three
signs, each measured on a page's characters that are not white space:

- replacement, private-use, unassigned or control characters are more than `BROKEN_SHARE` of them;
- glyph names such as ``/g23`` or ``(cid:23)`` make up more than half;
- Latin letters shifted by 29, as fonts numbered in the usual glyph order give (``7KHGDQFHUV`` is
  "Thedancers"): hardly a lower-case letter, and D, H, L, R, X (a, e, i, o, u) as frequent as vowels
  are, while real vowels are rare.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["BROKEN_SHARE", "garbled", "garbled_pages"]

BROKEN_SHARE = 0.3
_MINIMUM = 40
"""Fewer characters than this are never judged."""

_GLYPH_NAMES = re.compile(r"/(?:g|G|c|C|cid|glyph|uni|i)\d[0-9A-Fa-f]*|\(cid:\d+\)")
_BROKEN = {"Cc", "Cn", "Co", "Cs"}


def garbled(text: str) -> str:
    """What is wrong with the text, empty when it can be text.

    >>> garbled("The dancers shall be paid within thirty days of the performance.")
    ''
    >>> garbled("7KH GDQFHUV VKDOO EH SDLG ZLWKLQ WKLUWB GDBV RI WKH SHUIRUPDQFH")
    'letters stand for other letters (the font has no Unicode table)'
    """
    characters = "".join(text.split())
    if len(characters) < _MINIMUM:
        return ""
    broken = sum(char == "\ufffd" or unicodedata.category(char) in _BROKEN for char in characters)
    if broken > BROKEN_SHARE * len(characters):
        return f"{broken / len(characters):.0%} of the characters are no letters or signs"
    if sum(map(len, _GLYPH_NAMES.findall(characters))) > 0.5 * len(characters):
        return "glyph names stand for letters (the font has no Unicode table)"
    if _shifted(characters):
        return "letters stand for other letters (the font has no Unicode table)"
    return ""


def garbled_pages(pages: Sequence[str]) -> tuple[list[int], float]:
    """Numbers of the garbled pages, from 1, and their share of all characters."""
    found = [number for number, page in enumerate(pages, start=1) if garbled(page)]
    sizes = [len("".join(page.split())) for page in pages]
    return found, sum(sizes[number - 1] for number in found) / max(1, sum(sizes))


def _shifted(characters: str) -> bool:
    letters = [char for char in characters if char.isascii() and char.isalpha()]
    upper = [char for char in letters if char.isupper()]
    if len(letters) < max(_MINIMUM, 0.6 * len(characters)) or len(upper) < 0.9 * len(letters):
        return False
    vowels = sum(char in "AEIOU" for char in upper) / len(upper)
    shifted_vowels = sum(char in "DHLRX" for char in upper) / len(upper)
    return vowels < 0.2 and shifted_vowels > 0.3
