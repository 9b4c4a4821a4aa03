"""Contradiction: two documents that say the same of different values, and nothing decides."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from ragbench.records import Document
from ragbench.validate._corpus import Segment, content_words
from ragbench.validate._rule import Flaw, Severity, domain_rule
from ragbench.validate._subject import SCOPES, VERSIONS, Subject

__all__: list[str] = []

_FEWEST_WORDS = 4
"""A passage of fewer content words says too little to be contradicted."""
_MOST_IN_ONE = 40
"""Passages with the same words beyond so many are a form that is filled in, such as a footer."""
_SIBLINGS = 0.5
"""Titles that share so many of their words are titles of siblings; the others name the scope."""


@domain_rule(
    "contradiction.value",
    Severity.ERROR,
    means="Passages of two documents with the same content words state the same values, unless a "
    "date, a version or the scope of the documents decides between them.",
    remedy="Correct the wrong one; or say in the passage or in the documents' metadata (version, "
    "effective_until, superseded_by, product, region) which counts when.",
    needs=("documents", "scopes"),
)
def differing_values(subject: Subject) -> Iterator[Flaw]:
    """Near-duplicate passages whose values differ."""
    for group in _same_words(subject.corpus.segments):
        told: set[tuple[str, str]] = set()
        for left, right in combinations(group, 2):
            pair = (left.doc_id, right.doc_id)
            if left.doc_id == right.doc_id or pair in told or not _conflict(left, right):
                continue
            if not _decided(subject, left, right):
                told.add(pair)
                yield Flaw(
                    f"{left.doc_id} says {left.text!r}, and {right.doc_id} says {right.text!r}",
                    _file(subject, right.doc_id),
                )


@domain_rule(
    "contradiction.version",
    Severity.ERROR,
    means="A document that another one supersedes says until when it counted, and not beyond the "
    "day on which the other begins: on every day exactly one version is in force.",
    remedy="Set effective_until of the older document to the day before effective_date of the "
    "newer one.",
    needs=("documents", "scopes"),
)
def versions(subject: Subject) -> Iterator[Flaw]:
    """Versions that overlap, leave days between them, or are superseded by nothing."""
    for doc_id, document in subject.documents.items():
        newer_id = document.metadata.get("superseded_by")
        if newer_id is None:
            continue
        newer = subject.documents.get(subject.by_name.get(str(newer_id), ""))
        if newer is None:
            message = f"{doc_id} is superseded by {newer_id!r}, which is no document"
            yield Flaw(message, _file(subject, doc_id))
            continue
        until, begins = _date(document, "effective_until"), _date(newer, "effective_date")
        if until is None or begins is None or begins - until != dt.timedelta(days=1):
            yield Flaw(
                f"{doc_id} counts until {until}, and {newer.doc_id}, which supersedes it, from "
                f"{begins} on",
                _file(subject, doc_id),
            )


def _same_words(segments: list[Segment]) -> Iterator[list[Segment]]:
    """Passages with the same content words; filler and order aside they are near-duplicates."""
    groups: dict[frozenset[str], list[Segment]] = defaultdict(list)
    for segment in segments:
        if len(segment.words) >= _FEWEST_WORDS and (segment.numbers or segment.dates):
            groups[segment.words].append(segment)
    for group in groups.values():
        if 1 < len(group) <= _MOST_IN_ONE:
            yield group


def _conflict(left: Segment, right: Segment) -> bool:
    """Whether each states a number that the other does not; dates in them decide by themselves."""
    return bool(left.numbers - right.numbers and right.numbers - left.numbers)


def _decided(subject: Subject, left: Segment, right: Segment) -> bool:
    if left.dates != right.dates or left.codes != right.codes:
        return True
    one, other = subject.documents[left.doc_id], subject.documents[right.doc_id]
    if any(one.metadata.get(key) != other.metadata.get(key) for key in VERSIONS):
        return True
    scopes = [(one.metadata.get(key), other.metadata.get(key)) for key in SCOPES]
    if any(mine and theirs and mine != theirs for mine, theirs in scopes):
        return True
    return _siblings(one, other)


def _siblings(one: Document, other: Document) -> bool:
    """Whether the titles differ like those of two products: mostly the same, and not quite."""
    left, right = content_words(one.title), content_words(other.title)
    if left == right or not left or not right:
        return False
    return len(left & right) / min(len(left), len(right)) >= _SIBLINGS


def _date(document: Document, key: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(document.metadata.get(key)))
    except ValueError:
        return None


def _file(subject: Subject, doc_id: str) -> Path:
    corpus = subject.domain.corpus if subject.domain else subject.folder / "documents"
    return corpus / doc_id.split("::")[0]
