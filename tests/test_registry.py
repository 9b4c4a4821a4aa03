"""Registries: names to frozen dataclasses, every argument checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from ragbench.errors import SpecError, UnknownName
from ragbench.registry import Registry, spec_of


@dataclass(frozen=True)
class Fixed:
    """Chunks of one size.

    More text.
    """

    size_tokens: int
    overlap: float = 0.0
    unit: Literal["tokens", "chars"] = "tokens"
    model: str | None = None
    strict: bool = False
    mode: Literal["a"] | None = None

    def __post_init__(self):
        if self.size_tokens < 1:
            raise ValueError(f"size_tokens is {self.size_tokens}; it must be at least 1")


@pytest.fixture
def chunkers():
    registry = Registry("chunker", "ragbench list chunkers")
    registry.register("fixed")(Fixed)
    return registry


def test_create_and_print_back(chunkers):
    made = chunkers.create("fixed(size_tokens=5, overlap=1, model=x, strict=true, mode=a)")
    assert made == Fixed(5, 1.0, "tokens", "x", True, "a")
    canonical = "fixed(size_tokens=5, overlap=1.0, unit=tokens, model=x, strict=true, mode=a)"
    assert str(spec_of(made)) == canonical
    assert chunkers.create(canonical) == made
    assert chunkers.create(spec_of(made)) == made
    assert chunkers.create("fixed(size_tokens=5, mode=none)").mode is None


def test_lists_and_describes(chunkers):
    assert list(chunkers) == ["fixed"]
    assert "fixed" in chunkers
    assert "fixd" not in chunkers
    assert chunkers.describe("fixed") == "Chunks of one size."
    assert chunkers.defaults("fixed") == (
        "fixed(size_tokens=..., overlap=0.0, unit=tokens, model=none, strict=false, mode=none)"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fixed", "needs size_tokens"),
        ("fixed(size_tokens=5.5)", r"size_tokens=5.5; size_tokens must be int"),
        ("fixed(size_tokens=007)", "size_tokens must be int"),
        ("fixed(size_tokens=true)", "size_tokens must be int"),
        ("fixed(size_tokens=5, strict=1)", "strict must be bool"),
        ("fixed(size_tokens=5, unit=bytes)", "unit must be one of 'tokens', 'chars'"),
        ("fixed(size_tokens=5, mode=b)", "mode must be one of 'a' or none"),
        ("fixed(size_tokens=5, model=1.50)", "model must be str or none"),  # not '1.5'
        ("fixed(size_tokens=5, overlap=none)", "overlap must be float"),
        ("fixed(size_tokenz=5)", "has no argument 'size_tokenz'.*did you mean 'size_tokens'"),
        ("fixed(size_tokens=0)", "is refused: size_tokens is 0"),
    ],
)
def test_create_refuses(chunkers, spec, message):
    with pytest.raises(SpecError, match=message):
        chunkers.create(spec)


def test_a_number_may_be_a_name(chunkers):
    assert chunkers.create("fixed(size_tokens=5, model=7)").model == "7"


def test_unknown_name_suggests_and_lists(chunkers):
    with pytest.raises(UnknownName) as caught:
        chunkers.create("fixd")
    assert str(caught.value) == (
        "No chunker is called 'fixd'. Known: fixed; did you mean 'fixed'? "
        "See: ragbench list chunkers"
    )


def test_register_refuses_a_second_name_and_a_mutable_class(chunkers):
    with pytest.raises(ValueError, match="Two chunkers are registered as 'fixed'"):
        chunkers.register("fixed")(Fixed)

    @dataclass
    class Mutable:
        """No identity."""

    with pytest.raises(ValueError, match="not a frozen dataclass"):
        chunkers.register("mutable")(Mutable)
