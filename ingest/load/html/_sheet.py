"""The page's own style sheets: what they hide, strike out and raise, as a browser applies them.

Importance, specificity and order decide (the cascade); the outcome is written into the ``style`` of
the elements, where the other modules read it. Rules for a screen are heard, other ``@media`` and
sheets outside of the page are not. Visibility is inherited and may be undone further in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragbench.ingest.load.html._shown import style_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

__all__ = ["apply_sheets"]

_PROPERTIES = {
    "display": "display",
    "visibility": "visibility",
    "vertical-align": "vertical-align",
    "text-decoration": "text-decoration",
    "text-decoration-line": "text-decoration",
    "list-style": "list-style",
    "list-style-type": "list-style",
}
_OWN_ONLY = "list-style"  # sheets that take numbers away mostly draw them again by counters
_MEDIA = ("", "all", "screen", "only screen")
_MOST_RULES = 5_000
_MOST_MATCHES = 200_000

_Weight = tuple[bool, bool, tuple[int, int, int], int]
_Cascaded = dict[str, tuple[_Weight, str]]


def apply_sheets(soup: BeautifulSoup) -> int:
    """Write what the sheets say into the elements' styles; the number of texts found invisible."""
    found: dict[int, _Cascaded] = defaultdict(dict)
    tags: dict[int, Tag] = {}
    for number, (selector, declarations) in enumerate(_rules(soup)):
        if number >= _MOST_RULES:
            break
        for tag in _matched(soup, selector):
            tags[id(tag)] = tag
            for name, value, important in declarations:
                weight = (important, False, selector.specificity, number)
                _put(found[id(tag)], name, value, weight)
    for key, tag in tags.items():
        for name, value, important in _declarations(style_of(tag)):
            _put(found[key], name, value, (important, True, (0, 0, 0), 0))
        tag["style"] = ";".join(f"{name}:{value}" for name, (_, value) in found[key].items())
    return _undo_visibility(soup)


def _put(cascaded: _Cascaded, name: str, value: str, weight: _Weight) -> None:
    if name not in cascaded or cascaded[name][0] <= weight:
        cascaded[name] = (weight, value)


class _Selector:
    """One selector, with what its last compound asks for."""

    def __init__(self, tokens: list[Any]) -> None:
        import cssselect2
        import soupsieve
        import tinycss2

        (compiled,) = cssselect2.compile_selector_list(tokens)
        if compiled.pseudo_element is not None:
            raise cssselect2.SelectorError("a pseudo-element is no element of the page")
        self.specificity: tuple[int, int, int] = compiled.specificity
        self.id: str | None = compiled.id
        self.class_name: str | None = compiled.class_name
        self.name: str | None = compiled.lower_local_name
        self.matches = soupsieve.compile(tinycss2.serialize(tokens).strip()).match


def _rules(soup: BeautifulSoup) -> Iterator[tuple[_Selector, list[tuple[str, str, bool]]]]:
    from cssselect2 import SelectorError
    from soupsieve import SelectorSyntaxError

    for rule in _style_rules(soup):
        declarations = [one for one in _declarations(rule.content) if one[0] != _OWN_ONLY]
        if not declarations:
            continue
        for tokens in _at_commas(rule.prelude):
            try:
                yield _Selector(tokens), declarations
            except (SelectorError, SelectorSyntaxError, ValueError, NotImplementedError):
                continue


def _style_rules(soup: BeautifulSoup) -> Iterator[Any]:
    import tinycss2

    for sheet in soup.find_all("style"):
        if not _on_screen(str(sheet.get("media", ""))) or sheet.find_parent("noscript"):
            continue
        rules = tinycss2.parse_stylesheet(sheet.get_text(), True, True)
        for rule in rules:
            if rule.type == "qualified-rule":
                yield rule
            elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
                if _on_screen(tinycss2.serialize(rule.prelude)):
                    inner = tinycss2.parse_rule_list(rule.content, True, True)
                    yield from (part for part in inner if part.type == "qualified-rule")


def _on_screen(media: str) -> bool:
    return any(" ".join(part.split()) in _MEDIA for part in media.lower().split(","))


def _at_commas(tokens: list[Any]) -> list[list[Any]]:
    groups: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _declarations(content: Any) -> Iterator[tuple[str, str, bool]]:  # noqa: ANN401  (tokens or text)
    """Property, value and importance of each declaration that the loader heeds."""
    import tinycss2

    for item in tinycss2.parse_blocks_contents(content, True, True):
        if item.type == "declaration" and item.lower_name in _PROPERTIES:
            value = tinycss2.serialize(item.value).strip().lower()
            yield _PROPERTIES[item.lower_name], value, item.important


def _matched(soup: BeautifulSoup, selector: _Selector) -> list[Tag]:
    """The elements that a selector selects; only those that could match are tried."""
    if selector.id is not None:
        near = soup.find_all(id=selector.id, limit=_MOST_MATCHES)
    elif selector.class_name is not None:
        near = soup.find_all(class_=selector.class_name, limit=_MOST_MATCHES)
    else:
        near = soup.find_all(selector.name or True, limit=_MOST_MATCHES)
    return [tag for tag in near if selector.matches(tag)]


def _undo_visibility(soup: BeautifulSoup) -> int:
    """Where a part of an invisible element is visible, take the invisible texts out of it."""
    n_hidden: Counter[int] = Counter()
    stated = {
        id(tag): _visibility(tag)
        for tag in soup.find_all(style=True)
        if "visibility" in style_of(tag)
    }
    undone = [
        tag
        for tag in soup.find_all(style=True)
        if stated.get(id(tag)) is False
        and any(stated.get(id(inner)) for inner in tag.find_all(style=True))
    ]
    for tag in undone:
        for text in tag.find_all(string=True):
            near = next((up for up in text.parents if id(up) in stated), None)
            if near is not None and not stated[id(near)] and text.strip():
                n_hidden[id(near)] = 1
                text.extract()
    for tag in undone:
        tag["style"] = style_of(tag).replace("visibility", "x-seen")
    return n_hidden.total()


def _visibility(tag: Tag) -> bool | None:
    values = [value for name, value, _ in _declarations(style_of(tag)) if name == "visibility"]
    return None if not values else values[-1] not in ("hidden", "collapse")
