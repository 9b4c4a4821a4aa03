"""The database of Larkmere Bank's Service Desk: the tables of all areas."""

from __future__ import annotations

from pydantic import ConfigDict

from .tables.business import BusinessTables
from .tables.cards import CardsTables
from .tables.care import CareTables
from .tables.core import CoreTables
from .tables.lending import LendingTables
from .tables.payments import PaymentsTables
from .tables.savings import SavingsTables

__all__ = ["Database"]


class Database(
    CoreTables,
    LendingTables,
    CardsTables,
    PaymentsTables,
    SavingsTables,
    BusinessTables,
    CareTables,
):
    """Everything the desk stores, by id."""

    model_config = ConfigDict(extra="forbid")
