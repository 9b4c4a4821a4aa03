"""Files of records, read strictly: every record comes with its file and line, and every fault too.

Rules fixed here: files are UTF-8, with or without a byte order mark; a JSON line ends at a line
feed and nowhere else (U+2028 may stand inside a string); a key that stands twice in an object, a
column that stands twice in a header and a row of another width are errors, not a choice.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragbench.errors import QuestionSetError, did_you_mean
from ragbench.records import EvidenceItem, Passage, Question, QuestionSet, explain

__all__ = [
    "Place",
    "Problems",
    "as_object",
    "check_keys",
    "json_lines",
    "json_value",
    "make_question",
    "make_set",
    "table_rows",
    "text_of",
]

Place = str
"""``file:line``, for messages."""

_MOST = 20
"""Problems that one message lists."""


_FIELDS = {name for model in (Question, EvidenceItem, Passage) for name in model.model_fields}


class Problems:
    """Faults of a file's lines, so that one message has all of them."""

    def __init__(self) -> None:
        self._found: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note a fault that is raised inside, and go on."""
        try:
            yield
        except QuestionSetError as error:
            self._found.append(str(error))

    def settle(self) -> None:
        """Raise what was noted.

        Raises:
            QuestionSetError: something was.
        """
        if not self._found:
            return
        if len(self._found) == 1:
            raise QuestionSetError(self._found[0])
        lines = [f"  {text}" for text in self._found[:_MOST]]
        if len(self._found) > _MOST:
            lines.append(f"  and {len(self._found) - _MOST} more")
        raise QuestionSetError("\n".join([f"{len(self._found)} lines are wrong:", *lines]))


def json_lines(
    path: Path, problems: Problems | None = None
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a JSON lines file, blank lines left out.

    Args:
        path: the file.
        problems: where lines that are no object are noted; None raises at the first.

    Raises:
        QuestionSetError: the file cannot be read, is empty, or a line is no JSON object.
    """
    n_found = 0
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            n_found += 1
            where = f"{path}:{number}"
            entry = None
            with nullcontext() if problems is None else problems.noted():
                entry = as_object(json_value(line, where), where)
            if entry is not None:
                yield where, entry
    if not n_found:
        raise QuestionSetError(f"{path} is empty. It must hold one JSON object per line.")


