"""Form: what can be seen without playing anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragbench.evidence import NOT_IN_INDEX
from ragbench.score import facts_in
from ragbench.toolkit import Tool
from ragbench.validate._rule import Flaw, Severity, domain_rule, task_rule
from ragbench.validate._subject import Subject
from ragbench.validate._values import states
from ragbench.validate._view import TaskView

__all__: list[str] = []

_DUPLICATE = "a second task is called"
_CONSUMER = re.compile(r"needed_by|is needed by")


@domain_rule(
    "form.domain",
    Severity.ERROR,
    means="The domain's folder loads: domain.toml, policy, database, tools and rules.",
    remedy="Correct the file that the message names; nothing else can be checked before.",
)
def domain_loads(subject: Subject) -> Iterator[Flaw]:
    """Nothing to find here: a domain that does not load is no subject, and `validate` says so."""
    yield from ()


@domain_rule(
    "form.task",
    Severity.ERROR,
    means="Every task file is JSON and every task has the form that docs/domains.md describes.",
    remedy="Correct the field that the message names; the task is left out of everything else.",
)
def task_form(subject: Subject) -> Iterator[Flaw]:
    """Tasks that do not load, but for doubled ids and consumers, which have rules of their own."""
    for problem in subject.problems:
        if _DUPLICATE not in problem.message and not _CONSUMER.search(problem.message):
            yield Flaw(problem.message, problem.file, problem.task_id)


@domain_rule(
    "form.unique_id",
    Severity.ERROR,
    means="Every task has an id of its own: results are kept by it.",
    remedy="Give one of the two tasks another id.",
)
def unique_id(subject: Subject) -> Iterator[Flaw]:
    """Tasks with the id of an earlier one."""
    for problem in subject.problems:
        if _DUPLICATE in problem.message:
            yield Flaw(problem.message, problem.file, problem.task_id)


@domain_rule(
    "form.consumer",
    Severity.ERROR,
    means="Every need is needed by a gold action or a statement of its task.",
    remedy="Name under needed_by what the need is for, or remove the need.",
)
def consumer(subject: Subject) -> Iterator[Flaw]:
    """Needs without consumer, or with one that does not exist."""
    for problem in subject.problems:
        if _CONSUMER.search(problem.message):
            yield Flaw(problem.message, problem.file, problem.task_id)


@domain_rule(
    "form.unread",
    Severity.ERROR,
    means="Every file of the corpus becomes a document.",
    remedy="Mend the file, or take it out of the corpus.",
    needs=("native",),
)
def unread(subject: Subject) -> Iterator[Flaw]:
    """Files of the corpus that the loader could not read."""
    corpus = subject.domain.corpus if subject.domain else subject.folder
    for entry in subject.unread:
        if not entry.is_failure:
            continue
        yield Flaw(f"{entry.name}: {entry.reason}: {entry.detail}", corpus / entry.name)


@task_rule(
    "form.split",
    Severity.ERROR,
    means="Splits are disjoint but for 'base', which holds what it likes: a task that one trains "
    "on cannot be tested on.",
    remedy="Leave one split beside 'base'.",
)
def split(view: TaskView) -> Iterator[Flaw]:
    """Tasks in two splits other than base, twice in one, or in none."""
    splits = view.task.splits
    others = sorted({name for name in splits if name != "base"})
    if len(others) > 1:
        yield Flaw(f"the task stands in the splits {' and '.join(map(repr, others))}")
    elif len(set(splits)) < len(splits):
        yield Flaw(f"the splits name one twice: {list(splits)}")
    elif not splits:
        yield Flaw("the task stands in no split")


@task_rule(
    "form.script",
    Severity.WARNING,
    means="A task has a script for the scripted user; without one only a model can play the user, "
    "and nothing that needs a conversation can be checked.",
    remedy="Write user_scenario.script; see docs/domains.md.",
    needs=("native",),
)
def script(view: TaskView) -> Iterator[Flaw]:
    """Tasks without script."""
    if not view.task.user_scenario.script:
        yield Flaw("the task has no script")


@task_rule(
    "form.question",
    Severity.WARNING,
    means="Every need has a question, which the oracle asks and retrieval is measured on.",
    remedy="Write the question in the words of somebody who does not know the documents.",
    needs=("native",),
)
def question(view: TaskView) -> Iterator[Flaw]:
    """Needs without question."""
    for need in view.task.needs:
        if need.question is None:
            yield Flaw(f"the need {need.id!r} has no question")


@task_rule(
    "form.natural",
    Severity.WARNING,
    means="Where a need of the domain has a natural question, beside the one without names of "
    "products, every need has: the oracle's figure in that style is one over all tasks.",
    remedy="Write 'natural', the question of somebody who names the product.",
    needs=("native",),
)
def natural(view: TaskView) -> Iterator[Flaw]:
    """Needs without natural question in a domain that has some."""
    if not any(need.natural for task in view.subject.tasks for need in task.needs):
        return
    for need in view.task.needs:
        if need.natural is None:
            yield Flaw(f"the need {need.id!r} has no natural question")


@task_rule(
    "form.document",
    Severity.ERROR,
    means="Every document that a task names is in the corpus and could be read.",
    remedy="Correct the document's id: its path below the corpus, or an id that its content "
    "states.",
    needs=("documents",),
)
def document(view: TaskView) -> Iterator[Flaw]:
    """Documents of evidence, marks and required_documents that are not there."""
    known = view.subject.by_name
    for problem in view.located[1]:
        if problem.message == NOT_IN_INDEX:
            yield Flaw(f"need {problem.need!r}: there is no document {problem.doc_id!r}")
    for need in view.task.needs:
        for mark in need.distractors:
            if mark.doc_id not in known:
                yield Flaw(f"need {need.id!r}: there is no distractor {mark.doc_id!r}")
    named = {p.doc_id for need in view.task.needs for item in need.evidence for p in item.any_of}
    for doc_id in view.task.required_documents or ():
        if doc_id not in known and doc_id not in named:
            yield Flaw(f"required_documents: there is no document {doc_id!r}")


@task_rule(
    "form.quote",
    Severity.ERROR,
    means="Every evidence quote stands exactly once in the text as it is loaded, extraction from "
    "PDF included.",
    remedy="Copy the quote from the loaded text (ragbench search shows it), longer when it stands "
    "several times, or name its occurrence.",
    needs=("documents",),
)
def quote(view: TaskView) -> Iterator[Flaw]:
    """Quotes that are absent or ambiguous, and offsets that hold no text."""
    for problem in view.located[1]:
        if problem.message != NOT_IN_INDEX:
            yield Flaw(problem.message)


@domain_rule(
    "form.tool_documented",
    Severity.ERROR,
    means="The exact name of every discoverable tool stands in a document: an agent that reads can "
    "find it.",
    remedy="Write the document that names the tool, or make the tool an ordinary one.",
    needs=("native", "documents"),
)
def tool_documented(subject: Subject) -> Iterator[Flaw]:
    """Discoverable tools that no document names."""
    for tool in _discoverable(subject):
        if not any(_names(d.text, tool.name) for d in subject.documents.values()):
            yield Flaw(f"no document names the discoverable tool {tool.name!r}")


@domain_rule(
    "form.tool_leaked",
    Severity.ERROR,
    means="The name of a discoverable tool stands in documents only; elsewhere it can be had "
    "without retrieval.",
    remedy="Take the name out of the place that the message names.",
    needs=("native",),
)
def tool_leaked(subject: Subject) -> Iterator[Flaw]:
    """Discoverable tools that something else than a document names."""
    domain = subject.domain
    if domain is None:
        return
    places = [
        ("policy.md", domain.policy, domain.path / "policy.md"),
        ("db.json", domain.database.model_dump_json(), domain.path / "db.json"),
    ]
    for other in domain.tools.values():
        if not other.discoverable:
            described = f"{other.name} {other.description} {other.schema}"
            places.append((f"the tool {other.name!r}", described, domain.path / "tools"))
    for tool in _discoverable(subject):
        for where, text, file in places:
            if _names(text, tool.name):
                yield Flaw(f"{where} names the discoverable tool {tool.name!r}", file)
        for task in subject.tasks:
            scenario = task.user_scenario.model_dump_json()
            asked = " ".join(q for n in task.needs for q in (n.natural or "", *n.queries()))
            for where, text in (("the user", scenario), ("a question", asked)):
                if _names(text, tool.name):
                    message = f"{where} names the discoverable tool {tool.name!r}"
                    yield Flaw(message, subject.files[task.id], task.id)


@task_rule(
    "form.value_leaked",
    Severity.ERROR,
    means="A value that comes from the evidence stands neither in the policy nor in what the user "
    "says unasked; there it can be had without retrieval.",
    remedy="Take the value out of there; when it is another thing of the same size, say where the "
    "gold value comes from under derivations ('from': 'user').",
    needs=("native", "located", "gold", "script"),
)
def value_leaked(view: TaskView) -> Iterator[Flaw]:
    """Values from evidence, verbatim or calculated, that the policy or the user gives away."""
    places = {"policy.md": view.subject.domain_policy, "the user": facts_in(view.said_text)}
    for origin in view.origins.values():
        if not origin.from_documents or origin.target.names_tool:
            continue
        for where, facts in places.items():
            values = origin.target.values
            if values and all(states(facts, value) for value in values):
                says = "says" if where == "the user" else "states"
                yield Flaw(f"{where} {says} {origin.target.raw!r} of {origin.target.name}")


def _discoverable(subject: Subject) -> list[Tool]:
    tools = subject.domain.tools.values() if subject.domain else ()
    return [tool for tool in tools if tool.discoverable]


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
