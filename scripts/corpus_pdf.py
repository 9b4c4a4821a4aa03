"""Write a parsed source as a PDF: A4, running header, footer with page numbers, ruled tables.

Passages between `::: columns` and `:::` are set in two columns, the left one drawn first. Footnotes
stand at the foot of the page on which their mark is; the document is laid out again until each page
leaves the room that its notes need.

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
_BOTTOM, _TOP = 20 * mm, A4[1] - 22 * mm
_GAP = 6 * mm
_MOST_PAGES = 60

_FONTS = {True: "Helvetica", False: "Helvetica-Bold"}
_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=6)
_STYLES = {
    "paragraph": _BODY,
    "bullet": ParagraphStyle("bullet", _BODY, leftIndent=14, bulletIndent=3, spaceAfter=3),
    "number": ParagraphStyle("number", _BODY, leftIndent=18, bulletIndent=1, spaceAfter=3),
    "note": ParagraphStyle("note", _BODY, fontSize=8, leading=10.5, textColor=colors.grey),
    "footnote": ParagraphStyle("footnote", _BODY, fontSize=8, leading=10, spaceAfter=2),
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
    notes: dict[int, str]
    pages: dict[int, int]
    """Page of each footnote: those of the layout before are read, those of this one noted."""
    found: dict[int, int]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._pages: list[dict[str, object]] = []
        self.setNamedCB("mark", self.mark)

    def showPage(self) -> None:
        """Keep the page until all pages are known."""
        self._pages.append(dict(self.__dict__))
        self._startPage()

    def mark(self, _canvas: Canvas, _kind: str, label: str) -> None:
        """Note on which page the mark of a footnote is drawn."""
        self.found[int(label)] = self.getPageNumber()

    def drawString(self, x: float, y: float, text: str, *_: object, **__: object) -> None:
        """Draw a string without the line feed that reportlab adds, so that a row stays a line."""
        line = self.beginText(x, y)
        line.textOut(text)
        self.drawText(line)

    def save(self) -> None:
        """Draw header and footer on every page, then write the file."""
        for number, page in enumerate(self._pages, start=1):
            self.__dict__.update(page)
            self._draw_notes(number)
            self._furniture(number, len(self._pages))
            super().showPage()
        super().save()

    def _draw_notes(self, number: int) -> None:
        parts = _notes_of(self.notes, self.pages, number)
        top = _BOTTOM + _height(parts)
        if parts:
            self.setStrokeColor(_RULE)
            self.line(22 * mm, top, 62 * mm, top)
        for part in parts:
            _, height = part.wrap(_WIDTH, _TOP)
            part.drawOn(self, 22 * mm, top - height - 2)
            top -= height + 2

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


class _Columns(Flowable):  # type: ignore[misc]  # reportlab is untyped
    """Two columns of about equal height, the left one drawn first; they stay on one page."""

    def __init__(self, parts: list[Flowable]) -> None:
        super().__init__()
        self._parts = parts

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """Share the parts between the columns; none is split, no heading ends the left one."""
        self._column = (width - _GAP) / 2
        heights = [part.wrap(self._column, _TOP)[1] + part.getSpaceAfter() for part in self._parts]
        self._heights = heights
        after = [*self._parts[1:], None]
        ends = [
            n
            for n, (part, following) in enumerate(zip(self._parts, after, strict=True), start=1)
            if not part.getKeepWithNext() and not isinstance(following, Spacer)
        ]
        self._end = min(ends, key=lambda n: max(sum(heights[:n]), sum(heights[n:])))
        self._tall = max(sum(heights[: self._end]), sum(heights[self._end :]))
        return width, self._tall

    def draw(self) -> None:
        """Draw the left column, then the right one."""
        x, y = 0.0, self._tall
        for n, (part, height) in enumerate(zip(self._parts, self._heights, strict=True)):
            if n == self._end:
                x, y = self._column + _GAP, self._tall
            part.drawOn(self.canv, x, y - height + part.getSpaceAfter())
            y -= height


def write_pdf(source: Source, target: Path) -> None:
    """Write `source` to `target`, the same bytes every time.

    Raises:
        ValueError: the notes find no stable place; move a mark, or begin a page before it.
    """
    notes = {block.level: block.text for block in source.blocks if block.kind == "footnote"}
    pages: dict[int, int] = {}
    for _ in range(6):
        found = _lay_out(source, target, notes, pages)
        if found == pages:
            return
        pages = found
    raise ValueError(f"{target.name}: the footnotes do not settle on pages, last {pages}")


def _lay_out(
    source: Source, target: Path, notes: dict[int, str], pages: dict[int, int]
) -> dict[int, int]:
    """Write the file with room for the notes on these pages; return where their marks are."""
    found: dict[int, int] = {}
    members = {"fields": source.fields, "notes": notes, "pages": pages, "found": found}
    canvas = type("_Canvas", (_NumberedCanvas,), members)
    document = BaseDocTemplate(
        str(target), pagesize=A4, invariant=1, title=source.fields["title"],
        author=source.fields.get("author", ""), subject=source.fields.get("reference", ""),
    )  # fmt: skip
    document.addPageTemplates(
        [_template(number, _height(_notes_of(notes, pages, number)))
         for number in range(1, _MOST_PAGES + 1)]
    )  # fmt: skip
    blocks = [block for block in source.blocks if block.kind != "footnote"]
    document.build([part for block in blocks for part in _flow(block)], canvasmaker=canvas)
    return found


def _template(number: int, room: float) -> PageTemplate:
    """The template of one page, with so much room kept for its footnotes."""
    bottom = _BOTTOM + room
    frame = Frame(22 * mm, bottom, _WIDTH, _TOP - bottom, 0, 0, 0, 0, id="body")
    return PageTemplate(f"p{number}", [frame], autoNextPageTemplate=f"p{number + 1}")


def _notes_of(notes: dict[int, str], pages: dict[int, int], page: int) -> list[Paragraph]:
    return [
        Paragraph(f"{number} {_markup(notes[number])}", _STYLES["footnote"])
        for number in sorted(notes)
        if pages.get(number) == page
    ]


def _height(parts: list[Paragraph]) -> float:
    heights = [part.wrap(_WIDTH, _TOP)[1] + 2 for part in parts]
    return float(sum(heights) + 2 * mm) if heights else 0.0


def _flow(block: Block, width: float = _WIDTH) -> list[Flowable]:
    if block.kind == "page_break":
        return [PageBreak()]
    if block.kind == "table":
        return [Spacer(1, 3), _table(block.rows, width), Spacer(1, 9)]
    if block.kind == "heading":
        return [Paragraph(_markup(block.text), _HEADINGS[block.level])]
    if block.kind == "columns":
        inner = [part for inside in block.blocks for part in _flow(inside, (width - _GAP) / 2)]
        return [_Columns(inner)]
    # A round bullet of the built-in fonts is extracted as a control character.
    mark = {"bullet": "\u2013", "number": f"{block.level}."}.get(block.kind)
    return [Paragraph(_markup(block.text), _STYLES[block.kind], bulletText=mark)]


def _table(rows: tuple[tuple[str, ...], ...], width: float) -> Table:
    """Return a ruled table whose cells are plain strings, wrapped here.

    A cell that holds a paragraph is positioned on its own, and text extraction then starts a new
    line for it; strings of one row are drawn on one base line and stay together.
    """
    widths = _column_widths(rows, width)
    cells = [
        [
            "\n".join(simpleSplit(_unmarked(cell), _FONTS[number > 0], 9, column - 9))
            for cell, column in zip(row, widths, strict=True)
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


def _column_widths(rows: tuple[tuple[str, ...], ...], width: float) -> list[float]:
    """Share the width by what each column needs: whole words always, whole cells if possible."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(_text_width(cell) for cell in column) for column in columns]
    least = [max(_text_width(word) for c in column for word in c.split() or [""])
             for column in columns]  # fmt: skip
    if sum(wanted) <= width:
        return [each + (width - sum(wanted)) / len(columns) for each in wanted]
    spare, missing = width - sum(least), [w - m for w, m in zip(wanted, least, strict=True)]
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
        "mark": '<super size="7">{0}</super><onDraw name="mark" label="{0}"/>',
    }
    return "".join(tags[style].format(escape(run)) for style, run in split_inline(text))
