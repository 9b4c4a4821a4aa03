"""Guards on the shape of the code: package list, import direction, light imports, doctests."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ragbench

LAYERS = (
    {"ragbench.cli", "ragbench.__main__"},
    {"ragbench.report", "ragbench.validate", "ragbench.conformance"},
    {"ragbench.compare", "ragbench.runner"},
    {"ragbench.judge"},
    {"ragbench.diagnose"},
    {"ragbench.score"},
    {"ragbench.simulate"},
    {"ragbench.domains"},
    {"ragbench.retrieval"},
    {"ragbench.ingest"},
    {"ragbench.interop"},
    {"ragbench.llm"},
    {"ragbench.statistics"},
    {"ragbench.toolkit", "ragbench.evidence"},
    {"ragbench.records", "ragbench.registry"},
    {"ragbench.spec", "ragbench.own"},
    {"ragbench.errors", "ragbench.config"},
)
"""From the top: a module may import from its own layer and from lower ones only."""
LEAVES = {name for layer in LAYERS[-4:] for name in layer}
FOLDERS = {"ragbench": "ragbench", "ingest": "ragbench.ingest", "domains": "ragbench.domains"}
HEAVY = ("chromadb", "sentence_transformers", "torch", "litellm", "pandas", "pypdf", "onnxruntime")


def modules(root: Path) -> dict[str, Path]:
    """Import name to file of every module of the package; domain folders are no modules."""
    found = {}
    for folder, package in FOLDERS.items():
        files = (
            (root / folder).glob("*.py") if folder == "domains" else (root / folder).rglob("*.py")
        )
        for path in files:
            parts = path.relative_to(root / folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            found[name] = path
    return found


def imported(path: Path) -> set[str]:
    """Every module of ragbench that the file imports, at any depth of nesting."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] == "ragbench"}


def layer_of(name: str) -> int | None:
    """The layer of a module, None for ``ragbench`` itself."""
    for number, layer in enumerate(LAYERS):
        if any(name == member or name.startswith(member + ".") for member in layer):
            return number
    return None


def upward(found: dict[str, Path]) -> list[str]:
    """Imports that point up."""
    wrong = []
    for name, path in found.items():
        own = layer_of(name)
        for target in imported(path):
            other = layer_of(target)
            if own is not None and other is not None and other < own:
                wrong.append(f"{name} imports {target}")
    return wrong


def test_no_import_points_up(repository) -> None:
    found = modules(repository)
    assert len(found) > 60
    assert [name for name in found if layer_of(name) is None] == ["ragbench"]
    assert upward(found) == []


def test_the_direction_guard_can_fail(tmp_path) -> None:
    path = tmp_path / "x.py"
    path.write_text("def f():\n    from ragbench.cli import main\n", encoding="utf-8")
    assert sorted(upward({"ragbench.records.x": path})) == [
        "ragbench.records.x imports ragbench.cli",
        "ragbench.records.x imports ragbench.cli.main",
    ]


def test_leaves_import_only_pydantic_and_the_standard_library(repository) -> None:
    allowed = {*sys.stdlib_module_names, "pydantic", "pydantic_core", "ragbench"}  # one library
    foreign = []
    for name, path in modules(repository).items():
        if not any(name == leaf or name.startswith(leaf + ".") for leaf in LEAVES):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            tops = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                tops = [node.module]
            foreign += [f"{name}: {top}" for top in tops if top.split(".")[0] not in allowed]
    assert foreign == []


def test_the_package_list_is_complete(repository) -> None:
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["setuptools"]["packages"]
    on_disk = []
    for folder, package in {**FOLDERS, "corpora": "ragbench.corpora"}.items():
        for path in (repository / folder).rglob("__init__.py"):
            parts = path.parent.relative_to(repository / folder).parts
            on_disk.append(".".join([package, *parts]))
    assert sorted(listed) == sorted(on_disk)
    assert not (repository / "ragbench" / "ingest").exists()


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after the statement."""
    tell = "import sys, json; print(json.dumps(sorted(m.split('.')[0] for m in sys.modules)))"
    code = f"{statement}\n{tell}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    ["import ragbench", "import ragbench.cli", "import ragbench.ingest", "import ragbench.runner"],
)
def test_importing_loads_nothing_heavy(statement) -> None:
    assert loaded_by(statement) & set(HEAVY) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["eval", "--help"], ["ingest", "--help"]])
def test_help_loads_neither_heavy_modules_nor_pydantic(arguments) -> None:
    statement = (
        "from ragbench.cli import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit as leave: assert leave.code == 0, leave.code"
    )
    assert loaded_by(statement) & {*HEAVY, "pydantic", "numpy", "rich"} == set()


def test_heavy_modules_are_imported_inside_functions(repository) -> None:
    at_top = []
    for name, path in modules(repository).items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            at_top += [f"{name}: {n}" for n in names if n.split(".")[0] in HEAVY]
    assert at_top == []


def doctested(name: str) -> doctest.TestResults:
    module = importlib.import_module(name)
    return doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)


def test_doctests_pass() -> None:
    n_attempted = 0
    for info in pkgutil.walk_packages(ragbench.__path__, "ragbench."):
        result = doctested(info.name)
        assert result.failed == 0, info.name
        n_attempted += result.attempted
    for name in ("ragbench.ingest", "ragbench.domains"):
        package = importlib.import_module(name)
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            if re.match(rf"{re.escape(name)}\.(mock|banking_knowledge)", info.name):
                continue
            result = doctested(info.name)
            assert result.failed == 0, info.name
            n_attempted += result.attempted
    assert n_attempted > 30


def test_public_packages_only_re_export(repository) -> None:
    """An ``__init__.py`` holds a docstring, imports, ``__all__`` and at most an import guard."""
    odd = []
    for name, path in modules(repository).items():
        if path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.If, ast.Expr)
            if not isinstance(node, kinds):
                odd.append(f"{name}: {ast.unparse(node)[:60]}")
    assert odd == []
