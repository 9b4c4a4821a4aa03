"""What a program can check of the counter's policy."""

from __future__ import annotations

from ragbench.toolkit import RuleContext, rule

__all__ = ["look_up_before_writing"]


@rule(hard=False)
def look_up_before_writing(context: RuleContext) -> str | None:
    """A member is looked up before anything of theirs is changed."""
    if context.tool.kind == "read" or context.succeeded("find_member"):
        return None
    return f"{context.call.name} was called before any member was looked up"
