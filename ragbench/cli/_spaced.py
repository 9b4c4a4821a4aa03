"""Options that take several values one behind the other: ``--task-ids a b c``."""

from __future__ import annotations

from typing import ClassVar

import click

__all__ = ["SpacedCommand"]


class SpacedCommand(click.Command):
    """A command without arguments, whose option `spaced` takes all words up to the next option."""

    spaced: ClassVar[str] = "--task-ids"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write ``--task-ids a b`` as ``--task-ids a --task-ids b``."""
        written: list[str] = []
        taking = False
        for word in args:
            if taking and not word.startswith("-") and written[-1] != self.spaced:
                written.append(self.spaced)
            taking = word == self.spaced or (taking and not word.startswith("-"))
            written.append(word)
        return super().parse_args(ctx, written)
