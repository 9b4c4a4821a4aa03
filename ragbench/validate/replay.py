"""Replay: the gold actions and the oracle's conversation do what the task promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from ragbench.config import QuestionStyle
from ragbench.records import RewardBasis, Task
from ragbench.toolkit import folded_query
from ragbench.validate._rule import Flaw, Severity, task_rule
from ragbench.validate._view import RAISED, TaskView

__all__: list[str] = []

_TWICE = "twice leads to different results"
_PROSE_WORDS = 3
"""A text of so many words that stands nowhere is wording, and not a value."""


@task_rule(
    "replay.fails",
    Severity.ERROR,
    means="Every gold action can be done, in order, on a fresh copy of the database.",
    remedy="Correct the action, or the database that it acts on.",
    needs=("native",),
)
def fails(view: TaskView) -> Iterator[Flaw]:
    """Gold actions that a tool refuses, or that name what does not exist."""
    _, reason = view.gold
    if reason and _TWICE not in reason and not reason.startswith(RAISED):
        yield Flaw(reason)


@task_rule(
    "replay.raises",
    Severity.ERROR,
    means="The domain's tools and rules answer every call; what they refuse, they refuse with a "
    "ToolError, also in the variants that the mutation of the grader plays.",
    remedy="Raise ToolError with a message to the agent where the call cannot be done.",
    needs=("native",),
)
def raises(view: TaskView) -> Iterator[Flaw]:
    """Gold actions that end in an exception; who runs the rules tells those of other calls."""
    _, reason = view.gold
    if reason.startswith(RAISED):
        yield Flaw(reason)


@task_rule(
    "replay.differs",
    Severity.ERROR,
    means="The same gold actions lead to the same state every time.",
    remedy="Take the clock and new ids from the tool's CallContext, and keep no counter.",
    needs=("native",),
)
def differs(view: TaskView) -> Iterator[Flaw]:
    """Gold actions whose second replay ends elsewhere."""
    _, reason = view.gold
    if _TWICE in reason:
        yield Flaw(reason)


@task_rule(
    "replay.free_text",
    Severity.ERROR,
    means="Wording that the agent chooses is declared FreeText, so that it is not compared.",
    remedy="Declare the tool's parameter and the field that holds it as FreeText, or leave the "
    "argument out of compare_args.",
    needs=("native", "located", "gold"),
)
def free_text(view: TaskView) -> Iterator[Flaw]:
    """Compared arguments that are sentences of nobody's."""
    for origin in view.origins.values():
        if is_wording(origin.target.raw, origin.is_known) and "." in origin.target.name:
            yield Flaw(
                f"{origin.target.name} is compared, and {origin.target.raw!r} is wording that "
                "stands nowhere"
            )


def is_wording(raw: object, is_known: bool) -> bool:
    """Whether a value is a text of several words that the agent can know from nowhere."""
    return isinstance(raw, str) and not is_known and len(raw.split()) >= _PROSE_WORDS


@task_rule(
    "replay.nothing_to_do",
    Severity.ERROR,
    means="Doing and saying nothing does not earn the reward.",
    remedy="Let the task end in a write (a recorded decision, a transfer) or in a statement that "
    "has to be made.",
    needs=("gold", "located", "judged"),
)
def nothing_to_do(view: TaskView) -> Iterator[Flaw]:
    """Tasks that an agent solves by ending the conversation."""
    if view.play((), ()).passed:
        same = view.played.start_hash == view.played.end_hash
        ends = "the gold actions end in the state in which they began" if same else "it is graded"
        yield Flaw(f"an agent that does nothing and says nothing has reward 1: {ends}")


@task_rule(
    "replay.script",
    Severity.ERROR,
    means="The scripted user comes to say and to do all that its script holds.",
    remedy="Correct the 'when' of the turn: the action that it waits for must be performed, and "
    "the conversation must not end before.",
    needs=("gold", "located", "script", "questions"),
)
def script(view: TaskView) -> Iterator[Flaw]:
    """Turns that were not played although the oracle had all the evidence."""
    trajectory, _ = view.golden
    spoken = [m.content for m in trajectory.messages if m.role == "user" and m.content]
    calls = [c.name for m in trajectory.messages if m.role == "user" for c in m.tool_calls]
    actions = {action.action_id: action.name for action in view.actions}
    for turn in view.task.user_scenario.script:
        if turn.say is not None and turn.say not in spoken:
            yield Flaw(f"the user never says {turn.say[:60]!r} (when: {turn.when!r})")
        if turn.do is not None and actions[turn.do] not in calls:
            yield Flaw(f"the user never does {turn.do!r} (when: {turn.when!r})")


@task_rule(
    "replay.policy",
    Severity.ERROR,
    means="The gold trajectory breaks no policy rule of the domain, hard or soft.",
    remedy="Put the action that the rule asks for before the one that broke it, or correct the "
    "rule.",
    needs=("gold", "located", "script", "questions"),
)
def policy(view: TaskView) -> Iterator[Flaw]:
    """Violations by the oracle that had all the evidence."""
    for violation in view.golden[0].violations:
        kind = "hard" if violation.hard else "soft"
        yield Flaw(f"the {kind} rule {violation.rule!r} is broken: {violation.message}")


@task_rule(
    "replay.max_steps",
    Severity.ERROR,
    means="The oracle's longest path, on which every question and paraphrase is asked before the "
    "evidence comes, fits into max_steps.",
    remedy="Leave paraphrases out, or split the task.",
    needs=("gold", "located", "script", "questions"),
)
def max_steps(view: TaskView) -> Iterator[Flaw]:
    """Tasks whose longest path is cut off."""
    asked = max(len(_asked(view.task, style)) for style in get_args(QuestionStyle))
    longest = view.golden[0].n_steps + asked
    most = view.subject.config.max_steps
    if longest > most:
        yield Flaw(f"the oracle's longest path has {longest} steps, and max_steps is {most}")


def _asked(task: Task, style: QuestionStyle) -> set[str]:
    return {folded_query(query) for need in task.needs for query in need.queries(style)}


@task_rule(
    "replay.ungraded",
    Severity.ERROR,
    means="What the gold actions change is part of the reward.",
    remedy="Add DB (or ACTION) to reward_basis, or take the writes out of the gold actions.",
    needs=("gold",),
)
def ungraded(view: TaskView) -> Iterator[Flaw]:
    """Tasks whose writes nobody looks at."""
    basis = view.task.evaluation_criteria.reward_basis
    looked = {RewardBasis.DB, RewardBasis.ACTION, RewardBasis.ENV_ASSERTION} & set(basis)
    if view.played.start_hash != view.played.end_hash and not looked:
        shown = ", ".join(member.value for member in basis)
        yield Flaw(f"the gold actions change the database, and the reward is {shown} alone")


@task_rule(
    "replay.oracle",
    Severity.ERROR,
    means="The oracle with golden retrieval earns the reward 1: the task can be solved by its own "
    "evidence.",
    remedy="Look into the trial: ragbench eval --domain D --retrieval-config golden_retrieval "
    "--task-ids T.",
    needs=("gold", "located", "script", "questions", "judged"),
)
def oracle(view: TaskView) -> Iterator[Flaw]:
    """Tasks that the oracle fails, for no reason that an earlier rule has told."""
    _, graded = view.golden
    if graded.score.success or "replay" in view.flawed:
        return
    missed = [check.info for check in graded.score.communicate if not check.correct]
    said = f"; not said: {', '.join(map(repr, missed))}" if missed else ""
    yield Flaw(f"the oracle has reward {graded.score.reward}: {graded.score.reason}{said}")
