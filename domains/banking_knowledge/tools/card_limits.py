"""What stands behind a card: its agreement and limit, instalments, further holders."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import card_of, pence, shown, transaction_of
from ..schema import Database
from ..tables.cards import AdditionalCard, LimitChange, Plan

__all__ = [
    "add_card_holder_8263",
    "approve_limit_offer_8238",
    "change_card_limit_8226",
    "get_card_agreement",
    "list_plans",
    "start_instalment_plan_8247",
]


@tool("read")
def get_card_agreement(db: Database, card_id: str) -> dict[str, Any]:
    """Show the agreement of a card: day of opening, late payments, limit changes, other holders."""
    card_of(db, card_id)
    if not (agreements := shown(db.card_agreements, card_id=card_id)):
        raise ToolError(f"There is no agreement for the card {card_id}.")
    return {
        "agreements": agreements,
        "limit_changes": shown(db.limit_changes, card_id=card_id),
        "additional_cards": shown(db.additional_cards, card_id=card_id),
    }


@tool("read")
def list_plans(db: Database, card_id: str) -> dict[str, Any]:
    """List the purchases on a card that are being paid in instalments."""
    card_of(db, card_id)
    return {"plans": shown(db.plans, card_id=card_id)}


@tool("write", discoverable=True)
def change_card_limit_8226(
    db: Database, card_id: str, limit: Money, ground_code: str, context: CallContext
) -> dict[str, Any]:
    """Set a lower credit limit on a card, or offer a higher one to its holder."""
    card = card_of(db, card_id)
    if card.credit_limit is None:
        raise ToolError(f"The card {card_id} has no credit limit.")
    if not ground_code.startswith("LM-") or not 0 < limit != card.credit_limit:
        raise ToolError("This takes a code for limits, and an amount other than the present limit.")
    if any(row.status == "offered" for row in _changes(db, card_id).values()):
        raise ToolError("An offer for this card is waiting for its holder.")
    rises = limit > card.credit_limit
    change_id = context.new_id("LIM")
    db.limit_changes[change_id] = LimitChange(
        card_id=card_id,
        former=card.credit_limit,
        limit=limit,
        ground_code=ground_code,
        status="offered" if rises else "applied",
        made=context.now.date(),
    )
    if not rises:
        card.credit_limit = pence(limit)
    return {"change_id": change_id, "status": db.limit_changes[change_id].status}


@tool("write", discoverable=True, user=True)
def approve_limit_offer_8238(db: Database, card_id: str) -> dict[str, Any]:
    """Accept in your app the credit limit that was offered to you for a card."""
    card = card_of(db, card_id)
    for row in _changes(db, card_id).values():
        if row.status == "offered":
            row.status, card.credit_limit = "accepted", pence(row.limit)
            return {"card_id": card_id, "accepted": True}
    raise ToolError("There is no offer for this card.")


@tool("write", discoverable=True)
def start_instalment_plan_8247(
    db: Database, transaction_id: str, months: int, plan_code: str, context: CallContext
) -> dict[str, Any]:
    """Spread a purchase on a card over a number of months."""
    purchase = transaction_of(db, transaction_id)
    if purchase.on not in db.cards or purchase.kind != "purchase":
        raise ToolError(f"{transaction_id} is no purchase on a card.")
    if any(row.transaction_id == transaction_id for row in db.plans.values()):
        raise ToolError(f"{transaction_id} is being paid in instalments already.")
    if not plan_code.startswith("CD-") or months <= 0:
        raise ToolError("This takes a plan code for cards, and a positive number of months.")
    plan_id = context.new_id("PLA")
    db.plans[plan_id] = Plan(
        card_id=purchase.on,
        transaction_id=transaction_id,
        months=months,
        plan_code=plan_code,
        started=context.now.date(),
    )
    return {"plan_id": plan_id, "months": months}


@tool("write", discoverable=True)
def add_card_holder_8263(
    db: Database, card_id: str, name: str, fee: Money, context: CallContext
) -> dict[str, Any]:
    """Order an additional card in somebody's name. The fee is in pounds, 0 if it is free."""
    card = card_of(db, card_id)
    if card.status == "cancelled" or not name.strip() or fee < 0:
        raise ToolError("This takes a card in use, a full name, and the fee in pounds or 0.")
    wanted = " ".join(name.split())
    others = [row.name for row in db.additional_cards.values() if row.card_id == card_id]
    if wanted in others:
        raise ToolError(f"There is a card for {wanted} already.")
    order_id = context.new_id("ADD")
    db.additional_cards[order_id] = AdditionalCard(
        card_id=card_id, name=wanted, fee=fee, ordered=context.now.date()
    )
    return {"order_id": order_id, "name": wanted, "fee": fee}


def _changes(db: Database, card_id: str) -> dict[str, LimitChange]:
    return {key: row for key, row in db.limit_changes.items() if row.card_id == card_id}
