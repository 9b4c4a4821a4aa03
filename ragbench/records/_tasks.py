"""Tasks: what the customer wants, what the agent must know for it, and what counts as done.

A superset of tau2's and tau3's task JSON. Native files refuse unknown fields; foreign files are
read by `ragbench.interop`, which keeps unknown fields in ``extra_fields``.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ragbench.config import QuestionStyle
from ragbench.records._trajectory import Message, Requestor

__all__ = [
    "Constant",
    "Derivation",
    "Distractor",
    "EvaluationCriteria",
    "EvidenceItem",
    "GoldAction",
    "InitialState",
    "Need",
    "Passage",
    "RewardBasis",
    "ScriptTurn",
    "Statement",
    "Task",
    "UserScenario",
]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(_Record):
    """Where a fact stands: a quote, or offsets with the loader they refer to, or a whole document.

    ``occurrence`` (from 1) picks one of several equal quotes. A passage with neither quote nor
    offsets stands for the whole document and is covered by any hit of it.
    """

    doc_id: str
    quote: str | None = None
    occurrence: int | None = Field(default=None, ge=1)
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    loader: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        offsets = (self.start is not None, self.end is not None, self.loader is not None)
        if self.quote is not None and any(offsets):
            raise ValueError("a passage has a quote or offsets, not both")
        if any(offsets) and not all(offsets):
            raise ValueError("offsets need start, end and the loader they refer to")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError(f"start {self.start} is not before end {self.end}")
        if self.quote is not None and not self.quote.strip():
            raise ValueError("a quote may not be empty")
        if self.occurrence is not None and self.quote is None:
            raise ValueError("occurrence needs a quote")
        return self


class EvidenceItem(_Record):
    """One fact; the alternatives are the places where the same fact stands."""

    any_of: tuple[Passage, ...] = Field(min_length=1)


class Distractor(_Record):
    """A document that comes near a need without answering it; marked so for `ragbench.validate`."""

    doc_id: str
    why: str | None = None


class Need(_Record):
    """What the agent must know, and for which step.

    Attributes:
        id: unique in the task.
        question: the need in an agent's words, without names of products (the style ``desk``);
            None only for needs read from foreign files.
        natural: the same need as somebody asks who names the product; None when nobody wrote it.
        paraphrases: other wordings, tried in order by the oracle.
        evidence: all required.
        needed_by: ids of gold actions, or ``communicate:<i>`` (from 0); at least one.
        distractors: documents that look like evidence and are none.
    """

    id: str
    question: str | None = None
    natural: str | None = None
    paraphrases: tuple[str, ...] = ()
    evidence: tuple[EvidenceItem, ...] = Field(min_length=1)
    needed_by: tuple[str, ...] = Field(min_length=1)
    distractors: tuple[Distractor, ...] = ()

    @model_validator(mode="after")
    def _askable(self) -> Self:
        queries = (self.question, self.natural, *self.paraphrases)
        if any(query is not None and not query.strip() for query in queries):
            raise ValueError(f"a question or paraphrase of need {self.id!r} is empty")
        if self.natural is not None and _words(self.natural) == _words(self.question or ""):
            raise ValueError(
                f"the natural question of need {self.id!r} is its question again; word it as "
                "somebody asks who names the product, or leave it out"
            )
        return self

    def asked(self, style: QuestionStyle = "desk") -> str | None:
        """The question in a style, None when nobody wrote it."""
        return self.natural if style == "natural" else self.question

    def queries(self, style: QuestionStyle = "desk") -> tuple[str, ...]:
        """What the oracle asks, in order: the question in that style, then the paraphrases."""
        first = self.asked(style)
        return self.paraphrases if first is None else (first, *self.paraphrases)


class GoldAction(_Record):
    """A tool call that a right solution makes.

    An argument ``"${a1.case_id}"`` stands for the field ``case_id`` of action a1's result.

    Attributes:
        compare_args: the arguments that must agree; None compares all but free text.
    """

    action_id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    requestor: Requestor = "assistant"
    compare_args: tuple[str, ...] | None = None
    info: str | None = None


class Constant(_Record):
    """A number in a formula that no text states, with the reason why it is that number."""

    value: float
    why: str = Field(min_length=1)


class Derivation(_Record):
    """How a gold argument or a statement follows from what the agent can know.

    Written only where the value does not stand verbatim in the script, an earlier result or the
    evidence of its needs; `ragbench.validate` finds those by itself.

    Attributes:
        origin: ``from`` in the file. ``user``, ``result``, ``evidence``, ``policy``: it stands
            there and comes from there. ``formula``: it is calculated. ``judgement``: it follows by
            a step that is no arithmetic, and ``why`` says which.
        formula: numbers, ``+ - * / ( )``, ``min``, ``max``, ``round``, ``days("<date>", "<date>")``
            and names; every number must be stated somewhere.
        names: what the names of the formula stand for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    origin: Literal["user", "result", "evidence", "policy", "formula", "judgement"] = Field(
        default="formula", alias="from"
    )
    formula: str | None = Field(default=None, max_length=300)
    names: dict[str, float | Constant] = Field(default_factory=dict)
    why: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.origin == "formula") != (self.formula is not None):
            raise ValueError("a derivation 'from': 'formula' has a formula, and no other has one")
        if self.origin == "judgement" and not (self.why or "").strip():
            raise ValueError("a derivation 'from': 'judgement' says why")
        return self


