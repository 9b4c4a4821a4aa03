"""Loading the user's own code: a file or a module by name, once as long as it stays the same."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import sys
import traceback
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import UsageError, did_you_mean
from ragbench.spec import OWN_NAME

__all__ = ["Code", "digest_of", "is_own", "load_code", "load_module"]

_DIGITS = 12
"""Hexadecimal digits of a file's hash that stand in a spec."""

_IMPORT_FAULTS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
"""What the code of a module can raise while it is loaded."""


@dataclass(frozen=True, slots=True)
class Code:
    """A class or function of the user's own.

    Attributes:
        place: the file or module as it was named.
        name: the class or function in it.
        target: what stands there.
        digest: twelve digits of the hash of its file, ``builtin`` for a module without one. What
            the file imports is not part of it.
    """

    place: str
    name: str
    target: Any
    digest: str


def is_own(name: str) -> bool:
    """Whether a component's name is that of a class or function of the user's own.

    >>> is_own("my_search.py:MySearch"), is_own("bm25")
    (True, False)
    """
    return OWN_NAME.fullmatch(name) is not None


def load_code(name: str, kind: str, known: str) -> Code:
    """Load what ``FILE.py:NAME`` or ``MODULE:NAME`` names, with ``@DIGEST`` behind it or without.

    Args:
        name: what is named.
        kind: singular noun for messages.
        known: how to go on when the name is none, a sentence.

    Raises:
        UsageError: the name does not parse, there is no such file, module or name, its code does
            not load, or the file is no longer the one that the digest is of.
    """
    matched = OWN_NAME.fullmatch(name)
    if matched is None:
        raise UsageError(
            f"The {kind} {name!r} is no class or function of yours: write FILE.py:NAME or "
            f"MODULE:NAME. {known}"
        )
    place, wanted = matched["place"], matched["name"]
    module = load_module(place, kind)
    if not hasattr(module, wanted):
        names = [key for key, value in vars(module).items() if _is_code_of(value, module)]
        raise UsageError(
            f"{place} has no {wanted!r}{did_you_mean(wanted, names)}. It has: "
            f"{', '.join(sorted(names)) or 'no class and no function'}."
        )
    digest = digest_of(place)
    if matched["digest"] not in (None, digest):
        raise UsageError(
            f"The code of the {kind} {place}:{wanted} has changed: it is {digest}, and "
            f"{matched['digest']} was used before. Make what rests on it anew (ragbench ingest "
            "... --replace), or restore the file."
        )
    return Code(place, wanted, getattr(module, wanted), digest)


def load_module(place: str, kind: str) -> types.ModuleType:
    """The module of a file or of a dotted name.

    The folder of the file, or the working directory for a module, is added at the end of
    ``sys.path``, so that the code's own imports are found.

    Raises:
        UsageError: there is no such file or module, or its code does not load.
    """
    path = Path(place)
    is_file = path.suffix == ".py"
    if is_file and not path.is_file():
        raise UsageError(
            f"The {kind}'s file {place!r} does not exist below {str(Path.cwd())!r}. Name it from "
            "the folder in which the command runs."
        )
    folder = str(path.resolve().parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        # What a module prints when it is loaded is not a result of the command.
        with contextlib.redirect_stdout(sys.stderr):
            return _from_file(path.resolve()) if is_file else importlib.import_module(place)
    except (*_IMPORT_FAULTS, SystemExit) as error:
        raise UsageError(
            f"The {kind}'s code {place!r} does not load: {type(error).__name__}: {error} "
            f"({_raised_at(error)})."
        ) from error


def digest_of(place: str) -> str:
    """Digits of the hash of the file behind a place, ``builtin`` for a module without a file."""
    path = Path(place)
    if path.suffix != ".py":
        spec = importlib.util.find_spec(place)
        path = Path(spec.origin) if spec is not None and spec.origin else Path()
    if not path.is_file():
        return "builtin"
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]


def _raised_at(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}, line {error.lineno}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"


def _is_code_of(value: object, module: types.ModuleType) -> bool:
    """Whether it is a class or function that the module itself defines."""
    is_code = isinstance(value, type | types.FunctionType)
    return is_code and getattr(value, "__module__", None) == module.__name__


def _from_file(path: Path) -> types.ModuleType:
    """The file as a module under a private name, loaded once as long as it stays the same."""
    digest = hashlib.sha256(str(path).encode() + b"\0" + path.read_bytes()).hexdigest()[:_DIGITS]
    name = f"_ragbench_own_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ImportError(f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses and the like look their own module up
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
