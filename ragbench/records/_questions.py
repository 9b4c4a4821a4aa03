"""Question sets: what is asked of a corpus, and what a right answer has to find.

A question set is needs without a simulation. It comes from a domain's tasks or from files
(`ragbench.interop`); finding its evidence in loaded documents is `ragbench.compare`'s.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from ragbench.config import QuestionStyle
from ragbench.records._tasks import EvidenceItem

__all__ = ["Question", "QuestionSet"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Record):
    """One question with its evidence, or with the documents that are relevant to it.

    Attributes:
        id: unique in the set.
        text: what is asked.
        paraphrases: other wordings of the same question.
        parts: when there are any, they are searched one by one in place of the text, and a chunk
            has the best of its scores; for texts that are longer than an embedder's window.
        evidence: the facts that have to be found, all of them. Excludes ``relevant``.
        relevant: document ids with their grades; 0 and below is judged and not relevant. At least
            one is relevant.
        group: questions of one group are no independent observations (those of one task, or trials
            of one question), so that statistics resample groups. The question's id unless given.
        where: the file and line that it was read from, for messages.
    """

    id: str = Field(min_length=1)
    text: str
    paraphrases: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    evidence: tuple[EvidenceItem, ...] = ()
    relevant: dict[str, StrictInt] = Field(default_factory=dict)
    group: str = ""
    where: str = ""

    @model_validator(mode="before")
    @classmethod
    def _group_of_its_own(cls, data: object) -> object:
        if isinstance(data, dict) and not data.get("group"):
            return {**data, "group": data.get("id")}
        return data

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        if any(not text.strip() for text in (self.text, *self.paraphrases, *self.parts)):
            raise ValueError(f"the question {self.id!r}, a paraphrase or a part of it is empty")
        if bool(self.evidence) == bool(self.relevant):
            found = "both" if self.evidence else "neither"
            raise ValueError(
                f"the question {self.id!r} needs evidence or relevant documents; it has {found}"
            )
        if self.relevant and not any(grade > 0 for grade in self.relevant.values()):
            raise ValueError(f"the question {self.id!r} has no document of grade 1 or more")
        return self

    @property
    def queries(self) -> tuple[str, ...]:
        """What is searched for: the parts, or the text as the only one."""
        return self.parts or (self.text,)


class QuestionSet(_Record):
    """Questions over one corpus.

    Attributes:
        name: for tables and file names.
        questions: at least one, in the order of their source.
        loader: spec of the loader that the quotes refer to; None when they were written without
            one, so that they must be found under whichever is used.
        style: in which words a domain's needs are asked; None for questions from files.
        left_out: how many entries of the source are no questions here, by reason.
        without_text: relevant documents that hold no text: they cannot be found, and count.
    """

    name: str = Field(min_length=1)
    questions: tuple[Question, ...] = Field(min_length=1)
    loader: str | None = None
    style: QuestionStyle | None = None
    left_out: dict[str, int] = Field(default_factory=dict)
    without_text: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _unique(self) -> Self:
        seen: set[str] = set()
        for question in self.questions:
            if question.id in seen:
                raise ValueError(f"two questions have the id {question.id!r}")
            seen.add(question.id)
        return self
