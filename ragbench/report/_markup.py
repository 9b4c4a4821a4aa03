"""HTML elements that cannot be built from unescaped text: a string is escaped, markup is not."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

__all__ = ["Markup", "element", "join", "raw"]

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Markup(str):
    """Text that is HTML already; only this module makes it."""

    __slots__ = ()


def element(name: str, *children: object, **attributes: str) -> Markup:
    """An element; ``cls`` stands for the attribute ``class``, an empty value leaves one out.

    Children that are no `Markup` are turned into text and escaped.

    >>> element("td", "a < b", cls="num")
    '<td class="num">a &lt; b</td>'
    """
    written = "".join(
        f' {"class" if key == "cls" else key}="{_escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[object], between: str = "") -> Markup:
    """Children one after another, as one piece."""
    parts = (child if isinstance(child, Markup) else _escape(str(child)) for child in children)
    return Markup(_escape(between).join(parts))


def raw(text: str) -> Markup:
    """Text of our own that is HTML already; never anything that was read."""
    return Markup(text)


def _escape(text: str) -> str:
    return html.escape(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text))
