"""Counting what a domain holds: the shipped data sheet is true, and the counts of a small one."""

from __future__ import annotations

import pytest


def test_the_data_sheet_says_what_was_built(script, capsys) -> None:
    assert script("bank_status").main(["--check"]) == 0, capsys.readouterr().err


@pytest.fixture
def counted(script, inn, tmp_path):
    """The inn, built, with a data sheet that is not yet written; and the script."""
    status, corpora, domains = script("bank_status"), tmp_path / "c", tmp_path / "d"
    task = inn / "house" / "tasks" / "a_week.yaml"
    splits = "category: arithmetic\nsplits: [base, train]\nannotations: {difficulty: hard}"
    text = task.read_text(encoding="utf-8").replace("category: arithmetic", splits)
    task.write_text(text, encoding="utf-8")
    assert script("build_corpora").build(inn, corpora / "inn", domains / "inn") == []
    (domains / "inn" / "tools").mkdir()
    (domains / "inn" / "tools" / "stays.py").write_text(
        '@tool("read")\ndef a() -> None: ...\n\n\n'
        '@tool(\n    "write",\n    discoverable=True,\n    user=True,\n)\ndef b() -> None: ...\n',
        encoding="utf-8",
    )
    sheet = f"# Inn\n\n{status.BEGIN}{status.END}\nEnd.\n"
    (domains / "inn" / "README.md").write_text(sheet, encoding="utf-8")
    (domains / "inn" / "domain.toml").write_text(
        'description = "3 documents, 2 tools, 1 of them to be discovered, 1 tasks."\n',
        encoding="utf-8",
    )
    return status, status.read_domain(inn, corpora, domains)


def test_counts_of_a_small_domain(counted) -> None:
    status, domain = counted
    lines = list(status.tables(domain))
    n = {name: len(text) for docs in domain.texts.values() for name, text in docs.items()}
    assert f"| house | 2 | {n['prices.md'] + n['old-prices.md']} | 0 | 0 | 1 |" in lines
    assert f"| stable | 1 | {n['stable.md']} | 0 | 0 | 0 |" in lines
    assert f"| all | 3 | {sum(n.values())} | 0 | 0 | 1 |" in lines
    assert "| documents that are evidence | 1 |" in lines
    assert "| documents no longer in force | 1 |" in lines
    assert "| products | 1 |" in lines  # the inn and the horse are of another kind
    assert "| tools | 2 |" in lines
    assert "| of these on the customer's side | 1 |" in lines
    assert "| tables, rows of the database | 2, 3 |" in lines
    assert "| category | train | all |" in lines
    assert "| arithmetic | 1 | 1 |" in lines
    assert "| needs | 0 | 1 | 0 | 0 | 0 | 0 | 0 |" in lines


def test_a_stale_sheet_and_a_wrong_description_are_told(counted) -> None:
    status, domain = counted
    text = "\n".join(status.tables(domain)) + "\n"
    sheet = domain.folder / "README.md"
    assert list(status.differences(domain, text)) == [
        "inn/README.md is stale; run: python scripts/bank_status.py --write"
    ]
    sheet.write_text(status.with_tables(sheet.read_text("utf-8"), text), encoding="utf-8")
    assert list(status.differences(domain, text)) == []
    assert sheet.read_text("utf-8").endswith(f"{status.END}\nEnd.\n")
    (domain.folder / "domain.toml").write_text('description = "9 tasks"\n', encoding="utf-8")
    assert "should say '3 documents, 2 tools, 1 of them" in "".join(
        status.differences(domain, text)
    )


def test_a_sheet_without_marks_is_refused(counted) -> None:
    status, _ = counted
    with pytest.raises(SystemExit, match="needs the marks"):
        status.with_tables("# Inn\n", "tables")
