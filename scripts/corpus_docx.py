"""Write a parsed source as a DOCX with real headings, lists, tables, header and footer.

The bytes depend on the source alone: core properties are fixed, and the zip is written again with
a fixed time and order of its members.
"""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from corpus_blocks import Block, Source, split_inline
from docx import Document
from docx.document import Document as DocumentObject
from docx.shared import Pt
from docx.text.paragraph import Paragraph

_FIXED = datetime(2026, 1, 1, tzinfo=UTC)
_ZIP_TIME = (2026, 1, 1, 0, 0, 0)


def write_docx(source: Source, target: Path) -> None:
    """Write `source` to `target`, the same bytes every time."""
    document = Document()
    document.styles["Normal"].font.name = "Calibri"
    document.styles["Normal"].font.size = Pt(10.5)
    _properties(document, source.fields)
    for block in source.blocks:
        _add(document, block)
    packed = io.BytesIO()
    document.save(packed)
    target.write_bytes(_repacked(packed.getvalue()))


def _properties(document: DocumentObject, fields: dict[str, str]) -> None:
    core = document.core_properties
    core.title = fields["title"]
    core.author = fields.get("author", "")
    core.subject = fields.get("reference", "")
    core.comments = ""
    core.last_modified_by = fields.get("author", "")
    core.created = core.modified = _FIXED.replace(tzinfo=None)
    core.revision = 1
    section = document.sections[0]
    section.header.paragraphs[0].text = f"{fields.get('header', '')}\t{fields.get('reference', '')}"
    section.footer.paragraphs[0].text = fields.get("footer", "")


def _add(document: DocumentObject, block: Block) -> None:
    if block.kind == "table":
        _add_table(document, block.rows)
    elif block.kind == "heading":
        document.add_heading(block.text, level=block.level)
    elif block.kind == "page_break":
        document.add_page_break()
    elif block.kind in ("columns", "footnote"):
        raise ValueError(f"a DOCX has no {block.kind}; write it in prose, or make it a PDF")
    else:
        style = {"bullet": "List Bullet", "number": "List Number"}.get(block.kind)
        _add_runs(document.add_paragraph(style=style), block.text)


def _add_table(document: DocumentObject, rows: tuple[tuple[str, ...], ...]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for number, row in enumerate(rows):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            _add_runs(cell.paragraphs[0], text, bold=number == 0)


def _add_runs(paragraph: Paragraph, text: str, *, bold: bool = False) -> None:
    for style, run in split_inline(text):
        added = paragraph.add_run(run)
        added.bold = True if bold or style == "bold" else None
        added.italic = True if style == "italic" else None
        if style == "code":
            added.font.name = "Consolas"


def _repacked(data: bytes) -> bytes:
    """Return the same zip with its members sorted (content types first) and their times fixed."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, _ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            info.create_system = 3
            new.writestr(info, old.read(name))
    return result.getvalue()
