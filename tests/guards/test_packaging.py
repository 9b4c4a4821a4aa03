"""The wheel: complete, free of sources, and enough to run an evaluation in a fresh environment."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import ragbench

IMPORT_NAMES = {
    "beautifulsoup4": "bs4",
    "google-re2": "re2",
    "markdown-it-py": "markdown_it",
    "pyyaml": "yaml",
    "pystemmer": "Stemmer",
    "python-dotenv": "dotenv",
}
"""Distributions whose import name is not their own name with underscores."""
OPTIONAL = {"docutils", "openpyxl", "pptx", "pypdfium2"}
"""Imported only when asked for; an extra installs it, and a clear error says so."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, repository) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository, capture_output=True, check=True,
    ).stdout.decode().split("\0")  # fmt: skip
    for name in listed:
        if name and (repository / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((repository / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(folder), str(source)], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_every_module_domain_and_corpus(wheel, repository) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = set()
    for folder, target in {"ragbench": "ragbench", "ingest": "ragbench/ingest"}.items():
        for path in (repository / folder).rglob("*.py"):
            expected.add(f"{target}/{path.relative_to(repository / folder).as_posix()}")
    for folder in ("domains", "corpora"):
        for path in (repository / folder).rglob("*"):
            inside = path.relative_to(repository / folder)
            if path.is_file() and "__pycache__" not in path.parts and inside.parts[0] != "src":
                expected.add(f"ragbench/{folder}/{inside.as_posix()}")
    assert expected - names == set()
    assert [name for name in names if "/corpora/src/" in name or "__pycache__" in name] == []
    assert [name for name in names if not name.startswith(("ragbench/", "ragbench-"))] == []


@pytest.mark.slow
def test_the_wheel_runs_an_evaluation_in_a_fresh_environment(wheel, tmp_path) -> None:
    """The environment has the wheel's ragbench and, by a path file, this one's dependencies."""
    venv.create(tmp_path / "env", with_pip=False)
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(site),
    ]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True)
    dependencies = Path(importlib.metadata.distribution("click").locate_file(""))
    (site / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    python = tmp_path / "env" / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    where = subprocess.run(
        [python, "-c", "import ragbench, ragbench.domains; print(ragbench.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(site)
    run = "from ragbench.cli import main; main(['eval', '--domain', 'mock', '--save-to', 'run'])"
    done = subprocess.run(
        [python, "-c", run], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()) == 9
    assert (tmp_path / "run" / "report.html").is_file()


def third_party(repository: Path) -> set[str]:
    """Top-level names of foreign modules that the shipped code imports."""
    found = set()
    for folder in ("ragbench", "ingest", "domains", "corpora"):
        for path in (repository / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"ragbench"}


def test_every_foreign_import_is_a_declared_dependency(repository) -> None:
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    declared = [
        re.split(r"[<>=!~\[; ]", requirement)[0].lower()
        for requirement in settings["project"]["dependencies"]
    ]
    names = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in declared}
    implied = {"torch", "transformers", "pydantic_core"}  # of sentence-transformers and pydantic
    assert third_party(repository) - names - implied - OPTIONAL == set()


def test_the_version_is_the_same_everywhere(repository) -> None:
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["version"] == ragbench.__version__
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{ragbench.__version__}]" in changelog or "## [Unreleased]" in changelog
