"""The arithmetic of derivations: what it gives, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ragbench.validate._formula import FormulaError, parse_formula, round_half_up


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.01 * (6840 - 1000)", Fraction(5840, 100)),  # 1 % of 5,840
        ("2 + 3 * 4", Fraction(14)),
        ("-(2 - 5) / 2", Fraction(3, 2)),
        ("min(7.25, 14.5, 9)", Fraction(29, 4)),
        ("max(0, 1500 - 6200)", Fraction(0)),
        ("round(6000 * 3.85 / 100 * 45 / 365, 2)", Fraction(2848, 100)),  # 28.4794...
        ("round(0.125, 2)", Fraction(13, 100)),  # half up; Python's round gives 0.12
        ('days("2026-02-27", "2026-03-02")', Fraction(3)),  # no 29 February
        ("a * a - a", Fraction(20)),  # a = 5
    ],
)
def test_value(text, expected) -> None:
    assert parse_formula(text).value({"a": Fraction(5)}) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2 ** 9", "not allowed"),
        ("__import__('os')", "not allowed"),
        ("open('x')", "not allowed"),
        ("a.b", "not allowed"),
        ("'text'", "not allowed"),
        ("True", "not allowed"),
        ("[1, 2]", "not allowed"),
        ("1 if 2 else 3", "not allowed"),
        ("2 // 3", "not allowed"),
        ("round(2.5)", "not allowed"),
        ("round(2.5, 99)", "0 to 6 digits"),
        ("min(3)", "not allowed"),
        ("max(*a)", "not allowed"),
        ('days("2026-02-30", "2026-03-01")', "two dates"),
        ("2 +", "does not parse"),
        ("", "does not parse"),
    ],
)
def test_refused_before_anything_is_calculated(text, says) -> None:
    with pytest.raises(FormulaError, match=says):
        parse_formula(text)


@pytest.mark.parametrize(
    ("text", "says"), [("b + 1", "'b' stands for nothing"), ("1 / (2 - 2)", "zero")]
)
def test_no_value(text, says) -> None:
    with pytest.raises(FormulaError, match=says):
        parse_formula(text).value({})


def test_numbers_dates_and_names_are_collected() -> None:
    found = parse_formula('fee * 2 + round(0.5, 2) + days("2026-01-01", "2026-01-02") + fee')
    assert [str(number) for number in found.numbers] == ["2", "0.5"]  # not the digits of round
    assert [date.isoformat() for date in found.dates] == ["2026-01-01", "2026-01-02"]
    assert found.names == ("fee",)


def test_halves_are_rounded_away_from_zero() -> None:
    assert round_half_up(Fraction(5, 2), 0) == 3
    assert round_half_up(Fraction(-5, 2), 0) == -3
    assert round_half_up(Fraction(2675, 1000), 2) == Fraction(268, 100)  # in floats it is 2.67
