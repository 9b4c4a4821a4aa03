"""What a model thinks to itself, told apart from what it says.

Models without a reasoning parser in front of them write their thoughts into the reply, between
tags such as ``<think>`` and ``</think>``. They are neither speech nor a marker, whatever stands in
them. Where it is not clear where a thought ends, the rest is thought: a reply that is asked for
again harms nobody, a thought that is said aloud may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["joined_thoughts", "spoken_and_thought"]

_NAMES = r"(?:think(?:ing)?|reasoning|thoughts?)"
_TAG = re.compile(
    rf"<\s*(?P<angle>/?)\s*(?:[\w-]+:)?{_NAMES}(?:\s[^<>]*)?>"
    rf"|\[(?P<square>/?){_NAMES}\]|◁(?P<wedge>/?){_NAMES}▷",
    re.IGNORECASE,
)


def spoken_and_thought(text: str) -> tuple[str, str | None]:
    r"""The text without the thoughts in it, and these; None when there is none.

    A closing tag that nothing opened ends a thought that the model's template had opened: all
    before it is thought. Tags nest. A thought that is not closed goes on to the end. A text without
    tags comes back as it is.

    >>> spoken_and_thought("<think>It is $5.</think>\n\nI cannot tell.")
    ('I cannot tell.', 'It is $5.')
    >>> spoken_and_thought("It is $5.</think>I cannot tell.<think>Or")
    ('I cannot tell.', 'It is $5.\n\nOr')
    """
    said: list[str] = []
    thought: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(text):
        (thought if depth else said).append(text[at : tag.start()])
        at = tag.end()
        if not any(tag.group("angle", "square", "wedge")):
            depth += 1
        elif depth:
            depth -= 1
        else:
            thought += said
            said.clear()
    if at == 0:
        return text, None
    (thought if depth else said).append(text[at:])
    return "".join(said).strip(), joined_thoughts(thought)


def joined_thoughts(parts: Iterable[str | None]) -> str | None:
    r"""Thoughts in their order as one text, None when all are empty.

    >>> joined_thoughts([" a", None, "", "b\n"])
    'a\n\nb'
    """
    kept = [part.strip() for part in parts if part and part.strip()]
    return "\n\n".join(kept) or None
