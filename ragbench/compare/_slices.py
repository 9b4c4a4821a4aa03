"""The tested measure by a property of what had to be found: corpus, category, document.

A question counts in every slice that one of its relevant documents belongs to. Slices carry
intervals and no tests: a family over many small slices tells nothing apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ragbench.compare._gate import at_k
from ragbench.compare._intervals import intervals
from ragbench.compare._records import CellRecord, QuestionRecord
from ragbench.errors import UnknownName
from ragbench.records import Document
from ragbench.statistics import Estimate

__all__ = ["NONE", "Slice", "Slices", "labels_of", "make_slices"]

NONE = "(none)"
"""The slice of questions none of whose documents has the property."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the questions.

    Attributes:
        value: of the property.
        n_groups: independent observations among the questions.
        figures: the measure by setup; a failed one has none.
    """

    value: str
    n_questions: int
    n_groups: int
    figures: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Slices:
    """All slices by one property, the value's name in order."""

    by: str
    metric: str
    slices: tuple[Slice, ...]


def labels_of(
    doc_ids: Collection[str], documents: Mapping[str, Document], group: str
) -> dict[str, tuple[str, ...]]:
    """What a question can be sliced by: its relevant documents' properties, each value once.

    ``corpus`` is the first folder, or the file where there is none; ``document`` the document;
    ``group`` the question's own group, such as its task; the rest is the documents' metadata.

    >>> found = labels_of(["faq/fees.md"], {"faq/fees.md": Document("faq/fees.md", "t", "x")}, "g")
    >>> found["corpus"], found["document"]
    (('faq',), ('faq/fees.md',))
    """
    found: dict[str, dict[str, None]] = {"corpus": {}, "document": {}, "group": {group: None}}
    for doc_id in doc_ids:
        found["document"][doc_id] = None
        found["corpus"][_corpus(doc_id)] = None
        document = documents.get(doc_id)
        for key, value in document.metadata.items() if document else ():
            found.setdefault(key, {})[str(value)] = None
    return {key: tuple(values) for key, values in found.items()}


def _corpus(doc_id: str) -> str:
    file = doc_id.partition("::")[0]
    folder, slash, _ = file.partition("/")
    return folder if slash else file.rpartition(".")[0] or file


def make_slices(
    questions: Sequence[QuestionRecord],
    cells: Sequence[CellRecord],
    groups: Mapping[str, str],
    metric: str,
    by: str,
    seed: int,
) -> Slices:
    """The measure in every slice.

    Args:
        questions: what was asked.
        cells: the setups.
        groups: independent observation by question.
        metric: a measure of questions, without its cutoff.
        by: a property.
        seed: of the draws.

    Raises:
        UnknownName: no document has the property.
    """
    known = sorted({key for question in questions for key in question.labels})
    if by not in known:
        raise UnknownName("property of documents to slice by", by, known)
    members: dict[str, list[str]] = {}
    for question in questions:
        for value in question.labels.get(by) or (NONE,):
            members.setdefault(value, []).append(question.id)
    values = {
        cell.cell_id: {q.id: q.values.get(at_k(metric, cell.k)) for q in cell.questions}
        for cell in cells
        if cell.error is None
    }
    found = []
    for value, ids in sorted(members.items()):
        columns = {(cell, metric): [of[name] for name in ids] for cell, of in values.items()}
        of_ids = [groups[name] for name in ids]
        figures = intervals(columns, of_ids, seed)
        found.append(
            Slice(value, len(ids), len(set(of_ids)), {cell: e for (cell, _), e in figures.items()})
        )
    return Slices(by, metric, tuple(found))
