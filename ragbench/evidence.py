"""Evidence as character spans: unions, quotes resolved to spans, coverage by what was seen.

Rules fixed here: spans are half-open ``(start, end)`` offsets into the loaded text, and touching is
not overlapping. Ratios count characters that are not white space, each once however often it is
covered. A quote is found after folding white space and must stand exactly once, unless its
occurrence is named. What evidence *means* for a trajectory is in `ragbench.diagnose`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ragbench.errors import EvidenceError
from ragbench.records import Document, Need, Passage

__all__ = [
    "LOST_IN_PARSING",
    "NOT_IN_INDEX",
    "THETA",
    "Located",
    "LocatedItem",
    "Seen",
    "Span",
    "find_quote",
    "intersect",
    "locate",
    "n_characters",
    "resolve_quote",
    "union",
    "within",
]

Span = tuple[int, int]

NOT_IN_INDEX = "not_in_index"
LOST_IN_PARSING = "lost_in_parsing"

THETA = 0.9
"""Share of a passage's characters that must have been seen for the passage to count as covered."""


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as sorted spans that neither overlap nor touch; empty spans vanish.

    >>> union([(5, 9), (0, 3), (2, 5), (7, 7)])
    [(0, 9)]
    """
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def intersect(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    """The characters that stand in both, as a union.

    >>> intersect([(0, 10), (20, 30)], [(5, 25)])
    [(5, 10), (20, 25)]
    >>> intersect([(0, 5)], [(5, 9)])
    []
    """
    a, b = union(left), union(right)
    found: list[Span] = []
    i = j = 0
    while i < len(a) and j < len(b):
        start, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < end:
            found.append((start, end))
        if a[i][1] <= b[j][1]:
            i += 1
        else:
            j += 1
    return found


def within(span: Span, spans: Iterable[Span]) -> list[Span]:
    """The parts of the spans that stand in one span, in their order.

    >>> within((5, 25), [(0, 10), (12, 14), (25, 30)])
    [(5, 10), (12, 14)]
    """
    start, end = span
    return [(max(a, start), min(b, end)) for a, b in spans if a < end and start < b]


def n_characters(text: str, spans: Iterable[Span]) -> int:
    """How many characters of the union of the spans are not white space.

    >>> n_characters("ab  cd", [(0, 4), (1, 5)])
    3
    """
    return sum(len("".join(text[start:end].split())) for start, end in union(spans))


def find_quote(text: str, quote: str) -> list[Span]:
    r"""Every span at which the quote stands, white space folded, in order; they may overlap.

    >>> find_quote("The fee\n  is $35. The fee is waived.", "The fee is")
    [(0, 12), (18, 28)]
    """
    words = quote.split()
    if not words:
        return []
    pattern = r"\s+".join(re.escape(word) for word in words)
    return [match.span(1) for match in re.finditer(f"(?=({pattern}))", text)]


def resolve_quote(text: str, quote: str, occurrence: int | None = None, where: str = "") -> Span:
    """The one span of a quote.

    Args:
        text: the loaded text of the document.
        quote: the passage, in which any run of white space equals any other.
        occurrence: which one to take when the quote stands several times, counted from 1.
        where: what to call the place in messages, such as a task and a document.

    Raises:
        EvidenceError: the quote does not stand in the text, stands several times and no occurrence
            is given, or has fewer occurrences than the one asked for.
    """
    spans = find_quote(text, quote)
    shown = quote if len(quote) <= 80 else quote[:77] + "..."
    if not spans:
        raise EvidenceError(
            f"{where}The quote {shown!r} does not stand in the loaded text. Copy it from the text "
            "as it was loaded, without page headers or hyphens at line ends."
        )
    if occurrence is None and len(spans) > 1:
        raise EvidenceError(
            f"{where}The quote {shown!r} stands {len(spans)} times in the loaded text. Make it "
            "longer until it stands once, or name its occurrence (1 is the first)."
        )
    if occurrence is not None and not 1 <= occurrence <= len(spans):
        raise EvidenceError(
            f"{where}The quote {shown!r} stands {len(spans)} times in the loaded text; "
            f"occurrence {occurrence} is not among them."
        )
    return spans[(occurrence or 1) - 1]


@dataclass(frozen=True, slots=True)
class Located:
    """A passage that was found: a span of one document, or the whole document when it has none.

    ``span`` is None for document-level evidence, which any hit of the document covers.
    """

    doc_id: str
    span: Span | None


@dataclass(slots=True)
class Seen:
    """What has reached the agent so far: per document, a union of spans.

    Args:
        texts: loaded text by document id; needed to leave white space out of the count.
    """

    texts: Mapping[str, str]
    spans: dict[str, list[Span]] = field(default_factory=dict)

    def copy(self) -> Seen:
        """An independent copy, to ask what one more result would have covered."""
        return Seen(self.texts, dict(self.spans))  # the lists in it are replaced, never changed

    def add(self, delivered: Iterable[tuple[str, int, int]]) -> None:
        """Count more spans, each ``(doc_id, start, end)``, as seen."""
        for doc_id, start, end in delivered:
            self.spans[doc_id] = union([*self.spans.get(doc_id, ()), (start, end)])

    def share(self, passage: Located) -> float:
        """|passage ∩ seen| / |passage|, in [0, 1]; a whole document is 1.0 once any was seen."""
        seen = self.spans.get(passage.doc_id)
        if not seen:
            return 0.0
        if passage.span is None:
            return 1.0
        text = self.texts[passage.doc_id]
        size = n_characters(text, [passage.span])
        return n_characters(text, within(passage.span, seen)) / size if size else 0.0

    def covers(self, alternatives: Iterable[Located]) -> bool:
        """Whether one of the alternatives has at least `THETA` of its characters seen."""
        return any(self.share(passage) >= THETA for passage in alternatives)


@dataclass(frozen=True, slots=True)
class LocatedItem:
    """An evidence item of a need, its passages found in the loaded documents.

    ``problem`` is None when at least one alternative was found, else `NOT_IN_INDEX` (no
    alternative's document is there) or `LOST_IN_PARSING` (a document is there, but not the quote).
    ``doc_ids`` are the alternatives' documents that are there, quote or no quote.
    """

    need_id: str
    index: int
    any_of: tuple[Located, ...]
    problem: str | None = None
    doc_ids: tuple[str, ...] = ()


def locate(
    needs: Iterable[Need], documents: Mapping[str, Document], loader: str, own_loader: bool
) -> tuple[LocatedItem, ...]:
    """Find every passage of the needs in the documents, in file order.

    Args:
        needs: the needs of one task.
        documents: the loaded documents by id; a passage may also name one of their aliases.
        loader: spec of the loader that made them.
        own_loader: whether that is the loader for which the quotes were written. If so, a quote
            that is absent or ambiguous is an error of the task; otherwise it was lost in parsing.

    Raises:
        EvidenceError: under the own loader, a quote that is absent or ambiguous; under any, offsets
            that refer to another loader or hold no text, and an alias that several documents have.
    """
    by_name = _by_name(needs := tuple(needs), documents)
    found = []
    for need in needs:
        for index, item in enumerate(need.evidence):
            here = [passage for passage in item.any_of if passage.doc_id in by_name]
            located = []
            for passage in here:
                where = f"Need {need.id!r}, document {passage.doc_id!r}: "
                try:
                    located.append(_locate_one(passage, by_name[passage.doc_id], loader, where))
                except EvidenceError:
                    if own_loader or passage.start is not None:
                        raise
            problem = None if located else LOST_IN_PARSING if here else NOT_IN_INDEX
            doc_ids = tuple(dict.fromkeys(by_name[passage.doc_id].doc_id for passage in here))
            found.append(LocatedItem(need.id, index, tuple(located), problem, doc_ids))
    return tuple(found)


def _by_name(needs: Iterable[Need], documents: Mapping[str, Document]) -> dict[str, Document]:
    """The documents that the needs name, by the name used: an id, else an alias."""
    by_alias: dict[str, list[Document]] = {}
    for document in documents.values():
        for alias in document.aliases:
            by_alias.setdefault(alias, []).append(document)
    found = dict(documents)
    for need in needs:
        for passage in (passage for item in need.evidence for passage in item.any_of):
            named = [] if passage.doc_id in documents else by_alias.get(passage.doc_id, [])
            if len(named) > 1:
                raise EvidenceError(
                    f"Need {need.id!r}: the document {passage.doc_id!r} is an alias of "
                    f"{', '.join(sorted(doc.doc_id for doc in named))}. Name one of these instead."
                )
            if named:
                found[passage.doc_id] = named[0]
    return found


def _locate_one(passage: Passage, document: Document, loader: str, where: str) -> Located:
    if passage.quote is not None:
        span = resolve_quote(document.text, passage.quote, passage.occurrence, where)
        return Located(document.doc_id, span)
    if passage.start is None or passage.end is None:
        return Located(document.doc_id, None)
    if passage.loader != loader:
        raise EvidenceError(
            f"{where}its offsets refer to the loader {passage.loader!r}, the documents were loaded "
            f"by {loader!r}. Give a quote, which can be found under any loader."
        )
    if passage.end > len(document.text):
        raise EvidenceError(
            f"{where}the offsets {passage.start}-{passage.end} end after the text, which has "
            f"{len(document.text)} characters."
        )
    if not document.text[passage.start : passage.end].strip():
        raise EvidenceError(
            f"{where}the offsets {passage.start}-{passage.end} hold nothing but white space. Name "
            "the characters that state the fact."
        )
    return Located(document.doc_id, (passage.start, passage.end))
