"""Every built-in domain holds what it promises, and the corpora are what their sources give."""

from __future__ import annotations

import filecmp
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.config import EvalConfig, ValidateConfig
from ragbench.domains import builtin_domains
from ragbench.runner import prepare, run
from ragbench.validate import validate

DOMAINS = sorted(builtin_domains())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def rewards(domain, setup, store, tmp_path) -> dict[str, float | None]:
    config = EvalConfig(
        domain=domain, store=store, retrieval_config=setup, save_to=tmp_path / f"{domain}-{setup}"
    )
    return {score.task_id: score.score.reward for score in run(prepare(config)).scores}


@pytest.mark.timeout(900)  # 3,679 replays of the bank, a minute on an idle core
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_validates(domain, store) -> None:
    report = validate(ValidateConfig(domain, store=store))
    assert report.findings == ()
    assert report.not_checked == ()
    assert report.n_tasks >= 9


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("setup", ["golden_retrieval", "golden_passages", "full_kb"])
def test_with_the_evidence_at_hand_the_oracle_solves_every_task(
    domain, setup, store, tmp_path
) -> None:
    found = rewards(domain, setup, store, tmp_path)
    assert len(found) >= 9
    assert {task: reward for task, reward in found.items() if reward != 1.0} == {}


@pytest.mark.parametrize("domain", DOMAINS)
def test_without_knowledge_only_tasks_without_needs_are_solved(domain, store, tmp_path) -> None:
    prepared = prepare(EvalConfig(domain=domain, store=store, retrieval_config="no_knowledge"))
    found = rewards(domain, "no_knowledge", store, tmp_path)
    assert found == {task.id: float(not task.needs) for task in prepared.tasks}


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_task_has_a_script_a_reason_and_an_end_that_differs_from_its_start(
    domain, store
) -> None:
    prepared = prepare(EvalConfig(domain=domain, store=store, retrieval_config="no_knowledge"))
    for task in prepared.tasks:
        assert task.user_scenario.script, task.id
        assert task.user_scenario.instructions, task.id
        assert task.why, task.id
        gold = prepared.gold[task.id]
        criteria = task.evaluation_criteria
        assert gold.start_hash != gold.end_hash or criteria.communicate_info, task.id


def differing(built: Path, shipped: Path, pattern: str) -> list[str]:
    """Names of files that stand in one folder only, or differ."""
    names = {p.relative_to(built).as_posix() for p in built.rglob(pattern) if p.is_file()}
    kept = {p.relative_to(shipped).as_posix() for p in shipped.rglob(pattern) if p.is_file()}
    common = sorted(names & kept)
    _, different, unreadable = filecmp.cmpfiles(built, shipped, common, shallow=False)
    return sorted({*(names ^ kept), *different, *unreadable})


def test_corpora_databases_and_tasks_are_what_their_sources_give(repository, tmp_path) -> None:
    builder = repository / "scripts" / "build_corpora.py"
    subprocess.run([sys.executable, str(builder), "--out", str(tmp_path)], check=True)
    for folder in sorted((repository / "corpora" / "src").iterdir()):
        assert differing(tmp_path / folder.name, repository / "corpora" / folder.name, "*") == []
    for folder in sorted((tmp_path / "domains").iterdir()):
        shipped = repository / "domains" / folder.name
        assert differing(folder, shipped, "*.json") == []


def test_the_recorded_examples_are_what_the_script_records(repository, tmp_path) -> None:
    script = repository / "scripts" / "record_mock.py"
    target = tmp_path / "labels.jsonl"
    subprocess.run(
        [sys.executable, str(script), "--out", str(target), "--store", str(tmp_path / "store")],
        check=True,
    )
    shipped = repository / "domains" / "mock" / "recorded" / "labels.jsonl"
    assert target.read_bytes() == shipped.read_bytes()
