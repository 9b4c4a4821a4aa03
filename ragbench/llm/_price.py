"""What a token costs where no table knows it: a server of one's own has a price that you know.

Given as the option ``in=0.1,out=0.4`` (USD per million tokens), or among the model's arguments
under LiteLLM's names, per token.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.errors import SpecError

__all__ = ["PRICE_ARGUMENTS", "Price", "price_of"]

PRICE_ARGUMENTS = {
    "input_cost_per_token": "in",
    "output_cost_per_token": "out",
    "cache_read_input_token_cost": "cached",
}
"""The arguments that say a price; they are no parameters of a call and are not sent."""
_MILLION = 1_000_000
_EXAMPLE = "in=0.1,out=0.4"


@dataclass(frozen=True, slots=True)
class Price:
    """USD per token of the prompt, of the completion, and of the cached part of the prompt."""

    prompt: float
    completion: float
    cached: float

    def cost_usd(self, prompt: int, completion: int, cached: int) -> float:
        """What a call cost; ``cached`` tokens are part of ``prompt``.

        >>> Price(2e-6, 8e-6, 5e-7).cost_usd(100, 7, 40)  # 60 x 2 + 40 x 0.5 + 7 x 8, a million
        0.000196
        """
        parts = (
            (prompt - cached) * self.prompt,
            cached * self.cached,
            completion * self.completion,
        )
        return round(math.fsum(parts), 12)


def price_of(option: str | None, arguments: Mapping[str, Any], model: str) -> Price | None:
    """The price that is given for a model, None where none is.

    Args:
        option: such as ``in=0.1,out=0.4`` or ``in=0.1,out=0.4,cached=0.02``.
        arguments: those of the model, which may hold it instead.
        model: for messages.

    Raises:
        SpecError: it is malformed, incomplete, or given twice.
    """
    named = {
        PRICE_ARGUMENTS[name]: arguments[name] for name in arguments if name in PRICE_ARGUMENTS
    }
    if option is not None and named:
        raise SpecError(
            f"The price of {model!r} is given twice: {option!r}, and in its arguments. Give one."
        )
    per_token = named if option is None else _read(option, model)
    if not per_token:
        return None
    for name, value in per_token.items():
        ok = isinstance(value, int | float) and not isinstance(value, bool)
        if not ok or not 0 <= value < math.inf:
            raise SpecError(f"The price {name!r} of {model!r} is {value!r}; it must be at least 0.")
    if not {"in", "out"} <= set(per_token):
        lacking = "out" if "in" in per_token else "in"
        raise SpecError(
            f"The price of {model!r} lacks {lacking!r}. Give both, such as {_EXAMPLE} (USD per "
            "million tokens)."
        )
    prompt = float(per_token["in"])
    return Price(prompt, float(per_token["out"]), float(per_token.get("cached", prompt)))


def _read(option: str, model: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in option.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        try:
            number = float(value) / _MILLION
        except ValueError:
            number = math.nan
        if name not in PRICE_ARGUMENTS.values() or name in found or math.isnan(number):
            raise SpecError(
                f"The price of {model!r} is {option!r}. Give USD per million tokens of the prompt "
                f"and of the completion, such as {_EXAMPLE}, and cached=0.02 where cached tokens "
                "of the prompt cost something else."
            )
        found[name] = number
    return found
