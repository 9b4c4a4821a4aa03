"""What a program can check of the office's policy."""

from ragbench.toolkit import RuleContext, rule


@rule(hard=False)
def look_up_before_writing(context: RuleContext) -> str | None:
    """A booking is looked up before it is changed."""
    if context.tool.kind == "read" or context.succeeded("find_booking"):
        return None
    return f"{context.call.name} was called before any booking was looked up"
