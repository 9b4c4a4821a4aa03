"""Tables and front matter as people bring them, with the right value worked out by hand."""

from __future__ import annotations

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source


def load(tmp_path, name: str, text: str) -> list[tuple[str, str]]:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    found = LOADERS.create("files").load(Source(tmp_path / name, name, tmp_path))
    return [(document.doc_id, document.text) for document in found]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ('id,"price\n(USD)",text\n1,25,A wire\n', [("a.csv::1", "A wire")]),
        ("sep=;\r\nid;text\r\n1;A wire\r\n", [("a.csv::1", "A wire")]),
        ("sep=|\nid|text\n1|A wire, abroad\n", [("a.csv::1", "A wire, abroad")]),
        ("\ufeffid;text\n1;A wire\n", [("a.csv::1", "A wire")]),
        ("service,price\nWire,25.00\n\nCard,\n",
         [("a.csv::2", "service: Wire\nprice: 25.00"), ("a.csv::4", "service: Card")]),
        ("service;price\nWire;1,50\n", [("a.csv::2", "service: Wire\nprice: 1,50")]),
        ('id,"price\n(USD)"\n7,"2\n5"\n', [("a.csv::7", "id: 7\nprice (USD): 2 5")]),
    ],
)  # fmt: skip
def test_csv(tmp_path, text, documents):
    assert load(tmp_path, "a.csv", text) == documents


def test_a_long_column_without_a_name_for_text_is_asked_for(tmp_path):
    with pytest.raises(DocumentUnreadable, match=r"files\(text_fields=body\)"):
        load(tmp_path, "a.csv", f"id,body\n1,{'x' * 201}\n")


def test_headings_in_comments_of_markdown_are_none(tmp_path):
    text = (
        "# Fees\n\n<!--\n# Old\n```\n-->\n\n<!-- one line -->\n## Cards\n```\n<!--\n```\n# Last\n"
    )
    (tmp_path / "a.md").write_text(text)
    (document,) = LOADERS.create("files").load(Source(tmp_path / "a.md", "a.md", tmp_path))
    assert [place.heading for place in document.places] == ["Fees", "Fees > Cards", "Last"]


def test_toml_front_matter(tmp_path):
    (tmp_path / "a.md").write_text('+++\ntitle = "Fees"\nlevel = 2\n+++\n# A\n')
    (document,) = LOADERS.create("files").load(Source(tmp_path / "a.md", "a.md", tmp_path))
    assert (document.title, document.text, document.metadata) == ("Fees", "# A\n", {"level": 2})
    (tmp_path / "a.md").write_text("+++\ntitle = \n+++\n# A\n")
    with pytest.raises(DocumentUnreadable, match="is not TOML"):
        LOADERS.create("files").load(Source(tmp_path / "a.md", "a.md", tmp_path))
