"""A plan in words and as JSON: what it takes to tell two agents apart, and what that rests on."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from ragbench.compare import Plan
from ragbench.report._numbers import percent, plural

__all__ = ["plan_json", "plan_text"]

_WIDTH = 100


def plan_text(plan: Plan) -> str:
    """The answer, the table of tasks by trials, then what was assumed."""
    lines = [f"{_points(plan.detect)} with power {plan.power:g}, for either agent:", ""]
    lines.append(f"  {'trials':>6}  {'tasks':>7}  {'simulations':>11}")
    for need in plan.needs:
        total = need.n_tasks * need.n_trials
        lines.append(f"  {need.n_trials:>6}  {need.n_tasks:>7,}  {total:>11,}")
    lines.append("")
    for sentence in _said(plan):
        lines += textwrap.wrap(sentence, _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _points(share: float) -> str:
    value = f"{100 * share:g}"
    return f"{value} point{'s' * (value != '1')}"


def _said(plan: Plan) -> Iterator[str]:
    found, own = plan.components, "this run"
    n_trials = 1 if plan.deterministic else max(1, round(found.n_trials))
    design = f"{plural(found.n_tasks, 'task')} with {plural(n_trials, 'trial')}"
    if plan.detectable is None:
        yield f"With {design}, {own} cannot detect any difference with that power."
    else:
        yield f"With {design}, {own} could detect {_points(plan.detectable)}."
    share = plan.components.share_within
    if plan.deterministic:
        yield "All trials of a task are equal by construction: only more tasks help."
    elif found.within is None:
        yield (
            "One trial per task cannot tell noise between tasks from chance within them; planned "
            "for the worst, all of it within, so the tasks needed with one trial are an upper "
            "bound."
            if not plan.against
            else "With one trial per task, all that the two runs' differences show counts as "
            "chance within tasks; --num-trials 2 or more tells the parts apart."
        )
    elif share is not None:
        yield (
            f"Of this run's noise {percent(1 - share)} lies between tasks, which two agents on the "
            f"same tasks share, and {percent(share)} is chance within them."
        )
    yield (
        f"From the second run: on {percent(plan.population.redrawn)} of the tasks the agents' "
        "success rates have nothing to do with each other."
        if plan.against
        else "Assumed: the other agent differs alike on every task. One that is better at some "
        "tasks and worse at others needs more; --against RUN_B takes that from a second run."
    )


def plan_json(plan: Plan) -> str:
    """One object."""
    return json.dumps(asdict(plan), indent=2, ensure_ascii=False) + "\n"
