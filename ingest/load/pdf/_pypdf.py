"""PDF by pypdf, the default: pure Python, exact about what the file says.

A file that pypdf cannot read is given to PDFium where that is installed; the document's metadata
say so under ``reader``.
"""

from __future__ import annotations

import io
import logging
import struct
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragbench.errors import DocumentUnreadable, ModelUnavailable
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load.pdf._apart import resolve_marks
from ragbench.ingest.load.pdf._content import prepare
from ragbench.ingest.load.pdf._document import of_document
from ragbench.ingest.load.pdf._layers import Layers
from ragbench.ingest.load.pdf._notes import notes_of
from ragbench.ingest.load.pdf._outline import MAX_BOOKMARKS, Bookmark
from ragbench.ingest.load.pdf._pages import check_is_pdf, encrypted, join_pages

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
    try:
        return _read(data, passwords)
    except _Failed as failure:
        return _by_pdfium(data, passwords, failure)


class _Failed(Exception):
    """pypdf gave up."""

    def __init__(self, reason: DocumentUnreadable, why: str) -> None:
        self.reason, self.why = reason, why
        super().__init__(why)


def _read(data: bytes, passwords: Sequence[str]) -> Parsed:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PyPdfError

    left_out: Counter[str] = Counter()
    with _quiet():
        pages: list[str] = []
        n_read = -1
        try:
            reader = PdfReader(io.BytesIO(data), strict=False)
            if reader.is_encrypted and not _opens(reader, passwords):
                raise encrypted(len(passwords))
            n_read = 0
            for page in _pages(reader, left_out):
                pages.append(page)
                n_read += 1
            if not pages:
                raise ValueError("no page is found")
            n_images = 0 if any(text.strip() for text in pages) else _count_images(reader)
        except DependencyError as error:
            raise _Failed(_lacks(error), _said(error)) from error
        except (PyPdfError, *_BROKEN) as error:
            raise _Failed(_malformed(error, n_read), _said(error)) from error
        parsed = join_pages(pages, _title(reader), n_images, _outline(reader, len(pages)))
        metadata = {**parsed.metadata, **of_document(reader, left_out)}
        return replace(parsed, metadata=metadata, left_out=dict(left_out))


def _pages(reader: PdfReader, left_out: Counter[str]) -> Iterator[str]:
    """The text of each page, its form values and annotations after it."""
    layers, seen = Layers(reader), set[int]()
    for page in reader.pages:
        notes = _notes(page, seen, left_out)
        prepare(page, reader, layers, left_out)
        text = resolve_marks(page.extract_text(visitor_text=_ignore))
        yield "\n\n".join(filter(None, (text, "\n".join(notes))))


def _notes(page: PageObject, seen: set[int], left_out: Counter[str]) -> list[str]:
    """The page's notes; damaged ones cost themselves alone, and are counted."""
    from pypdf.errors import PyPdfError

    try:
        return notes_of(page, seen, left_out)
    except (PyPdfError, *_BROKEN):
        left_out["damaged annotations"] += 1
        return []


def _ignore(*_: object) -> None:
    """With a visitor pypdf takes the operations as they are, and does not write them as bytes."""


def _by_pdfium(data: bytes, passwords: Sequence[str], failure: _Failed) -> Parsed:
    """The document by the other library; its failure is that of pypdf."""
    from ragbench.ingest.load.pdf import _pdfium

    reason = failure.reason
    try:
        parsed = _pdfium.parse(data, passwords)
    except ModelUnavailable:
        raise DocumentUnreadable(
            reason.reason,
            f"{reason.detail} Another library reads some of these files: "
            "pip install 'ragbench[pdfium]'.",
        ) from failure
    except DocumentUnreadable as second:
        if second.reason == "malformed":
            raise reason from failure
        raise second from failure
    return replace(
        parsed, metadata={**parsed.metadata, "reader": f"pdfium, since pypdf failed: {failure.why}"}
    )


def _said(error: Exception) -> str:
    message = " ".join(str(error).split())[:200].rstrip(".")
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _lacks(error: Exception) -> DocumentUnreadable:
    """The error for a kind of compression or encryption that needs another package."""
    said = str(error).lower()
    packages = {"brotli": "pip install brotli", "jbig2": "apt-get install jbig2dec"}
    remedy = next((todo for name, todo in packages.items() if name in said), "")
    return DocumentUnreadable(
        "unsupported",
        f"Reading it needs what is not installed ({_said(error)})."
        + (f" Install it with: {remedy}" if remedy else ""),
    )


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
    return DocumentUnreadable(
        "malformed", f"{where} {what} ({_said(error)}). Open it in a PDF viewer and save it anew."
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
