"""Markdown as people write it: comments, HTML by meaning, headings, front matter, by hand."""

from __future__ import annotations

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source


def load(tmp_path, text: str):
    (tmp_path / "a.md").write_text(text, encoding="utf-8", newline="")
    return LOADERS.create("files").load(Source(tmp_path / "a.md", "a.md", tmp_path))[0]


@pytest.mark.parametrize(
    ("source", "text", "left_out"),
    [
        ("A\n\n<!-- old: $40 -->\n\nB\n", "A\n\n\nB\n", {"comment": 1}),
        ("A <!-- old --> fee\n", "A fee\n", {"comment": 1}),
        ("A fee <!-- old\n\n# Old\n```\n--> of $5\n", "A fee of $5\n", {"comment": 1}),
        ("A <!-- a --><!-- b --> c\n", "A  c\n", {"comment": 2}),
        ("A\r\n<!--\r\nx\r\n-->\r\nB\r\n", "A\r\nB\r\n", {"comment": 1}),
        ("A\n\n<!-- never closed\n\nB\n", "A\n\n", {"comment": 1}),
        ("A <!-- never closed\n", "A <!-- never closed\n", {}),
        ("A <!-- --> b\n", "A b\n", {}),
        ("`<!-- x -->` and \\<!-- y -->\n", "`<!-- x -->` and \\<!-- y -->\n", {}),
        ("```html\n<!-- x -->\n<del>y</del>\n```\n",
         "```html\n<!-- x -->\n<del>y</del>\n```\n", {}),
        ("A\n\n    <!-- x -->\n", "A\n\n    <!-- x -->\n", {}),
        ("- a\n  ```\n  <!-- x -->\n  ```\n", "- a\n  ```\n  <!-- x -->\n  ```\n", {}),
        ("A fee of <del>$40</del> $35.\n", "A fee of  $35.\n", {"deleted": 1}),
        ("A fee of ~~$40~~ $35.\n", "A fee of  $35.\n", {"struck out": 1}),
        ("From ~5 to ~~~x\n", "From ~5 to ~~~x\n", {}),
        ("`~~x~~` \\~~y~~\n", "`~~x~~` \\~~y~~\n", {}),
        ("$35<sup>1</sup>, 10<sup>6</sup>, H<sub>2</sub>O, 1<sup>st</sup>\n",
         "$35[1], 10[6], H2O, 1st\n", {}),
        ("One<br>two<br/>\nthree\n", "One\ntwo\nthree\n", {}),
        ("| a | b |\n|---|---|\n| x<br>y | 2<sup>1</sup> |\n",
         "| a | b |\n|---|---|\n| x y | 2[1] |\n", {}),
        ("A <b>bold</b> <span class='x'>fee</span> <a href=\"x\">link</a>\n",
         "A bold fee link\n", {}),
        ("A <span hidden>no</span>fee <i style=\"display:none\">x</i>\n",
         "A fee \n", {"hidden": 2}),
        ("Pay <amount> to <account-id>, see <https://a.b/c>.\n",
         "Pay <amount> to <account-id>, see <https://a.b/c>.\n", {}),
        ("Give your <address> and <time>; 3 < 5 > 2\n",
         "Give your <address> and <time>; 3 < 5 > 2\n", {}),
        ("![A chart](c.png) <img src=x alt=\"Fees by year\">\n",
         "![A chart](c.png) Fees by year\n", {}),
        ("<table>\n<tr><th>Fee</th><th>USD</th></tr>\n\n<tr><td>Wire</td>"
         "<td>35<sup>1</sup></td></tr>\n</table>\n\nEnd\n", "Fee | USD\nWire | 35[1]\n\nEnd\n", {}),
        ("<div hidden>\n\nNo fee.\n\n</div>\n\nA fee.\n", "\nA fee.\n", {"hidden": 1}),
        ("<details>\n<summary>More</summary>\n\nA **fee**.\n\n</details>\n",
         "More\n\nA **fee**.\n\n", {}),
        ("<style>\np { color: red }\n</style>\n\nA fee.\n", "\nA fee.\n", {}),
        ("A fee[^1].\n\n[^1]: Per month.\n\nSee [terms][t].\n\n[t]: http://x\n",
         "A fee[^1].\n\n[^1]: Per month.\n\nSee [terms][t].\n\n[t]: http://x\n", {}),
        ("| a \\| b | c |\n|:--|--:|\n| 1 |\n", "| a \\| b | c |\n|:--|--:|\n| 1 |\n", {}),
        ("1\\. Fee \\*x\\* 5\\_6 &amp; &lt;b&gt;\n",
         "1\\. Fee \\*x\\* 5\\_6 &amp; &lt;b&gt;\n", {}),
    ],
)  # fmt: skip
def test_what_is_shown(tmp_path, source, text, left_out):
    document = load(tmp_path, source)
    assert (document.text, document.left_out) == (text, left_out)


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        ("# Fees {#fees}\n## Cards {.big} ##\n", ["Fees", "Fees > Cards"]),
        ("Fees\nof cards\n===\nx\n\nLimits\n---\n", ["Fees of cards", "Fees of cards > Limits"]),
        ("# Fees \\# 1 ##\n## C#\n", ["Fees # 1", "Fees # 1 > C#"]),
        ("# Tom &amp; Co `x_y` *a* ![p](q)\n", ["Tom & Co x_y a p"]),
        ("# [Fees][f] and [more](x)\n\n[f]: http://a\n", ["Fees and more"]),
        ("```\n# no\n```\n\n    # no\n\n# Yes\n", ["Yes"]),
        ("~~~~\n# no\n~~~\n# no\n~~~~\n# Yes\n", ["Yes"]),
        ("- a\n\n  ```\n  # no\n  ```\n\n# Yes\n", ["Yes"]),
        ("#no\n#\n####### no\n\\# no\n", []),
        ("- item\n---\n\n| a | b |\n---\n", []),
        ("<h2>Fees</h2>\n\nx\n\n<h3>Cards <sup>1</sup></h3>\n\ny\n", ["Fees", "Fees > Cards [1]"]),
        ("A <!--\n\n# Old\n\n--> fee\n\n# New\n", ["New"]),
        ("\r\n# A\r\n\r\nB\r\nb\r\n---\r\n", ["A", "A > B b"]),
        ("# Old ~~fees~~ <del>x</del>rates<br>now\n", ["Old rates now"]),
    ],
)
def test_headings(tmp_path, source, headings):
    document = load(tmp_path, source)
    assert [place.heading for place in document.places] == headings
    for place in document.places:  # every place begins with the words of its heading
        first = place.heading.rsplit(" > ", 1)[-1].split()[0]
        assert first in document.text[place.start : place.end].split("\n")[0]


