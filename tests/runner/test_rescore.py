"""Grading a stored run again: same tasks, other tasks, ids mixed up, an index that is gone."""

from __future__ import annotations

import json
import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import RunError
from ragbench.runner import RunFolder, prepare, rescore, rescoring, run

clerk = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "clerk.py")))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def domain(repository, tmp_path) -> Path:
    """A copy of the mock domain, to be changed."""
    shutil.copytree(repository / "domains" / "mock", tmp_path / "domains" / "mock")
    shutil.copytree(repository / "corpora" / "mock", tmp_path / "corpora" / "mock")
    return tmp_path / "domains" / "mock"


def played(store, folder, domain="mock", **changes):
    """A run of the oracle, with a setup that fails some tasks."""
    base = EvalConfig(domain=str(domain), store=store, retrieval_config="bm25", save_to=folder)
    return run(prepare(replace(base, **changes)))


def again(folder, **how):
    """The run graded again."""
    found = rescoring(folder, **how)
    return rescore(found, prepare(found.config, domain=found.domain, to_play=False))


def change(path: Path, edit) -> None:
    """Edit a task file."""
    task = json.loads(path.read_text(encoding="utf-8"))
    edit(task)
    path.write_text(json.dumps(task), encoding="utf-8")


def edit_lines(folder, edit) -> None:
    """Edit every line of the stored trajectories."""
    path = folder / "trajectories.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    edit(found)
    path.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")


def reward_of(result, task_id):
    return {score.task_id: score.score.reward for score in result.scores}[task_id]


@pytest.mark.parametrize("setup", ["bm25", "no_knowledge"])
def test_equal_tasks_give_equal_bytes(store, tmp_path, setup) -> None:
    folder = tmp_path / "run"
    first = played(store, folder, retrieval_config=setup, num_trials=2)
    names = ("scores.jsonl", "summary.json", "trajectories.jsonl", "config.json")
    before = {name: (folder / name).read_bytes() for name in names}
    (folder / "scores.jsonl").write_text("", encoding="utf-8")
    result = again(folder)
    assert {name: (folder / name).read_bytes() for name in names} == before
    assert result.scores == first.scores
    assert (result.n_played, result.n_kept) == (0, 18)


def test_another_domain_is_refused_unless_it_is_asked_for(store, tmp_path, domain) -> None:
    """The customer must be told 2026-03-03; after the change 2026-03-04, which nobody said."""
    folder = tmp_path / "run"
    first = played(store, folder, domain)
    assert reward_of(first, "due_date") == 1.0
    change(
        domain / "tasks" / "due_date.json",
        lambda task: task["evaluation_criteria"].update(communicate_info=["2026-03-04"]),
    )
    before = (folder / "scores.jsonl").read_bytes()
    with pytest.raises(RunError, match=r"not as it was .* by --fresh-tasks"):
        again(folder)
    assert (folder / "scores.jsonl").read_bytes() == before
    result = again(folder, fresh_tasks=True)
    assert reward_of(result, "due_date") == 0.0
    others = [s for s in result.scores if s.task_id != "due_date"]
    assert others == [s for s in first.scores if s.task_id != "due_date"]


def test_a_task_that_is_gone_is_a_named_failure(store, tmp_path, domain) -> None:
    folder = tmp_path / "run"
    played(store, folder, domain)
    (domain / "tasks" / "due_date.json").unlink()
    result = again(folder, fresh_tasks=True)
    (score,) = [score for score in result.scores if score.task_id == "due_date"]
    assert score.score.reward is None
    assert score.score.reason == "the domain has no task 'due_date' any more"
    assert (result.summary["n_trials_expected"], result.summary["n_trials_scored"]) == (9, 8)
    assert (score.diagnosis.label, score.diagnosis.attribution) == (None, None)


@pytest.mark.parametrize("with_hash", [True, False])
def test_ids_that_were_mixed_up_are_found(store, tmp_path, with_hash) -> None:
    """By the task's hash; where an old line has none, by the first words of the script."""
    folder = tmp_path / "run"
    played(store, folder)

    def mix(found) -> None:
        ids = [line["task_id"] for line in found]
        for line, task_id in zip(found, [*ids[1:], ids[0]], strict=True):
            line["task_id"] = task_id
            if not with_hash:
                del line["task_sha256"]

    edit_lines(folder, mix)
    with pytest.raises(RunError, match=r"was played on '.*'\. Its ids have been mixed up"):
        again(folder)
    with pytest.raises(RunError, match="mixed up"):
        played(store, folder)