def json_value(text: str, where: Place) -> Any:  # noqa: ANN401  (JSON holds anything)
    """A JSON value; keys that stand twice and NaN are refused.

    Raises:
        QuestionSetError: it is no such JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise QuestionSetError(
            f"{where}: not JSON: {error.msg} at character {error.pos + 1}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise QuestionSetError(f"{where}: not JSON that can be used: {error}.") from error


def as_object(value: Any, where: Place) -> dict[str, Any]:  # noqa: ANN401  (JSON holds anything)
    """The value as an object.

    Raises:
        QuestionSetError: it is something else.
    """
    if not isinstance(value, dict):
        raise QuestionSetError(f"{where}: expected a JSON object, found {_shown(value)}.")
    return value


def text_of(entry: dict[str, Any], key: str, where: Place) -> str:
    """The text under a key that must be there.

    Raises:
        QuestionSetError: the key is missing, or holds no text.
    """
    if key not in entry:
        raise QuestionSetError(
            f"{where}: {key!r} is missing. Found: {', '.join(entry) or 'nothing'}"
            f"{did_you_mean(key, entry)}"
        )
    if not isinstance(entry[key], str):
        raise QuestionSetError(f"{where}: {key!r} must be text, found {_shown(entry[key])}.")
    return str(entry[key])


def check_keys(entry: dict[str, Any], allowed: Sequence[str], where: Place) -> None:
    """Refuse keys that mean nothing here.

    Raises:
        QuestionSetError: one is not among the allowed ones.
    """
    for key in entry:
        if key not in allowed:
            raise QuestionSetError(
                f"{where}: {key!r} is not known. Allowed: {', '.join(allowed)}"
                f"{did_you_mean(key, allowed)}"
            )


def table_rows(
    path: Path, delimiter: str, required: Sequence[str], problems: Problems | None = None
) -> Iterator[tuple[Place, dict[str, str]]]:
    """The rows of a table with a header; a row's line is the one that it begins in.

    Args:
        path: the file.
        delimiter: between cells.
        required: columns that must be there.
        problems: where rows of another width are noted; None raises at the first.

    Raises:
        QuestionSetError: the file cannot be read, is empty or has no row, lacks a required column,
            or a row is malformed.
    """
    rows = csv.reader(_lines(path), delimiter=delimiter, strict=True)
    header = _next(rows, path, 1)
    if header is None:
        raise QuestionSetError(f"{path} is empty. It needs the columns: {', '.join(required)}")
    _check_header(path, header, required)
    n_found = 0
    while True:
        line = rows.line_num + 1
        row = _next(rows, path, line)
        if row is None:
            break
        if not row:
            continue
        n_found += 1
        if len(row) != len(header):
            with nullcontext() if problems is None else problems.noted():
                raise QuestionSetError(
                    f"{path}:{line}: the row has {len(row)} cells, the header {len(header)}: "
                    f"{', '.join(header)}"
                )
            continue
        yield f"{path}:{line}", dict(zip(header, row, strict=True))
    if not n_found:
        raise QuestionSetError(f"{path} has a header and no row.")


def make_question(
    where: Place,
    written: Callable[[Sequence[str | int]], Sequence[str | int]] = tuple,
    **fields: Any,  # noqa: ANN401  (pydantic checks them)
) -> Question:
    """A question that knows its place.

    Args:
        where: its file and line.
        written: what a field was called in the file.
        fields: of the question.

    Raises:
        QuestionSetError: the fields make no question.
    """
    try:
        return Question.model_validate({**fields, "where": where})
    except ValidationError as error:
        raise QuestionSetError(f"{where}: {explain(error, _FIELDS, written)}") from error


def make_set(
    name: str,
    questions: Sequence[Question],
    loader: str | None = None,
    left_out: dict[str, int] | None = None,
    without_text: tuple[str, ...] = (),
) -> QuestionSet:
    """The set, once no two questions share an id.

    Raises:
        QuestionSetError: two do, both places are named; or there is no question.
    """
    places: dict[str, Place] = {}
    for question in questions:
        if question.id in places:
            raise QuestionSetError(
                f"{question.where}: the id {question.id!r} stands at {places[question.id]} already."
            )
        places[question.id] = question.where
    if not questions:
        reasons = "; ".join(f"{count} {reason}" for reason, count in (left_out or {}).items())
        raise QuestionSetError(f"{name} has no question{': ' if reasons else ''}{reasons}.")
    return QuestionSet(
        name=name,
        questions=tuple(questions),
        loader=loader,
        left_out=left_out or {},
        without_text=without_text,
    )


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                try:
                    yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise QuestionSetError(
                        f"{path}:{number}: byte {error.start + 1} of the line is not UTF-8. Save "
                        "the file as UTF-8."
                    ) from error
    except OSError as error:
        raise QuestionSetError(f"{path} cannot be read: {error.strerror}.") from error


def _next(rows: Iterator[list[str]], path: Path, line: int) -> list[str] | None:
    try:
        return next(rows, None)
    except csv.Error as error:
        raise QuestionSetError(f"{path}:{line}: a malformed row begins here: {error}.") from error


def _check_header(path: Path, header: list[str], required: Sequence[str]) -> None:
    for name in required:
        if name not in header:
            raise QuestionSetError(
                f"{path}:1: the column {name!r} is missing. Found: {', '.join(header)}"
                f"{did_you_mean(name, header)}"
            )
    doubled = [name for name in header if header.count(name) > 1]
    if doubled:
        raise QuestionSetError(f"{path}:1: the column {doubled[0]!r} stands twice.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _shown(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
