"""The scripts as modules, and a small corpus with two areas that each test may spoil."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

FILES = {
    "house/facts.yaml": """\
inn: {kind: house, day_price: 12.50, week_percent: 15, from: 2026-03-02}
attic: {name: Attic Room, code: AT-1, night: 31, linen: 4.20}
""",
    "house/documents.yaml": """\
licence: CC0
documents:
  prices.md: {category: prices, effective_date: 2026-03-02, role: evidence}
  old-prices.md: {effective_until: 2026-03-01, role: distractor of prices.md}
""",
    "house/checks.yaml": """\
statements:
  prices.md: ["A night in the Attic Room costs £31."]
codes:
  AT-1: prices.md
""",
    "house/db.yaml": """\
ids: "1"
references: {stays.guest_id: [guests]}
rows:
  guests:
    G-101: {name: Ann Lee, date_of_birth: "1990-05-04", postcode: IN1 2AB}
  stays:
    S-101: {guest_id: G-101, product: "{{ attic.name }}", nights: 7, paid: 200.30}
""",
    "house/docs/prices.md": """\
# Prices

From {{ inn.from | date }}: A night in the Attic Room costs {{ attic.night | gbp }}. Code AT-1.
From seven nights {{ inn.week_percent | percent }} is taken off. Linen {{ attic.linen | gbp }}.
""",
    "house/docs/old-prices.md": "# Prices of 2025\n\nA night in the Attic Room cost £29.\n",
    "house/tasks/a_week.yaml": """\
category: arithmetic
user_scenario: {instructions: You are Ann Lee., script: [{when: opening, say: "What is due?"}]}
evaluation_criteria:
  actions:
    - identify: G-101
    - unlock: take_payment_7
    - unlock: print_bill_8
    - action_id: take
      name: take_payment_7
      arguments:
        stay_id: S-101
        amount:
          formula: >-
            round({{ row('S-101').nights }} * {{ attic.night }}
            * (100 - {{ inn.week_percent }}) / 100, 2)
  communicate_info:
    - {formula: "rest - {{ row('S-101').paid }}", names: {rest: {value: 210, why: told}}}
    - "{{ attic.linen | gbp }}"
needs:
  - id: night
    question: "What does she pay to sleep under the roof?"
    evidence:
      - {doc_id: prices.md, quote: "A night in the Attic Room costs {{ attic.night | gbp }}."}
    needed_by: [take]
""",
    "stable/facts.yaml": "horse: {kind: animal, oats: 3}\n",
    "stable/documents.yaml": "documents:\n  stable.md: {role: distractor of prices.md}\n",
    "stable/db.yaml": 'ids: "2"\nrows:\n  guests:\n    G-201: {name: Bo Ray}\n',
    "stable/docs/stable.md": """\
# Stable

Oats cost {{ horse.oats | gbp }}, a box {{ inn.day_price | gbp }} a day.
""",
}


@pytest.fixture
def script(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a script by name; scripts import one another as they do when run."""
    monkeypatch.syspath_prepend(str(repository / "scripts"))
    return importlib.import_module


@pytest.fixture
def inn(tmp_path: Path) -> Path:
    """The source of a corpus without faults."""
    source = tmp_path / "src" / "inn"
    for name, text in FILES.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return source