def test_causes_of_an_index_that_is_gone_are_kept_and_marked(store, tmp_path) -> None:
    """Chunks of 24 tokens lose evidence to ``split`` and ``cut_off``, which need the index."""
    folder = tmp_path / "run"
    first = played(store, folder, chunker="fixed(size_tokens=24, overlap_tokens=0)")
    causes = {s.task_id: s.diagnosis.causes for s in first.scores if s.diagnosis.causes}
    assert {name for found in causes.values() for name in found} & {"split", "cut_off", "query"}

    def move(found) -> None:
        for line in found:
            line["index_id"] = "of-another-machine"

    edit_lines(folder, move)
    result = again(folder)
    assert {s.task_id: s.diagnosis.causes for s in result.scores if s.diagnosis.causes} == causes
    marked = {score.task_id for score in result.scores if score.diagnosis.causes_kept}
    assert marked == set(causes)
    assert result.summary["n_causes_kept"] == len(causes)
    (folder / "scores.jsonl").unlink()  # nothing to keep: then they are undetermined
    lost = again(folder)
    found = {name for score in lost.scores for name in score.diagnosis.causes}
    assert found == {"undetermined"}
    assert lost.summary["n_causes_kept"] == 0


def test_another_corpus_is_refused(store, tmp_path, domain) -> None:
    folder = tmp_path / "run"
    played(store, folder, domain)
    page = next((tmp_path / "corpora" / "mock").glob("*.md"))
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    with pytest.raises(RunError, match="The corpus of 'mock' is not that of the run"):
        again(folder)


def test_a_judge_may_come_later(store, tmp_path, domain, monkeypatch) -> None:
    """With an assertion in words in its basis, a trial is judged only when somebody has read it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")

    def assert_in_words(task) -> None:
        criteria = task["evaluation_criteria"]
        criteria["nl_assertions"] = ["The agent named a date."]
        criteria["reward_basis"].append("NL_ASSERTION")

    change(domain / "tasks" / "due_date.json", assert_in_words)
    folder = tmp_path / "run"
    first = played(store, folder, domain, task_ids=("due_date",))
    assert first.scores[0].score.reward is None
    assert first.scores[0].score.reason == "not judged: NL_ASSERTION"
    with clerk.server.ModelServer(clerk.answer) as running:
        judge = LLMConfig("openai/gpt-4.1", base_url=running.url)
        result = again(folder, changes={"judge_llm": judge})
        asked = len(running.requests)
        again(folder, changes={"judge_llm": judge})
        assert len(running.requests) == asked  # it has been read
    assert reward_of(result, "due_date") == 1.0
    assert reward_of(again(folder), "due_date") == 1.0  # and stays read without a judge
    assert result.summary["models"]["roles"]["judge"]["n_calls"] == asked


def test_a_folder_that_holds_no_run_is_named(tmp_path) -> None:
    with pytest.raises(RunError, match=r"holds no run: there is no config\.json"):
        rescoring(tmp_path)
    (tmp_path / "config.json").write_text('{"identity": {}}', encoding="utf-8")
    with pytest.raises(RunError, match="does not say with which options the run was started"):
        rescoring(tmp_path)


def test_options_come_back_as_they_were(store, tmp_path) -> None:
    """Of a run with everything set, through its config.json."""
    from ragbench.runner import config_of
    from ragbench.runner._resolved import resolved

    model = LLMConfig(
        "openai/m", args='{"top_p": 0.5}', base_url="http://127.0.0.1:1/v1",
        api_key_env="MY_KEY", timeout_s=3.0, rpm=7, stream=True, temperature=0.25,
    )  # fmt: skip
    config = EvalConfig(
        domain="mock", store=store, retrieval_config="bm25", agent="llm", user="llm",
        tool_mode="react", agent_llm=model, user_llm=model, judge_llm=model, timeout_s=9.0,
        budget_usd=2.5, counterfactual=True, baselines=True, task_ids=("due_date",), k=3,
        num_trials=2, max_steps=5, seed=4, max_concurrency=6, save_to=tmp_path / "run",
        llm_cache="record", llm_cache_file=tmp_path / "tape.jsonl",
    )  # fmt: skip
    stored = json.loads(json.dumps(resolved(prepare(config))))
    assert config_of(stored, tmp_path / "run") == config
    assert RunFolder(tmp_path / "run").finished() is None
