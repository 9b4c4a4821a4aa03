"""The page explains every rule: what it means, a broken task, and the fix."""

from __future__ import annotations

import re

import pytest

from ragbench.validate import RULES


@pytest.fixture(scope="module")
def sections(repository):
    page = (repository / "docs" / "validate.md").read_text(encoding="utf-8")
    found = re.findall(r"^### `([\w.]+)`\n(.*?)(?=^##|\Z)", page, re.S | re.M)
    assert len(found) == len(dict(found))
    return dict(found)


def test_every_rule_has_a_section_and_every_section_a_rule(sections) -> None:
    assert set(sections) == set(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_section_has_severity_a_broken_example_and_the_fix(rule, sections) -> None:
    text = sections[rule.id]
    assert text.startswith(f"Severity: {rule.severity.value}. ")
    broken, fix = re.search(
        r"^Broken: .+?^```\w+\n(.+?)```\nFix: .+?^```\w+\n(.+?)```", text, re.S | re.M
    ).groups()
    assert broken != fix


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_says_what_it_means_and_what_to_do(rule) -> None:
    assert rule.means.endswith(".")
    assert rule.remedy.endswith(".")
    assert rule.check.__doc__
