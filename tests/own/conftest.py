"""Code of a user's own in a folder of its own, as the documentation shows it."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """An empty working directory; the import path is as before afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def code(workplace):
    """Writes a file of code into the working directory."""

    def write(text: str, name: str = "mine.py") -> Path:
        path = workplace / name
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def documented(workplace, repository) -> Path:
    """The examples of the page about parts of one's own, each in its file."""
    page = (repository / "docs" / "own-parts.md").read_text(encoding="utf-8")
    for block, name in re.findall(r"```python\n(# (\S+)\n.*?)```", page, re.S):
        (workplace / name).write_text(block, encoding="utf-8")
    return workplace