class RewardBasis(StrEnum):
    """What the reward is the product of."""

    DB = "DB"
    COMMUNICATE = "COMMUNICATE"
    ACTION = "ACTION"
    ENV_ASSERTION = "ENV_ASSERTION"
    NL_ASSERTION = "NL_ASSERTION"


class Statement(_Record):
    """A value that the agent is to state, in any of these wordings; the first is the one shown."""

    any_of: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not all(wording.strip() for wording in self.any_of):
            raise ValueError("a wording of a statement is empty")
        return self

    @property
    def shown(self) -> str:
        """The wording that stands for all."""
        return self.any_of[0]


class EvaluationCriteria(_Record):
    """What counts as done. ``env_assertions`` name functions of the domain with arguments.

    A member of ``communicate_info`` is a value, or an object ``{"any_of": [wording, ...]}``.
    """

    actions: tuple[GoldAction, ...] = ()
    communicate_info: tuple[str | Statement, ...] = ()
    env_assertions: tuple[dict[str, Any], ...] = ()
    nl_assertions: tuple[str, ...] = ()
    reward_basis: tuple[RewardBasis, ...] = (RewardBasis.DB, RewardBasis.COMMUNICATE)

    @model_validator(mode="before")
    @classmethod
    def _null_is_empty(cls, data: Any) -> Any:  # noqa: ANN401  (pydantic hands over anything)
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if value is not None}
        return data

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What is to be stated, each with its wordings, in file order."""
        return tuple(
            info if isinstance(info, Statement) else Statement.model_construct(any_of=(info,))
            for info in self.communicate_info
        )


class ScriptTurn(_Record):
    """One turn of the scripted user: it says something, does a gold action of its own, or stops.

    ``when`` is ``opening``, ``on_reply`` or ``after: <action id>``.
    """

    say: str | None = None
    do: str | None = None
    stop: bool = False
    when: str = "on_reply"

    @model_validator(mode="after")
    def _one_deed(self) -> Self:
        if (self.say is not None) + (self.do is not None) + self.stop != 1:
            raise ValueError("a script turn has exactly one of say, do and stop")
        if self.say is not None and not self.say.strip():
            raise ValueError("what a script turn says may not be empty")
        if self.when not in ("opening", "on_reply") and self.after is None:
            raise ValueError(
                f"when is {self.when!r}; allowed: opening, on_reply, 'after: <action id>'"
            )
        return self

    @property
    def after(self) -> str | None:
        """The action that this turn waits for, None when it waits for none."""
        prefix, _, action_id = self.when.partition(":")
        return action_id.strip() or None if prefix == "after" else None


class UserScenario(_Record):
    """Who the customer is: prose for an LLM user, a script for the scripted one, or both."""

    persona: str | None = None
    instructions: str | dict[str, Any] | None = None
    script: tuple[ScriptTurn, ...] = ()


class InitialState(_Record):
    """How this task's start differs from the domain's database (tau2's form).

    ``initialization_data["agent_data"]`` is merged into the database, key by key.
    """

    initialization_data: dict[Literal["agent_data", "user_data"], dict[str, Any] | None] | None = (
        None
    )
    initialization_actions: tuple[dict[str, Any], ...] | None = None
    message_history: tuple[Message, ...] | None = None


class Task(_Record):
    """One task of a domain.

    ``derivations`` says of ``<action id>.<argument>`` or ``communicate:<i>`` where its value comes
    from.
    """

    id: str
    description: dict[str, Any] | str | None = None
    why: str | None = None
    category: str | None = None
    splits: tuple[str, ...] = ("base",)
    user_scenario: UserScenario = UserScenario()
    initial_state: InitialState | None = None
    evaluation_criteria: EvaluationCriteria = EvaluationCriteria()
    needs: tuple[Need, ...] = ()
    derivations: dict[str, Derivation] = Field(default_factory=dict)
    required_documents: tuple[str, ...] | None = None
    user_tools: tuple[str, ...] | None = None
    annotations: Any = None
    extra_fields: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _references(self) -> Self:
        criteria = self.evaluation_criteria
        actions = [action.action_id for action in criteria.actions]
        _unique("action id", actions)
        _unique("need id", [need.id for need in self.needs])
        consumers = {*actions, *(f"communicate:{i}" for i in range(len(criteria.communicate_info)))}
        for need in self.needs:
            for consumer in need.needed_by:
                _known(f"need {need.id!r} is needed by", consumer, consumers)
        arguments = {f"{a.action_id}.{name}" for a in criteria.actions for name in a.arguments}
        statements = {name for name in consumers if name.startswith("communicate:")}
        for target in self.derivations:
            _known("derivations has", target, arguments | statements)
        users = {action.action_id for action in criteria.actions if action.requestor == "user"}
        for turn in self.user_scenario.script:
            if turn.do is not None:
                _known("the script does", turn.do, users)
            if turn.after is not None:
                _known("the script waits for", turn.after, set(actions))
        return self

    def needs_of(self, consumer: str) -> tuple[Need, ...]:
        """The needs of a gold action or of ``communicate:<i>``, in file order."""
        return tuple(need for need in self.needs if consumer in need.needed_by)


def _words(text: str) -> list[str]:
    """Words without case and punctuation."""
    return re.findall(r"\w+", text.casefold())


def _unique(what: str, ids: list[str]) -> None:
    doubled = sorted({name for name in ids if ids.count(name) > 1})
    if doubled:
        raise ValueError(f"{what} {doubled[0]!r} stands twice")


def _known(what: str, name: str, known: set[str]) -> None:
    if name not in known:
        raise ValueError(f"{what} {name!r}, which is not among {sorted(known)}")
