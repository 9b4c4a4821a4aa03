"""Spreadsheets: values as shown, merged and hidden cells, comments, formulas; by hand."""

import datetime
import io

import openpyxl
import pytest
from office_files import one, refused
from openpyxl.comments import Comment

from ragbench.ingest.load.office._shown import formatted


def saved(book) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_sheets_rows_and_what_is_hidden(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fees"
    rows = [["Kind", "Code", "Fee", "inner"], ["Wire", 42, 35, "x"], ["Gone", 1, 1, "y"]]
    for row in [*rows, ["Heron", None, 1234.5], [None, None, 0.12], ["Total", None, "=C2+C4"]]:
        sheet.append(row)
    sheet["B2"].number_format = "00000"
    sheet["C2"].number_format = '"$"#,##0.00'
    sheet["C4"].number_format = "#,##0.00"
    sheet["C5"].number_format = "0 %"
    sheet.merge_cells("A4:A5")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["D"].hidden = True
    sheet["A2"].comment = Comment("Only abroad", "Ada")
    sheet["B6"].value = datetime.date(2026, 3, 1)
    book.create_sheet("Empty")
    secret = book.create_sheet("Secret")
    secret["A1"] = "secret"
    secret.sheet_state = "hidden"
    document = one(tmp_path, "f.xlsx", saved(book))
    assert document.text == (
        "Fees\n\nKind | Code | Fee\nWire | 00042 | $35.00\nHeron |  | 1,234.50\nHeron |  | 12 %\n"
        "Total | 2026-03-01\n\n[Comment on A2] Only abroad"
    )
    assert {kind: n for kind, n in document.left_out.items() if n} == {
        "hidden row": 1,
        "hidden column": 1,
        "hidden sheet": 1,
        "formula without a value (Fees: C6)": 1,
    }
    assert [place.heading for place in document.places] == ["Fees"]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234567.891, "#,##0", "1,234,568"),
        (2.5, "0", "3"),  # spreadsheets round half up
        (0.075, "0.0%", "7.5%"),
        (-35, "$#,##0.00;[Red]-$#,##0.00", "-$35.00"),
        (35, "[$€-407] #,##0.00", "€ 35.00"),
        (35, '#,##0.00\\ "USD"', "35.00 USD"),
        (0, '0;-0;"none"', "none"),
        (0, "#,##0;-#,##0;", ""),  # zeros are not shown
        (7, ";;;", ""),  # nor is anything
        (-3, '0;"minus"', "minus"),
        (1500000, '0.0,,"M"', "1.5M"),
        (1.5, "0.##", "1.5"),
        (12345678901234567, "General", "12345678901234567"),
        (1e-7, "General", "0.0000001"),
    ],
)
def test_number_formats(value, code, text):
    assert formatted(value, code) == text


def test_what_is_no_workbook(tmp_path):
    assert refused(tmp_path, "f.xlsx", "a,b").reason == "mislabelled"
    assert refused(tmp_path, "f.xlsx", saved(openpyxl.Workbook())).reason == "no-text"
    assert refused(tmp_path, "f.xlsx", saved(openpyxl.Workbook())[:900]).reason == "malformed"
