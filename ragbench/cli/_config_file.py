"""``--config FILE``: options of a command from a TOML or YAML file, under the options' own names.

An option that is given on the command line wins. Paths mean what they mean there: they start from
the working folder, not from the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ragbench.errors import UsageError, did_you_mean

__all__ = ["config_file_option"]

F = TypeVar("F", bound=Callable[..., Any])

_NOT_IN_A_FILE = ("config", "resume", "fresh", "help")


def config_file_option(command: F) -> F:
    """Add the option ``--config`` to a command."""
    option = click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_take,
        help="Options from a TOML or YAML file; those given here win.",
    )
    return option(command)


def _take(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is not None:
        ctx.default_map = {**(ctx.default_map or {}), **_values(ctx, path)}


def _values(ctx: click.Context, path: Path) -> dict[str, Any]:
    """The file's values by parameter, checked one by one so that a message names the file.

    Raises:
        UsageError: the file cannot be read, holds an unknown key, or a value that its option
            refuses.
    """
    known = {
        name.removeprefix("--").replace("-", "_"): option
        for option in ctx.command.params
        for name in option.opts
        if name.startswith("--")
    }
    allowed = sorted(known.keys() - {*_NOT_IN_A_FILE})
    values = {}
    for key, value in _content(path).items():
        name = str(key).replace("-", "_")
        if name not in allowed:
            raise UsageError(
                f"{path}: {key!r} is no option of {ctx.info_name}. Allowed: {', '.join(allowed)}"
                f"{did_you_mean(name, allowed)}"
            )
        option = known[name]
        values[option.name or name] = given = _as_typed(value)
        try:
            option.type_cast_value(ctx, given)
        except click.BadParameter as error:
            raise UsageError(f"{path}: {key}: {error.message}") from error
    return values


def _content(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--config {str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--config {str(path)!r} is no UTF-8 text: {error}.") from error
    if path.suffix == ".toml":
        content = _toml(path, text)
    elif path.suffix in (".yaml", ".yml"):
        content = _yaml(path, text)
    else:
        raise UsageError(
            f"--config {str(path)!r}: the name must end in .toml, .yaml or .yml, which says how "
            "the file is written."
        )
    if not isinstance(content, dict):
        raise UsageError(f"--config {str(path)!r} holds no options by name.")
    return content


def _toml(path: Path, text: str) -> Any:  # noqa: ANN401  (whatever a file holds)
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"--config {str(path)!r} is not valid TOML: {error}") from error


def _yaml(path: Path, text: str) -> Any:  # noqa: ANN401
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"--config {str(path)!r} is not valid YAML: {error}") from error


def _as_typed(value: Any) -> Any:  # noqa: ANN401
    """The value as it would stand on the command line: text, and lists of it.

    A table is the JSON text that such an option takes; a number becomes text, so that 1.5 is no
    whole number here either.

    >>> _as_typed({"temperature": 0}), _as_typed(1.5), _as_typed(["a", 2]), _as_typed(True)
    ('{"temperature": 0}', '1.5', ['a', '2'], True)
    """
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return [_as_typed(item) for item in value]
    return value if isinstance(value, bool) else str(value)
