"""The fact base of a corpus, and the expressions in which documents, rows and tasks use it.

`facts.yaml` of every area is merged into one name space: `quay: {monthly_fee: 0}` is used as
`{{ quay.monthly_fee | gbp }}`. A name that two areas define is an error, and so is a fact that does
not exist; facts that nothing uses are listed. Numbers are exact (`Decimal`), see `corpus_filters`.

Documents may hold `{{ expression }}` only: no loops and no conditions, since prose is written by
hand. In rows and tasks, a value that consists of one expression keeps its type:
`amount: "{{ (row('A-3011').balance / 2) | pence }}"` is a number.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from corpus_filters import FILTERS, FUNCTIONS
from jinja2 import StrictUndefined, TemplateError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["Facts", "SourceError", "Writer", "load_facts", "plain", "read_yaml"]

_ALONE = re.compile(r"^\{\{((?:(?!\}\}).)*)\}\}$", re.DOTALL)
_Functions = Mapping[str, Callable[..., object]]
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


class SourceError(ValueError):
    """A source of a corpus is wrong; the message names the file."""


class Facts:
    """Facts by name; remembers which of them were used.

    Args:
        values: the merged fact base.
        path: where these values stand in it.
        used: the paths that were asked for, shared by all parts.
    """

    def __init__(
        self, values: Mapping[Any, Any], path: str = "", used: set[str] | None = None
    ) -> None:
        self._values, self._path = values, path
        self._used: set[str] = set() if used is None else used

    def __getitem__(self, key: object) -> object:
        if key not in self._values:
            raise KeyError(key)
        path = f"{self._path}.{key}" if self._path else str(key)
        value = self._values[key]
        if isinstance(value, Mapping):
            return Facts(value, path, self._used)
        self._used.add(path)
        return value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def groups(self) -> dict[str, object]:
        """The groups of the fact base by name, as an expression sees them."""
        return {key: self[key] for key in self._values}

    def unused(self) -> list[str]:
        """Paths of the facts that nothing has asked for; labels are exempt."""
        exempt = ("name", "code", "kind", "note")
        paths = [path for path, _ in _leaves(self._values, "")]
        return [p for p in paths if p not in self._used and p.rsplit(".", 1)[-1] not in exempt]

    def names(self) -> set[str]:
        """Every `name` and `code` of the fact base: what rows may call a product."""
        leaves = _leaves(self._values, "")
        return {str(v) for path, v in leaves if path.rsplit(".", 1)[-1] in ("name", "code")}


class _Environment(ImmutableSandboxedEnvironment):
    """Expressions that reach facts and fields only, never a method, and divide exactly."""

    intercepted_binops = frozenset("/")

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401  (jinja's signature)
        """The member of a group, row or list."""
        try:
            return obj[argument]
        except (LookupError, TypeError) as error:
            known = ", ".join(map(str, obj)) if isinstance(obj, Facts | Mapping) else "nothing"
            raise UndefinedError(f"there is no {argument!r} among: {known}") from error

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401
        """The member, as for a bracket."""
        return self.getitem(obj, attribute)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        """Divide: two whole numbers give an exact quotient."""
        return (Decimal(left) if isinstance(left, int) else left) / right


class Writer:
    """Fills expressions in texts and values.

    Args:
        facts: the fact base.
        functions: further functions for expressions, such as `row`.
    """

    def __init__(self, facts: Facts, functions: _Functions | None = None) -> None:
        environment = _Environment(undefined=StrictUndefined, keep_trailing_newline=True)
        environment.filters = {**FILTERS, "capitalize": environment.filters["capitalize"]}
        environment.globals = {**FUNCTIONS, **(functions or {})}
        self._environment, self._groups = environment, facts.groups()

    def text(self, text: str, where: str) -> str:
        """The text with its expressions filled.

        Raises:
            SourceError: an unknown fact, a fault in an expression, or a template statement.
        """
        if "{{" not in text and "{%" not in text and "{#" not in text:
            return text
        if "{%" in text or "{#" in text:
            raise SourceError(f"{where}: only {{{{ expressions }}}} are allowed, no {{% or {{#")
        return str(self._try(lambda: self._rendered(text), where))

    def value(self, value: object, where: str) -> Any:  # noqa: ANN401  (any JSON value)
        """A YAML value as JSON, with the expressions of its strings filled."""
        if isinstance(value, Mapping):
            return {str(k): self.value(v, f"{where}: {k}") for k, v in value.items()}
        if isinstance(value, list):
            return [self.value(item, where) for item in value]
        return plain(self.exact(value, where) if isinstance(value, str) else value)

    def exact(self, value: str, where: str) -> Any:  # noqa: ANN401  (any YAML value)
        """What a string stands for: the value of its one expression, else the filled text."""
        alone = _ALONE.match(value.strip())
        if not alone:
            return self.text(value, where)
        found = self._try(lambda: self._compiled(alone[1])(**self._groups), where)
        if isinstance(found, Facts):
            raise SourceError(f"{where}: {value!r} is a group of facts and no value")
        return found

    def _rendered(self, text: str) -> str:
        return self._environment.from_string(text).render(self._groups)

    def _compiled(self, expression: str) -> Callable[..., object]:
        compiled = self._environment.compile_expression(expression, undefined_to_none=False)

        def call(**names: object) -> object:
            found = compiled(**names)
            str(found)  # an undefined result speaks up when it is used
            return found

        return call

    @staticmethod
    def _try(evaluate: Callable[[], object], where: str) -> object:
        try:
            return evaluate()
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise SourceError(f"{where}: {error}") from error


class _ExactLoader(yaml.SafeLoader):
    """YAML whose numbers are Decimal, whose keys are unique, and in which `on` is a word."""


_ExactLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if not tag.endswith(":bool")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_ExactLoader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf")
)


def _exact(loader: _ExactLoader, node: yaml.ScalarNode) -> Decimal:
    return Decimal(str(loader.construct_scalar(node)).replace("_", ""))


def _mapping(loader: _ExactLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in result:
            raise SourceError(f"the key {key!r} stands twice{key_node.start_mark}")
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_ExactLoader.add_constructor("tag:yaml.org,2002:int", _exact)
_ExactLoader.add_constructor("tag:yaml.org,2002:float", _exact)
_ExactLoader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_yaml(path: Path) -> dict[str, Any]:
    """A YAML file whose numbers are exact; empty when it does not exist.

    Raises:
        SourceError: it is no YAML mapping, or a key stands twice.
    """
    if not path.exists():
        return {}
    try:
        loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=_ExactLoader)
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        raise SourceError(f"{path}: {error}") from error
    if loaded is not None and not isinstance(loaded, dict):
        raise SourceError(f"{path}: expected a mapping, found {type(loaded).__name__}")
    return loaded or {}


def load_facts(folders: list[Path]) -> Facts:
    """Merge `facts.yaml` of every folder.

    Raises:
        SourceError: two areas define the same name, or a name is no identifier in small letters,
            or its value is no group.
    """
    merged: dict[str, Any] = {}
    homes: dict[str, Path] = {}
    for folder in folders:
        for name, value in read_yaml(folder / "facts.yaml").items():
            if name in merged:
                raise SourceError(f"{folder / 'facts.yaml'}: {name!r} stands in {homes[name]} too")
            if not _NAME.match(name) or name in FUNCTIONS or name == "row":
                raise SourceError(f"{folder / 'facts.yaml'}: {name!r} cannot name a group of facts")
            if not isinstance(value, Mapping):
                raise SourceError(f"{folder / 'facts.yaml'}: {name!r} is no group of facts")
            merged[name], homes[name] = value, folder / "facts.yaml"
    return Facts(merged)


def plain(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """A value as JSON has it: exact numbers as int or float, dates as ISO text."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return int(value) if isinstance(exponent, int) and exponent >= 0 else float(value)
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _leaves(values: Mapping[Any, Any], path: str) -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        below = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping):
            yield from _leaves(value, below)
        else:
            yield below, value
