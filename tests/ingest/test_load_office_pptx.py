"""Slides: order, tables, notes, what is hidden; files made here, values by hand."""

import io

import pptx
from office_files import one, refused
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches


def deck(*, with_hidden: bool = True) -> bytes:
    deck = pptx.Presentation()
    deck.core_properties.title = ""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Fees"
    low = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(2), Inches(1))
    low.text_frame.text = "Below"
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_textbox(Inches(1), Inches(2), Inches(2), Inches(1))
    inner.text_frame.text = "First line"
    run = inner.text_frame.add_paragraph().add_run()
    run.text = "$35"
    note = inner.text_frame.paragraphs[1].add_run()
    note.text = "1"
    note.font._element.set("baseline", "30000")
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    hidden = deck.slides.add_slide(deck.slide_layouts[6])
    hidden.shapes.add_textbox(0, 0, 99, 99).text_frame.text = "Secret"
    hidden._element.set("show", "0")
    last = deck.slides.add_slide(deck.slide_layouts[6])
    table = last.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for at, text in enumerate(["Kind", "Fee", "Wire", "$35"]):
        table.cell(at // 2, at % 2).text = text
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("Fee", (30, 35.5))
    last.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(3), Inches(4), Inches(3), data)
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def test_slides(tmp_path):
    document = one(tmp_path, "d.pptx", deck())
    assert document.text == (
        "Fees\n\nFirst line\n$35[1]\n\nBelow\n\nNotes: Say it slowly.\n\n"
        "Kind | Fee\nWire | $35\n\n | Fee\n2024 | 30\n2025 | 35.5"
    )
    assert document.title == "Fees"
    assert {k: n for k, n in document.left_out.items() if n} == {"hidden slide": 1}
    pages = [(p.page, document.text[p.start :][:4]) for p in document.places if p.page]
    assert pages == [(1, "Fees"), (3, "Kind")]  # the number is that of the slide in the file


def test_merged_cells_repeat(tmp_path):
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, 0, 0, 99, 99).table
    table.cell(0, 0).merge(table.cell(1, 0))
    for row, column, text in [(0, 0, "Heron"), (0, 1, "Low"), (1, 1, "High"), (2, 0, "x")]:
        table.cell(row, column).text = text
    buffer = io.BytesIO()
    deck.save(buffer)
    assert one(tmp_path, "d.pptx", buffer.getvalue()).text == "Heron | Low\nHeron | High\nx | "


def test_what_is_no_presentation(tmp_path):
    assert refused(tmp_path, "d.pptx", "text").reason == "mislabelled"
    assert refused(tmp_path, "d.pptx", deck()[:5000]).reason == "malformed"
    buffer = io.BytesIO()
    pptx.Presentation().save(buffer)
    assert refused(tmp_path, "d.pptx", buffer.getvalue()).reason == "no-text"
