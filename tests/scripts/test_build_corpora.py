"""Building a corpus, its database and tasks from areas: what comes out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def build(script, inn, tmp_path):
    """Builds the inn and returns what is wrong with it."""
    module = script("build_corpora")
    return lambda: module.build(inn, tmp_path / "out", tmp_path / "domain")


def spoil(source: Path, name: str, old: str, new: str) -> None:
    """Replace a text that stands once in a source file."""
    text = (source / name).read_text(encoding="utf-8")
    assert text.count(old) == 1, (name, old)
    (source / name).write_text(text.replace(old, new), encoding="utf-8")


def test_documents_rows_and_task_are_filled(build, tmp_path, capsys) -> None:
    assert build() == []
    assert capsys.readouterr().out == "inn: 3 documents, 1 tasks\n"
    prices = (tmp_path / "out" / "prices.md").read_text(encoding="utf-8")
    assert "From 2 March 2026: A night in the Attic Room costs £31. Code AT-1." in prices
    assert "15% is taken off. Linen £4.20." in prices
    rows = json.loads((tmp_path / "domain" / "db.json").read_text(encoding="utf-8"))
    assert rows["stays"]["S-101"] == {
        "guest_id": "G-101", "product": "Attic Room", "nights": 7, "paid": 200.3,
    }  # fmt: skip
    assert sorted(rows["guests"]) == ["G-101", "G-201"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["files"]["prices.md"]["title"] == "Prices"
    assert manifest["files"]["prices.md"]["licence"] == "CC0"
    assert manifest["files"]["prices.md"]["metadata"] == {
        "category": "prices", "effective_date": "2026-03-02",
    }  # fmt: skip
    assert manifest["roles"]["stable.md"] == "distractor of prices.md"


def test_short_forms_become_a_task(build, tmp_path) -> None:
    build()
    task = json.loads((tmp_path / "domain/tasks/a_week.json").read_text(encoding="utf-8"))
    assert task["id"] == "a_week"
    criteria = task["evaluation_criteria"]
    find, verify, unlock, other, take = criteria["actions"]
    assert find == {
        "action_id": "find", "name": "find_customer", "arguments": {"name": "Ann Lee"},
    }  # fmt: skip
    assert verify["arguments"] == {
        "customer_id": "G-101", "date_of_birth": "1990-05-04", "postcode": "IN1 2AB",
    }  # fmt: skip
    assert unlock["arguments"] == {"tool_name": "take_payment_7"}
    assert (unlock["action_id"], other["action_id"]) == ("unlock", "unlock_2")
    # 7 nights at 31 are 217; 85 % of 217 is 184.45. The rest is 210 - 200.30 = 9.70.
    assert take["arguments"]["amount"] == 184.45
    assert criteria["communicate_info"] == ["£9.70", "£4.20"]
    assert task["derivations"]["take.amount"] == {"formula": "round(7 * 31 * (100 - 15) / 100, 2)"}
    assert task["derivations"]["communicate:0"]["names"]["rest"] == {"value": 210, "why": "told"}
    assert task["needs"][0]["evidence"] == [
        {"any_of": [{"doc_id": "prices.md", "quote": "A night in the Attic Room costs £31."}]}
    ]


def test_tasks_that_no_source_gives_are_removed(build, tmp_path) -> None:
    stale = tmp_path / "domain" / "tasks" / "stale.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}", encoding="utf-8")
    build()
    assert [path.name for path in stale.parent.iterdir()] == ["a_week.json"]


def test_building_twice_gives_the_same_bytes(build, inn, tmp_path) -> None:
    notation = "---\ntitle: House\n---\n# House\n\nText[^1] here.\n\n[^1]: A note.\n"
    for name in ("house.pdf.md", "rules.docx.md"):
        text = notation if name == "house.pdf.md" else notation.split("Text")[0]
        (inn / "house" / "docs" / name).write_text(text, encoding="utf-8")
        built = name.removesuffix(".md")
        with (inn / "house" / "documents.yaml").open("a", encoding="utf-8") as file:
            file.write(f"  {built}: {{role: distractor of prices.md}}\n")
    build()
    once = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    build()
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == once
    assert {"house.pdf", "rules.docx"} <= set(once)


def test_a_fact_that_nothing_uses_is_listed(build, inn, capsys) -> None:
    spoil(inn, "stable/facts.yaml", "oats: 3", "oats: 3, hay: 2, note: for winter")
    assert build() == []
    assert "unused fact: horse.hay\n" in capsys.readouterr().out


PROBLEMS = {
    "row out of range": (
        "stable/db.yaml", "G-201", "G-301", "'G-301' is outside of the area's numbers",
    ),
    "dangling reference": (
        "house/db.yaml", "{guest_id: G-101", "{guest_id: G-109",
        "S-101.guest_id names 'G-109', which is not among ['guests']",
    ),
    "unknown product": (
        "house/db.yaml", '"{{ attic.name }}"', "Cellar Room",
        "S-101 has the product 'Cellar Room', which no fact names",
    ),
    "statement missing": (
        "house/checks.yaml", "costs £31.", "costs £32.",
        "the statement 'A night in the Attic Room costs £32.' stands in it 0 times, not once",
    ),
    "code in another document": (
        "house/docs/old-prices.md", "cost £29.", "cost £29, code AT-1.",
        "code 'AT-1': expected in ['prices.md'], is in ['old-prices.md', 'prices.md']",
    ),
    "evidence without a need": (
        "stable/documents.yaml", "distractor of prices.md", "evidence",
        "stable.md: its role is evidence, but no task's need points to it",
    ),
    "need of a distractor": (
        "house/documents.yaml", "02, role: evidence", "02, role: distractor of stable.md",
        "prices.md: a need points to it, its role says otherwise",
    ),
    "distractor of a distractor": (
        "stable/documents.yaml", "of prices.md", "of old-prices.md",
        "stable.md: it is the distractor of old-prices.md, to which no task's need points",
    ),
    "unknown role": (
        "stable/documents.yaml", "distractor of prices.md", "filler",
        "stable.md: role 'filler' is neither 'evidence' nor 'distractor of <a document>'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_are_reported_together(build, inn, case) -> None:
    name, old, new, message = PROBLEMS[case]
    spoil(inn, name, old, new)
    assert message in "\n".join(build())


REFUSED = {
    "unknown fact": (
        "house/docs/prices.md", "attic.night", "attic.day",
        r"prices\.md: there is no 'day' among: name, code, night, linen",
    ),
    "unknown group": ("house/docs/prices.md", "attic.night", "cellar.night", "'cellar' is undef"),
    "statement in a document": (
        "house/docs/prices.md", "# Prices", "{% if 1 %}x{% endif %}", "only {{ expressions }} are",
    ),
    "group as a value": (
        "house/db.yaml", "nights: 7", "nights: '{{ attic }}'", "is a group of facts and no value",
    ),
    "fact of two areas": (
        "stable/facts.yaml", "horse:", "attic:", r"'attic' stands in .*house/facts\.yaml too",
    ),
    "fact that is no group": (
        "stable/facts.yaml", "horse: {kind: animal, oats: 3}", "horse: 3", "is no group of facts",
    ),
    "key twice": ("stable/facts.yaml", "oats: 3", "oats: 3, oats: 4", "'oats' stands twice"),
    "row of two areas": ("stable/db.yaml", "G-201", "G-101", "guests 'G-101' stands twice"),
    "unlisted document": (
        "stable/documents.yaml", "  stable.md: {role: distractor of prices.md}", "  {}",
        r"Not listed: \['stable\.md'\]\. Listed, but absent: \[\]",
    ),
    "listed and absent": (
        "stable/documents.yaml", "  stable.md:", "  barn.md: {}\n  stable.md:",
        r"Not listed: \[\]\. Listed, but absent: \['barn\.md'\]",
    ),
    "document of two areas": (
        "stable/documents.yaml", "stable.md", "prices.md", "'prices.md' is listed by another area",
    ),
    "id that is not the file's": (
        "house/tasks/a_week.yaml", "category:", "id: two\ncategory:",
        "the id 'two' is not the name of the file",
    ),
    "customer without a row": (
        "house/tasks/a_week.yaml", "identify: G-101", "identify: G-999",
        "there is no customer 'G-999' to identify",
    ),
    "row in an expression": (
        "house/tasks/a_week.yaml", "row('S-101').nights", "row('S-999').nights",
        "the database has no row 'S-999'",
    ),
    "inexact number": (
        "house/docs/prices.md", "attic.linen |", "(attic.linen * 0.5) |",
        "unsupported operand|no exact number",
    ),
    "too many decimals": (
        "house/docs/prices.md", "attic.linen |", "(attic.linen / 11) |", "more decimals than are",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_built_is_refused(build, inn, script, case) -> None:
    name, old, new, message = REFUSED[case]
    spoil(inn, name, old, new)
    with pytest.raises(script("corpus_facts").SourceError, match=message):
        build()


def test_besides_areas_there_may_be_nothing(build, inn, script) -> None:
    (inn / "notes.txt").write_text("buy oats", encoding="utf-8")
    with pytest.raises(script("corpus_facts").SourceError, match=r"found \['notes\.txt'\]"):
        build()


def test_the_command_says_what_is_wrong(script, inn, tmp_path, monkeypatch, capsys) -> None:
    module = script("build_corpora")
    monkeypatch.setattr(module, "SOURCES", inn.parent)
    assert module.main(["--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "domains" / "inn" / "tasks" / "a_week.json").exists()
    spoil(inn, "house/db.yaml", '"{{ attic.name }}"', "Cellar Room")
    assert module.main(["--out", str(tmp_path / "out"), "--only", "inn"]) == 1
    assert "Cellar Room" in capsys.readouterr().err
    (inn / "house" / "docs" / "prices.md").rename(inn / "house" / "docs" / "prices.docx.md")
    assert module.main(["--out", str(tmp_path / "out")]) == 1
    assert "prices.docx.md has no front matter" in capsys.readouterr().err
