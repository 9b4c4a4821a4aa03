"""Trials that beat the reference: listed with the passage that was read, or as a guess."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragbench.config import EvalConfig, ValidateConfig
from ragbench.errors import RunError
from ragbench.records import NeedStatus
from ragbench.runner import RunFolder, prepare, run
from ragbench.validate import validate

FERRY = Path(__file__).parent / "ferry"
SETUPS = ("no_knowledge", "bm25", "golden_retrieval")
LEAFLET = "# Summer\n\nBy sea your bicycle has its place at the rail: it costs £7.25.\n"


@pytest.fixture
def domain(tmp_path):
    folder = Path(shutil.copytree(FERRY, tmp_path / "ferry"))
    (folder / "docs" / "leaflet.md").write_text(LEAFLET, encoding="utf-8")
    return folder


def a_run(domain: Path, tmp_path: Path, setup: str) -> Path:
    """A run of the oracle, whose scores are then marked as if the reference had failed there."""
    config = EvalConfig(
        domain=str(domain),
        store=tmp_path / "store",
        retrieval_config=setup,
        task_ids=("two_bicycles",),
        save_to=tmp_path / f"run-{setup}",
    )
    result = run(prepare(config))
    folder = RunFolder(result.folder)
    folder.write_scores(s.model_copy(update={"beats_reference": True}) for s in result.scores)
    return result.folder


def beaten(domain: Path, tmp_path: Path, *runs: Path) -> list[str]:
    config = ValidateConfig(str(domain), store=tmp_path / "store", setups=SETUPS, runs=runs)
    found = [f for f in validate(config).findings if f.rule == "runs.beats_reference"]
    assert all(f.severity.value == "warning" and f.task == "two_bicycles" for f in found)
    assert [f.file for f in found] == [str(path) for path in runs]
    return [f.message for f in found]


def test_all_evidence_found(domain, tmp_path) -> None:
    (message,) = beaten(domain, tmp_path, a_run(domain, tmp_path, "bm25"))
    assert message == ("trial 0: all evidence was found, by other queries than the written ones")


def test_nothing_read_is_a_guess(domain, tmp_path) -> None:
    (message,) = beaten(domain, tmp_path, a_run(domain, tmp_path, "no_knowledge"))
    assert message.startswith("trial 0: need 'price': nothing that was read states its values")


def test_another_passage_is_shown(domain, tmp_path) -> None:
    path = a_run(domain, tmp_path, "bm25")
    folder = RunFolder(path)
    (trajectory,) = folder.trajectories().values()
    event = trajectory.events[0]
    leaflet = event.hits[0].model_copy(
        update={"doc_id": "leaflet.md", "start": 0, "end": len(LEAFLET.strip())}
    )
    read = event.model_copy(update={"hits": (leaflet,), "n_delivered": 1})
    lines = trajectory.model_copy(update={"events": (read,)}).model_dump_json() + "\n"
    (path / "trajectories.jsonl").write_text(lines, encoding="utf-8")
    (score,) = folder.finished()[0]
    unmet = [n.model_copy(update={"status": NeedStatus.UNMET}) for n in score.diagnosis.needs]
    diagnosis = score.diagnosis.model_copy(update={"needs": tuple(unmet)})
    folder.write_scores([score.model_copy(update={"diagnosis": diagnosis})])
    (message,) = beaten(domain, tmp_path, path)
    assert message.startswith("trial 0: need 'price': read leaflet.md#0-")
    assert "it costs £7.25" in message


def test_a_folder_that_is_no_run_or_of_another_domain_is_refused(domain, tmp_path) -> None:
    config = ValidateConfig(str(domain), store=tmp_path / "store", setups=SETUPS)
    with pytest.raises(RunError, match=r"it holds no trajectories\.jsonl"):
        validate(ValidateConfig(config.domain, store=config.store, setups=SETUPS, runs=(tmp_path,)))
    path = a_run(domain, tmp_path, "no_knowledge")
    settings = path / "config.json"
    text = settings.read_text(encoding="utf-8").replace('"domain": "ferry"', '"domain": "train"')
    settings.write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match="is a run of 'train', not of 'ferry'"):
        validate(ValidateConfig(config.domain, store=config.store, setups=SETUPS, runs=(path,)))
