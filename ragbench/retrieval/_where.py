"""Metadata filters as a person types them: ``key=value`` to the typed value of the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragbench.errors import UnknownName, UsageError, did_you_mean
from ragbench.records import Document
from ragbench.retrieval._base import Scalar

__all__ = ["resolve_where"]

_SHOWN = 20


def resolve_where(
    conditions: Sequence[tuple[str, str]], documents: Mapping[str, Document]
) -> dict[str, Scalar]:
    """The filter for `Retriever.retrieve`; a value takes the type that the documents give it.

    Raises:
        UnknownName: no document has such metadata.
        UsageError: no document has that value of it, or a key stands twice.
    """
    where: dict[str, Scalar] = {}
    for key, value in conditions:
        if key in where:
            raise UsageError(f"The filter --where {key}=... stands twice. Give one value.")
        where[key] = _typed(key, value, documents)
    return where


def _typed(key: str, value: str, documents: Mapping[str, Document]) -> Scalar:
    known = {name for document in documents.values() for name in document.metadata}
    if key not in known:
        raise UnknownName("metadata key", key, known)
    values = {
        (type(found).__name__, found)
        for document in documents.values()
        if (found := document.metadata.get(key)) is not None
    }
    fitting = sorted((kind, found) for kind, found in values if value in spellings(found))
    if not fitting:
        shown = sorted({spellings(found)[0] for _, found in values})
        more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
        raise UsageError(
            f"No document has {key}={value!r}. Its values: {', '.join(shown[:_SHOWN])}{more}"
            f"{did_you_mean(value, shown)}"
        )
    return fitting[-1][1]  # text before a number or truth value of the same spelling


def spellings(value: Scalar) -> tuple[str, ...]:
    """How a value may be written.

    >>> spellings(True), spellings(2.0), spellings("gold")
    (('true', 'True'), ('2.0', '2'), ('gold',))
    """
    if isinstance(value, bool):
        return str(value).lower(), str(value)
    if isinstance(value, float) and value.is_integer():
        return str(value), str(int(value))
    return (str(value),)
