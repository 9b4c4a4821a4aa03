"""What a run shows while it is at work: on a terminal a live table, elsewhere a line per end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from ragbench.cli._progress import duration

if TYPE_CHECKING:
    from rich.table import Table

    from ragbench.llm import Models
    from ragbench.records import Review, Trajectory

__all__ = ["LiveRun"]

_MOST_NAMES = 5
_MOST_REASONS = 20
_BROKEN = {"agent_error": "Agent error", "user_error": "Error of the customer's model"}
_CUT_SHORT = {
    "infrastructure_error", "agent_error", "user_error", "timeout", "context_overflow",
}  # fmt: skip


class LiveRun:
    """Shows finished, running and failed work, the cost so far and the time left, on stderr.

    A `ragbench.runner.Watcher` and a context manager.

    Args:
        models: whose cost is shown; None where no model is asked.
        budget_usd: shown beside the cost.

    Attributes:
        failures: names of the simulations that failed for infrastructure, by reason.
        broken: names of those that an error of the agent or of the customer ended, by both.
    """

    def __init__(self, models: Models | None, budget_usd: float | None = None) -> None:
        self._models, self._budget_usd = models, budget_usd
        self.failures: dict[str, list[str]] = {}
        self.broken: dict[tuple[str, str], list[str]] = {}
        self._work, self._last = "", ""
        self._n_done = self._n_wanted = self._n_running = self._n_failed = self._n_now = 0
        self._since = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> LiveRun:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._live = Live(console=console, get_renderable=self._table, transient=True)
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def begins(self, work: str, n_done: int, n_wanted: int) -> None:
        """A phase begins."""
        self._work, self._n_done, self._n_wanted = work, n_done, n_wanted
        self._n_running = self._n_failed = self._n_now = 0
        self._since = time.monotonic()
        if work != "simulations" and self._live is None:
            click.echo(f"{work.capitalize()}: {n_wanted - n_done}", err=True)

    def started(self) -> None:
        """A piece of work was begun."""
        self._n_running += 1

    def dropped(self) -> None:
        """A piece of work was given up."""
        self._n_running -= 1

    def note(self, text: str) -> None:
        """Something that a person should know now."""
        if self._live is None:
            click.echo(text, err=True)
        else:
            self._live.console.print(text, highlight=False)

    def ended(self, made: Trajectory | Review) -> None:
        """A piece of work is stored."""
        self._n_running -= 1
        self._n_done += 1
        self._n_now += 1
        name = made.task_id + (f" (trial {made.trial})" if made.trial else "")
        how = self._how(made, name)
        self._last = f"task {name}: {how}"
        if self._live is None:
            parts = [f"[{self._n_done}/{self._n_wanted}] {self._last}", *self._beside()]
            click.echo("; ".join(parts), err=True)

    def _how(self, made: Trajectory | Review, name: str) -> str:
        from ragbench.records import Trajectory

        if not isinstance(made, Trajectory):
            self._n_failed += made.error is not None
            return "reviewed" if made.error is None else "not judged"
        how = made.termination.value
        self._n_failed += how in _CUT_SHORT
        reason = ((made.error or "").strip().splitlines() or [how])[-1]
        if how == "infrastructure_error":
            self.failures.setdefault(reason, []).append(name)
        elif how in _BROKEN:
            self.broken.setdefault((_BROKEN[how], reason), []).append(name)
        return how

    def told_failures(self) -> list[str]:
        """A line for each reason for which simulations broke off."""
        broke_off = {
            ("Infrastructure error", reason): names for reason, names in self.failures.items()
        }
        lines = [
            _line(what, reason, names)
            for (what, reason), names in (broke_off | self.broken).items()
        ]
        n_more = len(lines) - _MOST_REASONS
        return (
            lines if n_more <= 0 else [*lines[:_MOST_REASONS], f"... and {n_more} other reasons."]
        )

    def _beside(self) -> list[str]:
        """The cost so far, and the time left, where there is something to say."""
        if self._models is None:
            return []
        cost = self._cost()
        parts = [f"{'cost ' if cost.startswith('unknown') else ''}{cost} so far"]
        left = self._seconds_left()
        if left is not None and self._n_done < self._n_wanted:
            parts.append(f"about {duration(left)} left")
        return parts

    def _cost(self) -> str:
        from ragbench.report import usd

        if self._models is None:
            return usd(0.0, 0)
        known, n_unpriced = self._models.run_usd, self._models.n_unpriced
        shown = usd(known if known or not n_unpriced else None, n_unpriced)
        return shown if self._budget_usd is None else f"{shown} of {usd(self._budget_usd, 0)}"

    def _seconds_left(self) -> float | None:
        """From the work that is done; what is running counts as half done."""
        if not self._n_now:
            return None
        half = self._n_running / 2
        each = (time.monotonic() - self._since) / (self._n_now + half)
        return each * max(self._n_wanted - self._n_done - half, 0.0)

    def _table(self) -> Table | str:
        from rich import box
        from rich.table import Table

        if not self._work:
            return ""
        left = self._seconds_left()
        cells = {
            self._work: self._last,
            "finished": f"{self._n_done} of {self._n_wanted}",
            "running": str(self._n_running),
            "failed": str(self._n_failed),
            "cost so far": self._cost(),
            "time left": "-" if left is None else duration(left),
        }
        if self._models is None:
            del cells["cost so far"]
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in cells:
            table.add_column(name, overflow="ellipsis", no_wrap=True)
        table.add_row(*cells.values())
        return table


def _line(what: str, reason: str, names: list[str]) -> str:
    if len(names) == 1:
        return f"{what} in task {names[0]}: {reason}"
    shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{what} in {len(names)} simulations ({shown}): {reason}"
