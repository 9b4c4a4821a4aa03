"""The options of a grid: lists whose commas may belong to a spec, and a file in their place."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragbench.config import CompareConfig
from ragbench.errors import UsageError, did_you_mean

__all__ = ["grid_config", "split_specs"]

_LISTS = ("chunkers", "embedders", "retrievers", "k")
_FILE_KEYS = (
    *_LISTS, "domain", "corpus", "questions", "questions_format", "split", "style", "windows",
    "loader", "baseline", "metric", "pairs", "by", "seed", "end_to_end",
    "fail_under", "fail_under_setup",
)  # fmt: skip
_PATHS = ("corpus", "questions")


def split_specs(given: Sequence[str]) -> tuple[str, ...]:
    """The specs of a list option: commas outside parentheses and quotes separate them.

    >>> split_specs(["fixed(size_tokens=200, overlap_tokens=0),document", "page"])
    ('fixed(size_tokens=200, overlap_tokens=0)', 'document', 'page')
    """
    found: list[str] = []
    for text in given:
        parts, depth, quote = [""], 0, ""
        for character in text:
            if quote:
                quote = "" if character == quote else quote
            elif character in "'\"" and depth:
                quote = character
            else:
                depth += (character == "(") - (character == ")")
            if character == "," and depth == 0 and not quote:
                parts.append("")
            else:
                parts[-1] += character
        found += [part.strip() for part in parts]
    return tuple(found)


def grid_config(grid: Path | None, options: dict[str, Any]) -> CompareConfig:
    """The configuration: defaults, then the file, then the command line.

    Raises:
        UsageError: the file cannot be read, or holds an unknown key or a value of a wrong type; k
            is no number.
    """
    values = {} if grid is None else _from_file(grid)
    for name, value in options.items():
        if value is None or value == ():
            continue
        if name in _LISTS:
            values[name] = split_specs(value)
        elif name in ("domain", "corpus", "questions"):
            if name == "domain":
                values.pop("corpus", None)
                values.pop("questions", None)
            else:
                values.pop("domain", None)
            values[name] = value
        else:
            values[name] = value
    if "k" in values:
        values["k"] = tuple(_whole(k) for k in values["k"])
    return CompareConfig(**values)


def _whole(k: str | int) -> int:
    try:
        return int(k)
    except ValueError:
        raise UsageError(f"--k holds {k!r}, which is no whole number.") from None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--grid {str(path)!r} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"--grid {str(path)!r} is not valid TOML: {error}") from error
    return {key: _value(path, key, value) for key, value in content.items()}


def _value(path: Path, key: str, value: object) -> object:
    """A value of the grid file, checked against its kind."""
    if key not in _FILE_KEYS:
        raise UsageError(
            f"{path}: {key!r} is not known. Allowed: {', '.join(_FILE_KEYS)}"
            f"{did_you_mean(key, _FILE_KEYS)}"
        )
    if key in (*_LISTS, "fail_under"):
        kind: type = int if key == "k" else str
        items = value if isinstance(value, list) else [value]
        if not all(type(item) is kind for item in items):
            raise UsageError(f"{path}: {key} must be a list of {kind.__name__}s, found {value!r}.")
        return tuple(items)
    kinds: dict[str, type] = {"seed": int, "windows": int, "end_to_end": bool}
    kind = kinds.get(key, str)
    if type(value) is not kind:
        raise UsageError(f"{path}: {key} must be of type {kind.__name__}, found {value!r}.")
    return path.parent / str(value) if key in _PATHS else value
