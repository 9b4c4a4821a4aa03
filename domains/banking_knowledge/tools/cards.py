"""Cards: seeing, freezing and replacing them."""

from __future__ import annotations

from typing import Any, Literal

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import card_of, customer_of, shown
from ..schema import Database
from ..tables.core import Order

__all__ = ["freeze_card", "list_cards", "order_replacement_card"]


@tool("read")
def list_cards(db: Database, customer_id: str) -> dict[str, Any]:
    """List a customer's debit and credit cards."""
    customer_of(db, customer_id)
    return {"cards": shown(db.cards, customer_id=customer_id)}


@tool("write", idempotent=True)
def freeze_card(db: Database, card_id: str) -> dict[str, Any]:
    """Freeze a card. The customer can thaw it in the app."""
    card = card_of(db, card_id)
    if card.status == "cancelled":
        raise ToolError(f"The card {card_id} is cancelled.")
    card.status = "frozen"
    return {"card_id": card_id, "status": card.status}


@tool("write")
def order_replacement_card(
    db: Database,
    card_id: str,
    reason_code: str,
    delivery: Literal["post", "courier_home", "courier_abroad"],
    fee: Money,
    context: CallContext,
) -> dict[str, Any]:
    """Cancel a frozen card for good and order a new one. The fee is in pounds, 0 if it is free."""
    card = card_of(db, card_id)
    if card.status != "frozen":
        raise ToolError(f"The card {card_id} is {card.status}; only a frozen card can be replaced.")
    card.status = "cancelled"
    order_id = context.new_id("ORD")
    db.orders[order_id] = Order(
        subject_id=card_id,
        kind="card",
        delivery=delivery,
        fee=fee,
        detail=reason_code,
        ordered=context.now.date(),
    )
    return {"order_id": order_id, "card_id": card_id, "fee": fee}
