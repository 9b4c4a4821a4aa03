"""A text as it is compared: case, width, white space, emphasis and typographic marks folded."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["fold"]

_TYPOGRAPHIC = str.maketrans("‐‑–−’‘“”′", "----''\"\"'")
_MATHS = re.compile(r"\$\\\$([^$\n]{1,30})\$")
_EMPHASIS = re.compile(r"(?<!\d)[*`]+|[*`]+(?!\d)")
_WRAPPED = re.compile(r"(?<=[\w,])[ \t]*\n[ \t]*(?=[a-z(])")


def fold(text: str) -> str:
    r"""A text folded; lines stay lines where they are more than a wrapped sentence.

    >>> fold("Your **fee**\nis  $5.\n\n- Total: $7")
    'your fee is $5.\n- total: $7'
    """
    text = unicodedata.normalize("NFKC", _MATHS.sub(r"$\1", text))
    text = _EMPHASIS.sub("", text.replace("\\$", "$").replace("\\%", "%"))  # but not 5*3
    text = _WRAPPED.sub(" ", text).translate(_TYPOGRAPHIC).casefold()
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
