"""One registry for every kind of component: a name, a class, and a spec that parses back.

A component is a frozen dataclass whose fields are its arguments; registering it under a name is
what makes it selectable. A duplicate name is an error at import, an unknown one at look-up, with
a suggestion and the whole list. Nothing here knows any component: each kind has a registry object
in the package of that kind (`ragbench.ingest.chunk`, `ragbench.ingest.embed`, ...). A kind that
takes parts of the user's own has an adapter class, which makes a component of a loaded `Part`.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from ragbench.errors import SpecError, UnknownName, did_you_mean
from ragbench.own import Part, is_own
from ragbench.spec import ComponentSpec, Value, parse_spec

__all__ = ["Registry", "spec_of"]

T = TypeVar("T")
C = TypeVar("C", bound=type)


class Registry(Generic[T]):
    """Names to component classes, all of one kind.

    Args:
        kind: singular noun for messages (``"chunker"``).
        see: the command that lists the names.
    """

    def __init__(self, kind: str, see: str = "") -> None:
        self.kind, self.see = kind, see
        self._classes: dict[str, type[Any]] = {}
        self._adapter: type[Any] | None = None

    def register(self, name: str) -> Callable[[C], C]:
        """Class decorator: make the frozen dataclass selectable as ``name``.

        Raises:
            ValueError: the name is taken, or the class is not a frozen dataclass.
        """

        def add(cls: C) -> C:
            if name in self._classes:
                raise ValueError(f"Two {self.kind}s are registered as {name!r}")
            params = getattr(cls, "__dataclass_params__", None)
            if params is None or not params.frozen:
                raise ValueError(f"The {self.kind} {name!r} is not a frozen dataclass")
            self._classes[name] = cls
            setattr(cls, "spec_name", name)  # noqa: B010  (the class has no such declared attribute)
            return cls

        return add

    def adapter(self, cls: C) -> C:
        """Class decorator: a frozen dataclass whose one field ``part`` is a part of the user's own.

        Raises:
            ValueError: there is one already, or the class has other fields.
        """
        if self._adapter is not None:
            raise ValueError(f"Two adapters of {self.kind}s of the user's own")
        if [field.name for field in dataclasses.fields(cls)] != ["part"]:
            raise ValueError(f"The adapter of {self.kind}s has other fields than part")
        self._adapter = cls
        return cls

    @property
    def takes_own(self) -> bool:
        """Whether the kind takes parts of the user's own."""
        return self._adapter is not None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._classes))

    def __contains__(self, name: object) -> bool:
        own = self.takes_own and isinstance(name, str) and is_own(name)
        return own or name in self._classes

    def describe(self, name: str) -> str:
        """First line of the component's docstring, for ``ragbench list``."""
        return (self._class(name).__doc__ or "").strip().splitlines()[0]

    def defaults(self, name: str) -> str:
        """The canonical spec with every default filled in; required arguments print as ``...``."""
        if is_own(name):
            return name
        cls = self._class(name)
        fields = dataclasses.fields(cls)
        if all(field.default is not dataclasses.MISSING for field in fields):
            return str(spec_of(cls()))  # a default may follow from the others
        shown = []
        for field in fields:
            value = "..." if field.default is dataclasses.MISSING else field.default
            shown.append((field.name, value))
        return str(ComponentSpec(name, tuple(shown)))

    def create(self, spec: str | ComponentSpec) -> T:
        """Build the component that a spec names, every argument checked against its type.

        Raises:
            UnknownName: no component has this name.
            SpecError: the text does not parse, an argument is unknown, missing or of a wrong type,
                or the component itself refuses the value.
            UsageError, OwnPartError: code of the user's own does not load, or is no such component.
        """
        parsed = parse_spec(spec) if isinstance(spec, str) else spec
        if self._adapter is not None and is_own(parsed.name):
            known = f"Known names: {', '.join(self)}."
            own: T = self._adapter(Part.load(self.kind, parsed, known))
            return own
        cls = self._class(parsed.name)
        fields = {field.name: field for field in dataclasses.fields(cls)}
        hints = typing.get_type_hints(cls)
        arguments: dict[str, Value] = {}
        for key, value in parsed.args:
            if key not in fields:
                raise SpecError(
                    f"The {self.kind} {parsed.name!r} has no argument {key!r}. "
                    f"It has: {', '.join(fields) or 'none'}{did_you_mean(key, fields)}"
                )
            arguments[key] = _checked(value, hints[key], f"{self.kind} {parsed.name!r}", key)
        missing = [
            name
            for name, field in fields.items()
            if field.default is dataclasses.MISSING and name not in arguments
        ]
        if missing:
            raise SpecError(
                f"The {self.kind} {parsed.name!r} needs {', '.join(missing)}. "
                f"Write: {self.defaults(parsed.name)}"
            )
        try:
            component: T = cls(**arguments)
        except ValueError as error:
            raise SpecError(f"The {self.kind} spec {str(parsed)!r} is refused: {error}") from error
        return component

    def _class(self, name: str) -> type[Any]:
        if name not in self._classes:
            raise UnknownName(self.kind, name, self._classes, self.see)
        return self._classes[name]


def spec_of(component: object) -> ComponentSpec:
    """The canonical spec of a registered component: every argument, in declared order.

    That of a part of the user's own has the digest of its file behind the name.
    """
    part = getattr(component, "part", None)
    if isinstance(part, Part):
        return part.spec
    fields = dataclasses.fields(component)  # type: ignore[arg-type]
    name: str = component.spec_name  # type: ignore[attr-defined]
    return ComponentSpec(
        name, tuple((field.name, getattr(component, field.name)) for field in fields)
    )


def _checked(value: Value, hint: Any, owner: str, key: str) -> Value:  # noqa: ANN401
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    allowed = typing.get_args(hint) if is_union else (hint,)
    for kind in allowed:
        if typing.get_origin(kind) is typing.Literal:
            if value in typing.get_args(kind):
                return value
        elif kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        elif value is None and kind is type(None):
            return None
        elif isinstance(kind, type) and type(value) is kind:
            return value
        elif kind is str and type(value) is int:
            return str(value)
    raise SpecError(f"The {owner} got {key}={value!r}; {key} must be {_describe(allowed)}.")


def _describe(allowed: tuple[Any, ...]) -> str:
    words = []
    for kind in allowed:
        if typing.get_origin(kind) is typing.Literal:
            words.append("one of " + ", ".join(repr(option) for option in typing.get_args(kind)))
        else:
            words.append("none" if kind is type(None) else getattr(kind, "__name__", str(kind)))
    return " or ".join(words)
