"""Bytes of a text file to text, with the encoding named: by mark, as UTF-8, or by detection.

Rules fixed here, in order: a byte-order mark decides; bytes that are valid UTF-8 are UTF-8; broken
UTF-8 is refused rather than read as something else; any other encoding is detected by
charset-normalizer and its name goes into the document's metadata, so that a wrong guess shows. An
encoding that a page or a person names is the one that browsers read under that name (`_charsets`).
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._charsets import codec_of, decode_as
from ragbench.ingest.load._charsets import declared as decode_declared
from ragbench.ingest.load._sniff import binary_kind, controls, mislabelled

__all__ = ["decode", "stream_encoding"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_BLOCK = 1 << 20
_SAMPLE = 64 << 20
"""Bytes that are looked at to tell an encoding that is not UTF-8."""
_CONTROLS = 0.05
"""Share of control characters above which lines are no text."""
_HIGH = re.compile(rb"[\x80-\xff]")
_FEW = 64
"""Bytes beyond ASCII up to which detection is a guess."""


def decode(
    data: bytes, suffix: str, declared: str | None = None, fallback: str | None = None
) -> tuple[str, str]:
    """The text without byte-order mark, and the name of the encoding.

    Args:
        data: the whole file.
        suffix: what the file's name says it is, for messages.
        declared: an encoding that the content names; taken when it fits bytes that are no UTF-8.
        fallback: the encoding of files that are not UTF-8, in place of detection.

    Raises:
        DocumentUnreadable: ``mislabelled`` for binary data, ``undecodable`` for text whose bytes
            fit no encoding.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding), encoding
    if binary_kind(data):
        raise mislabelled(data, suffix)
    if b"\0" in data:
        raise _with_nul(data, suffix)
    if declared and b"\x1b" in data:  # the one encoding of browsers that is ASCII alone
        found = decode_declared(data, declared)
        if found is not None and found[1].startswith("iso2022"):
            return found
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        found = decode_declared(data, declared) if declared else None
        if found is not None:
            return found  # else the declaration is wrong: go by the bytes
        if fallback is not None:
            return _named(data, fallback)
        _refuse_broken_utf8(data, error)
    return _detect(data)


def _named(data: bytes, encoding: str) -> tuple[str, str]:
    codec = codec_of(encoding) or codecs.lookup(encoding).name
    try:
        return decode_as(data, codec), codec
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(
            "undecodable",
            f"The file is not UTF-8, and the byte 0x{data[error.start]:02x} at offset "
            f"{error.start} does not fit the given encoding {encoding!r} either.",
        ) from error


def stream_encoding(file: BinaryIO, suffix: str, *, only_utf8: bool) -> str:
    """The encoding of a file that is read line by line; leaves it at its beginning.

    Where most of what is not ASCII is UTF-8 that is the answer, and lines that are broken have to
    be told apart when they are read.

    Args:
        file: at its beginning.
        suffix: what the file's name says it is.
        only_utf8: the format knows no other encoding without a mark.

    Raises:
        DocumentUnreadable: ``mislabelled`` or ``undecodable``, as `decode`.
    """
    head = file.read(4096)
    file.seek(0)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if binary_kind(head):
        raise mislabelled(head, suffix)
    if controls(head) > _CONTROLS * len(head):
        raise _with_nul(head, suffix) if b"\0" in head else mislabelled(head, suffix)
    if only_utf8 or _is_utf8(file):
        return "utf-8"
    sample = file.read(_SAMPLE)
    file.seek(0)
    valid, stray = _high_bytes(sample)
    return "utf-8" if valid >= stray else _detect(sample)[1]


def _is_utf8(file: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := file.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        file.seek(0)
    return True


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(
            "undecodable",
            f"The byte-order mark says {encoding.removesuffix('-sig').upper()}, but the bytes at "
            f"offset {error.start} do not fit. Save the file again as UTF-8.",
        ) from error


def _with_nul(data: bytes, suffix: str) -> DocumentUnreadable:
    sample = data[:4096]
    for offset, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        high, low = sample[offset::2], sample[1 - offset :: 2]
        if high.count(0) > 0.7 * len(high) and not low.count(0):
            return DocumentUnreadable(
                "undecodable",
                f"The content seems to be {name} without a byte-order mark. Save it as UTF-8.",
            )
    if data.count(0) * 1000 > len(data):
        return mislabelled(data, suffix)
    return DocumentUnreadable(
        "undecodable",
        f"There is a NUL byte at offset {data.index(0)}, which no text holds: the file is damaged "
        "or no text. Remove the byte, or give the file the ending of what it holds.",
    )


def _refuse_broken_utf8(data: bytes, error: UnicodeDecodeError) -> None:
    """Raise when most of what is not ASCII is UTF-8: another encoding would garble all of that."""
    valid, stray = _high_bytes(data)
    if valid > stray:
        raise DocumentUnreadable(
            "undecodable",
            f"The file is UTF-8, but the byte 0x{data[error.start]:02x} at offset {error.start} "
            f"does not fit ({stray} bytes in all do not). Repair it or save it again as UTF-8.",
        ) from error


def _high_bytes(data: bytes) -> tuple[int, int]:
    """How many bytes beyond ASCII form UTF-8, and how many do not."""
    valid = sum(len(found) for found in _MULTIBYTE.findall(data))
    return valid, len(_HIGH.findall(data)) - valid


def _detect(data: bytes) -> tuple[str, str]:
    """Text and encoding by charset-normalizer, or Windows-1252 where there is little to go by.

    A detector that sees a handful of bytes beyond ASCII takes one code page for another ("£" for
    "Ł"). Text that is nearly all ASCII and has few such bytes is read as Windows-1252, by far the
    most frequent encoding of such files; its name is recorded like any other, and the loader's
    argument ``encoding`` overrules it.
    """
    import charset_normalizer

    n_high = len(_HIGH.findall(data))
    if n_high <= _FEW and n_high * 3 < len(data):
        try:
            return data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            pass  # holds one of the five bytes that Windows-1252 does not know: ask the detector
    best = charset_normalizer.from_bytes(data).best()
    if best is None:
        raise DocumentUnreadable(
            "undecodable",
            "The bytes are neither UTF-8 nor text in another encoding that could be recognised. "
            "Save the file as UTF-8.",
        )
    if best.encoding == "latin_1":  # its superset, as browsers read it
        return decode_as(data, "cp1252"), "cp1252"
    return str(best), best.encoding
