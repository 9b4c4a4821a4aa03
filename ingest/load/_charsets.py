"""Names of encodings as browsers read them (WHATWG Encoding Standard).

A page that says ``iso-8859-1`` is in Windows-1252, one that says ``gb2312`` in GB 18030. The labels
are those of webencodings; where the standard's decoder is a superset of the one that Python knows
by this name, the superset is taken.
"""

from __future__ import annotations

import codecs

__all__ = ["codec_of", "declared", "decode_as"]

_SUPERSETS = {
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
    "utf-16le": "utf-8",  # a page whose declaration can be read is not in UTF-16
    "utf-16be": "utf-8",
    "x-user-defined": "",
}
_ASCII_SUPERSET = "cp1252"


def codec_of(label: str) -> str | None:
    """The name of Python's codec for a label, None when no browser knows it.

    >>> codec_of("ISO-8859-1"), codec_of("gb2312"), codec_of("utf8"), codec_of("rot13")
    ('cp1252', 'gb18030', 'utf-8', None)
    """
    import webencodings

    found = webencodings.lookup(label)
    if found is None:
        return None
    name = _SUPERSETS.get(found.name, found.codec_info.name)
    return codecs.lookup(name).name if name else None


def decode_as(data: bytes, codec: str) -> str:
    """The text, with control characters for the five bytes that Windows-1252 leaves open.

    Raises:
        UnicodeDecodeError: the bytes do not fit.
    """
    return data.decode(codec, "open_bytes" if codec == _ASCII_SUPERSET else "strict")


def declared(data: bytes, label: str) -> tuple[str, str] | None:
    """Text and codec by a label that the content states; None when it cannot be so."""
    codec = codec_of(label)
    if codec is None:
        return None
    try:
        return decode_as(data, codec), codec
    except UnicodeDecodeError:
        return None


def _open_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start : error.end])), error.end


codecs.register_error("open_bytes", _open_bytes)
