"""Load a domain from its folder: the built-in ones and a user's own through the same code."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import importlib
import sys
import tomllib
import traceback
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragbench.config import DEFAULT_K, MAX_K
from ragbench.domains._tasks import TaskProblem, read_tasks, read_text
from ragbench.errors import DomainError, UnknownName, UsageError
from ragbench.records import Task, explain
from ragbench.toolkit import RESERVED_TOOLS, Rule, Tool

__all__ = ["Domain", "Reading", "builtin_domains", "load_domain", "read_domain"]

_HERE = Path(__file__).parent


class _Settings(BaseModel):
    """``domain.toml``.

    ``corpus`` is a folder, relative to the domain's; ``now`` the fixed clock.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[\w-]+$")
    description: str
    corpus: str
    now: dt.datetime
    retrieval_tool: str = "search_policies"
    default_setup: str = "dense"
    default_k: int = Field(default=DEFAULT_K, ge=1, le=MAX_K)
    loader: str = "files"
    day_first: bool = False
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Domain:
    """A loaded domain.

    Attributes:
        corpus: the folder of documents.
        loader: spec of the loader that evidence quotes refer to.
        database: the initial state; copied for every simulation.
        sha256: hash of every file of the domain folder, hexadecimal (the corpus has its own).
        day_first: whether 3/4/2026 in an agent's message is 3 April.
        synonyms: words or units, each with the wordings that mean the same in a statement.
    """

    name: str
    description: str
    path: Path
    corpus: Path
    now: dt.datetime
    retrieval_tool: str
    default_setup: str
    default_k: int
    loader: str
    policy: str
    database: BaseModel
    tools: dict[str, Tool]
    rules: tuple[Rule, ...]
    tasks: tuple[Task, ...]
    sha256: str
    day_first: bool = False
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()


def builtin_domains() -> dict[str, Path]:
    """Name to folder of every built-in domain."""
    return {path.parent.name: path.parent for path in sorted(_HERE.glob("*/domain.toml"))}


@dataclass(frozen=True, slots=True)
class Reading:
    """A domain folder as far as it can be read.

    Attributes:
        domain: the domain with the tasks that are in order.
        files: the file of each of these, by task id.
        problems: the tasks and task files that are not in order.
    """

    domain: Domain
    files: dict[str, Path]
    problems: tuple[TaskProblem, ...]


def load_domain(name: str) -> Domain:
    """Load a built-in domain by name, or any domain by its folder's path.

    Raises:
        UnknownName: neither a built-in name nor an existing folder.
        DomainError: a file of the folder is missing or malformed; the message names it.
    """
    reading = read_domain(name)
    if reading.problems:
        raise DomainError("\n".join(str(problem) for problem in reading.problems))
    return reading.domain


def read_domain(name: str) -> Reading:
    """As `load_domain`, but tasks that are malformed are listed instead of raised.

    Raises:
        UnknownName: neither a built-in name nor an existing folder.
        DomainError: there is no task file, or another file than a task's is missing or malformed.
    """
    folder = _folder(name).resolve()
    settings = _settings(folder / "domain.toml")
    package = _Package(folder)
    corpus = (folder / settings.corpus).resolve()
    if not corpus.is_dir():
        raise DomainError(
            f"{folder / 'domain.toml'}: the corpus {settings.corpus!r} is no folder ({corpus})."
        )
    parts: dict[str, Any] = {
        "policy": _policy(folder / "policy.md"),
        "database": _database(package, folder),
        "tools": _tools(package, folder, settings.retrieval_tool),
        "rules": _rules(package, folder),
    }
    tasks, problems = read_tasks(folder / "tasks")
    if not tasks and not problems:
        raise DomainError(f"{folder / 'tasks'} holds no task (*.json).")
    domain = Domain(
        name=settings.name,
        description=settings.description,
        path=folder,
        corpus=corpus,
        now=settings.now,
        retrieval_tool=settings.retrieval_tool,
        default_setup=settings.default_setup,
        default_k=settings.default_k,
        loader=settings.loader,
        day_first=settings.day_first,
        synonyms=tuple(settings.synonyms.items()),
        tasks=tuple(task for task, _ in tasks.values()),
        sha256=_hash(folder),
        **parts,
    )
    return Reading(domain, {task_id: path for task_id, (_, path) in tasks.items()}, problems)


