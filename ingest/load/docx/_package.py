"""The ZIP archive of a DOCX: its parts, and what refers to which.

Read without a library of Word documents, since what a text needs is little and those refuse a file
for a picture that is missing. Strict Open XML has other names of the same elements and is read
under the usual ones. Macro-enabled documents and templates are refused by name.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._sniff import mislabelled

__all__ = ["MAX_UNPACKED_BYTES", "Package", "R", "Relation", "W", "malformed", "value"]

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
"""A DOCX whose parts unpack to more is not opened."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", R[1:-1].encode()),
    (
        b"http://purl.oclc.org/ooxml/officeDocument/math",
        b"http://schemas.openxmlformats.org/officeDocument/2006/math",
    ),
)
_OTHER_KINDS = {
    "document.macroenabled.main+xml": "a macro-enabled Word document (.docm)",
    "wordprocessingml.template.main+xml": "a Word template (.dotx)",
    "template.macroenabledtemplate.main+xml": "a macro-enabled Word template (.dotm)",
    "template.macroenabled.main+xml": "a macro-enabled Word template (.dotm)",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: the last word of its type, and the name of the part."""

    kind: str
    target: str


class Package:
    """The parts of one file.

    Raises:
        DocumentUnreadable: not a Word document, damaged, encrypted, or far too large when unpacked.
    """

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
            detail = "The document is protected by a password. Save a copy without one."
            raise DocumentUnreadable("encrypted", detail)
        if not data.startswith(b"PK"):
            raise mislabelled(data, ".docx")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise malformed(error) from error
        parts = self._zip.infolist()
        unpacked = sum(part.file_size for part in parts)
        if unpacked > MAX_UNPACKED_BYTES:
            raise DocumentUnreadable(
                "memory",
                f"Its {len(data):,} bytes unpack to {unpacked:,}; at most {MAX_UNPACKED_BYTES:,} "
                "are allowed. It was not opened.",
            )
        self._names = {part.filename.lower(): part.filename for part in parts}
        if "[content_types].xml" not in self._names:
            raise mislabelled(data, ".docx")
        main = next((r.target for r in self.relations("") if r.kind == "officeDocument"), None)
        if main is None and not any(name.startswith("word/") for name in self._names):
            raise mislabelled(data, ".docx")
        self.main = main or "word/document.xml"
        self._check_kind(data)

    def _check_kind(self, data: bytes) -> None:
        types = self.xml("[Content_Types].xml")
        found = "" if types is None else self._type(types)
        for ending, kind in _OTHER_KINDS.items():
            if found.endswith(ending):
                raise DocumentUnreadable(
                    "mislabelled",
                    f"The name says .docx, but the content is {kind}. Open it in a word processor "
                    "and save it as a Word document (.docx).",
                )
        if found and "wordprocessingml" not in found and "document.main" not in found:
            raise mislabelled(data, ".docx")

    def _type(self, types: Any) -> str:  # noqa: ANN401  (lxml element)
        for entry in types:
            if str(entry.get("PartName", "")).lower() == f"/{self.main}".lower():
                return str(entry.get("ContentType", "")).lower()
        return ""

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, None when there is none of this name."""
        stored = self._names.get(name.lower())
        try:
            return None if stored is None else self._zip.read(stored)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise malformed(error) from error
        except NotImplementedError as error:
            raise malformed(error) from error

    def xml(self, name: str) -> Any:  # noqa: ANN401  (lxml element)
        """The root element of a part, None when there is none of this name."""
        data = self.read(name)
        if data is None:
            return None
        from lxml import etree

        for strict, usual in _STRICT:
            data = data.replace(strict, usual)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise malformed(error) from error

    def relations(self, part: str) -> list[Relation]:
        """What a part refers to within the file, by id in `by_id`; dangling ones are none."""
        return list(self.by_id(part).values())

    def by_id(self, part: str) -> dict[str, Relation]:
        """The same by the id that the part's markup uses."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for entry in () if root is None else root:
            target = str(entry.get("Target", ""))
            if entry.get("TargetMode") == "External" or not target:
                continue
            path = target[1:] if target[0] == "/" else posixpath.join(folder, target)
            path = posixpath.normpath(path)
            if path.lower() in self._names:
                kind = str(entry.get("Type", "")).rsplit("/", 1)[-1]
                found[str(entry.get("Id"))] = Relation(kind, path)
        return found

    def related(self, kind: str) -> Any:  # noqa: ANN401  (lxml element)
        """The root of the first part of this kind that the document refers to, None without one."""
        names = (r.target for r in self.relations(self.main) if r.kind == kind)
        name = next(names, None)
        return None if name is None else self.xml(name)


def malformed(error: Exception) -> DocumentUnreadable:
    """The error for a file that breaks the format."""
    message = " ".join(str(error).split())[:200].rstrip(".")
    return DocumentUnreadable(
        "malformed",
        f"The DOCX is damaged ({type(error).__name__}: {message}). Open it in a word processor and "
        "save it anew.",
    )


def value(element: Any, path: str) -> str:  # noqa: ANN401  (lxml element)
    """The ``w:val`` of the element at a path below, empty without one."""
    found = None if element is None else element.find(W + path)
    return "" if found is None else found.get(W + "val") or ""
