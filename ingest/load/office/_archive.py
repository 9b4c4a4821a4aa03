"""A ZIP archive that is a document, opened with care, and the libraries that may be absent."""

from __future__ import annotations

import importlib
import io
import zipfile
import zlib
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load.docx import MAX_UNPACKED_BYTES

__all__ = ["library", "malformed", "member", "open_archive", "xml"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, OSError, EOFError)


def open_archive(data: bytes, suffix: str) -> zipfile.ZipFile:
    """The archive.

    Raises:
        DocumentUnreadable: no archive, damaged, encrypted, or far too large when unpacked.
    """
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        detail = "The document is protected by a password. Save a copy without one."
        raise DocumentUnreadable("encrypted", detail)
    if not data.startswith(b"PK"):
        raise mislabelled(data, suffix)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as error:
        raise malformed(error, suffix) from error
    unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > MAX_UNPACKED_BYTES:
        raise DocumentUnreadable(
            "memory",
            f"Its {len(data):,} bytes unpack to {unpacked:,}; at most {MAX_UNPACKED_BYTES:,} "
            "are allowed. It was not opened.",
        )
    return archive


def member(archive: zipfile.ZipFile, name: str, suffix: str) -> bytes | None:
    """The bytes of a part, None when there is none of this name."""
    try:
        return archive.read(name)
    except KeyError:
        return None
    except RuntimeError as error:  # a part with a password
        detail = "The archive is protected by a password. Save a copy without one."
        raise DocumentUnreadable("encrypted", detail) from error
    except _BROKEN as error:
        raise malformed(error, suffix) from error


def xml(archive: zipfile.ZipFile, name: str, suffix: str) -> Any:  # noqa: ANN401  (lxml element)
    """The root element of a part, None when there is none of this name."""
    data = member(archive, name, suffix)
    if data is None:
        return None
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise malformed(error, suffix) from error


def malformed(error: Exception | str, suffix: str) -> DocumentUnreadable:
    """The error for a file that breaks its format."""
    what = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    message = " ".join(what.split())[:200].rstrip(".")
    return DocumentUnreadable(
        "malformed",
        f"The {suffix[1:].upper()} is damaged ({message}). Open it in the program that it is of "
        "and save it anew.",
    )


def library(name: str, suffix: str) -> Any:  # noqa: ANN401  (a module)
    """A library of the extra ``office``.

    Raises:
        DocumentUnreadable: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DocumentUnreadable(
            "unsupported",
            f"Files ending in {suffix} need a package that is not installed ({name}). "
            "Run: pip install 'ragbench[office]'",
        ) from error
