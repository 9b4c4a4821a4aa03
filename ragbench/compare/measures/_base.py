"""A measure is a value: ``nDCG@10`` is the word, the table's header, the key and the stored name.

What a measure is (name, formula, source) stands in one file per measure; who computes it is
elsewhere: document measures are handed to ir_measures by `ragbench.compare.document_scores`, span
measures read a `SpanContext`. All lie in [0, 1] and higher is better.
"""

from __future__ import annotations

import abc
import dataclasses
import re
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from ragbench.errors import SpecError
from ragbench.registry import Registry
from ragbench.spec import ComponentSpec, parse_spec

__all__ = [
    "MEASURES",
    "Count",
    "DocumentMeasure",
    "Measure",
    "Overlap",
    "SpanMeasure",
    "SpanView",
    "Unit",
    "Variant",
    "parse_measure",
]

Count = Literal["chunks", "documents"]
Unit = Literal["characters", "tokens"]
Variant = Literal["union", "published"]

_CUTOFF = re.compile(r"(.*)@([^@()]*)", re.S)


@dataclass(frozen=True)
class Measure:
    """What all measures share: a cutoff, and a name that parses back.

    Args:
        k: how many results count, None for all.
    """

    k: int | None = None

    spec_name: ClassVar[str]
    cutoff: ClassVar[Literal["required", "optional", "none"]]

    def __post_init__(self) -> None:
        if self.k is None and self.cutoff == "required":
            raise ValueError(f"it needs a cutoff, as in {self.spec_name}@5")
        if self.k is not None and self.cutoff == "none":
            raise ValueError("it has no cutoff")
        if self.k is not None and self.k < 1:
            raise ValueError(f"the cutoff is {self.k}; it must be at least 1")

    def __str__(self) -> str:
        args = tuple(
            (field.name, getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name != "k" and getattr(self, field.name) != field.default
        )
        return f"{ComponentSpec(self.spec_name, args)}{'' if self.k is None else f'@{self.k}'}"


MEASURES: Registry[Measure] = Registry("measure")


@dataclass(frozen=True)
class DocumentMeasure(Measure):
    """A measure of which documents were found, and in what order.

    Args:
        k: how many results count.
        count: what k counts: chunks, as the agent receives them (documents rank by their first
            appearance among those k), or distinct documents.
    """

    count: Count = "chunks"

    cuts_itself: ClassVar[bool] = True
    """Whether ir_measures takes the cutoff; what does not is given the first k results only."""

    @property
    def ir_name(self) -> str:
        """What ir_measures calls it."""
        return f"{self.spec_name}@{self.k}" if self.cuts_itself and self.k else self.spec_name


@dataclass(frozen=True, slots=True)
class Overlap:
    """Retrieved text against evidence, in one unit.

    Attributes:
        required: size of what has to be found.
        found: what of that was retrieved.
        missed: what of that was not.
        relevant: retrieved text that is evidence, alternatives included.
        retrieved: size of what was retrieved.
    """

    required: int
    found: int
    missed: int
    relevant: int
    retrieved: int


class SpanView(Protocol):
    """One question's evidence and results: the only input of a span measure."""

    def overlap(self, k: int | None, unit: Unit, variant: Variant) -> Overlap | None:
        """The first k results against the evidence; None when the evidence has no spans."""
        ...

    def ceiling(self, unit: Unit, variant: Variant) -> Overlap | None:
        """All chunks that hold evidence against the evidence; None when it has no spans."""
        ...


@dataclass(frozen=True)
class SpanMeasure(Measure, abc.ABC):
    """A measure of how much text was found and how much beside it.

    Args:
        k: how many retrieved chunks count.
        unit: what is counted: characters that are not white space, or MiniLM's word pieces, each
            where its first character stands.
        variant: ``union`` counts every character once and calls nothing found that only touches;
            ``published`` counts as the code of Smith & Troynikov (2024) does: all characters, plain
            sums over references and over chunks, touching chunks as hits. It knows no alternatives
            and no tokens.
    """

    unit: Unit = "characters"
    variant: Variant = "union"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant == "published" and self.unit != "characters":
            raise ValueError("the published variant counts characters only")

    def score(self, view: SpanView) -> float | None:
        """The value for one question; None when its evidence is whole documents."""
        overlap = view.overlap(self.k, self.unit, self.variant)
        return None if overlap is None else self.of(overlap)

    @abc.abstractmethod
    def of(self, overlap: Overlap) -> float:
        """The value of sizes that were counted."""


def parse_measure(text: str) -> Measure:
    """The measure that a name means; ``str`` gives the name back.

    Raises:
        UnknownName: no measure is called so.
        SpecError: the text is not ``NAME@k`` or ``NAME(argument=value)@k``, or a part is refused.

    >>> parse_measure("nDCG@10")
    Ndcg(k=10, count='chunks')
    >>> str(parse_measure("span_recall( unit = tokens )@5"))
    'span_recall(unit=tokens)@5'
    """
    match = _CUTOFF.fullmatch(text.strip())
    head, cutoff = (match.group(1), match.group(2)) if match else (text, None)
    spec = parse_spec(head)
    if "k" in dict(spec.args):
        raise SpecError(f"The measure {text!r} has its cutoff inside. Write: {spec.name}@5")
    if cutoff is None:
        return MEASURES.create(spec)
    if not re.fullmatch("[1-9][0-9]*", cutoff):
        raise SpecError(
            f"The measure {text!r} has the cutoff {cutoff!r}, which must be a whole number of at "
            f"least 1. Write: {spec.name}@5"
        )
    return MEASURES.create(ComponentSpec(spec.name, (*spec.args, ("k", int(cutoff)))))
