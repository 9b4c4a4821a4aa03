"""Slides, by python-pptx: a page a slide, its title as heading, its shapes in reading order.

Rules fixed here: the title comes first, then shapes from top to bottom and left to right, those of
a group at the group's place; a line is a paragraph; tables are rows, merged cells repeated; a
chart is a table of its categories and values; the speaker's notes follow under ``Notes:``. Hidden
slides, hidden shapes, and charts that cannot be read are left out and counted; so are date, footer
and slide number. What a picture is said to show is no text.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._marks import lowered, raised, set_apart
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load._tables import Cell, add_rows
from ragbench.ingest.load.office._archive import library, malformed, open_archive
from ragbench.records import Place

__all__ = ["parse"]

_SUFFIX = ".pptx"
_FOOTERS = {"dt", "ftr", "sldNum", "hdr"}


def parse(data: bytes) -> Parsed:
    """One document; the title is that of the file, else of the first slide with one.

    Raises:
        DocumentUnreadable: no presentation, damaged, encrypted, without text, or python-pptx is
            not installed.
    """
    pptx = library("pptx", _SUFFIX)
    with open_archive(data, _SUFFIX) as archive:
        if "ppt/presentation.xml" not in archive.namelist():
            raise mislabelled(data, _SUFFIX)
    try:
        deck = pptx.Presentation(io.BytesIO(data))
        slides = list(deck.slides)
        title = fold(deck.core_properties.title or "")
        return _read(slides, "" if title == "PowerPoint Presentation" else title)
    except DocumentUnreadable:
        raise
    except (KeyError, ValueError, AttributeError, TypeError, SyntaxError, OSError) as error:
        raise malformed(error, _SUFFIX) from error


def _read(slides: list[Any], title: str) -> Parsed:
    blocks = Blocks()
    starts: list[tuple[int, int]] = []
    for number, slide in enumerate(slides, start=1):
        if slide._element.get("show") in ("0", "false"):
            blocks.left_out["hidden slide"] += 1
            continue
        before = len(blocks.text)
        _add_slide(slide, blocks)
        if len(blocks.text) > before:
            starts.append((before + 2 if before else 0, number))
    if not blocks.text:
        raise DocumentUnreadable("no-text", "No slide that is shown holds text; it may be images.")
    ends = [*(start for start, _ in starts[1:]), len(blocks.text)]
    pages = [Place(start, end, page=n) for (start, n), end in zip(starts, ends, strict=True)]
    places = sorted([*pages, *blocks.places], key=lambda place: place.start)
    metadata: dict[str, Scalar] = {"n_slides": len(slides)}
    title = well_formed(title) or blocks.first_heading
    return Parsed(blocks.text, title, metadata, tuple(places), left_out=blocks.left_out)


def _add_slide(slide: Any, blocks: Blocks) -> None:  # noqa: ANN401  (of python-pptx)
    title = slide.shapes.title
    if title is not None:
        blocks.add(fold(" ".join(_paragraphs(title.text_frame))), level=1)
    for shape in _ordered(slide.shapes, blocks):
        if title is None or shape.shape_id != title.shape_id:
            _add_shape(shape, blocks)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = _paragraphs(slide.notes_slide.notes_text_frame)
        if notes:
            blocks.add("\n".join(["Notes: " + notes[0], *notes[1:]]))


def _ordered(shapes: Iterable[Any], blocks: Blocks) -> Iterator[Any]:
    """Shapes as they are read, groups resolved."""
    for shape in sorted(shapes, key=lambda one: (one.top or 0, one.left or 0)):
        if shape._element.xpath(".//p:cNvPr[1]")[0].get("hidden") in ("1", "true"):
            blocks.left_out["hidden shape"] += 1
        elif hasattr(shape, "shapes"):
            yield from _ordered(shape.shapes, blocks)
        else:
            yield shape


def _add_shape(shape: Any, blocks: Blocks) -> None:  # noqa: ANN401
    marks = shape._element.xpath(".//p:nvPr/p:ph/@type")
    if _FOOTERS.intersection(marks):
        blocks.left_out["slide footer"] += bool(shape.has_text_frame and shape.text_frame.text)
    elif getattr(shape, "has_table", False) and shape.has_table:
        _add_table(shape.table, blocks)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        _add_chart(shape, blocks)
    elif shape.has_text_frame:
        blocks.add("\n".join(_paragraphs(shape.text_frame)))
    elif shape._element.tag.endswith("}graphicFrame"):
        blocks.left_out["diagram or embedded object"] += 1


def _paragraphs(frame: Any) -> list[str]:  # noqa: ANN401
    return [line for one in frame.paragraphs if (line := _paragraph(one))]


def _paragraph(paragraph: Any) -> str:  # noqa: ANN401
    pieces = []
    for node in paragraph._p:
        kind = node.tag.rsplit("}", 1)[-1]
        if kind == "br":
            pieces.append(" ")
        elif kind in ("r", "fld"):
            text = "".join(t.text or "" for t in node.findall("{*}t"))
            style = node.find("{*}rPr")
            shift = int(style.get("baseline", "0").rstrip("%")) if style is not None else 0
            pieces.append(raised(text) if shift > 0 else lowered(text) if shift < 0 else text)
    return well_formed(fold(set_apart("".join(pieces), runs=True)))


def _add_table(table: Any, blocks: Blocks) -> None:  # noqa: ANN401
    rows = []
    for row in table.rows:
        cells = [cell for cell in row.cells if not cell.is_spanned]
        rows.append([_cell(cell) for cell in cells])
    add_rows(blocks, rows)


def _cell(cell: Any) -> Cell:  # noqa: ANN401
    text = " ".join(_paragraphs(cell.text_frame))
    merged = cell.is_merge_origin
    return Cell(text, cell.span_width if merged else 1, cell.span_height if merged else 1)


def _add_chart(shape: Any, blocks: Blocks) -> None:  # noqa: ANN401
    """The chart's title, then a row a category; one that has none is counted."""
    try:
        chart = shape.chart
        plot = chart.plots[0]
        names = [fold(str(name)) for name in plot.categories]
        series = [(fold(one.name or ""), list(one.values)) for one in plot.series]
    except (KeyError, ValueError, AttributeError, IndexError, TypeError):
        names, series = [], []
    if not names or not series:
        blocks.left_out["chart"] += 1
        return
    if chart.has_title and chart.chart_title.has_text_frame:
        blocks.add("\n".join(_paragraphs(chart.chart_title.text_frame)))
    blocks.left_out["chart series of another kind"] += sum(
        len(other.series) for other in list(chart.plots)[1:]
    )
    head = [Cell(""), *(Cell(name) for name, _ in series)]
    rows = [
        [Cell(name), *(Cell(_number(values, at)) for _, values in series)]
        for at, name in enumerate(names)
    ]
    add_rows(blocks, [head, *rows])


def _number(values: list[float | None], at: int) -> str:
    value = values[at] if at < len(values) else None
    return "" if value is None else f"{value:.15g}"
