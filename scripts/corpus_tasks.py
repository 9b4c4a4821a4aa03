"""The tasks of a domain, by area, from a form that is shorter to write.

`tasks/x.yaml` is a task as `docs/domains.md` describes it, with id x, and these short forms:

- `- identify: C-8101` in actions stands for `find_customer` and `verify_identity` (ids `find` and
  `verify`) with what the customer's row says;
- `- unlock: tool_name` for `unlock_tool` (id `unlock`, or `unlock_2`, `unlock_3` when taken);
- an evidence item `{doc_id: ..., quote: ...}` for one with this single alternative;
- any value may be an expression over facts and rows: `"{{ slate.courier_abroad | gbp }}"`,
  `amount: "{{ row('A-8101').balance }}"`;
- an argument or communicated value may be calculated:
  `{formula: "round({{ row('L-8101').capital }} * {{ hearth.charge_percent }} / 100, 2)"}`. It gets
  its value and the formula, filled, becomes the task's derivation of it. `show: gbp` (the default
  in `communicate_info`) or `percent`, `number`, `none` says how it is written; `why` and `names`
  go into the derivation. `round` is half up, `days(a, b)` counts from a to b.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from corpus_areas import Area
from corpus_facts import Facts, SourceError, Writer, plain, read_yaml
from corpus_filters import FILTERS
from corpus_rows import Rows

__all__ = ["evidence_of", "read_tasks"]

_EXPRESSION = re.compile(r"\{\{(.*?)\}\}")
_DECIMAL = re.compile(r"(?<![\w.'\"-])\d+\.\d+")


def evidence_of(tasks: list[Any]) -> set[str]:
    """The documents that a need of a task points to."""
    return {
        passage["doc_id"]
        for task in tasks
        for need in task.get("needs", ())
        for item in need["evidence"]
        for passage in item["any_of"]
    }


def read_tasks(areas: list[Area], facts: Facts, rows: Rows) -> dict[str, Any]:
    """The tasks of all areas by id, in the long form, expressions filled.

    Raises:
        SourceError: two areas have a task of the same name, or a task is malformed.
    """
    exact = {key: row for table in rows.values() for key, row in table.items()}
    functions: dict[str, Callable[..., object]] = {
        "row": _finder(exact),
        "round": _round,
        "days": _days,
        "exact": Decimal,
    }
    writer = Writer(facts, functions)
    tasks: dict[str, Any] = {}
    for area in areas:
        for path in sorted((area.folder / "tasks").glob("*.yaml")):
            if path.stem in tasks:
                raise SourceError(f"{path}: another area has a task of this name")
            task = _long_form(read_yaml(path), path, exact)
            tasks[path.stem] = writer.value(_derived(task, writer, path), str(path))
    return tasks


def _finder(rows: Mapping[str, Any]) -> Callable[[str], Any]:
    def row(key: str) -> Any:  # noqa: ANN401  (a row of the database)
        if key not in rows:
            raise LookupError(f"the database has no row {key!r}")
        return rows[key]

    return row


def _long_form(task: dict[str, Any], path: Path, rows: Mapping[str, Any]) -> dict[str, Any]:
    if task.get("id", path.stem) != path.stem:
        raise SourceError(f"{path}: the id {task['id']!r} is not the name of the file")
    criteria = task.get("evaluation_criteria") or {}
    if "actions" in criteria:
        taken = {action.get("action_id") for action in criteria["actions"]}
        criteria = {**criteria, "actions": list(_actions(criteria["actions"], rows, taken, path))}
    needs = [
        {**need, "evidence": [_item(item) for item in need["evidence"]]}
        for need in task.get("needs") or ()
    ]
    return {**{"id": path.stem}, **task, "evaluation_criteria": criteria, "needs": needs}


def _derived(task: dict[str, Any], writer: Writer, path: Path) -> dict[str, Any]:
    """The task with its formulas replaced by their values and noted as derivations."""
    noted: dict[str, Any] = {}

    def calculated(value: Any, target: str, show: str) -> Any:  # noqa: ANN401
        if not (isinstance(value, Mapping) and "formula" in value):
            return value
        spec = {"show": show, **value}
        where = f"{path}: {target}"
        found, noted[target] = _calculated(spec, writer, where)
        if spec["show"] == "none":
            return found
        return FILTERS[spec["show"]](found)

    criteria = dict(task["evaluation_criteria"])
    criteria["actions"] = [
        {
            **action,
            "arguments": {
                name: calculated(value, f"{action['action_id']}.{name}", "none")
                for name, value in (action.get("arguments") or {}).items()
            },
        }
        for action in criteria.get("actions") or ()
    ]
    criteria["communicate_info"] = [
        calculated(value, f"communicate:{n}", "gbp")
        for n, value in enumerate(criteria.get("communicate_info") or ())
    ]
    derivations = {**noted, **(task.get("derivations") or {})}
    extra = {"derivations": derivations} if derivations else {}
    return {**task, "evaluation_criteria": criteria, **extra}


def _calculated(
    spec: Mapping[str, Any], writer: Writer, where: str
) -> tuple[Decimal, dict[str, Any]]:
    """The value of a formula, and the derivation that says so."""

    def filled(match: re.Match[str]) -> str:
        value = plain(writer.exact(match[0], where))
        return f'"{value}"' if isinstance(value, str) else f"{value}"

    formula = _EXPRESSION.sub(filled, spec["formula"])
    expression = _DECIMAL.sub(r"exact('\g<0>')", formula)
    for name, value in (spec.get("names") or {}).items():
        number = value["value"] if isinstance(value, Mapping) else value
        expression = re.sub(rf"\b{name}\b", f"exact('{number}')", expression)
    found = writer.exact("{{ " + expression + " }}", where)
    if not isinstance(found, Decimal | int):
        raise SourceError(f"{where}: the formula {formula!r} gives no exact number")
    extra = {key: spec[key] for key in ("names", "why") if key in spec}
    return Decimal(found), {"formula": formula, **extra}


def _round(value: Decimal | int, digits: int) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def _days(first: str, last: str) -> Decimal:
    return Decimal((dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days)


def _item(item: dict[str, Any]) -> dict[str, Any]:
    return item if "any_of" in item else {"any_of": [item]}


def _actions(
    actions: list[dict[str, Any]], rows: Mapping[str, Any], taken: set[Any], path: Path
) -> Iterator[dict[str, Any]]:
    for action in actions:
        if "identify" in action:
            key = action["identify"]
            if key not in rows:
                raise SourceError(f"{path}: there is no customer {key!r} to identify")
            yield from _identify(key, rows[key])
        elif "unlock" in action:
            names = ["unlock", *(f"unlock_{n}" for n in range(2, 20))]
            name = action.get("action_id") or next(name for name in names if name not in taken)
            taken.add(name)
            arguments = {"tool_name": action["unlock"]}
            yield {"action_id": name, "name": "unlock_tool", "arguments": arguments}
        else:
            yield action


def _identify(key: str, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    details = {field: row[field] for field in ("date_of_birth", "postcode")}
    yield {"action_id": "find", "name": "find_customer", "arguments": {"name": row["name"]}}
    arguments = {"customer_id": key, **details}
    yield {"action_id": "verify", "name": "verify_identity", "arguments": arguments}
