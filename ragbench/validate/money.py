"""Money is exact: a float that is money makes equal sums unequal in the last digit."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator

from pydantic import BaseModel

from ragbench.validate._rule import Flaw, Severity, domain_rule
from ragbench.validate._subject import Subject

__all__: list[str] = []

_MONEY = re.compile(
    r"(?:^|_)(?:amounts?|balance|fees?|fares?|prices?|costs?|charges?|refund(?:ed)?|refunds|deposit|"
    r"salary|income|redress|instalment|capital|interest|total|paid|owed|debit|credits?|"
    r"usd|eur|gbp|chf|dollars|euros|pounds)(?:_|$)"
)
_NOT_MONEY = re.compile(
    r"(?:^|_)(?:rate|percent|percentage|share|ratio|factor|days?|count|n)"
    r"(?:_|$)"
)


@domain_rule(
    "form.money",
    Severity.WARNING,
    means="No field of the database and no parameter of a tool that is money by its name is a "
    "float: 0.3 + 0.2 + 0.1 is not 0.1 + 0.2 + 0.3 then, and a right trial fails by the last "
    "digit.",
    remedy="Declare it as Money of ragbench.toolkit (a Decimal), or count minor units in an int.",
    needs=("native",),
)
def money(subject: Subject) -> Iterator[Flaw]:
    """Floats that are money."""
    if subject.domain is None:
        return
    folder = subject.domain.path
    for model in _models(type(subject.domain.database), set()):
        for name in _floats(model):
            yield Flaw(f"the field {model.__name__}.{name} is a float", folder / "schema.py")
    for tool in subject.domain.tools.values():
        for name in _floats(tool.arguments):
            yield Flaw(f"the parameter {name!r} of {tool.name} is a float", folder / "tools")


def _floats(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if (
            _MONEY.search(name)
            and not _NOT_MONEY.search(name)
            and float in _parts(field.annotation)
        ):
            yield name


def _models(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """A model and every model that its fields hold."""
    if model in seen:
        return
    seen.add(model)
    yield model
    for field in model.model_fields.values():
        for part in _parts(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _models(part, seen)


def _parts(annotation: object) -> Iterator[object]:
    """A type and what it is made of: of ``dict[str, Row | None]`` all four."""
    yield annotation
    for part in typing.get_args(annotation):
        yield from _parts(part)
