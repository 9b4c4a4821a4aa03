"""What bytes seem to be, whatever the file is called: to name a file that is mislabelled."""

from __future__ import annotations

import re

from ragbench.errors import DocumentUnreadable

__all__ = ["binary_kind", "controls", "mislabelled", "seems"]

_MAGIC = (
    (b"PK\x03\x04", "a ZIP archive (as DOCX, XLSX and EPUB are)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office file of the old binary kind (.doc, .xls)"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\x00", "xz-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"{\\rtf", "an RTF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
)
_HTML = re.compile(
    rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)


def binary_kind(data: bytes) -> str:
    """The kind of file that the first bytes announce, empty when they announce none.

    >>> binary_kind(b"%PDF-1.7 ...")
    'a PDF'
    """
    if b"%PDF-" in data[:1024] and not _is_text(data[: data.index(b"%PDF-")]):
        return "a PDF"
    if data.startswith(b"%PDF-"):
        return "a PDF"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")


def seems(data: bytes) -> str:
    """What the bytes seem to be, for a message; never empty.

    >>> seems(b"<!DOCTYPE html><p>x"), seems(b"Dear customer"), seems(bytes([0, 1, 2, 3]))
    ('an HTML page', 'plain text', 'binary data of an unknown kind')
    """
    kind = binary_kind(data)
    if kind:
        return kind
    if _HTML.match(data[:4096]):
        return "an HTML page"
    return "plain text" if _is_text(data[:4096]) else "binary data of an unknown kind"


def mislabelled(data: bytes, suffix: str) -> DocumentUnreadable:
    """The error for a file whose content is of another kind than its name says."""
    return DocumentUnreadable(
        "mislabelled",
        f"The name says {suffix}, but the content seems to be {seems(data)}. "
        "Give the file the ending of what it holds.",
    )


def controls(data: bytes) -> int:
    """How many bytes no text holds."""
    return sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in data)


def _is_text(data: bytes) -> bool:
    return controls(data) == 0
