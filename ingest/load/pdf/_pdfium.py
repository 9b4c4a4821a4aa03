"""PDF by PDFium (extra ``pdfium``): several times as fast, with its own white space.

PDFium writes CRLF, and U+FFFE or U+0002 for a hyphen at a line's end together with the line break;
both become what pypdf gives for the same place: a hyphen and a line feed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from ragbench.errors import DocumentUnreadable, ModelUnavailable
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load.pdf._outline import MAX_BOOKMARKS, Bookmark
from ragbench.ingest.load.pdf._pages import check_is_pdf, encrypted, join_pages

if TYPE_CHECKING:
    import pypdfium2

__all__ = ["parse"]

_HYPHEN = re.compile("[\ufffe\x02](?:\r?\n)?")
_PASSWORD_ERROR = 4
_IMAGE = 3


def parse(data: bytes, passwords: Sequence[str] = ()) -> Parsed:
    """One document with a place per page and per heading of its outline.

    Args:
        data: the whole file.
        passwords: tried in turn when the file is encrypted.

    Raises:
        DocumentUnreadable: mislabelled, encrypted, malformed, without text, or garbled.
        ModelUnavailable: pypdfium2 is not installed.
    """
    try:
        import pypdfium2
    except ImportError as error:
        raise ModelUnavailable(
            "The loader files(pdf=pdfium) needs the package 'pypdfium2', which is not installed. "
            "Install it with: pip install 'ragbench[pdfium]', or take files(pdf=pypdf)."
        ) from error
    check_is_pdf(data)
    try:
        with _opened(data, passwords) as document:
            pages = [_text(document, index) for index in range(len(document))]
            title = _title(document)
            empty = not any(page.strip() for page in pages)
            n_images = sum(map(_images_on, document)) if empty else 0
            outline = _outline(document)
    except pypdfium2.PdfiumError as error:
        raise DocumentUnreadable(
            "malformed",
            f"Its structure is damaged ({str(error).rstrip('.')}). "
            "Open it in a PDF viewer and save it anew.",
        ) from error
    return join_pages(pages, title, n_images, outline)


def _opened(data: bytes, passwords: Sequence[str]) -> pypdfium2.PdfDocument:
    import pypdfium2

    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) != _PASSWORD_ERROR:
                raise
    raise encrypted(len(passwords))


def _outline(document: pypdfium2.PdfDocument) -> list[Bookmark]:
    """The bookmarks in order; none when a title does not decode."""
    found = []
    try:
        for entry in islice(document.get_toc(max_depth=100), MAX_BOOKMARKS + 1):
            target = entry.get_dest()
            page = target.get_index() if target is not None else None
            known = page is not None and 0 <= page < len(document)
            found.append(Bookmark(entry.level + 1, entry.get_title(), page if known else None))
    except UnicodeDecodeError:
        return []
    return found if len(found) <= MAX_BOOKMARKS else []


def _title(document: pypdfium2.PdfDocument) -> str:
    """The title in the metadata; empty when there is none or it does not decode."""
    try:
        title: str = document.get_metadata_value("Title")
    except UnicodeDecodeError:
        return ""
    return title


def _text(document: pypdfium2.PdfDocument, index: int) -> str:
    page = document[index]
    page.set_rotation(0)  # a turned page's lines stand in reading order before the turn
    with closing(page), closing(page.get_textpage()) as words:
        text: str = words.get_text_range()
    return _HYPHEN.sub("-\n", text)


def _images_on(page: pypdfium2.PdfPage) -> int:
    return sum(1 for _ in page.get_objects(filter=[_IMAGE]))
