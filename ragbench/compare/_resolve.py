"""Find what a question set asks for in documents as a loader made them.

Rules fixed here: every document that is named must be there or be known as unread; a quote that is
absent or ambiguous is an error that names the question's file and line, unless the documents were
made by another loader than the one that the quotes refer to: then its item is lost in parsing, and
counts as evidence that cannot be found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ragbench.compare._spans import Item
from ragbench.errors import EvidenceError, QuestionSetError, did_you_mean
from ragbench.evidence import LocatedItem, locate
from ragbench.ingest.load import LOADERS
from ragbench.records import Document, EvidenceItem, Need, Passage, Question, QuestionSet
from ragbench.registry import spec_of

__all__ = ["ResolvedQuestion", "resolve"]

_CONSUMER = ("question",)


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question whose evidence was looked for.

    Attributes:
        question: as it was read.
        located: the items of its evidence, or of its relevant documents, as they were found.
        items: the same as spans; None when an item is a whole document.
        grades: relevant documents by id, under the ids of the loaded documents. Of evidence, every
            document that holds an alternative is relevant, with grade 1. A document that was not
            read keeps the name that the question gives it.
    """

    question: Question
    located: tuple[LocatedItem, ...]
    items: tuple[Item, ...] | None
    grades: dict[str, int]


def resolve(
    questions: QuestionSet,
    documents: Mapping[str, Document],
    loader: str,
    own_loader: bool | None = None,
    unread: Collection[str] = (),
) -> tuple[ResolvedQuestion, ...]:
    """Every question of the set with its evidence found, in order.

    Args:
        questions: the set.
        documents: the loaded documents by id; a question may also name one of their aliases.
        loader: spec of the loader that made them.
        own_loader: whether quotes must be found; None means: when the set names this loader, or
            none.
        unread: names of documents that the loader could not read.

    Raises:
        QuestionSetError: a document is neither there nor unread.
        EvidenceError: a quote is absent or ambiguous under the own loader, or offsets refer to
            another loader. Both name the question's file and line.
    """
    loader = _canonical(loader)
    if own_loader is None:
        own_loader = questions.loader is None or _canonical(questions.loader) == loader
    names = {*documents, *unread, *questions.without_text}
    names.update(alias for document in documents.values() for alias in document.aliases)
    for question in questions.questions:
        _check_documents(question, names)
    needs = [_need(question) for question in questions.questions]
    found: dict[str, list[LocatedItem]] = {need.id: [] for need in needs}
    try:
        for item in locate(needs, documents, loader, own_loader):
            found[item.need_id].append(item)
    except EvidenceError:
        _name_the_line(questions.questions, needs, documents, loader, own_loader)
        raise
    return tuple(
        _resolved(question, need, found[need.id])
        for question, need in zip(questions.questions, needs, strict=True)
    )


def _check_documents(question: Question, names: Collection[str]) -> None:
    passages = [passage for item in question.evidence for passage in item.any_of]
    for doc_id in (*(passage.doc_id for passage in passages), *question.relevant):
        if doc_id not in names:
            raise QuestionSetError(
                f"{question.where}: the corpus has no document {doc_id!r}"
                f"{did_you_mean(doc_id, names)}. A document's id is its path below the corpus "
                "folder, or an id that it states itself."
            )


def _need(question: Question) -> Need:
    """The question as a need, so that evidence is found by one piece of code."""
    evidence = tuple(
        EvidenceItem(any_of=tuple(_canonical_passage(passage) for passage in item.any_of))
        for item in question.evidence
    ) or tuple(EvidenceItem(any_of=(Passage(doc_id=doc_id),)) for doc_id in question.relevant)
    return Need(id=question.id, question=question.text, evidence=evidence, needed_by=_CONSUMER)


def _canonical_passage(passage: Passage) -> Passage:
    if passage.loader is None:
        return passage
    return passage.model_copy(update={"loader": _canonical(passage.loader)})


@cache
def _canonical(loader: str) -> str:
    """The loader's spec with every argument: two spellings of one loader are one loader."""
    return str(spec_of(LOADERS.create(loader)))


def _name_the_line(
    questions: Sequence[Question],
    needs: Sequence[Need],
    documents: Mapping[str, Document],
    loader: str,
    own_loader: bool,
) -> None:
    """Find the question that fails, once one does; locating all at once is faster."""
    for question, need in zip(questions, needs, strict=True):
        try:
            locate([need], documents, loader, own_loader)
        except EvidenceError as error:
            raise EvidenceError(f"{question.where}: {error}") from error


def _resolved(question: Question, need: Need, located: Sequence[LocatedItem]) -> ResolvedQuestion:
    grades: dict[str, int] = {}
    given = question.relevant.values() if question.relevant else [1] * len(located)
    for item, evidence, grade in zip(located, need.evidence, given, strict=True):
        for doc_id in item.doc_ids or tuple(passage.doc_id for passage in evidence.any_of):
            grades[doc_id] = max(grade, grades.get(doc_id, 0))
    items = None if question.relevant else _items(need.evidence, located)
    return ResolvedQuestion(question, tuple(located), items, grades)


def _items(
    evidence: Sequence[EvidenceItem], located: Sequence[LocatedItem]
) -> tuple[Item, ...] | None:
    found = []
    for item, place in zip(evidence, located, strict=True):
        spans = tuple((one.doc_id, one.span) for one in place.any_of if one.span is not None)
        quotes = [passage.quote for passage in item.any_of if passage.quote]
        if len(spans) < len(place.any_of) or (not spans and not quotes):
            return None
        found.append(Item(spans, "" if spans else quotes[0]))
    return tuple(found)
