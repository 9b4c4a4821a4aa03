"""The arithmetic of declared derivations: parsed, never executed as Python.

Allowed are numbers, ``+ - * / ( )``, ``min``, ``max``, ``round(value, digits)`` (half up, as banks
round), ``days("<date>", "<date>")`` (days from the first ISO date to the second) and names.
Everything is calculated in exact fractions.
"""

from __future__ import annotations

import ast
import datetime as dt
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

__all__ = ["Formula", "FormulaError", "parse_formula", "round_half_up"]


class FormulaError(ValueError):
    """A formula that does not parse, holds something that is not allowed, or has no value."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula.

    Attributes:
        numbers: every number written in it, digits of ``round`` excepted.
        dates: every date written in it.
        names: every name used in it.
    """

    tree: ast.expr
    numbers: tuple[Decimal, ...]
    dates: tuple[dt.date, ...]
    names: tuple[str, ...]

    def value(self, names: Mapping[str, Fraction]) -> Fraction:
        """What it comes to.

        Raises:
            FormulaError: a name stands for nothing, or a division by zero.

        >>> parse_formula("round(0.02 * amount, 2)").value({"amount": Fraction(5025, 100)})
        Fraction(101, 100)
        """
        try:
            return _value(self.tree, names)
        except ZeroDivisionError as error:
            raise FormulaError("it divides by zero") from error


def parse_formula(text: str) -> Formula:
    """Parse a formula and look at every part of it.

    Raises:
        FormulaError: it does not parse or holds something that is not allowed.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"it does not parse: {getattr(error, 'msg', error)}") from error
    numbers: list[Decimal] = []
    dates: list[dt.date] = []
    names: list[str] = []
    _collect(tree, numbers, dates, names)
    return Formula(tree, tuple(numbers), tuple(dates), tuple(dict.fromkeys(names)))


def round_half_up(value: Fraction, digits: int) -> Fraction:
    """The value rounded to so many digits after the point, halves away from zero.

    >>> round_half_up(Fraction(1005, 1000), 2), round_half_up(Fraction(-5, 10), 0)
    (Fraction(101, 100), Fraction(-1, 1))
    """
    scaled = abs(value) * 10**digits
    whole = int(scaled + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**digits)


_BINARY: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS = ("min", "max", "round", "days")
_ALLOWED = "numbers, + - * / ( ), min, max, round, days and names"


def _collect(
    node: ast.expr, numbers: list[Decimal], dates: list[dt.date], names: list[str]
) -> None:
    """Note what stands in the tree, and refuse everything that is not allowed there."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            numbers.append(Decimal(str(value)))
        case ast.Name(id=name):
            names.append(name)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _collect(operand, numbers, dates, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _collect(left, numbers, dates, names)
            _collect(right, numbers, dates, names)
        case ast.Call(func=ast.Name(id="days"), args=[_, _], keywords=[]):
            dates += [_date(argument) for argument in node.args]
        case ast.Call(func=ast.Name(id="round"), args=[inner, digits], keywords=[]):
            _digits(digits)
            _collect(inner, numbers, dates, names)
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_], keywords=[]):
            for argument in node.args:
                _collect(argument, numbers, dates, names)
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} is not allowed; allowed are {_ALLOWED}")


def _value(node: ast.expr, names: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=value):
            return Fraction(str(value))
        case ast.Name(id=name):
            if name not in names:
                raise FormulaError(f"the name {name!r} stands for nothing; say so under 'names'")
            return names[name]
        case ast.UnaryOp(op=op, operand=operand):
            found = _value(operand, names)
            return -found if isinstance(op, ast.USub) else found
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id="days"), args=[start, end]):
            return Fraction((_date(end) - _date(start)).days)
        case ast.Call(func=ast.Name(id="round"), args=[inner, digits]):
            return round_half_up(_value(inner, names), _digits(digits))
        case ast.Call(func=ast.Name(id=name), args=args):
            return (min if name == "min" else max)(_value(argument, names) for argument in args)
    raise FormulaError(f"{ast.unparse(node)!r} is not allowed; allowed are {_ALLOWED}")


def _date(node: ast.expr) -> dt.date:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return dt.date.fromisoformat(node.value)
        except ValueError:
            pass
    raise FormulaError(f"days takes two dates such as '2026-03-04', not {ast.unparse(node)}")


def _digits(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= 6:
        return node.value
    raise FormulaError(f"round takes 0 to 6 digits, not {ast.unparse(node)}")
