"""The page of a grid in a real Chromium: it shows plots, sorts, filters, and asks no network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragbench.compare import compare, make_results, plan_grid
from ragbench.config import CompareConfig
from ragbench.report import write_compare_files

pytestmark = pytest.mark.browser

NASTY = "</script><img src=x onerror=\"document.title='owned'\"> & <b>bold</b>"


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """A real grid over a corpus with odd names and a question that tries to break out."""
    folder = tmp_path_factory.mktemp("grid")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "price list 5%.md").write_text("# Prices\n\nA wire costs 25 dollars.\n", "utf-8")
    (docs / "hours.md").write_text("# Hours\n\nThe branch opens at nine.\n", "utf-8")
    (docs / "cards.md").write_text("# Cards\n\nA lost card is replaced in a week.\n", "utf-8")
    wire = [{"doc_id": "price list 5%.md", "quote": "A wire costs 25 dollars."}]
    lost = [{"doc_id": "cards.md", "quote": "A lost card is replaced in a week."}]
    asked = [
        {"id": "wire", "question": "What does a wire cost?", "evidence": wire},
        {"id": "nasty", "question": f"Which card is lost? {NASTY}", "evidence": lost},
        {"id": "hard", "question": "zyx", "evidence": lost},
    ]
    questions = folder / "questions.jsonl"
    questions.write_text("".join(json.dumps(one) + "\n" for one in asked), "utf-8")
    config = CompareConfig(
        corpus=docs, questions=questions, store=folder / "store", save_to=folder / "run",
        chunkers=("document", "fixed(size_tokens=8)"), retrievers=("bm25", "dense"), k=(1, 2),
    )  # fmt: skip
    planned = plan_grid(config)
    found = compare(planned)
    results = make_results(found.questions, found.cells, found.baseline, found.metric, 0)
    return write_compare_files(
        found.folder, planned.subject.name, found.questions, results, found.resolved["environment"]
    )


@pytest.fixture
def view(browser, page) -> Callable[[str], None]:
    def open_view(fragment: str = "") -> None:
        browser.open(page.as_uri() + fragment)

    return open_view


SHOWN = "[...document.querySelectorAll('table.grid tbody tr')].filter(r => !r.hidden)"


def names(browser) -> list[str]:
    return browser.run(f"{SHOWN}.map(r => r.dataset.name)")


def column(browser, key: str) -> list[str]:
    number = f"[...document.querySelectorAll('th')].findIndex(h => h.dataset.key === '{key}')"
    return browser.run(f"{SHOWN}.map(r => r.cells[{number}].dataset.v)")


def test_it_shows_table_plots_heat_map_and_worst_questions(browser, view) -> None:
    view()
    assert len(names(browser)) == 8  # 2 chunkers x (bm25, dense) x 2 k
    assert browser.run("document.querySelectorAll('svg.plot').length") == 2
    points = browser.run(
        "document.querySelectorAll('svg.plot')[0].querySelectorAll('.point').length"
    )
    assert points == 8
    assert browser.run("document.querySelectorAll('#heat rect').length") == 8 * 3
    assert browser.run("document.querySelector('.question summary').textContent").endswith("hard")
    missed = browser.run("document.querySelector('.question .passage').textContent")
    assert missed == "A lost card is replaced in a week."
    assert browser.errors == []


def test_a_click_on_a_head_sorts_and_a_second_one_turns_the_order(browser, view) -> None:
    view()
    click = "document.querySelector('th[data-key=tokens] button').click()"
    browser.run(click)
    falling = [float(value) for value in column(browser, "tokens")]
    assert falling == sorted(falling, reverse=True)
    assert len(set(falling)) > 1
    browser.run(click)
    rising = [float(value) for value in column(browser, "tokens")]
    assert rising == sorted(falling)
    assert browser.run("location.hash") == "#sort=tokens&dir=asc"
    state = "document.querySelector('th[data-key=tokens]').getAttribute('aria-sort')"
    assert browser.run(state) == "ascending"


def test_typing_filters_table_plots_and_heat_map(browser, view) -> None:
    view()
    browser.run(
        "{ const box = document.getElementById('filter'); box.value = 'BM25 k=2';"
        "box.dispatchEvent(new Event('input')); }"
    )
    assert names(browser) == ["document / bm25 / k=2", "fixed(size_tokens=8) / bm25 / k=2"]
    assert browser.run("document.getElementById('count').textContent") == "2 of 8 setups"
    shown = "[...document.querySelectorAll('.point')].filter(p => !p.hasAttribute('hidden')).length"
    assert browser.run(shown) == 2 * 2  # two setups in two plots
    assert browser.run("document.querySelectorAll('#heat rect').length") == 2 * 3
    assert browser.run("location.hash") == "#filter=BM25+k%3D2"


def test_a_view_has_an_address(browser, view) -> None:
    view("#sort=R@2&dir=asc&filter=fixed")
    assert len(names(browser)) == 4
    assert all(name.startswith("fixed(size_tokens=8)") for name in names(browser))
    values = [float(value) for value in column(browser, "R")]
    assert values == sorted(values)
    assert browser.run("document.getElementById('filter').value") == "fixed"


def test_further_columns_are_hidden_until_they_are_asked_for(browser, view) -> None:
    view()
    hidden = "document.querySelector('th[data-key=\"span_recall(unit=tokens)\"]').hidden"
    assert browser.run(hidden) is True
    browser.run("document.querySelector('input[data-group=tokens]').click()")
    assert browser.run(hidden) is False
    assert browser.run("location.hash") == "#columns=tokens"


def test_pointing_at_a_square_tells_its_question(browser, view) -> None:
    view("#filter=document bm25 k=1")
    browser.run(
        "document.querySelector('#heat rect').dispatchEvent(new MouseEvent('mouseover', "
        "{bubbles: true}))"
    )
    told = browser.run("document.getElementById('told').textContent")
    assert told == "hard: zyx | document / bm25 / k=1: 0 %"


def test_what_was_read_stays_text(browser, view) -> None:
    view()
    assert browser.run("document.title").startswith("ragbench compare")
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert NASTY in browser.run("document.body.textContent")


def test_it_asks_nothing_of_any_network(browser, view, page) -> None:
    view("#sort=R")
    assert [address for address in browser.requests if not address.startswith("file:")] == []
    assert len({address.partition("#")[0] for address in browser.requests}) == 1
    assert browser.errors == []
