"""What the judge said of a trial, on the page."""

from __future__ import annotations

from collections.abc import Iterable

from ragbench.records import Review

__all__ = ["review_rows"]


def review_rows(review: Review | None) -> Iterable[tuple[str, tuple[str, str], str]]:
    """Every verdict as (what it is about, the verdict with its tone, the judge's reason)."""
    if review is None:
        return
    for assertion in review.assertions:
        verdict = _verdict(assertion.met, "met", "not met")
        yield assertion.assertion, verdict, assertion.reason
    if review.deviation is not None:
        found = review.deviation
        step = "" if found.step is None else f" at step {found.step}"
        kept = None if found.deviated is None else not found.deviated
        verdict = _verdict(kept, "kept to them", f"left them{step}")
        yield "The customer's instructions", verdict, found.reason
    for claim in review.claims or ():
        verdict = _verdict(claim.supported, "supported", "not supported")
        yield f'"{claim.quote}"', verdict, claim.reason
    if review.error is not None:
        yield "The judge", ("failed", ""), review.error


def _verdict(value: bool | None, yes: str, no: str) -> tuple[str, str]:
    if value is None:
        return "not judged", ""
    return (yes, "good") if value else (no, "bad")
