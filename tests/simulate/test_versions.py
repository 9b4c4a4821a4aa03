"""Versions of a database: equal to a plain copy in everything, at the cost of the rows touched."""

from __future__ import annotations

import copy
import json
import operator
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from ragbench.simulate._state import clone, comparable, state_hash
from ragbench.simulate._versions import Table, adopt, delta_hash, fork
from ragbench.toolkit import FreeText

N_COPIED = 0


class Row(BaseModel):
    n: float = 0
    tags: list[str] = []
    marks: dict[str, int] = {}
    note: FreeText = ""

    def __copy__(self) -> Row:
        global N_COPIED
        N_COPIED += 1
        return super().__copy__()


class Part(BaseModel):
    rows: dict[str, Row] = {}
    on: bool = False


class Database(BaseModel):
    model_config = ConfigDict(extra="allow")

    rows: dict[str, Row] = {}
    other: dict[str, Row] = {}
    counts: dict[str, int] = {}
    log: list[Row] = []
    part: Part = Part()
    words: FreeText = ""


def make() -> Database:
    return Database(
        rows={key: Row(n=i, tags=["t"]) for i, key in enumerate("abc")},
        other={"x": Row(n=9)},
        counts={"c": 1},
        log=[Row(n=5)],
        part=Part(rows={"p": Row(n=7)}),
    )


@pytest.fixture
def start() -> Database:
    return make()


# Whatever is done to a version stays in it.

WAYS: dict[str, Any] = {
    "[]": lambda rows: rows["a"],
    "get": lambda rows: rows.get("a"),
    "values": lambda rows: next(iter(rows.values())),
    "items": lambda rows: next(iter(rows.items()))[1],
    "reversed items": lambda rows: list(reversed(rows.items()))[-1][1],
    "setdefault": lambda rows: rows.setdefault("a", Row()),
    "pop": lambda rows: rows.pop("a"),
    "popitem": lambda rows: [rows.popitem()[1] for _ in range(3)][-1],
    "dict()": lambda rows: dict(rows)["a"],
    "**": lambda rows: {**rows}["a"],
    "|": lambda rows: (rows | {})["a"],
    "r|": lambda rows: ({} | rows)["a"],
    "update": lambda rows: [plain := {}, plain.update(rows)][0]["a"],
    "copy": lambda rows: rows.copy()["a"],
    "copy.copy": lambda rows: copy.copy(rows)["a"],
    "deepcopy": lambda rows: copy.deepcopy(rows)["a"],
    "pickle": lambda rows: pickle.loads(pickle.dumps(rows))["a"],
    "itemgetter": lambda rows: operator.itemgetter("a")(rows),
    "sorted": lambda rows: sorted(rows.items())[0][1],
    "match": lambda rows: _matched(rows),
    "a model made of it": lambda rows: Part(rows=rows).rows["a"],
}


def _matched(rows: Any) -> Row:
    match rows:
        case {"a": row}:
            return row
    raise AssertionError


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_a_row_gives_a_copy(start, way):
    version = fork(start)
    row = WAYS[way](version.rows)
    assert row == Row(n=0, tags=["t"])
    row.n = -1
    row.tags.append("changed")
    assert start == make()
    assert fork(start) == make()


def test_what_is_handed_out_is_what_the_version_holds(start):
    version = fork(start)
    version.rows["a"].n = 10
    next(iter(version.rows.values())).tags.append("u")
    assert version.rows["a"] == Row(n=10, tags=["t", "u"])
    assert version.rows == {**make().rows, "a": Row(n=10, tags=["t", "u"])}
    version.log[0].n = version.part.rows["p"].n = 11
    version.part.on = True
    assert start == make()


def test_a_table_is_a_dict_to_whoever_reads_it(start):
    rows = fork(start).rows
    assert isinstance(rows, dict)
    assert (len(rows), list(rows), list(reversed(rows))) == (3, list("abc"), list("cba"))
    assert "a" in rows
    assert rows.get("z", 1) == 1
    assert repr(rows) == repr(start.rows)
    assert json.loads(json.dumps(fork(start).counts)) == {"c": 1}
    assert fork(start).model_dump() == start.model_dump()
    assert fork(start).model_dump_json() == start.model_dump_json()
    assert type(copy.deepcopy(rows)) is type(rows.copy()) is dict
    for fail in (lambda: rows["z"], lambda: rows.pop("z"), lambda: Table({}).popitem()):
        with pytest.raises(KeyError):
            fail()


