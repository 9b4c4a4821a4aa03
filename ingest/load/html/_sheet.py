"""What the page's own style sheets hide: ``display: none`` and ``visibility: hidden``.

Only rules whose selector is one element, by tag, classes and id (``p.old``, ``#draft``), hide.
Every rule that could show an element again is heard, whatever its selector: with one that cannot be
read, or that is as strong, the text stays. Rules within ``@media`` and its like are not applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbench.ingest.load.html._shown import style_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

__all__ = ["hide"]

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_SIMPLE = re.compile(r"(?:\*|[a-zA-Z][\w-]*)?(?:[.#][A-Za-z_-][\w-]*)*")
_SHOWN = re.compile(r"(display|visibility)\s*:\s*([\w-]+)\s*(!important)?", re.I)
_HIDING = {("display", "none"), ("visibility", "hidden"), ("visibility", "collapse")}
_MOST_RULES = 2_000

_Weight = tuple[bool, int, int, int]


def hide(soup: BeautifulSoup) -> None:
    """Mark as hidden what the style sheets in the page hide."""
    sheets = [tag for tag in soup.find_all("style") if _applies(tag)]
    rules = [rule for tag in sheets for rule in _rules(tag.get_text())][:_MOST_RULES]
    hiding = [rule for rule in rules if rule[2] and _SIMPLE.fullmatch(rule[0])]
    for selector, name, _, weight in hiding:
        showing = [rule for rule in rules if rule[1] == name and not rule[2] and rule[3] >= weight]
        for tag in soup.select(selector):
            own = _SHOWN.search(style_of(tag))
            if own is not None and own[1] == name and not weight[0]:
                continue  # the element's own style is stronger, and read where it stands
            if not any(_matches(tag, rule[0]) for rule in showing):
                tag["hidden"] = ""


def _applies(tag: Tag) -> bool:
    media = str(tag.get("media", "all")).lower()
    return tag.find_parent("noscript") is None and any(
        word.strip() in ("", "all", "screen") for word in media.split(",")
    )


def _rules(sheet: str) -> Iterator[tuple[str, str, bool, _Weight]]:
    """Selector, property, whether it hides, and weight, of each rule on what is shown."""
    for selectors, body in _blocks(_COMMENT.sub(" ", sheet)):
        for name, value, important in _SHOWN.findall(body):
            hides = (name.lower(), value.lower()) in _HIDING
            for selector in filter(None, map(str.strip, selectors.split(","))):
                yield selector, name.lower(), hides, (bool(important), *_strength(selector))


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The rules outside of at-rules."""
    position = 0
    for match in re.finditer(r"([^{}]*)\{", sheet):
        if match.start() < position:
            continue
        depth, end = 1, match.end()
        while depth and end < len(sheet):
            depth += {"{": 1, "}": -1}.get(sheet[end], 0)
            end += 1
        position = end
        head = match[1].rpartition(";")[2].strip()  # behind @import and @charset
        if not head.startswith("@"):
            yield head, sheet[match.end() : end].rstrip("}")


def _strength(selector: str) -> tuple[int, int, int]:
    """Ids, classes and tags of a selector, CSS's specificity."""
    ids, classes = selector.count("#"), len(re.findall(r"\.[\w-]|\[|:(?!:)", selector))
    return ids, classes, len(re.findall(r"(?:^|[\s>+~])[A-Za-z]", selector))


def _matches(tag: Tag, selector: str) -> bool:
    from soupsieve import SelectorSyntaxError, match

    try:
        return match(selector, tag)
    except (SelectorSyntaxError, ValueError):
        return True
