"""Who may act: failed checks, registered powers, second cards for helpers."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, customer_of
from ..schema import Database
from ..tables.care import CompanionCard, FailedCheck

__all__ = ["issue_companion_card_8673", "list_authorities", "note_failed_check_7315"]


@tool("read")
def list_authorities(db: Database, customer_id: str) -> dict[str, Any]:
    """List the registered powers that a customer has given, and those that he or she holds."""
    customer_of(db, customer_id)
    return {
        "authorities": {
            key: row.model_dump(mode="json", exclude_none=True)
            for key, row in db.mandates_of_authority.items()
            if customer_id in (row.customer_id, row.attorney)
        }
    }


@tool("write", discoverable=True)
def note_failed_check_7315(
    db: Database, customer_id: str, detail_code: str, context: CallContext
) -> dict[str, Any]:
    """Note that an identity check has failed or was not made."""
    customer_of(db, customer_id)
    if not detail_code.startswith("ID-"):
        raise ToolError("This takes a code for identity checks.")
    note_id = context.new_id("FCH")
    db.failed_checks[note_id] = FailedCheck(
        customer_id=customer_id, detail_code=detail_code, made=context.now.date()
    )
    return {"note_id": note_id}


@tool("write", discoverable=True)
def issue_companion_card_8673(
    db: Database, account_id: str, helper: str, weekly_limit: Money, context: CallContext
) -> dict[str, Any]:
    """Order a second card for a helper. The limit is in pounds a week."""
    account_of(db, account_id)
    if weekly_limit <= 0:
        raise ToolError("The weekly limit must be positive.")
    card_id = context.new_id("CCD")
    db.companion_cards[card_id] = CompanionCard(
        account_id=account_id,
        helper=" ".join(helper.split()),
        weekly_limit=weekly_limit,
        ordered=context.now.date(),
    )
    return {"companion_card_id": card_id}