# What a version costs.


def test_only_rows_that_are_handed_out_are_copied():
    global N_COPIED
    start = Database(rows={str(i): Row(n=i) for i in range(1000)})
    N_COPIED = 0
    version = fork(start)
    assert "5" in version.rows
    assert version.rows["5"].n == version.rows["5"].n == 5
    version.rows["7"].n = 0
    version.rows["new"] = Row()
    assert adopt(fork(start), version)
    delta_hash(start, version)
    assert N_COPIED == 2  # rows 5 and 7, once each
    later = fork(version)
    later.rows["7"].n = 1
    assert adopt(version, later)
    assert N_COPIED == 3


def test_rows_that_were_only_looked_at_are_not_compared(start, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "ragbench.simulate._versions.comparable", lambda v: seen.append(v) or comparable(v)
    )
    version = fork(start)
    assert [row.n for row in version.rows.values()] == [0, 1, 2]
    version.rows["b"].n = 5
    assert adopt(fork(start), version)
    compared = [value for value in seen if isinstance(value, Row)]
    assert sorted(row.n for row in compared) == [1, 5]  # row b before and after


# What counts as a change.


def changed(start: Database, do: Any) -> bool:
    """Whether `adopt` says so, which must be what comparing whole databases says."""
    before = fork(start)
    after = fork(before)
    do(after)
    plain = clone(start)
    do(plain)
    found = adopt(before, after)
    assert after == plain
    assert found == (comparable(start) != comparable(plain))
    equal = state_hash(start) == state_hash(plain)
    assert (delta_hash(start, after) == delta_hash(start, before)) == equal
    assert start == make()
    return found


def swap(db: Database) -> None:
    db.rows, db.other = db.other, db.rows