@pytest.mark.parametrize(
    ("front", "metadata"),
    [
        ("---\ntags:\n- a\n- b\nsince: 2024-05-01\nat: 2024-05-01 10:30:00\n---\n",
         {"tags": "a, b", "since": "2024-05-01", "at": "2024-05-01T10:30:00"}),
        ("---\nfee: 12.50\ncode: 0042\nopens: 12:30\nbig: 1_000\nrate: 1.5\nn: 7\n---\n",
         {"fee": "12.50", "code": "0042", "opens": "12:30", "big": "1_000", "rate": 1.5, "n": 7}),
        ("---\ncountry: NO\npublic: true\nfinal: yes\n---\n",
         {"country": "NO", "public": True, "final": "yes"}),
        ("---\nowner: {name: x, ids: [1, 2]}\n---\n",
         {"owner.name": "x", "owner.ids": "1, 2"}),
        ("+++\ndate = 2024-05-01\ntags = ['a', 'b']\nfee = 12.50\n[owner]\nname = 'x'\n+++\n",
         {"date": "2024-05-01", "tags": "a, b", "fee": "12.50", "owner.name": "x"}),
        ("---\r\ntags: [a]\r\n---\r\n", {"tags": "a"}),
    ],
)  # fmt: skip
def test_front_matter(tmp_path, front, metadata):
    document = load(tmp_path, f"{front}A fee.\n")
    assert (document.text, document.metadata) == ("A fee.\n", metadata)


def test_a_key_twice_in_a_front_matter(tmp_path):
    with pytest.raises(DocumentUnreadable, match="the key 'fee' stands twice"):
        load(tmp_path, "---\nfee: 1\nfee: 2\n---\nx\n")
