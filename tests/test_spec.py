"""Specs print, parse back and are an identity."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.errors import SpecError
from ragbench.spec import ComponentSpec, parse_spec


@pytest.mark.parametrize(
    ("text", "name", "args"),
    [
        ("minilm", "minilm", ()),
        ("  minilm ", "minilm", ()),
        ("minilm()", "minilm", ()),
        ("files(pdf=pdfium)", "files", (("pdf", "pdfium"),)),
        ("r(a=1,b=-2, c = 0.5 ,\n d=1e-3)", "r", (("a", 1), ("b", -2), ("c", 0.5), ("d", 0.001))),
        ("r(a=true, b=False, c=none)", "r", (("a", True), ("b", False), ("c", None))),
        ("r(a='true', b='5')", "r", (("a", "true"), ("b", "5"))),
        ("st(model='my (odd), model=1')", "st", (("model", "my (odd), model=1"),)),
        (r"st(model='it\'s', dir=C:\x)", "st", (("model", "it's"), ("dir", "C:\\x"))),
        ("st(model=BAAI/bge-small-en-v1.5)", "st", (("model", "BAAI/bge-small-en-v1.5"),)),
        ("st(rev=007, tag=+7)", "st", (("rev", "007"), ("tag", "+7"))),  # 7 would lose the zeros
        ("all-mpnet-base-v2", "all-mpnet-base-v2", ()),
        ("r(a=1,)", "r", (("a", 1),)),
    ],
)
def test_parse(text, name, args):
    spec = parse_spec(text)
    assert (spec.name, spec.args) == (name, args)
    assert parse_spec(str(spec)) == spec
    assert [type(value) for _, value in spec.args] == [type(value) for _, value in args]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a component spec"),
        ("5(a=1)", "is not a component spec"),
        ("r(a=1", "is not a component spec"),
        ("r a=1", "is not a component spec"),
        ("r)(", "is not a component spec"),
        ("r(256)", "'256' where key=value should stand"),
        ("r(a=)", "argument without a value"),
        ("r(a=1 b=2)", "lacks a comma before 'b=2'"),
        ("r(a=1,,b=2)", "where key=value should stand"),
        ("r(,)", "where key=value should stand"),
        ("r(a='x)", "opens a quote"),
        ("r(a=1, a=2)", "gives 'a' twice"),
        ("r(a=b(c=1))", "lacks a comma"),
    ],
)
def test_parse_refuses(text, message):
    with pytest.raises(SpecError, match=message.replace("(", r"\(")) as caught:
        parse_spec(text)
    assert caught.value.exit_code == 2


keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | st.integers() | floats | st.text(max_size=12)


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}", fullmatch=True), st.dictionaries(keys, values))
def test_every_spec_parses_back(name, arguments):
    spec = ComponentSpec(name, tuple(arguments.items()))
    again = parse_spec(str(spec))
    assert again == spec
    for (_, old), (_, new) in zip(spec.args, again.args, strict=True):
        assert type(old) is type(new)
        if isinstance(old, float):
            assert math.copysign(1, old) == math.copysign(1, new)
