"""The folder of a grid: what is in it, and what is read back from it.

``config.json`` (written before the first cell), ``questions.jsonl`` (what was asked and what had to
be found), ``ingests.jsonl`` and ``cells.jsonl`` (appended to), and what is made of them at the end:
``compare.html``, ``results.csv``, ``results.json``, ``table.md`` and ``trec/``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ragbench.compare._records import CellRecord, IngestRecord, QuestionRecord
from ragbench.errors import RunError
from ragbench.runner import AppendFolder

__all__ = ["GridFolder", "questions_hash", "read_grid"]


class GridFolder(AppendFolder):
    """The folder of one grid.

    Args:
        path: the folder; it is made when it is opened.
    """

    files = (
        "config.json", "questions.jsonl", "ingests.jsonl", "cells.jsonl", "compare.html",
        "results.csv", "results.json", "table.md", "trec", "eval",
    )  # fmt: skip
    lines = ("ingests.jsonl", "cells.jsonl")
    work = "comparison"
    line_is = "cell"

    def cells(self) -> dict[str, CellRecord]:
        """The stored cells by id; the last line of a cell holds.

        Raises:
            RunError: a line other than the last does not parse.
        """
        return {record.cell_id: record for record in self.stored("cells.jsonl", CellRecord)}

    def ingests(self) -> dict[tuple[str, str], IngestRecord]:
        """How the collections were made, by name and index; the first line of one holds.

        Later ingests of the same content only find it there.
        """
        found: dict[tuple[str, str], IngestRecord] = {}
        for record in self.stored("ingests.jsonl", IngestRecord):
            found.setdefault((record.collection, record.index_id), record)
        return found

    def questions(self) -> tuple[QuestionRecord, ...]:
        """What was asked.

        Raises:
            RunError: a line does not parse.
        """
        return tuple(self.stored("questions.jsonl", QuestionRecord))

    def write_questions(self, questions: tuple[QuestionRecord, ...]) -> None:
        """Write ``questions.jsonl``."""
        lines = (question.model_dump_json() + "\n" for question in questions)
        self.write("questions.jsonl", "".join(lines))


def questions_hash(questions: tuple[QuestionRecord, ...]) -> str:
    """Hash of what was asked and what had to be found, wherever it was read from."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(question.model_dump_json(exclude={"where", "labels"}).encode() + b"\n")
    return digest.hexdigest()


def read_grid(path: Path) -> tuple[dict[str, Any], tuple[QuestionRecord, ...], list[CellRecord]]:
    """Configuration, questions and cells of a stored grid, cells in the order of the grid.

    Raises:
        RunError: the folder is no grid, or a file of it is damaged.
    """
    folder = GridFolder(path)
    config = path / "config.json"
    if not config.is_file() or not (path / "questions.jsonl").is_file():
        raise RunError(
            f"{str(path)!r} is no folder of a comparison: it has no config.json with a "
            "questions.jsonl. Make one: ragbench compare ..."
        )
    try:
        resolved = json.loads(config.read_text(encoding="utf-8"))
        order = [cell["cell_id"] for cell in resolved["cells"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{config} cannot be read: {error}.") from error
    cells = folder.cells()
    return resolved, folder.questions(), [cells[name] for name in order if name in cells]
