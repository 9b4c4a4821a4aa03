"""PDF by pypdf, the default: pure Python, exact about what the file says."""

from __future__ import annotations

import io
import logging
import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._outline import MAX_BOOKMARKS, Bookmark
from ragbench.ingest.load._pages import check_is_pdf, encrypted, join_pages
from ragbench.ingest.load._parsed import Parsed

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

__all__ = ["parse"]

_BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    EOFError,
    struct.error,
    zlib.error,
)
"""What pypdf lets through when a file breaks the format in a way that it does not check."""


def parse(data: bytes, passwords: Sequence[str] = ()) -> Parsed:
    """One document with a place per page and per heading of its outline.

    Args:
        data: the whole file.
        passwords: tried in turn when the file is encrypted.

    Raises:
        DocumentUnreadable: mislabelled, encrypted, malformed, without text, or garbled.
    """
    check_is_pdf(data)
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    with _quiet():
        n_read = -1
        try:
            reader = PdfReader(io.BytesIO(data), strict=False)
            if reader.is_encrypted and not _opens(reader, passwords):
                raise encrypted(len(passwords))
            pages = []
            n_read = 0
            for page in reader.pages:
                pages.append(page.extract_text())
                n_read += 1
            n_images = 0 if any(text.strip() for text in pages) else _count_images(reader)
        except (PyPdfError, *_BROKEN) as error:
            raise _malformed(error, n_read) from error
        return join_pages(pages, _title(reader), n_images, _outline(reader, len(pages)))


def _opens(reader: PdfReader, passwords: Sequence[str]) -> bool:
    """Whether a password opens it; the empty one does where only printing or copying is barred.

    The format has had two encodings of passwords; pypdf takes a text for the older one.
    """
    spelled: list[str | bytes] = [""]
    for word in passwords:
        spelled += [word] if word.isascii() else [word, word.encode()]
    try:
        return any(reader.decrypt(word) for word in spelled)
    except NotImplementedError:
        return False  # protected by something else than a password


def _malformed(error: Exception, n_read: int) -> DocumentUnreadable:
    where = "Its structure" if n_read <= 0 else f"After {n_read} good pages the next one"
    what = "nests without end" if isinstance(error, RecursionError) else "is damaged"
    message = " ".join(str(error).split())[:200].rstrip(".")
    said = f" ({type(error).__name__}: {message})" if message else f" ({type(error).__name__})"
    return DocumentUnreadable(
        "malformed", f"{where} {what}{said}. Open it in a PDF viewer and save it anew."
    )


def _title(reader: PdfReader) -> str:
    """The title in the metadata; empty when there is none or the metadata are damaged."""
    from pypdf.errors import PyPdfError

    try:
        information = reader.metadata
        title = information.title if information is not None else None
    except (PyPdfError, *_BROKEN):
        return ""
    return title if isinstance(title, str) else ""


def _outline(reader: PdfReader, n_pages: int) -> list[Bookmark]:
    """The bookmarks in order; none when the outline is damaged."""
    from pypdf.errors import PyPdfError

    found: list[Bookmark] = []
    try:
        stack: list[Iterator[Any]] = [iter(reader.outline)]
        while stack and len(found) <= MAX_BOOKMARKS:
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
            elif isinstance(entry, list):
                stack.append(iter(entry))
            else:
                page = reader.get_destination_page_number(entry)
                known = page is not None and 0 <= page < n_pages
                found.append(Bookmark(len(stack), str(entry.title), page if known else None))
    except (PyPdfError, *_BROKEN):
        return []
    return found if len(found) <= MAX_BOOKMARKS else []


def _count_images(reader: PdfReader) -> int:
    return sum(_images_on(page) for page in reader.pages)


def _images_on(page: PageObject) -> int:
    """Images that the page's resources hold or that stand in its content, none decoded."""
    from pypdf.errors import PyPdfError

    try:
        return len(page.images.keys())
    except (PyPdfError, *_BROKEN):
        return 0  # only for the wording of a message


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pypdf's remarks about repaired files off the terminal."""
    logger = logging.getLogger("pypdf")
    handler = logging.NullHandler()  # a logger with a handler does not fall back to stderr
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeHandler(handler)
