"""A copy of a database is equal and shares nothing that can be changed."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel

from ragbench.domains import builtin_domains, load_domain
from ragbench.simulate._state import clone, state_hash


class Row(BaseModel):
    model_config = ConfigDict(extra="allow")

    tags: list[str]
    amounts: dict[str, Decimal]
    when: dt.date
    pair: tuple[int, list[int]] = (1, [2])
    _seen: list[int] = PrivateAttr(default_factory=list)


class Table(BaseModel):
    rows: dict[str, Row]


def test_a_clone_is_equal_and_independent() -> None:
    row = Row(tags=["a"], amounts={"x": Decimal("1.5")}, when=dt.date(2026, 3, 2), note=["free"])
    row._seen.append(1)
    table = Table(rows={"r": row})
    twin = clone(table)
    assert twin == table
    assert type(twin.rows["r"]) is Row
    twin.rows["r"].tags.append("b")
    twin.rows["r"].amounts["y"] = Decimal(2)
    twin.rows["r"].pair[1].append(3)
    twin.rows["r"].note.append("changed")
    twin.rows["r"]._seen.append(2)
    twin.rows["s"] = row
    assert table.rows.keys() == {"r"}
    assert (row.tags, row.amounts, row.pair) == (["a"], {"x": Decimal("1.5")}, (1, [2]))
    assert (row.note, row._seen) == (["free"], [1])


class Names(RootModel[list[str]]):
    pass


class Sealed(BaseModel):
    model_config = ConfigDict(frozen=True, validate_assignment=True)

    names: Names = Names(["a"])
    at: dt.datetime = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)


def test_models_of_every_kind_are_cloned() -> None:
    sealed = Sealed(names=Names(["a", "b"]))
    twin = clone(sealed)
    assert twin == sealed
    assert twin.model_fields_set == {"names"}
    assert twin.at is sealed.at
    twin.names.root.append("c")
    assert sealed.names.root == ["a", "b"]
    named = clone(Names(["x"]))
    assert (type(named), named.model_dump()) == (Names, ["x"])
    plain = clone(Table(rows={}))
    assert (plain.model_extra, plain.__pydantic_private__) == (None, None)


def test_every_built_in_database_survives_a_clone() -> None:
    for name in builtin_domains():
        database = load_domain(name).database
        assert state_hash(clone(database)) == state_hash(database)
        assert clone(database) == database