def _folder(name: str) -> Path:
    known = builtin_domains()
    if name in known:
        return known[name]
    folder = Path(name)
    if folder.is_dir():
        return folder
    if "/" in name or name.startswith("."):
        raise UsageError(
            f"The domain's folder {name!r} does not exist. Give a folder with a domain.toml, or "
            f"one of: {', '.join(known)}."
        )
    raise UnknownName("domain", name, known, "ragbench list domains")


class _Package:
    """The domain folder as a package under a private name, so that relative imports work."""

    def __init__(self, folder: Path) -> None:
        digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
        self.name = f"_ragbench_domain_{digest}"
        package = types.ModuleType(self.name)
        package.__path__ = [str(folder)]
        for loaded in [key for key in sys.modules if key.split(".")[0] == self.name]:
            del sys.modules[loaded]
        sys.modules[self.name] = package

    def load(self, dotted: str, path: Path) -> types.ModuleType:
        if not path.is_file():
            raise DomainError(f"{path} does not exist. A domain needs it; see docs/domains.md.")
        importlib.invalidate_caches()
        try:
            # What a module prints when it is loaded is not a result of the command.
            with contextlib.redirect_stdout(sys.stderr):
                return importlib.import_module(f"{self.name}.{dotted}")
        except (*_IMPORT_FAULTS, SystemExit) as error:
            message = str(error).replace(f"{self.name}.", "")
            raise DomainError(
                f"{path} does not load{_line(error, path)}: {type(error).__name__}: {message}"
            ) from error


_IMPORT_FAULTS = (
    ArithmeticError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError,
)  # fmt: skip
"""What the code of a module can raise while it is loaded."""


def _line(error: BaseException, path: Path) -> str:
    """The line of the file at which loading it failed, when the traceback knows one."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f" (line {lines[-1]})" if lines else ""


def _settings(path: Path) -> _Settings:
    try:
        return _Settings.model_validate(tomllib.loads(read_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise DomainError(f"{path} is not valid TOML: {error}") from error
    except ValidationError as error:
        raise DomainError(f"{path}: {explain(error, _Settings.model_fields)}") from error


def _policy(path: Path) -> str:
    text = read_text(path)
    if not text.strip():
        raise DomainError(f"{path} is empty. It is what the agent's system prompt holds.")
    return text


def _database(package: _Package, folder: Path) -> BaseModel:
    schema = package.load("schema", folder / "schema.py")
    model = getattr(schema, "Database", None)
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise DomainError(f"{folder / 'schema.py'} defines no pydantic model called Database.")
    try:
        database: BaseModel = model.model_validate_json(read_text(folder / "db.json"))
    except ValidationError as error:
        raise DomainError(f"{folder / 'db.json'}: {explain(error)}") from error
    return database


def _tools(package: _Package, folder: Path, retrieval_tool: str) -> dict[str, Tool]:
    tools: dict[str, Tool] = {}
    reserved = {retrieval_tool, *RESERVED_TOOLS}
    for path in sorted((folder / "tools").glob("*.py")):
        module = package.load(f"tools.{path.stem}", path)
        for found in vars(module).values():
            if isinstance(found, Tool) and found.function.__module__ == module.__name__:
                if found.name in tools:
                    raise DomainError(f"{path}: a second tool is called {found.name!r}.")
                if found.name in reserved:
                    raise DomainError(
                        f"{path}: no tool may be called {found.name!r}; ragbench gives the agent a "
                        f"tool of that name. Reserved: {', '.join(sorted(reserved))}."
                    )
                tools[found.name] = found
    if not tools:
        raise DomainError(
            f"{folder / 'tools'} holds no tool. Decorate functions with ragbench.toolkit.tool."
        )
    return tools


def _rules(package: _Package, folder: Path) -> tuple[Rule, ...]:
    if not (folder / "rules.py").is_file():
        return ()
    module = package.load("rules", folder / "rules.py")
    return tuple(found for found in vars(module).values() if isinstance(found, Rule))


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "recorded" not in path.parts:
            name = path.relative_to(folder).as_posix().encode()
            for part in (name, path.read_bytes()):
                digest.update(len(part).to_bytes(8, "big"))
                digest.update(part)
    return digest.hexdigest()
