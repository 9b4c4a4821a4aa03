"""Load a domain from its folder: the built-in ones and a user's own through the same code."""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib
import json
import sys
import tomllib
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragbench.config import DEFAULT_K, MAX_K
from ragbench.errors import DomainError, UnknownName
from ragbench.records import Task
from ragbench.toolkit import Rule, Tool

__all__ = ["Domain", "builtin_domains", "load_domain"]

_HERE = Path(__file__).parent


class _Settings(BaseModel):
    """``domain.toml``.

    ``corpus`` is a folder, relative to the domain's; ``now`` the fixed clock.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    corpus: str
    now: dt.datetime
    retrieval_tool: str = "search_policies"
    default_setup: str = "dense"
    default_k: int = Field(default=DEFAULT_K, ge=1, le=MAX_K)
    loader: str = "files"


@dataclass(frozen=True, slots=True)
class Domain:
    """A loaded domain.

    Attributes:
        corpus: the folder of documents.
        loader: spec of the loader that evidence quotes refer to.
        database: the initial state; copied for every simulation.
        sha256: hash of every file of the domain folder, hexadecimal (the corpus has its own).
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


def builtin_domains() -> dict[str, Path]:
    """Name to folder of every built-in domain."""
    return {path.parent.name: path.parent for path in sorted(_HERE.glob("*/domain.toml"))}


def load_domain(name: str) -> Domain:
    """Load a built-in domain by name, or any domain by its folder's path.

    Raises:
        UnknownName: neither a built-in name nor an existing folder.
        DomainError: a file of the folder is missing or malformed; the message names it.
    """
    known = builtin_domains()
    folder = known.get(name, Path(name))
    if name not in known and not (("/" in name or name.startswith(".")) and folder.is_dir()):
        raise UnknownName("domain", name, known, "ragbench list domains")
    folder = folder.resolve()
    settings = _settings(folder / "domain.toml")
    package = _Package(folder)
    corpus = (folder / settings.corpus).resolve()
    if not corpus.is_dir():
        raise DomainError(
            f"{folder / 'domain.toml'}: the corpus {settings.corpus!r} is no folder ({corpus})."
        )
    return Domain(
        name=settings.name,
        description=settings.description,
        path=folder,
        corpus=corpus,
        now=settings.now,
        retrieval_tool=settings.retrieval_tool,
        default_setup=settings.default_setup,
        default_k=settings.default_k,
        loader=settings.loader,
        policy=_read(folder / "policy.md"),
        database=_database(package, folder),
        tools=_tools(package, folder),
        rules=_rules(package, folder),
        tasks=_tasks(folder),
        sha256=_hash(folder),
    )


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
            return importlib.import_module(f"{self.name}.{dotted}")
        except (
            ImportError,
            SyntaxError,
            ValueError,
            TypeError,
            NameError,
            AttributeError,
        ) as error:
            raise DomainError(f"{path} does not load: {type(error).__name__}: {error}") from error


def _settings(path: Path) -> _Settings:
    try:
        return _Settings.model_validate(tomllib.loads(_read(path)))
    except tomllib.TOMLDecodeError as error:
        raise DomainError(f"{path} is not valid TOML: {error}") from error
    except ValidationError as error:
        raise DomainError(f"{path}: {_first(error)}") from error


def _database(package: _Package, folder: Path) -> BaseModel:
    schema = package.load("schema", folder / "schema.py")
    model = getattr(schema, "Database", None)
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise DomainError(f"{folder / 'schema.py'} defines no pydantic model called Database.")
    try:
        database: BaseModel = model.model_validate_json(_read(folder / "db.json"))
    except ValidationError as error:
        raise DomainError(f"{folder / 'db.json'}: {_first(error)}") from error
    return database


def _tools(package: _Package, folder: Path) -> dict[str, Tool]:
    tools: dict[str, Tool] = {}
    for path in sorted((folder / "tools").glob("*.py")):
        module = package.load(f"tools.{path.stem}", path)
        for found in vars(module).values():
            if isinstance(found, Tool) and found.function.__module__ == module.__name__:
                if found.name in tools:
                    raise DomainError(f"{path}: a second tool is called {found.name!r}.")
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


def _tasks(folder: Path) -> tuple[Task, ...]:
    tasks: dict[str, Task] = {}
    for path, entry in _task_entries(folder / "tasks"):
        try:
            task = Task.model_validate(entry)
        except ValidationError as error:
            raise DomainError(f"{path}: {_first(error)}") from error
        if task.extra_fields:
            raise DomainError(f"{path}: extra_fields is for foreign files only.")
        if task.id in tasks:
            raise DomainError(f"{path}: a second task is called {task.id!r}.")
        tasks[task.id] = task
    if not tasks:
        raise DomainError(f"{folder / 'tasks'} holds no task (*.json).")
    return tuple(tasks.values())


def _task_entries(folder: Path) -> Iterator[tuple[Path, Any]]:
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(_read(path))
        except json.JSONDecodeError as error:
            raise DomainError(
                f"{path}: not valid JSON at line {error.lineno}: {error.msg}"
            ) from error
        for entry in content if isinstance(content, list) else [content]:
            yield path, entry


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DomainError(
            f"{path} does not exist. A domain needs it; see docs/domains.md."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"{path} cannot be read: {error}") from error


def _first(error: ValidationError) -> str:
    detail = error.errors()[0]
    place = ".".join(str(part) for part in detail["loc"]) or "the whole"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{place}: {detail['msg']}{more}"


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "recorded" not in path.parts:
            name = path.relative_to(folder).as_posix().encode()
            for part in (name, path.read_bytes()):
                digest.update(len(part).to_bytes(8, "big"))
                digest.update(part)
    return digest.hexdigest()
