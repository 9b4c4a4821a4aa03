"""A book (EPUB 2 and 3): its pages in the order of the spine, read as HTML.

Rules fixed here: a page that has no heading of its own gets the one that the book's contents give
it; pages outside of the reading order (``linear="no"``) are left out and counted; pages that are
images alone are counted. A book under copy protection is named; fonts that are only obfuscated are
no protection.
"""

from __future__ import annotations

import posixpath
import zipfile
from typing import Any
from urllib.parse import unquote

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load.html import read_into
from ragbench.ingest.load.office._archive import malformed, member, open_archive, xml

__all__ = ["parse"]

_SUFFIX = ".epub"
_PAGES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml"}
_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def parse(data: bytes) -> Parsed:
    """One document; the title is the book's.

    Raises:
        DocumentUnreadable: no EPUB, damaged, under copy protection, or without text.
    """
    with open_archive(data, _SUFFIX) as archive:
        container = xml(archive, "META-INF/container.xml", _SUFFIX)
        if container is None:
            raise mislabelled(data, _SUFFIX)
        _check_open(archive)
        book = next((str(root.get("full-path")) for root in container.iter("{*}rootfile")), "")
        package = xml(archive, unquote(book), _SUFFIX) if book else None
        if package is None:
            raise malformed("it has no package document", _SUFFIX)
        blocks = Blocks()
        _add_pages(archive, package, posixpath.dirname(unquote(book)), blocks)
    if not blocks.text:
        raise DocumentUnreadable("no-text", "No page of the book holds text. They may be images.")
    metadata: dict[str, Scalar] = {}
    for name in ("creator", "publisher", "date", "language"):
        if said := _said(package, name):
            metadata[name] = said
    title = _said(package, "title") or blocks.first_heading
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=blocks.left_out)


def _check_open(archive: zipfile.ZipFile) -> None:
    encryption = xml(archive, "META-INF/encryption.xml", _SUFFIX)
    methods = [] if encryption is None else encryption.iter("{*}EncryptedData")
    for entry in methods:
        method = entry.find("{*}EncryptionMethod")
        if method is None or method.get("Algorithm") not in _OBFUSCATION:
            raise DocumentUnreadable(
                "encrypted", "The book is under copy protection (DRM). Give a copy without."
            )


def _said(package: Any, name: str) -> str:  # noqa: ANN401  (lxml element)
    found = package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
    return next((well_formed(t) for e in found if (t := fold("".join(e.itertext())))), "")


def _add_pages(archive: zipfile.ZipFile, package: Any, folder: str, blocks: Blocks) -> None:  # noqa: ANN401
    items = {str(item.get("id")): item for item in package.iter("{*}item")}
    labels = _labels(archive, items, folder)
    spine = list(package.iter("{*}itemref"))
    if not spine:
        raise malformed("its spine names no page", _SUFFIX)
    for entry in spine:
        item = items.get(str(entry.get("idref")))
        if item is None:
            blocks.left_out["page that the book does not hold"] += 1
        elif entry.get("linear") == "no":
            blocks.left_out['page outside of the reading order (linear="no")'] += 1
        elif "nav" in str(item.get("properties", "")).split():
            continue  # the table of contents
        elif item.get("media-type") not in _PAGES:
            blocks.left_out["page that is no text"] += 1
        else:
            _add_page(archive, _path(folder, item.get("href")), labels, blocks)


def _add_page(archive: zipfile.ZipFile, path: str, labels: dict[str, str], blocks: Blocks) -> None:
    data = member(archive, path, _SUFFIX)
    if data is None:
        blocks.left_out["page that the book does not hold"] += 1
        return
    alone = Blocks()
    read_into(data, alone)
    if not alone.text:
        blocks.left_out["page without text"] += 1
        return
    if labels.get(path) and not alone.first_heading:
        blocks.add(labels[path], level=1)
    read_into(data, blocks)


def _path(folder: str, href: object) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(str(href or "").split("#")[0])))


def _labels(archive: zipfile.ZipFile, items: dict[str, Any], folder: str) -> dict[str, str]:
    """What the contents call each page: the first entry that leads to its beginning."""
    found: dict[str, str] = {}
    for item in items.values():
        path = _path(folder, item.get("href"))
        inner = posixpath.dirname(path)
        if "nav" in str(item.get("properties", "")).split():
            root = xml(archive, path, _SUFFIX)
            links = () if root is None else root.iter("{*}a")
            entries = [(link.get("href"), "".join(link.itertext())) for link in links]
        elif item.get("media-type") == "application/x-dtbncx+xml":
            root = xml(archive, path, _SUFFIX)
            points = () if root is None else root.iter("{*}navPoint")
            entries = [_point(point) for point in points]
        else:
            continue
        for href, label in entries:
            if href and "#" not in href:
                found.setdefault(_path(inner, href), fold(label))
    return found


def _point(point: Any) -> tuple[str, str]:  # noqa: ANN401  (lxml element)
    content = point.find("{*}content")
    label = "".join(point.findtext("{*}navLabel/{*}text") or "")
    return ("" if content is None else str(content.get("src", ""))), label
