"""One thing that was tried, and how it went."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ragbench.errors import RagbenchError

__all__ = ["Finding", "Verdict", "tried"]

Verdict = Literal["ok", "note", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried, and how it went.

    Attributes:
        what: what is promised.
        verdict: ``failed`` breaks the promise; a ``note`` is allowed, and worth knowing.
        detail: the input that showed it, empty when there is nothing to say.
    """

    what: str
    verdict: Verdict = "ok"
    detail: str = ""


def tried(what: str, check: Callable[[], Iterable[Finding | str]]) -> list[Finding]:
    """Run a check: texts that it gives are failures of what is promised, findings stay as they are.

    An error of the user's code is a failure.
    """
    try:
        found = list(check())
    except RagbenchError as error:
        found = [str(error)]
    findings = [one if isinstance(one, Finding) else Finding(what, "failed", one) for one in found]
    return findings or [Finding(what)]