CHANGES: dict[str, tuple[Any, bool]] = {
    "nothing": (lambda db: None, False),
    "looked": (lambda db: list(db.rows.values()), False),
    "a row": (lambda db: setattr(db.rows["a"], "n", 5), True),
    "an equal number": (lambda db: setattr(db.rows["b"], "n", 1), False),  # it is 1.0
    "free text": (lambda db: setattr(db.rows["a"], "note", "x"), False),
    "free text of the database": (lambda db: setattr(db, "words", "x"), False),
    "a list in a row": (lambda db: db.rows["a"].tags.append("u"), True),
    "an equal row": (lambda db: db.rows.update(a=Row(n=0, tags=["t"])), False),
    "a new row": (lambda db: db.rows.update(d=Row()), True),
    "a row gone": (lambda db: db.rows.pop("a"), True),
    "gone and back": (lambda db: db.rows.update(a=db.rows.pop("a")), False),
    "made and gone": (lambda db: (db.rows.update(d=Row()), db.rows.pop("d")), False),
    "all gone": (lambda db: db.rows.clear(), True),
    "a number": (lambda db: db.counts.update(c=2), True),
    "another mapping": (lambda db: setattr(db, "rows", {"a": Row()}), True),
    "an equal mapping": (lambda db: setattr(db, "rows", make().rows), False),
    "exchanged": (swap, True),
    "exchanged and back": (lambda db: (swap(db), swap(db)), False),
    "one mapping twice": (lambda db: setattr(db, "other", db.rows), True),
    "a list": (lambda db: db.log.append(Row()), True),
    "a row in a list": (lambda db: setattr(db.log[0], "n", 6), True),
    "a part": (lambda db: setattr(db.part, "on", True), True),
    "a row of a part": (lambda db: setattr(db.part.rows["p"], "n", 8), True),
    "a new part": (lambda db: setattr(db, "part", Part(rows={"p": Row(n=7)})), False),
    "another part": (lambda db: setattr(db, "part", Part()), True),
    "a field of its own": (lambda db: setattr(db, "extra", 1), True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_call_changed(start, name):
    do, expected = CHANGES[name]
    assert changed(start, do) is expected


def test_the_order_of_rows_is_that_of_a_dict(start):
    before = fork(start)
    after = fork(before)
    after.rows["a"] = after.rows.pop("a")
    assert not adopt(before, after)
    assert list(fork(after).rows) == ["b", "c", "a"]


def test_what_no_comparison_sees_stays_too(start):
    start.rows["a"].marks = {"x": 1, "y": 1}
    before = fork(start)
    after = fork(before)
    after.rows["a"].marks["x"] = after.rows["a"].marks.pop("x")
    after.other["x"].note = after.other["x"].note  # it was not set before
    after.rows["b"].note = "free"
    assert not adopt(before, after)
    last = fork(after)
    assert list(last.rows["a"].marks) == ["y", "x"]
    assert last.other["x"].model_fields_set == {"n", "note"}
    assert last.rows["b"].note == "free"


def test_a_table_inside_a_row_is_no_version_of_the_row():
    class Shelf(BaseModel):
        boxes: dict[str, dict[str, int]] = {}
        box: dict[str, int] = {}

    start = Shelf(boxes={"a": {"x": 1}}, box={"x": 2})
    before = fork(start)
    after = fork(before)
    after.boxes["a"] = after.box
    assert adopt(before, after)
    assert delta_hash(start, after) != delta_hash(start, before)
    assert fork(after).boxes == {"a": {"x": 2}}


def test_versions_do_not_touch_each_other(start):
    first = fork(start)
    second = fork(first)
    second.rows["a"].n = 5
    adopt(first, second)
    first.rows["b"].n = -1  # who holds an old version may ruin that one only
    second.rows["b"].tags.append("u")
    third = fork(second)
    assert (third.rows["a"].n, third.rows["b"].n, third.rows["b"].tags) == (5, 1, ["t", "u"])
    third.rows["b"].tags.clear()
    assert second.rows["b"].tags == ["t", "u"]
    assert start == make()


KEYS = st.sampled_from("abcde")
STEPS = st.one_of(
    st.tuples(st.just("set"), KEYS, st.integers(0, 3)),
    st.tuples(st.just("change"), KEYS, st.integers(0, 3)),
    st.tuples(st.just("free"), KEYS, st.integers(0, 3)),
    st.tuples(st.sampled_from(["pop", "walk", "clear", "replace"]), KEYS, st.just(0)),
)


def do_step(db: Any, step: tuple[str, str, int]) -> Any:
    kind, key, n = step
    if kind == "set":
        db.rows[key] = Row(n=n)
    elif kind == "change" and key in db.rows:
        db.rows[key].n = n
    elif kind == "free" and key in db.rows:
        db.rows[key].note = str(n)
    elif kind == "pop":
        return db.rows.pop(key, None)
    elif kind == "walk":
        return [(key, row.n) for key, row in db.rows.items()]
    elif kind == "clear" and key == "a":
        db.rows.clear()
    elif kind == "replace" and key == "a":
        db.rows = {key: row for key, row in db.rows.items() if row.n}
    return None


@given(
    st.lists(st.lists(STEPS, max_size=4), max_size=6),
    st.lists(st.lists(STEPS, max_size=4), max_size=6),
)
def test_versions_are_what_plain_copies_are(one, other):
    """Calls are lists of steps; each second call is a read, whose version is thrown away."""
    start = make()
    ends = []
    for calls in (one, other):
        now, plain = fork(start), clone(start)
        for number, steps in enumerate(calls):
            version, twin = fork(now), clone(plain)
            for step in steps:
                assert do_step(version, step) == do_step(twin, step)
            assert list(version.rows.items()) == list(twin.rows.items())
            if number % 2 == 0:
                assert adopt(now, version) == (comparable(plain) != comparable(twin))
                now, plain = version, twin
        assert now == plain
        ends.append((now, plain))
    assert start == make()
    (now, plain), (now_other, plain_other) = ends
    equal = delta_hash(start, now) == delta_hash(start, now_other)
    assert equal == (state_hash(plain) == state_hash(plain_other))
