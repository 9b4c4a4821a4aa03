"""A schema for a model that takes none: it stands in the prompt instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["by_prompt"]

_ASKED = "Reply with one JSON object and nothing else, without a code fence, of this JSON schema:"


def by_prompt(messages: Sequence[dict[str, Any]], form: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages with a ``response_format``'s schema in the system prompt.

    >>> form = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}
    >>> by_prompt([{"role": "user", "content": "x"}], form)[0]["content"][-18:]
    '{"type": "object"}'
    """
    schema = form.get("json_schema", {}).get("schema", {"type": "object"})
    asked = f"{_ASKED}\n{json.dumps(schema)}"
    if messages and messages[0]["role"] == "system":
        first = {**messages[0], "content": f"{messages[0]['content']}\n\n{asked}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": asked}, *messages]
