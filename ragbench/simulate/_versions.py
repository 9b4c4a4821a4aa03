"""Versions of a database: what a call gets to work on, and what it changed.

A simulation never copies its database as a whole. A version is a model of the same class whose
mappings are `Table` objects: they hold the rows of the version before it and copy a row when it is
first handed out. So a call costs the rows that it touches, a version that is thrown away leaves no
trace, and only rows that were touched can differ. Lists and other values that stand beside the
mappings are copied with every version, and a call that walks a mapping copies all of its rows.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import ItemsView, Iterator, ValuesView
from typing import Any, Self, SupportsIndex

from pydantic import BaseModel

from ragbench.simulate._state import (
    IMMUTABLE,
    clone,
    comparable,
    compared_names,
    compared_parts,
    twin,
)
from ragbench.toolkit import canonical_json

__all__ = ["Table", "adopt", "delta_hash", "fork"]

_ABSENT = object()
_NOTHING: frozenset[Any] = frozenset()


class Table(dict[Any, Any]):
    """A mapping of one version of a database; to a tool it is a dict like any other.

    Every way to a value copies it first, so that what the caller does to it stays in this version.
    Reading keys, comparing and serialising hand nothing out and copy nothing.

    Args:
        shared: the rows at first; neither they nor this dict are ever changed.
        earlier: keys that earlier versions since the start have touched, None when it could be any.
    """

    __slots__ = ("_earlier", "_reordered", "_shared", "_touched")

    def __init__(self, shared: dict[Any, Any], earlier: frozenset[Any] | None = _NOTHING) -> None:
        dict.__init__(self, shared)
        self._shared, self._earlier = shared, earlier
        self._touched: set[Any] = set()
        self._reordered = False  # a key that was removed may have come back at the end

    def fork(self) -> Table:
        """The same rows as a table of the next version; from here on they are copied here too."""
        self._forget_untouched()
        if self._touched:
            self._shared = dict(dict.items(self))
            if self._earlier is not None:
                self._earlier |= self._touched
            self._touched, self._reordered = set(), False
        return Table(self._shared, self._earlier)

    def differs(self, before: object) -> bool | None:
        """Whether a touched row compares otherwise; None when this is no fork of the other."""
        if not isinstance(before, Table) or before._shared is not self._shared:
            return None
        self._forget_untouched()
        return any(_row(self._shared, key) != _row(self, key) for key in self._touched)

    def _forget_untouched(self) -> None:
        """Take back the rows that were handed out and not changed."""
        if self._reordered:
            return
        for key in tuple(self._touched):
            old = self._shared.get(key, _ABSENT)
            if _as_it_was(old, dict.get(self, key, _ABSENT)):
                dict.__setitem__(self, key, old)
                self._touched.remove(key)

    def maybe_changed(self, start: dict[Any, Any]) -> set[Any]:
        """Keys whose rows may be others than at the start."""
        if self._earlier is None:
            return {*start.keys(), *self.keys()}
        return {*self._earlier, *self._touched}

    def _taken(self, key: Any, value: Any) -> Any:  # noqa: ANN401  (any value of a database)
        if isinstance(value, IMMUTABLE):
            return value
        own = clone(value)
        dict.__setitem__(self, key, own)
        self._touched.add(key)
        return own

    def _take_all(self) -> None:
        own = {
            key: clone(value)
            for key, value in dict.items(self)
            if key not in self._touched and not isinstance(value, IMMUTABLE)
        }
        dict.update(self, own)
        self._touched.update(own)

    # What a dict hands out.

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
        value = dict.__getitem__(self, key)
        return value if key in self._touched else self._taken(key, value)

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ANN401
        return self[key] if key in self else default

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        self._take_all()
        return dict.values(self)

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]
        self._take_all()
        return dict.items(self)

    def __iter__(self) -> Iterator[Any]:
        """The keys. Being defined here, it keeps ``dict(table)`` from taking the rows unseen."""
        return dict.__iter__(self)

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[Any, Any]:
        return copy.deepcopy(dict(dict.items(self)), memo)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def __or__(self, other: Any) -> Any:  # noqa: ANN401
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:  # noqa: ANN401
        return other | self.copy()

    # What changes a dict.

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401
        dict.__setitem__(self, key, value)
        self._touched.add(key)

    def __delitem__(self, key: Any) -> None:  # noqa: ANN401
        dict.__delitem__(self, key)
        self._touched.add(key)
        self._reordered = True

    def setdefault(self, key: Any, default: Any = None) -> Any:  # noqa: ANN401
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:  # noqa: ANN401
        if key not in self:
            return dict.pop(self, key, *default)
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[Any, Any]:
        if not self:
            return dict.popitem(self)
        key = next(reversed(self))
        return key, self.pop(key)

    def update(self, *others: Any, **more: Any) -> None:  # noqa: ANN401
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __ior__(self, other: Any) -> Self:  # noqa: ANN401
        self.update(other)
        return self

    def clear(self) -> None:
        self._touched.update(self.keys())
        self._reordered = True
        dict.clear(self)


def fork(database: BaseModel) -> BaseModel:
    """The next version of a database: equal to it, and whatever is done to it stays in it."""
    return twin(database, _forked)


def _forked(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    if isinstance(value, IMMUTABLE):
        return value
    if isinstance(value, Table):
        return value.fork()
    if isinstance(value, BaseModel):
        return fork(value)
    return Table(value) if type(value) is dict else clone(value)


def adopt(before: BaseModel, after: BaseModel) -> bool:
    """Make a fork that was worked on a version that stays; whether its comparable state differs."""
    compared = compared_names(type(after))
    differs: bool = comparable(before.model_extra) != comparable(after.model_extra)
    for name, new in after.__dict__.items():
        old = before.__dict__.get(name, _ABSENT)
        changed = new.differs(old) if isinstance(new, Table) else None
        if changed is None and isinstance(old, BaseModel) and type(new) is type(old):
            changed = adopt(old, new)
        elif changed is None:
            changed = comparable(old) != comparable(new)
            if type(new) in (dict, Table):  # another mapping was put into the field's place
                after.__dict__[name] = Table(dict(new), earlier=None)
        differs |= changed and name in compared
    return differs


def delta_hash(start: BaseModel, now: BaseModel) -> str:
    """SHA-256 of how the comparable state differs from the start.

    Two versions of one start have equal hashes exactly when `state_hash` finds them equal; this one
    looks at the rows that were touched alone.

    Args:
        start: the database at the start.
        now: a version that goes back to it.
    """
    found = sorted(canonical_json(entry) for entry in _delta(start, now))
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


def _delta(
    old: Any,  # noqa: ANN401  (any part of a database)
    new: Any,  # noqa: ANN401
    path: tuple[str, ...] = (),
    is_row: bool = False,
) -> Iterator[list[Any]]:
    """Entries ``[path, what is compared there now]`` for every part that differs.

    Args:
        old: the part at the start.
        new: the part now.
        path: where it is.
        is_row: whether it stands in a table; a table in there is no version of another.
    """
    if isinstance(new, Table) and isinstance(old, dict) and not is_row:
        for key in new.maybe_changed(old):
            was, row = dict.get(old, key, _ABSENT), dict.get(new, key, _ABSENT)
            yield from _delta(was, row, (*path, str(key)), is_row=True)
        return
    before, after = compared_parts(old), compared_parts(new)
    if before is not None and after is not None:
        for name in before.keys() | after.keys():
            was, value = before.get(name, _ABSENT), after.get(name, _ABSENT)
            yield from _delta(was, value, (*path, name), is_row)
    elif new is _ABSENT and old is not _ABSENT:
        yield [path]
    elif new is not _ABSENT and (old is _ABSENT or _written(old) != _written(new)):
        yield [path, comparable(new)]


def _row(rows: dict[Any, Any], key: Any) -> Any:  # noqa: ANN401  (any value of a database)
    """What is compared of a row, which is not handed out for it."""
    return comparable(dict.get(rows, key, _ABSENT))


def _written(value: Any) -> str:  # noqa: ANN401  (any part of a database)
    return canonical_json(comparable(value))


def _as_it_was(old: Any, new: Any) -> bool:  # noqa: ANN401  (any part of a database)
    """Whether a copy still holds the very values that it was made with; False when in doubt."""
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, BaseModel):
        plain = not (new.model_extra or old.model_extra or new.__pydantic_private__)
        equally_set = old.model_fields_set == new.model_fields_set
        return plain and equally_set and _as_it_was(old.__dict__, new.__dict__)
    if type(old) is dict:
        same_order = list(old) == list(new)
        return same_order and all(map(_as_it_was, old.values(), new.values()))
    if type(old) is list:
        return len(old) == len(new) and all(map(_as_it_was, old, new))
    return False
