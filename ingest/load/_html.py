"""HTML: the text that a reader of the page sees, with headings and tables.

Left out are scripts, styles, navigation, what is marked hidden, and the page's header and footer
(those inside ``main`` or ``article`` belong to the text). Where a page has exactly one ``main``,
that is the text. A table is one line a row; a table that holds tables is layout, and only the inner
ones are rows. Walks keep their own stack, so that no depth of nesting ends them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold, table_row
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag

__all__ = ["parse"]

_SKIPPED = frozenset(
    "head script style template noscript nav svg iframe object select textarea title".split()
)
_PAGE_FURNITURE = frozenset(("header", "footer"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_TIGHT = frozenset(("li", "dt", "dd"))
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form header hr html legend li main menu ol p pre section summary "
    "table tbody td tfoot th thead tr ul".split()
) | frozenset(_HEADINGS)
_DECLARED = re.compile(
    rb"""<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*["']?([\w.:-]+)""", re.I
)
_HIDDEN_STYLE = re.compile(r"(display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_NAMED = ("author", "description", "keywords")


def parse(data: bytes) -> Parsed:
    """One document; the title is ``<title>``, else the first heading.

    Raises:
        DocumentUnreadable: the bytes are no text, or the page shows no text.
    """
    declared = _DECLARED.search(data[:4096])
    text, encoding = decode(data, ".html", declared and declared.group(1).decode("ascii"))
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():  # remarks on XHTML, and on pages that look like a path
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(text, "lxml")
    blocks = _blocks(_root(soup))
    if not blocks.text:
        raise DocumentUnreadable(
            "no-text",
            "The page shows no text outside of scripts, navigation, header and footer; a script "
            "may build it. Save the page from a browser as it is shown.",
        )
    metadata = _metadata(soup)
    if encoding not in ("utf-8", "utf-8-sig"):
        metadata["encoding"] = encoding
    title = fold(soup.title.get_text()) if soup.title else ""
    return Parsed(blocks.text, title or blocks.first_heading, metadata, blocks.places)


def _root(soup: BeautifulSoup) -> Tag:
    mains = soup.find_all("main", limit=2)
    return mains[0] if len(mains) == 1 else soup.body or soup


def _metadata(soup: BeautifulSoup) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for tag in soup.find_all("meta"):
        name, content = str(tag.get("name", "")).lower(), fold(str(tag.get("content", "")))
        if name in _NAMED and content:
            found[name] = well_formed(content)
    return found


def _blocks(root: Tag) -> Blocks:
    """Cut the stream of a page into blocks at the borders of block elements."""
    blocks = Blocks()
    inline: list[str] = []
    name = last = ""  # the block element that goes on, and the one that gave the last block

    def flush() -> None:
        nonlocal last
        text = _block_text(name, "".join(inline))
        inline.clear()
        if text:
            tight = name in _TIGHT and last in _TIGHT
            blocks.add(text, tight=tight, level=_HEADINGS.get(name))
            last = name

    for node, text in _events(root):
        if node is None:
            inline.append(text)
            continue
        flush()
        name = node.name
        if text:  # a table of data
            _add_table(blocks, node)
            last = name
    flush()
    return blocks


def _block_text(name: str, text: str) -> str:
    if name == "pre":
        return text.strip("\n") if text.strip() else ""
    lines = filter(None, map(fold, text.split("\v")))
    return (" " if name in _HEADINGS else "\n").join(lines)


def _events(root: Tag) -> Iterator[tuple[Tag | None, str]]:
    """(None, text) for running text, (table, "table"), (block, "") where one begins or goes on.

    A line break is a vertical tab in the running text.
    """
    from bs4.element import CData, NavigableString, Tag

    stack: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.children))]
    yield root, ""
    while stack:
        parent, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if parent.name in _BLOCKS:
                yield _enclosing_block(stack, root), ""
        elif isinstance(child, Tag):
            if child.name == "br":
                yield None, "\n" if _within_pre(stack) else "\v"
            elif _is_skipped(child):
                continue
            elif child.name == "table" and child.find("table") is None:
                yield child, "table"
            else:
                if child.name in _BLOCKS:
                    yield child, ""
                stack.append((child, iter(child.children)))
        elif type(child) in (NavigableString, CData):
            yield None, str(child) if _within_pre(stack) else str(child).replace("\v", " ")


def _enclosing_block(stack: list[tuple[Tag, Iterator[PageElement]]], root: Tag) -> Tag:
    return next((tag for tag, _ in reversed(stack) if tag.name in _BLOCKS), root)


def _within_pre(stack: list[tuple[Tag, Iterator[PageElement]]]) -> bool:
    return next((tag.name == "pre" for tag, _ in reversed(stack) if tag.name in _BLOCKS), False)


def _is_skipped(tag: Tag) -> bool:
    if tag.name in _SKIPPED or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    if tag.get("role") == "navigation" or _HIDDEN_STYLE.search(str(tag.get("style", ""))):
        return True
    return tag.name in _PAGE_FURNITURE and tag.find_parent(("main", "article")) is None


def _add_table(blocks: Blocks, table: Tag) -> None:
    caption = table.find("caption")
    if caption is not None:
        blocks.add(fold(_blocks(caption).text))
    tight = False
    for row in table.find_all("tr"):
        cells = row.find_all(("td", "th"), recursive=False)
        line = table_row([fold(_blocks(cell).text) for cell in cells])
        blocks.add(line, tight=tight)
        tight = tight or bool(line)
