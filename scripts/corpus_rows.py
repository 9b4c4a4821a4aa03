"""The rows of a domain's database, by area, and what can be wrong with them.

`db.yaml` of an area::

    ids: "81"                     # numbers of the area's own rows begin so: C-8101, T-81007
    references:                   # fields that name rows: table.field -> the tables to look in
      mortgages.customer_id: [customers]
    rows:
      customers:
        C-8101: {name: Ann Example, ...}

Rows may hold expressions over facts: `product: "{{ hearth_fixed_2.name }}"`. A `product` must be a
`name` or `code` of the fact base.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from corpus_areas import Area
from corpus_facts import Facts, SourceError, Writer, plain, read_yaml

__all__ = ["Rows", "read_rows", "rows_text"]

Rows = dict[str, dict[str, dict[str, Any]]]
"""Row by id, by table; numbers are exact."""


def read_rows(areas: list[Area], facts: Facts) -> tuple[Rows, list[str]]:
    """Rows of all areas, and what is wrong with them.

    Raises:
        SourceError: two areas have the same row, or an expression fails.
    """
    rows: Rows = {}
    references: dict[str, list[str]] = {}
    problems: list[str] = []
    writer = Writer(facts)
    for area in areas:
        path = area.folder / "db.yaml"
        content = read_yaml(path)
        references |= content.get("references") or {}
        for table, entries in (content.get("rows") or {}).items():
            for key, row in (entries or {}).items():
                if key in rows.setdefault(table, {}):
                    raise SourceError(f"{path}: {table} {key!r} stands twice")
                if not str(key).partition("-")[2].startswith(content.get("ids", "")):
                    problems.append(f"{path}: {key!r} is outside of the area's numbers")
                rows[table][key] = _exact(row, writer, f"{path}: {key}")
    problems += _dangling(rows, references)
    problems += _unknown_products(rows, facts)
    return rows, problems


def _exact(value: Any, writer: Writer, where: str) -> Any:  # noqa: ANN401
    """A row with its expressions filled and its numbers left exact."""
    if isinstance(value, Mapping):
        return {key: _exact(item, writer, f"{where}: {key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item, writer, where) for item in value]
    return writer.exact(value, where) if isinstance(value, str) else value


def _dangling(rows: Rows, references: Mapping[str, list[str]]) -> Iterator[str]:
    for name, tables in references.items():
        table, field = name.split(".")
        known = {key for other in tables for key in rows.get(other, ())}
        for key, row in rows.get(table, {}).items():
            value = row.get(field)
            for named in value if isinstance(value, list) else [value]:
                if named is not None and named not in known:
                    yield f"db: {key}.{field} names {named!r}, which is not among {tables}"


def _unknown_products(rows: Rows, facts: Facts) -> Iterator[str]:
    names = facts.names()
    for table in rows.values():
        for key, row in table.items():
            if "product" in row and row["product"] not in names:
                yield f"db: {key} has the product {row['product']!r}, which no fact names"


def rows_text(rows: Rows) -> str:
    """The database as JSON with a line for each row."""
    tables = []
    for table, entries in rows.items():
        lines = [f"    {json.dumps(key)}: {_json(row)}" for key, row in entries.items()]
        tables.append(f"  {json.dumps(table)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(tables) + "\n}"


def _json(row: object) -> str:
    return json.dumps(plain(row), ensure_ascii=False)
