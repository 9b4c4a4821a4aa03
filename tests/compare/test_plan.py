"""``ragbench plan``: what is read of runs, what is assumed, what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ragbench.cli._main import cli
from ragbench.compare import plan_run
from ragbench.errors import RunError, UsageError
from ragbench.records import Diagnosis, Score, Termination, TrialScore


@pytest.fixture
def a_run(tmp_path):
    """Makes the folder of an evaluation with these outcomes, tasks x trials."""

    def made(name, outcomes, deterministic=False):
        folder = tmp_path / name
        folder.mkdir()
        scores = [
            TrialScore(
                task_id=f"t{task}",
                trial=trial,
                termination=Termination.USER_STOP,
                n_steps=4,
                score=Score(reward=None if value is None else float(value)),
                diagnosis=Diagnosis(label="efficient"),
            )
            for task, row in enumerate(outcomes)
            for trial, value in enumerate(row)
        ]
        lines = "".join(score.model_dump_json() + "\n" for score in scores)
        (folder / "scores.jsonl").write_text(lines)
        (folder / "config.json").write_text(json.dumps({"identity": {"domain": "x"}}))
        (folder / "summary.json").write_text(json.dumps({"deterministic": deterministic}))
        return folder

    return made


def test_a_run_with_trials_is_planned_with_its_own_parts(a_run):
    # 10 tasks always solved, 10 never, 20 with 1 of 2: mean 1/2; within (0 x 20 + 1/2 x 20) / 40 =
    # 1/4; the means' variance 20 x 1/4 / 39 = 0.128205, less 1/8 = 0.003205 between.
    run = a_run("a", [[1, 1]] * 10 + [[0, 0]] * 10 + [[1, 0]] * 20)
    found = plan_run(run, 0.1)
    assert found.components.within == pytest.approx(0.25)
    assert found.population.between == pytest.approx(0.003205, abs=1e-6)
    assert [need.n_trials for need in found.needs] == [1, 2, 4, 8]
    # (1.96 + 0.8416)^2 x 0.4869 / 0.01 = 382 tasks with one trial by the normal approximation:
    # within 1/4 - 0.0032 and 0.24 - 0.64 x 0.0032 make 0.4847, and 0.04 x 0.0032 of the move.
    assert found.needs[0].n_tasks == pytest.approx(382, rel=0.12)
    assert found.detectable == pytest.approx(0.1 * (found.needs[1].n_tasks / 40) ** 0.5, rel=0.15)


def test_one_trial_is_planned_for_the_worst_until_a_second_run_tells(a_run):
    run = a_run("a", [[1]] * 20 + [[0]] * 20)
    alone = plan_run(run, 0.1)
    assert alone.population.between == 0.0
    assert alone.components.within is None
    # The second run differs on 4 of 40 tasks, twice either way: its differences have a variance of
    # 4 / 39, so at most half of that, 2 / 39, is within either run.
    other = a_run("b", [[1]] * 18 + [[0]] * 2 + [[0]] * 18 + [[1]] * 2)
    both = plan_run(run, 0.1, against=other)
    assert both.population.between == pytest.approx(0.25 - 2 / 39)
    assert both.needs[0].n_tasks < alone.needs[0].n_tasks / 2


def test_agents_that_are_good_at_different_tasks_need_more(a_run):
    generator = np.random.default_rng(1)
    rates = generator.beta(1, 1, size=60)
    one = a_run("a", generator.binomial(1, np.repeat(rates[:, None], 4, axis=1)).tolist())
    like = a_run("b", generator.binomial(1, np.repeat(rates[:, None], 4, axis=1)).tolist())
    unlike = a_run("c", generator.binomial(1, np.repeat(rates[::-1, None], 4, axis=1)).tolist())
    near, far = (plan_run(one, 0.1, against=other) for other in (like, unlike))
    assert near.population.redrawn < 0.3
    assert far.population.redrawn > 0.7
    assert far.needs[2].n_tasks > 1.5 * near.needs[2].n_tasks


def test_a_deterministic_run_needs_tasks_alone(a_run):
    run = a_run("a", [[1, 1]] * 20 + [[0, 0]] * 20, deterministic=True)
    found = plan_run(run, 0.2)
    assert [need.n_trials for need in found.needs] == [1]
    assert found.needs[0].n_tasks == pytest.approx(38, abs=2)  # P(X >= 6 of 38 x 0.2) = 0.80
    assert CliRunner().invoke(cli, ["plan", str(run), "--detect", "20"]).exit_code == 0


def test_the_words_say_what_was_assumed(a_run):
    run = a_run("a", [[1, 1]] * 10 + [[0, 0]] * 10 + [[1, 0]] * 20)
    text = CliRunner().invoke(cli, ["plan", str(run), "--detect", "20"]).stdout
    assert text.startswith("20 points with power 0.8, for either agent:\n")
    assert "Of this run's noise 2.5 % lies between tasks" in text  # 0.003205 / 0.128205
    assert "97.5 % is chance within them" in " ".join(text.split())
    assert "Assumed: the other agent differs alike on every task." in text
    shown = json.loads(
        CliRunner().invoke(cli, ["plan", str(run), "--detect", "20", "--format", "json"]).stdout
    )
    assert shown["needs"][0]["n_trials"] == 1
    assert shown["detect"] == 0.2


def test_trials_without_a_reward_are_left_out(a_run):
    run = a_run("a", [[1, None]] * 5 + [[0, 0]] * 5 + [[None, None]])
    found = plan_run(run, 0.2)
    assert found.components.n_tasks == 10
    assert found.components.within == 0.0  # of the tasks with two trials


@pytest.mark.parametrize(
    ("detect", "power", "error"),
    [(0.0, 0.8, "cannot be planned"), (0.6, 0.8, "below 50"), (0.1, 1.0, "power"),
     (0.1, 0.2, "power"), (float("nan"), 0.8, "cannot be planned")],
)  # fmt: skip
def test_what_is_out_of_range(a_run, detect, power, error):
    run = a_run("a", [[1, 0]] * 4)
    with pytest.raises(UsageError, match=error):
        plan_run(run, detect, power)


def test_runs_that_tell_nothing_are_refused(a_run, tmp_path):
    with pytest.raises(RunError, match="fewer than two tasks"):
        plan_run(a_run("a", [[1, 0]]), 0.1)
    two = a_run("b", [[1, 0]] * 2)
    with pytest.raises(RunError, match="not of the same tasks: 't2'"):
        plan_run(two, 0.1, against=a_run("c", [[1, 0]] * 3))
    with pytest.raises(RunError, match="not finished"):
        plan_run(tmp_path, 0.1)
