"""Cards on telephones and watches, and prepaid cards that end."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, card_of, customer_of, pence, row_of, shown
from ..schema import Database
from ..tables.cards import Redemption

__all__ = ["list_wallets", "redeem_prepaid_8291", "remove_wallet_device_8214"]


@tool("read")
def list_wallets(db: Database, customer_id: str) -> dict[str, Any]:
    """List the devices on which a customer's cards have been set up for paying."""
    customer_of(db, customer_id)
    cards = [key for key, row in db.cards.items() if row.customer_id == customer_id]
    found = {key: row for key, row in db.wallets.items() if row.card_id in cards}
    return {"wallets": shown(found)}


@tool("write", discoverable=True)
def remove_wallet_device_8214(db: Database, wallet_id: str, reason_code: str) -> dict[str, Any]:
    """Take a card off a device, so that the device can no longer pay with it."""
    wallet = row_of(db.wallets, wallet_id, "wallet")
    if wallet.status != "active":
        raise ToolError(f"{wallet_id} has been removed already.")
    if not reason_code.startswith("CD-"):
        raise ToolError(f"{reason_code!r} is no reason code for cards.")
    wallet.status, wallet.reason_code = "removed", reason_code
    return {"wallet_id": wallet_id, "status": wallet.status}


@tool("write", discoverable=True)
def redeem_prepaid_8291(
    db: Database, card_id: str, pay_to_account_id: str, fee: Money, context: CallContext
) -> dict[str, Any]:
    """End a prepaid card and pay out what is on it, less a fee in pounds (0 if there is none)."""
    card = card_of(db, card_id)
    account_of(db, pay_to_account_id)
    if card.product != "Ember Prepaid Card" or card.status == "cancelled":
        raise ToolError(f"The card {card_id} is no prepaid card in use.")
    balance = card.balance or Decimal(0)
    if not 0 <= fee <= balance:
        raise ToolError("The fee must not be negative or more than what is on the card.")
    card.status, card.balance = "cancelled", Decimal(0)
    redemption_id = context.new_id("RDM")
    db.redemptions[redemption_id] = Redemption(
        card_id=card_id,
        pay_to_account_id=pay_to_account_id,
        amount=pence(balance - fee),
        fee=fee,
        made=context.now.date(),
    )
    return {"redemption_id": redemption_id, "paid_out": pence(balance - fee)}
