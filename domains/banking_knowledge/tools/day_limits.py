"""Daily limits of payments from the app that are raised for a time."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of
from ..schema import Database
from ..tables.payments import LimitRaise

__all__ = ["confirm_limit_raise_8374", "raise_day_limit_8342"]


@tool("write", discoverable=True, user=True, idempotent=True)
def confirm_limit_raise_8374(db: Database, account_id: str, context: CallContext) -> dict[str, Any]:
    """Confirm in your app that the daily limit of an account is to be raised for a time."""
    account_of(db, account_id)
    if account_id not in db.limit_raises:
        today = context.now.date()
        db.limit_raises[account_id] = LimitRaise(account_id=account_id, confirmed=today)
    return {"account_id": account_id, "confirmed": True}


@tool("write", discoverable=True, idempotent=True)
def raise_day_limit_8342(
    db: Database, account_id: str, limit: Money, until: dt.date, context: CallContext
) -> dict[str, Any]:
    """Raise the daily limit of an account in pounds, up to and including a day."""
    account_of(db, account_id)
    raised = db.limit_raises.get(account_id)
    if raised is None:
        raise ToolError("The customer has not confirmed the raise in the app.")
    if limit <= 0 or until < context.now.date():
        raise ToolError("The limit must be positive and the day not over.")
    raised.limit, raised.until = limit, until
    return {"account_id": account_id, "limit": limit, "until": until.isoformat()}
