"""Which elements a reader of the page does not see, and what each is counted as.

Styles on the element itself are applied here, the page's own sheets in `_sheet`. A closed
``details`` is content that a reader opens; a closed ``dialog`` is not shown. ``header`` and
``footer`` are the page's unless they stand in a section, an article or the like, whose own they are
then. What is only not read aloud (``aria-hidden``) is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4.element import Tag

__all__ = ["has_text", "left_out_as", "style_of"]

_SILENT = frozenset(
    "head script style template noscript title noframes datalist rp param track area base link "
    "meta".split()
)
_KINDS = {
    "del": "deleted",
    "s": "struck out",
    "strike": "struck out",
    "nav": "navigation",
    "svg": "drawing",
    "canvas": "drawing",
    "iframe": "embedded object",
    "object": "embedded object",
    "audio": "embedded object",
    "video": "embedded object",
    "select": "form field",
    "textarea": "form field",
}
_SECTIONS = ("main", "article", "section", "aside", "dialog", "blockquote", "figure", "td")
_UNSEEN = frozenset(("sr-only", "visually-hidden", "screen-reader-text", "a-offscreen"))
_STYLES = (
    (re.compile(r"(?:^|;)\s*display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"), "hidden"),
    (re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through"), "struck out"),
)


def left_out_as(tag: Tag) -> str | None:
    """None for an element that is shown; else its kind, empty where it holds no text at all."""
    if tag.name in _SILENT:
        return ""
    kind = _KINDS.get(tag.name)
    if kind is None and tag.attrs:
        kind = _by_attribute(tag)
    if kind is None and tag.name in ("header", "footer") and tag.find_parent(_SECTIONS) is None:
        kind = "page header or footer"
    if kind is None and tag.name == "dialog" and not tag.has_attr("open"):
        kind = "hidden"
    return kind


def _by_attribute(tag: Tag) -> str | None:
    hidden = tag.get("hidden")
    if hidden is not None and str(hidden).lower() != "until-found":
        return "hidden"
    if str(tag.get("aria-hidden")).lower() == "true" and not _is_content(tag):
        return "hidden"
    if _is_repeat(tag):
        return "hidden"
    role = tag.get("role")
    if role == "navigation":
        return "navigation"
    style = style_of(tag)
    return next((kind for pattern, kind in _STYLES if pattern.search(style)), None)


def _is_content(tag: Tag) -> bool:
    """Whether an element that is not read aloud has words of its own, unlike a sign or a formula.

    A renderer of formulas puts its drawing, not read aloud, beside the formula that is.
    """
    around = tag.parent
    if around is not None and around.find("math") is not None:
        return False
    return any(char.isalnum() for text in tag.stripped_strings for char in text)


def _is_repeat(tag: Tag) -> bool:
    """Whether an element says aloud, unseen, what an element beside it shows to the eye."""
    if not _UNSEEN.intersection(tag.get_attribute_list("class")) or tag.parent is None:
        return False
    beside = tag.parent.find_all(True, attrs={"aria-hidden": "true"}, recursive=False)
    return any(_is_content(other) for other in beside)


def style_of(tag: Tag) -> str:
    """The element's own style in small letters, empty without one."""
    attributes: Mapping[str, object] = tag.attrs
    return str(attributes.get("style", "")).lower()


def has_text(tag: Tag) -> bool:
    """Whether there is anything to read in the element."""
    return next(tag.stripped_strings, None) is not None
