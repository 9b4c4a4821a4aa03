"""DOCX: paragraphs and tables in document order, headings by style.

Text is taken from the document's XML, since content controls, tracked insertions and text boxes are
no paragraphs of python-docx; tracked deletions and field codes are no text. A table is one line a
row. Footnotes follow the text. Page headers and footers, which repeat, and comments are left out.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold, table_row
from ragbench.ingest.load._metadata import flatten
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load.pdf._pages import sensible_title

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

__all__ = ["MAX_UNPACKED_BYTES", "parse"]

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
"""A DOCX whose parts unpack to more is not opened."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TRANSPARENT = {
    _W + name for name in ("sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo")
}
_HEADING = re.compile(r"heading ([1-9])$", re.I)
_FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
_MAX_STYLE_DEPTH = 20


def parse(data: bytes) -> Parsed:
    """One document; the title is the core property, else the title paragraph, else a heading.

    Raises:
        DocumentUnreadable: not a Word document, damaged, encrypted, or far too large when unpacked.
    """
    _check_package(data)
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(io.BytesIO(data))
        blocks, title = _read(document)
        properties = document.core_properties
        stated = sensible_title(properties.title or "")
        fields = {"author": properties.author, "subject": properties.subject}
    except (OpcError, XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise _malformed(error) from error
    except (AttributeError, LookupError, NotImplementedError, TypeError, ValueError) as error:
        raise _malformed(error) from error  # parts that python-docx does not check
    named: dict[object, object] = {key: value for key, value in fields.items() if value}
    title = stated or title or blocks.first_heading
    return Parsed(blocks.text, title, flatten(named), blocks.places)


def _malformed(error: Exception) -> DocumentUnreadable:
    message = " ".join(str(error).split())[:200].rstrip(".")
    return DocumentUnreadable(
        "malformed",
        f"The DOCX is damaged ({type(error).__name__}: {message}). Open it in a word processor and "
        "save it anew.",
    )


def _check_package(data: bytes) -> None:
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        detail = "The document is protected by a password. Save a copy without one, and give that."
        raise DocumentUnreadable("encrypted", detail)
    if not data.startswith(b"PK"):
        raise mislabelled(data, ".docx")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise _malformed(error) from error
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED_BYTES:
        raise DocumentUnreadable(
            "memory",
            f"Its {len(data):,} bytes unpack to {unpacked:,}; at most {MAX_UNPACKED_BYTES:,} are "
            "allowed. It was not opened.",
        )
    names = {part.filename for part in parts}
    if "[Content_Types].xml" not in names or not any(name.startswith("word/") for name in names):
        raise mislabelled(data, ".docx")


def _read(document: WordDocument) -> tuple[Blocks, str]:
    """The blocks, and the text of the first paragraph in the style Title."""
    levels = _Styles(document)
    blocks, title, in_list = Blocks(), "", False
    for element in _children(document.element.body):
        if element.tag == _W + "tbl":
            _add_table(blocks, element)
            in_list = False
            continue
        text, style = _text(element), _style_id(element)
        is_item = element.find(f"{_W}pPr/{_W}numPr") is not None or levels.is_list(style)
        blocks.add(text, tight=is_item and in_list, level=levels.level(element, style))
        if text:
            in_list = is_item
            title = title or (fold(text) if levels.is_title(style) else "")
    for note in _footnotes(document):
        blocks.add(note)
    return blocks, title


class _Styles:
    """What a paragraph style means, by its name or that of a style it is based on."""

    def __init__(self, document: WordDocument) -> None:
        self._names: dict[str, list[str]] = {}
        self._outline: dict[str, int] = {}
        found = document.styles.element.iter(_W + "style")
        styles = {style.get(_W + "styleId"): style for style in found}
        for style_id, style in styles.items():
            names: list[str] = []
            current = style
            while current is not None and len(names) < _MAX_STYLE_DEPTH:
                names.append(_value(current, "name").lower())
                level = _value(current, f"pPr/{_W}outlineLvl")
                if level.isdigit() and style_id not in self._outline:
                    self._outline[style_id] = int(level)
                current = styles.get(_value(current, "basedOn"))
            self._names[style_id] = names

    def level(self, paragraph: Any, style: str) -> int | None:  # noqa: ANN401  (lxml element)
        """Heading level from 1, None for running text."""
        own = _value(paragraph, f"pPr/{_W}outlineLvl")
        if own.isdigit():
            return int(own) + 1 if int(own) < 9 else None
        for name in self._names.get(style, ()):
            match = _HEADING.match(name)
            if match:
                return int(match.group(1))
        outline = self._outline.get(style, 9)
        return outline + 1 if outline < 9 else None

    def is_title(self, style: str) -> bool:
        return "title" in self._names.get(style, ())

    def is_list(self, style: str) -> bool:
        return any(name.startswith("list") for name in self._names.get(style, ()))


def _value(element: Any, path: str) -> str:  # noqa: ANN401  (lxml element)
    found = element.find(_W + path)
    return "" if found is None else found.get(_W + "val") or ""


def _style_id(paragraph: Any) -> str:  # noqa: ANN401  (lxml element)
    return _value(paragraph, f"pPr/{_W}pStyle")


def _children(parent: Any) -> Iterator[Any]:  # noqa: ANN401  (lxml element)
    """Paragraphs and tables in order, those inside of content controls and insertions included."""
    stack = [iter(parent)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif child.tag in _TRANSPARENT:
            stack.append(iter(child))
        elif child.tag in (_W + "p", _W + "tbl"):
            yield child


def _text(element: Any) -> str:  # noqa: ANN401  (lxml element)
    """Text of a paragraph or cell: runs, links, insertions, text boxes; line breaks kept."""
    pieces: list[str] = []
    stack = [iter((element,))]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        if node.tag == _W + "t":
            pieces.append(node.text or "")
        elif node.tag == _W + "tab":
            pieces.append(" ")
        elif node.tag in (_W + "br", _W + "cr"):
            pieces.append("\n")
        elif node.tag == _W + "noBreakHyphen":
            pieces.append("-")
        elif node.tag not in (_FALLBACK, _W + "pPr", _W + "del", _W + "moveFrom"):
            if node.tag == _W + "p":
                pieces.append("\n")
            stack.append(iter(node))
    return "\n".join(filter(None, map(fold, "".join(pieces).split("\n"))))


def _add_table(blocks: Blocks, table: Any) -> None:  # noqa: ANN401  (lxml element)
    tight = False
    for row in table.iter(_W + "tr"):
        if next(row.iterancestors(_W + "tbl")) is not table:
            continue  # a row of a table within a cell: part of that cell's text
        line = table_row([fold(_text(cell)) for cell in _cells(row)])
        blocks.add(line, tight=tight)
        tight = tight or bool(line)


def _cells(row: Any) -> list[Any]:  # noqa: ANN401  (lxml element)
    return [cell for cell in row.iter(_W + "tc") if next(cell.iterancestors(_W + "tr")) is row]


def _footnotes(document: WordDocument) -> Iterator[str]:
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype == _FOOTNOTES and not relation.is_external:
            for note in parse_xml(relation.target_part.blob).iter(_W + "footnote"):
                if note.get(_W + "type") is None:  # others are the separating line
                    yield _text(note)
