"""The CSV of the published chunking evaluation: questions with character spans in named corpora.

Columns ``question``, ``references`` (JSON: a list of ``content``, ``start_index``, ``end_index``)
and ``corpus_id``, the name of a file beside it. Source: Smith & Troynikov 2024, "Evaluating
Chunking Strategies for Retrieval". Its own code finds spans by the first ``find``; here each one is
held against the corpus. A reference that the corpus repeats word by word is found at any of its
places; the one that the file states stands first, and ``variant=published`` knows no other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragbench.errors import QuestionSetError
from ragbench.interop._strict import (
    as_object,
    check_keys,
    json_value,
    make_question,
    make_set,
    table_rows,
    text_of,
)
from ragbench.records import QuestionSet

__all__ = ["read_chunking_eval"]

_COLUMNS = ("question", "references", "corpus_id")
_KEYS = ("content", "start_index", "end_index")
_SUFFIXES = ("", ".md", ".txt")


def read_chunking_eval(path: Path, corpora: Path, loader: str = "files") -> QuestionSet:
    """One question per row, called by its line; a document's id is its file's name in ``corpora``.

    Args:
        path: the CSV.
        corpora: the folder of the corpora, each called ``<corpus_id>``, ``.md`` or ``.txt``.
        loader: spec of the loader whose text is the file's as it stands, which offsets refer to.

    Raises:
        QuestionSetError: a file is missing, empty or malformed, or a reference's content is not
            what stands between its offsets. The message names the line.
    """
    texts: dict[str, tuple[str, str]] = {}
    questions = []
    for where, row in table_rows(path, ",", _COLUMNS):
        corpus_id = row["corpus_id"]
        if corpus_id not in texts:
            texts[corpus_id] = _corpus(corpora, corpus_id, where)
        doc_id, text = texts[corpus_id]
        references = json_value(row["references"], where)
        if not isinstance(references, list) or not references:
            raise QuestionSetError(f"{where}: 'references' must be a list of at least one.")
        evidence = [
            {
                "any_of": [
                    {"doc_id": doc_id, "loader": loader, "start": start, "end": end}
                    for start, end in _places(_span(reference, text, where), text)
                ]
            }
            for reference in references
        ]
        line = where.rpartition(":")[2]
        questions.append(make_question(where, id=line, text=row["question"], evidence=evidence))
    return make_set(path.parent.name or path.stem, questions, loader=loader)


def _span(reference: Any, text: str, where: str) -> tuple[int, int]:  # noqa: ANN401  (JSON)
    entry = as_object(reference, where)
    check_keys(entry, _KEYS, where)
    content = text_of(entry, "content", where)
    start, end = entry.get("start_index"), entry.get("end_index")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise QuestionSetError(
            f"{where}: the offsets {start!r} and {end!r} of {content[:40]!r} are no span: whole "
            "numbers from 0, the start before the end."
        )
    if text[start:end] != content:
        raise QuestionSetError(
            f"{where}: between {start} and {end} stands {text[start:end][:60]!r}, not "
            f"{content[:60]!r}."
        )
    return start, end


def _places(span: tuple[int, int], text: str) -> list[tuple[int, int]]:
    """The span, then every other place where the same text stands, in order.

    >>> _places((5, 7), "ab x ab, abab")
    [(5, 7), (0, 2), (9, 11), (11, 13)]
    """
    start, end = span
    content, found, at = text[start:end], [span], -1
    while (at := text.find(content, at + 1)) >= 0:
        if at != start:
            found.append((at, at + end - start))
    return found


def _corpus(corpora: Path, corpus_id: str, where: str) -> tuple[str, str]:
    for suffix in _SUFFIXES:
        file = corpora / f"{corpus_id}{suffix}"
        if corpus_id and file.is_file():
            try:
                return file.name, file.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise QuestionSetError(f"{where}: {file} cannot be read: {error}.") from error
    found = ", ".join(sorted(path.name for path in corpora.glob("*"))) or "nothing"
    raise QuestionSetError(f"{where}: {corpora} has no corpus {corpus_id!r}. It holds: {found}")
