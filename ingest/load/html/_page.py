"""A page: its encoding, its main part, its title and metadata.

Where a page has exactly one ``main`` that is not hidden, headers, footers, navigation and asides
around it, and links to places in the page, are left out and counted; other text there is content.
Markup that browsers mend in their own way, text behind ``</body>`` or in a table but in no cell, is
read by their rules. What the text of an element is stands in `_walk`.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import TYPE_CHECKING

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load.html._sheet import apply_sheets
from ragbench.ingest.load.html._shown import has_text, left_out_as
from ragbench.ingest.load.html._walk import walk

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

__all__ = ["parse", "read_into"]

_COMMENT = re.compile(rb"<!--.*?-->", re.S)
_DECLARED = re.compile(
    rb"""<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
_AFTER_END = re.compile(
    r"</(?:body|html)\s*>(?!(?:\s|<!--.*?-->|</(?:body|html)\s*>)*\Z)", re.I | re.S
)
_ROWS = ("table", "thead", "tbody", "tfoot", "tr")
_IN_TABLE = frozenset(
    "caption colgroup col thead tbody tfoot tr td th script style template input form".split()
)
_AROUND = ("header", "footer", "aside", "nav")
_AROUND_ROLES = ("banner", "contentinfo", "complementary", "search", "navigation", "dialog")
_NAMED = ("author", "description", "keywords")


def parse(data: bytes) -> Parsed:
    """One document; the title is ``<title>``, else the first heading.

    Raises:
        DocumentUnreadable: the bytes are no text, or the page shows no text.
    """
    soup, encoding = _soup(data)
    blocks = Blocks()
    _apply_sheets(soup, blocks)
    walk(_root(soup, blocks.left_out), blocks)
    if not blocks.text:
        raise DocumentUnreadable(
            "no-text",
            "The page shows no text outside of scripts, navigation, header and footer; a script "
            "may build it. Save the page from a browser as it is shown.",
        )
    metadata = _metadata(soup)
    if encoding not in ("utf-8", "utf-8-sig"):
        metadata["encoding"] = encoding
    title = _title(soup) or blocks.first_heading
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=blocks.left_out)


def read_into(data: bytes, blocks: Blocks) -> None:
    """Add the text of a page to blocks.

    Raises:
        DocumentUnreadable: the bytes are no text.
    """
    soup, _ = _soup(data)
    _apply_sheets(soup, blocks)
    walk(soup.body or soup, blocks)


def _soup(data: bytes) -> tuple[BeautifulSoup, str]:
    declared = _DECLARED.search(_COMMENT.sub(b"", data[:4096]))
    text, encoding = decode(data, ".html", declared and declared.group(1).decode("ascii"))
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():  # remarks on XHTML, and on pages that look like a path
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(text, "lxml")
        if _AFTER_END.search(text) or any(map(_has_stray_text, soup.find_all(_ROWS))):
            soup = BeautifulSoup(text, "html5lib")  # slow, and what browsers make of such markup
    return soup, encoding


def _apply_sheets(soup: BeautifulSoup, blocks: Blocks) -> None:
    n_hidden = apply_sheets(soup)
    if n_hidden:
        blocks.left_out["hidden"] += n_hidden


def _has_stray_text(tag: Tag) -> bool:
    """Whether a part of a table holds something that is no part of it."""
    from bs4.element import NavigableString, Tag

    return any(
        child.name not in _IN_TABLE
        if isinstance(child, Tag)
        else type(child) is NavigableString and bool(child.strip())
        for child in tag.children
    )


def _root(soup: BeautifulSoup, left_out: Counter[str]) -> Tag:
    """The body; what stands around its only main part and belongs to the site is taken out."""
    body = soup.body or soup
    mains = [tag for tag in soup.find_all("main") if left_out_as(tag) is None]
    if len(mains) != 1:
        return body
    around = list(mains[0].parents)
    if any(left_out_as(tag) is not None for tag in around if tag is not soup):
        return mains[0]  # a script is to show it
    for tag in body.find_all(_is_of_the_site):
        if tag.decomposed or tag in around or tag.find_parent(("main", "article")) is not None:
            continue
        kind = left_out_as(tag)
        if kind != "" and has_text(tag):
            left_out[kind or "outside of main"] += 1
        tag.decompose()
    return body


def _is_of_the_site(tag: Tag) -> bool:
    return (
        tag.name in _AROUND
        or tag.get("role") in _AROUND_ROLES
        or (tag.name == "a" and str(tag.get("href", "")).startswith("#"))
    )


def _title(soup: BeautifulSoup) -> str:
    titles = soup.find_all("title", limit=10)
    return next((fold(t.get_text()) for t in titles if t.find_parent("svg") is None), "")


def _metadata(soup: BeautifulSoup) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for tag in soup.find_all("meta"):
        name, content = str(tag.get("name", "")).lower(), fold(str(tag.get("content", "")))
        if name in _NAMED and content:
            found[name] = well_formed(content)
    return found
