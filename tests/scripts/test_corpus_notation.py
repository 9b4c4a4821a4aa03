"""The notation of PDF and DOCX sources: what the written files say, and what is refused."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

HEAD = "---\ntitle: House rules\nreference: IN-7\nheader: The Inn\nfooter: Edition 2\n---\n"
BODY = """\
# House rules

Guests are quiet from ten.[^1] Use `bell_4` **once**.

[^1]: The church clock counts.

| Room | Night |
|---|---|
| Attic Room | £31 |
| Cellar Room | £19 |

+++

::: columns

## Left

- Boots stay below.

## Right

Dogs stay outside.

:::

> Small print.
"""
DOCTESTED = ["corpus_blocks", "corpus_filters", "corpus_facts", "corpus_tasks", "corpus_rows"]


def pages(path: Path) -> list[str]:
    """The text of each page of a PDF."""
    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(path).pages]


def test_a_pdf_keeps_rows_columns_and_notes_in_order(script, tmp_path) -> None:
    target = tmp_path / "x.pdf"
    source = script("corpus_blocks").parse_source(HEAD + BODY, "x.pdf.md")
    script("corpus_pdf").write_pdf(source, target)
    first, second = pages(target)
    assert "Attic Room £31" in first  # the cells of a row stand on one line
    assert "Cellar Room £19" in first
    assert first.index("Guests are quiet") < first.index("The church clock counts.")
    assert "The church clock" not in second
    assert second.index("Boots stay below.") < second.index("Dogs stay outside.")
    assert "\u2013 Boots stay below." in second
    assert all(c.isprintable() or c == "\n" for c in first + second)
    assert "Page 1 of 2" in first
    assert "IN-7" in second
    assert "The Inn" in second


def test_a_docx_keeps_headings_tables_and_code(script, tmp_path) -> None:
    from docx import Document

    body = (
        BODY.replace("[^1]", "").split(": The church")[0] + "\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"
    )
    target = tmp_path / "x.docx"
    script("corpus_docx").write_docx(
        script("corpus_blocks").parse_source(HEAD + body, "x.docx.md"), target
    )
    document = Document(str(target))
    assert [p.text for p in document.paragraphs][:2] == [
        "House rules", "Guests are quiet from ten. Use bell_4 once.",
    ]  # fmt: skip
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows] == [
        ["A", "B"], ["1", "2"],
    ]  # fmt: skip
    assert document.core_properties.title == "House rules"


REFUSED = {
    "no front matter": (BODY, "has no front matter"),
    "front matter": (HEAD.replace("title:", "title"), "'title House rules' is no 'key: value'"),
    "cells": (HEAD + "| a | b |\n|---|---|\n| 1 |\n", r"rows of \{1, 2\} cells"),
    "table without a head": (HEAD + "| a | b |\n| 1 | 2 |\n", "second line is no '|---|'"),
    "mark after a number": (
        HEAD + "It costs £5[^1] now.\n\n[^1]: Less in May.\n", "reads as one number",
    ),
    "mark after a decimal point": (
        HEAD + "It costs £5.[^1]\n\n[^1]: Less in May.\n", "reads as one number",
    ),
    "note without a mark": (HEAD + "Text.\n\n[^2]: A note.\n", r"marks \[\], but footnotes \[2\]"),
    "mark without a note": (HEAD + "Text[^2].\n", r"marks \[2\], but footnotes \[\]"),
    "open columns": (HEAD + "::: columns\n\nText.\n", "is not closed"),
    "columns twice": (HEAD + "::: columns\n\n::: columns\n\n:::\n", "do not alternate"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_faults_of_the_notation_are_refused(script, case) -> None:
    text, message = REFUSED[case]
    with pytest.raises(
        ValueError, match=message.replace("|", r"\|") if "|---" in message else message
    ):
        script("corpus_blocks").parse_source(text, "x.pdf.md")


@pytest.mark.parametrize("block", ["Text[^1].\n\n[^1]: A note.\n", "::: columns\n\nText.\n\n:::\n"])
def test_a_docx_has_neither_columns_nor_footnotes(script, tmp_path, block) -> None:
    source = script("corpus_blocks").parse_source(HEAD + block, "x.docx.md")
    with pytest.raises(ValueError, match="a DOCX has no"):
        script("corpus_docx").write_docx(source, tmp_path / "x.docx")


@pytest.mark.parametrize("name", DOCTESTED)
def test_examples_in_the_scripts_hold(script, name) -> None:
    result = doctest.testmod(script(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted > 0 or name not in ("corpus_blocks", "corpus_filters")
