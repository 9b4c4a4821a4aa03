"""What the styles of a document say: headings, lists, hidden and struck out text, raised text."""

from __future__ import annotations

import re
from typing import Any

from ragbench.ingest.load.docx._package import W, value

__all__ = ["Styles"]

_HEADING = re.compile(r"heading ([1-9])$", re.I)
_MAX_DEPTH = 20
_MOVED = 3
"""Half points off the line from which a digit is above or below it to the eye."""
_OFF = ("0", "false", "off")


class Styles:
    """The styles by their ids; a style has what those that it is based on have.

    Args:
        root: the part of styles, None without one.
    """

    def __init__(self, root: Any) -> None:  # noqa: ANN401  (lxml element)
        found = () if root is None else root.iter(W + "style")
        self._styles = {style.get(W + "styleId"): style for style in found}
        self._chains: dict[str, list[Any]] = {}
        self._default = ""
        for style_id, style in self._styles.items():
            if style.get(W + "type") == "paragraph" and _is_on(style.get(W + "default"), "0"):
                self._default = style_id
        path = f"docDefaults/{W}rPrDefault/{W}rPr"
        self._defaults = None if root is None else root.find(W + path)

    def chain(self, style_id: str) -> list[Any]:
        """The style and those that it is based on, nearest first."""
        known = self._chains.get(style_id)
        if known is not None:
            return known
        chain: list[Any] = []
        style = self._styles.get(style_id)
        while style is not None and len(chain) < _MAX_DEPTH:
            chain.append(style)
            style = self._styles.get(value(style, "basedOn"))
        self._chains[style_id] = chain
        return chain

    def names(self, style_id: str) -> list[str]:
        """Names of the style and those that it is based on, in small letters."""
        return [value(style, "name").lower() for style in self.chain(style_id)]

    def style_of(self, paragraph: Any) -> str:  # noqa: ANN401  (lxml element)
        """Id of the paragraph's style."""
        return value(paragraph, f"pPr/{W}pStyle") or self._default

    def level(self, paragraph: Any) -> int | None:  # noqa: ANN401  (lxml element)
        """Heading level from 1, None for running text."""
        own = value(paragraph, f"pPr/{W}outlineLvl")
        if own.isdigit():
            return int(own) + 1 if int(own) < 9 else None
        style_id = self.style_of(paragraph)
        for name in self.names(style_id):
            match = _HEADING.match(name)
            if match:
                return int(match.group(1))
        levels = (value(style, f"pPr/{W}outlineLvl") for style in self.chain(style_id))
        outline = next((int(level) for level in levels if level.isdigit()), 9)
        return outline + 1 if outline < 9 else None

    def numbering(self, paragraph: Any) -> tuple[str, int] | None:  # noqa: ANN401  (lxml element)
        """Number and level of the list that the paragraph is in, None for none."""
        style_id = self.style_of(paragraph)
        places = [paragraph, *self.chain(style_id)]
        number = next(filter(None, (value(p, f"pPr/{W}numPr/{W}numId") for p in places)), "")
        level = next(filter(None, (value(p, f"pPr/{W}numPr/{W}ilvl") for p in places)), "0")
        if not number or number == "0":
            return None
        return number, int(level) if level.isdigit() else 0

    def is_on(self, run: Any, paragraph_style: str, name: str) -> bool:  # noqa: ANN401
        """Whether a property that styles toggle, such as ``vanish``, is on for a run."""
        own = run.find(f"{W}rPr/{W}{name}")
        if own is not None:
            return _is_on(own.get(W + "val"), "1")
        by_style = [
            self._toggled(style, name)
            for style in (value(run, f"rPr/{W}rStyle"), paragraph_style)
            if style
        ]
        default = None if self._defaults is None else self._defaults.find(W + name)
        on_by_default = default is not None and _is_on(default.get(W + "val"), "1")
        return on_by_default or sum(by_style) % 2 == 1

    def moved(self, run: Any) -> str:  # noqa: ANN401  (lxml element)
        """The same for a run that is moved off its line by points instead."""
        places = (run, *self.chain(value(run, f"rPr/{W}rStyle")))
        found = next(filter(None, (value(place, f"rPr/{W}position") for place in places)), "")
        half_points = int(found) if found.lstrip("+-").isdigit() else 0
        if abs(half_points) < _MOVED:
            return ""
        return "superscript" if half_points > 0 else "subscript"

    def raised(self, run: Any, paragraph_style: str) -> str:  # noqa: ANN401
        """``superscript``, ``subscript`` or nothing."""
        own = value(run, f"rPr/{W}vertAlign")
        if own:
            return own
        for style_id in (value(run, f"rPr/{W}rStyle"), paragraph_style):
            for style in self.chain(style_id):
                found = value(style, f"rPr/{W}vertAlign")
                if found:
                    return found
        return ""

    def _toggled(self, style_id: str, name: str) -> bool:
        for style in self.chain(style_id):
            found = style.find(f"{W}rPr/{W}{name}")
            if found is not None:
                return _is_on(found.get(W + "val"), "1")
        return False


def _is_on(value: str | None, default: str) -> bool:
    return (value if value is not None else default).lower() not in _OFF
