"""A page: its encoding, its main part, its title and metadata.

Where a page has exactly one ``main`` that is not hidden, that is the text; what stands around it is
left out and counted. What the text of an element is stands in `_walk`.
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
from ragbench.ingest.load.html._sheet import hide
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
_NAMED = ("author", "description", "keywords")


def parse(data: bytes) -> Parsed:
    """One document; the title is ``<title>``, else the first heading.

    Raises:
        DocumentUnreadable: the bytes are no text, or the page shows no text.
    """
    soup, encoding = _soup(data)
    blocks = Blocks()
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
    walk(soup.body or soup, blocks)


def _soup(data: bytes) -> tuple[BeautifulSoup, str]:
    declared = _DECLARED.search(_COMMENT.sub(b"", data[:4096]))
    text, encoding = decode(data, ".html", declared and declared.group(1).decode("ascii"))
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():  # remarks on XHTML, and on pages that look like a path
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(text, "lxml")
    hide(soup)
    return soup, encoding


def _root(soup: BeautifulSoup, left_out: Counter[str]) -> Tag:
    body = soup.body or soup
    mains = [tag for tag in soup.find_all("main") if left_out_as(tag) is None]
    if len(mains) != 1:
        return body
    inner: Tag = mains[0]
    while inner is not body and inner.parent is not None:
        for sibling in inner.parent.find_all(True, recursive=False):
            if sibling is not inner and has_text(sibling):
                kind = left_out_as(sibling)
                if kind != "":
                    left_out[kind or "outside of main"] += 1
        inner = inner.parent
    return mains[0]


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
