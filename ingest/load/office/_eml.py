"""An e-mail: its main headers as first lines, its text, the names of what is attached.

Rules fixed here: of alternatives the plain text is taken, where it holds any, else the HTML; quoted
replies stay; a message within the message is read under its subject as heading; attachments are
named and counted, not read. Headers are decoded as RFC 2047 says, and left as written where they
break it. Nothing is fetched.
"""

from __future__ import annotations

import email
import re
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._charsets import codec_of
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import binary_kind, mislabelled
from ragbench.ingest.load.html import read_into

__all__ = ["parse"]

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MARKS = {"from", "to", "date", "subject", "received", "message-id", "mime-version", "return-path"}
_DEEPEST = 20
_ENCRYPTED = {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_SIGNATURES = {"application/pgp-signature", "application/pkcs7-signature"}
_NEWLINE = re.compile(r"\r\n?")


def parse(data: bytes) -> Parsed:
    """One document; the title is the subject.

    Raises:
        DocumentUnreadable: no e-mail, encrypted, or without any text.
    """
    message = email.message_from_bytes(data.lstrip())
    if binary_kind(data) or not _MARKS & {name.lower() for name in message.keys()}:
        raise mislabelled(data, ".eml")
    blocks = Blocks()
    headers = _add_message(message, blocks, 0)
    metadata: dict[str, Scalar] = {name.lower(): text for name, text in headers.items()}
    title = headers.get("Subject", "")
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=blocks.left_out)


def _add_message(message: Message, blocks: Blocks, depth: int) -> dict[str, str]:
    headers = {name: text for name in _SHOWN if (text := _header(message, name))}
    if depth:
        blocks.add(headers.get("Subject", "") or "Message without a subject", level=1)
    tight = False
    for name, text in headers.items():
        tight = blocks.add(f"{name}: {text}", tight=tight)
    _add_part(message, blocks, depth)
    return headers


def _add_part(part: Message, blocks: Blocks, depth: int) -> None:
    kind = part.get_content_type()
    if kind in _ENCRYPTED and part.get_param("smime-type") != "signed-data":
        detail = "The message is encrypted. Save a copy as text from the mail program."
        raise DocumentUnreadable("encrypted", detail)
    if depth > _DEEPEST:
        blocks.left_out["message nested too deeply"] += 1
    elif kind == "message/rfc822" and part.is_multipart():
        _add_message(_parts(part)[0], blocks, depth + 1)
    elif kind == "multipart/alternative":
        chosen = _chosen(_parts(part))
        if chosen is not None:
            _add_part(chosen, blocks, depth + 1)
    elif part.is_multipart():
        for inner in _parts(part):
            _add_part(inner, blocks, depth + 1 if inner.is_multipart() else depth)
    elif kind in ("text/plain", "text/html") and not _is_attached(part):
        _add_text(part, kind, blocks)
    elif kind not in _SIGNATURES:
        _add_name(part, kind, blocks)


def _parts(part: Message) -> list[Message]:
    found: Any = part.get_payload()
    return [inner for inner in found if isinstance(inner, Message)]


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _chosen(parts: list[Message]) -> Message | None:
    """The alternative to read: plain text that is not blank, else the richest that is text."""
    for part in parts:
        if part.get_content_type() == "text/plain" and _text(part).strip():
            return part
    rich = [
        part
        for part in parts
        if part.get_content_type() == "text/html" or part.get_content_maintype() == "multipart"
    ]
    return rich[-1] if rich else None


def _add_text(part: Message, kind: str, blocks: Blocks) -> None:
    text = _text(part)
    if not text.strip():
        return
    if kind == "text/html":
        read_into(text.encode("utf-8"), blocks)
        return
    lines = _NEWLINE.sub("\n", text)
    if str(part.get_param("format", "")).lower() == "flowed":
        lines = _unflowed(lines, delete=str(part.get_param("delsp", "")).lower() == "yes")
    blocks.add("\n".join(line.rstrip() for line in lines.split("\n")).strip("\n"))


def _unflowed(text: str, *, delete: bool) -> str:
    """Lines that the sender's program has broken, joined again (RFC 3676)."""
    found: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        quoted = line.startswith(">")
        stuffed = line[1:] if line.startswith(" ") else line
        if goes_on and not quoted:
            found[-1] += stuffed
        else:
            found.append(stuffed)
        goes_on = stuffed.endswith(" ") and stuffed != "-- " and not quoted
        if goes_on and delete:
            found[-1] = found[-1][:-1]
    return "\n".join(found)


def _text(part: Message) -> str:
    payload: Any = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    declared = part.get_content_charset()
    if not data:
        return ""
    if declared and declared.startswith("iso-2022") and codec_of(declared):
        return data.decode(codec_of(declared) or declared, "replace")  # bytes that look like ASCII
    return well_formed(decode(data, ".eml", declared)[0])


def _add_name(part: Message, kind: str, blocks: Blocks) -> None:
    name = fold(_decoded(part.get_filename() or "")) or f"without a name ({kind})"
    blocks.left_out["attachment"] += 1
    blocks.add(f"Attachment: {name}")


def _header(message: Message, name: str) -> str:
    raw = (value for found, value in message.raw_items() if found.lower() == name.lower())
    return next((fold(_decoded(str(value))) for value in raw), "")


def _decoded(value: str) -> str:
    """A header's text: encoded words resolved, bytes beyond ASCII as UTF-8 or else Latin 1."""
    data = value.encode("utf-8", "surrogateescape")
    try:
        value = data.decode("utf-8")
    except UnicodeDecodeError:
        value = data.decode("windows-1252", "replace")
    if "=?" not in value:
        return well_formed(value)
    try:
        pieces = decode_header(value)
        return well_formed("".join(_piece(text, charset) for text, charset in pieces))
    except (HeaderParseError, LookupError, ValueError):
        return well_formed(value)


def _piece(text: str | bytes, charset: str | None) -> str:
    if isinstance(text, str):
        return text
    if charset is None:
        return text.decode("raw-unicode-escape", "replace")
    return text.decode(codec_of(charset) or charset, "replace")
