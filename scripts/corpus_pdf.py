"""Write a parsed source as a PDF: A4, running header, footer with page numbers, ruled tables.

The bytes depend on the source alone: reportlab's invariant mode fixes dates and ids, and only the
built-in fonts are used. Table rows are drawn cell by cell from the left, so that text extraction
keeps the cells of a row in order, on one line where no cell is wrapped.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from corpus_blocks import Block, Source, split_inline
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

_INK = colors.HexColor("#1d3b4a")
_RULE = colors.HexColor("#9fb3bd")
_WIDTH = A4[0] - 44 * mm

_FONTS = {True: "Helvetica", False: "Helvetica-Bold"}
_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=6)
_STYLES = {
    "paragraph": _BODY,
    "bullet": ParagraphStyle("bullet", _BODY, leftIndent=14, bulletIndent=3, spaceAfter=3),
    "number": ParagraphStyle("number", _BODY, leftIndent=18, bulletIndent=1, spaceAfter=3),
    "note": ParagraphStyle("note", _BODY, fontSize=8, leading=10.5, textColor=colors.grey),
}
_HEADINGS = {
    1: ParagraphStyle("h1", _BODY, fontName="Helvetica-Bold", fontSize=18, leading=23,
                      textColor=_INK, spaceAfter=10),
    2: ParagraphStyle("h2", _BODY, fontName="Helvetica-Bold", fontSize=13, leading=17,
                      textColor=_INK, spaceBefore=10, spaceAfter=5, keepWithNext=1),
    3: ParagraphStyle("h3", _BODY, fontName="Helvetica-Bold", fontSize=10.5, leading=14,
                      spaceBefore=6, spaceAfter=3, keepWithNext=1),
}  # fmt: skip


class _NumberedCanvas(Canvas):  # type: ignore[misc]  # reportlab is untyped
    """A canvas that knows the number of pages when it draws the footers."""

    fields: dict[str, str]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._pages: list[dict[str, object]] = []

    def showPage(self) -> None:
        """Keep the page until all pages are known."""
        self._pages.append(dict(self.__dict__))
        self._startPage()

    def drawString(self, x: float, y: float, text: str, *_: object, **__: object) -> None:
        """Draw a string without the line feed that reportlab adds, so that a row stays a line."""
        line = self.beginText(x, y)
        line.textOut(text)
        self.drawText(line)

    def save(self) -> None:
        """Draw header and footer on every page, then write the file."""
        for number, page in enumerate(self._pages, start=1):
            self.__dict__.update(page)
            self._furniture(number, len(self._pages))
            super().showPage()
        super().save()

    def _furniture(self, number: int, n_pages: int) -> None:
        left, right, top = 22 * mm, A4[0] - 22 * mm, A4[1] - 14 * mm
        self.setFont("Helvetica", 8)
        self.setFillColor(colors.grey)
        self.setStrokeColor(_RULE)
        self.line(left, top - 3 * mm, right, top - 3 * mm)
        self.drawString(left, top, self.fields.get("header", ""))
        self.drawRightString(right, top, self.fields.get("reference", ""))
        self.line(left, 17 * mm, right, 17 * mm)
        self.drawString(left, 12 * mm, self.fields.get("footer", ""))
        self.drawRightString(right, 12 * mm, f"Page {number} of {n_pages}")


def write_pdf(source: Source, target: Path) -> None:
    """Write `source` to `target`, the same bytes every time."""
    canvas = type("_Canvas", (_NumberedCanvas,), {"fields": source.fields})
    document = BaseDocTemplate(
        str(target), pagesize=A4, invariant=1, title=source.fields["title"],
        author=source.fields.get("author", ""), subject=source.fields.get("reference", ""),
    )  # fmt: skip
    frame = Frame(22 * mm, 20 * mm, _WIDTH, A4[1] - 42 * mm, 0, 0, 0, 0, id="body")
    document.addPageTemplates([PageTemplate("page", [frame])])
    document.build([part for block in source.blocks for part in _flow(block)], canvasmaker=canvas)


def _flow(block: Block) -> list[Flowable]:
    if block.kind == "page_break":
        return [PageBreak()]
    if block.kind == "table":
        return [Spacer(1, 3), _table(block.rows), Spacer(1, 9)]
    if block.kind == "heading":
        return [Paragraph(_markup(block.text), _HEADINGS[block.level])]
    mark = {"bullet": "\u2022", "number": f"{block.level}."}.get(block.kind)
    return [Paragraph(_markup(block.text), _STYLES[block.kind], bulletText=mark)]


def _table(rows: tuple[tuple[str, ...], ...]) -> Table:
    """Return a ruled table whose cells are plain strings, wrapped here.

    A cell that holds a paragraph is positioned on its own, and text extraction then starts a new
    line for it; strings of one row are drawn on one base line and stay together.
    """
    widths = _column_widths(rows)
    cells = [
        [
            "\n".join(simpleSplit(_unmarked(cell), _FONTS[number > 0], 9, width - 9))
            for cell, width in zip(row, widths, strict=True)
        ]
        for number, row in enumerate(rows)
    ]
    style = TableStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.4, _RULE),
            ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8eef1")),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("FONT", (0, 0), (-1, -1), "Helvetica", 9, 11.5),
            ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9, 11.5),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    return Table(cells, colWidths=widths, style=style, repeatRows=1, hAlign="LEFT")


def _column_widths(rows: tuple[tuple[str, ...], ...]) -> list[float]:
    """Share the page by what each column needs: whole words always, whole cells if possible."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(_text_width(cell) for cell in column) for column in columns]
    least = [max(_text_width(word) for c in column for word in c.split() or [""])
             for column in columns]  # fmt: skip
    if sum(wanted) <= _WIDTH:
        return [width + (_WIDTH - sum(wanted)) / len(columns) for width in wanted]
    spare, missing = _WIDTH - sum(least), [w - m for w, m in zip(wanted, least, strict=True)]
    return [m + spare * x / sum(missing) for m, x in zip(least, missing, strict=True)]


def _text_width(text: str) -> float:
    """Width in points of a cell that holds `text`, in the wider of the two fonts."""
    return float(stringWidth(_unmarked(text), "Helvetica-Bold", 9)) + 10


def _unmarked(text: str) -> str:
    return "".join(run for _, run in split_inline(text))


def _markup(text: str) -> str:
    tags = {
        "plain": "{}",
        "bold": "<b>{}</b>",
        "italic": "<i>{}</i>",
        "code": '<font face="Courier">{}</font>',
    }
    return "".join(tags[style].format(escape(run)) for style, run in split_inline(text))
