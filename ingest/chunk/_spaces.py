"""White space as BERT sees it: the words of a text, where they start, blocks that part none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SPACE", "blocks_of", "word_starts", "words_of"]

SPACE = " \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What BERT takes for white space. Other characters that Python calls space, such as a form feed,
it deletes, which joins the words around them."""
_BLOCK = 1 << 18
"""Characters that are counted at a time, so that memory does not grow with the text."""
_BLANK = re.compile(r"[ \n]")
_NO_SPACE = re.compile(f"[^{SPACE}]+")


def words_of(text: str) -> list[str]:
    """The text split where BERT finds white space."""
    if _holds_deleted(text):
        return _NO_SPACE.findall(text)
    return text.split()


def word_starts(text: str) -> np.ndarray:
    """Where each word starts, with 0 before them if white space does, and the text's length."""
    import numpy as np

    if text.isascii():
        spaces = _spaces()[np.frombuffer(text.encode(), dtype=np.uint8)]
    else:
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        spaces = _spaces()[np.minimum(codes, len(_spaces()) - 1)]
    later = np.flatnonzero(spaces[:-1] & ~spaces[1:]) + 1
    return np.concatenate([[0], later, [len(text)]])


@cache
def _spaces() -> np.ndarray:
    """Whether each character is white space to BERT; the last stands for all that follow."""
    import numpy as np

    return np.array([re.match(f"[{SPACE}]", chr(code)) is not None for code in range(0x3002)])


def _holds_deleted(text: str) -> bool:
    """Whether `str.split` would split where BERT does not; written out, as it is asked often."""
    return (
        "\x0c" in text
        or "\x0b" in text
        or "\x1c" in text
        or "\x1d" in text
        or "\x1e" in text
        or "\x1f" in text
        or "\x85" in text
    )


def blocks_of(text: str) -> Iterator[str]:
    """The text in blocks that end before white space."""
    start = 0
    while start < len(text):
        match = _BLANK.search(text, start + _BLOCK)
        end = match.start() if match else len(text)
        yield text[start:end]
        start = end
