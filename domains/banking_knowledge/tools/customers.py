"""Customers: finding them, checking who they are, their contact details."""

from __future__ import annotations

from typing import Any, Literal

from ragbench.toolkit import CallContext, ToolError, tool

from ..lookup import customer_of, shown
from ..schema import Database

__all__ = ["find_customer", "get_customer", "update_contact_details", "verify_identity"]


@tool("read")
def find_customer(db: Database, name: str) -> dict[str, Any]:
    """Find customers by full name. Gives numbers and names only."""
    wanted = " ".join(name.casefold().split())
    found = {key: row.name for key, row in db.customers.items() if row.name.casefold() == wanted}
    if not found:
        raise ToolError(f"No customer is called {name!r}. Ask for the full name.")
    return {"customers": [{"customer_id": key, "name": value} for key, value in found.items()]}


@tool("write", idempotent=True)
def verify_identity(
    db: Database, customer_id: str, date_of_birth: str, postcode: str, context: CallContext
) -> dict[str, Any]:
    """Check a customer's identity. The date of birth has the form YYYY-MM-DD."""
    customer = customer_of(db, customer_id)
    agrees = customer.date_of_birth.isoformat() == date_of_birth.strip() and _folded(
        customer.postcode
    ) == _folded(postcode)
    if not agrees:
        raise ToolError("The details do not agree with the record.")
    customer.identity_checked = context.now.date()
    return {"customer_id": customer_id, "result": "passed"}


@tool("read")
def get_customer(db: Database, customer_id: str) -> dict[str, Any]:
    """Show a customer's record: contact details, papers on file, earlier card claims."""
    customer = customer_of(db, customer_id)
    record = customer.model_dump(mode="json", exclude={"date_of_birth", "postcode"})
    return {**record, "claims": shown(db.claims, customer_id=customer_id)}


@tool("write", idempotent=True)
def update_contact_details(
    db: Database, customer_id: str, field: Literal["phone", "email"], value: str
) -> dict[str, Any]:
    """Change a customer's telephone number or e-mail address."""
    setattr(customer_of(db, customer_id), field, value.strip())
    return {"customer_id": customer_id, field: value.strip()}


def _folded(postcode: str) -> str:
    return "".join(postcode.upper().split())
