"""What is raised or lowered on a page, once the neighbours of each mark are known."""

from __future__ import annotations

import re

from ragbench.ingest.load._marks import lowered, raised, set_apart

__all__ = ["resolve_marks"]

_RAISE, _END = raised("x").split("x")
_LOWER = lowered("x").split("x")[0]
_ALONE = re.compile(rf"(?:^|(?<=\s))[{_RAISE}{_LOWER}]([^{_RAISE}{_LOWER}{_END}]*){_END}(?=\s|$)")
_LONG = re.compile(f"[{_RAISE}{_LOWER}]([^{_RAISE}{_LOWER}{_END}]{{13,}}){_END}")
_SPACE = re.compile(rf"([{_RAISE}{_LOWER}])(\s+)|(\s+)({_END})")


def resolve_marks(text: str) -> str:
    """The text with raised and lowered runs set apart.

    What stands alone between white space is apart already, and what is longer than a mark is a
    line of its own type.
    """
    if _END not in text:
        return text
    text = _SPACE.sub(lambda found: "".join(g or "" for g in found.group(2, 1, 4, 3)), text)
    text = _LONG.sub(r"\1", _ALONE.sub(r"\1", text))
    return set_apart(text, runs=True)
