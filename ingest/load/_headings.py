"""Headings to places: each section with the path of headings that leads to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragbench.records import Place

__all__ = ["Heading", "sections"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at an offset of the text; level 1 is the highest.

    Without text it says that a section of this level may begin there whose heading is not known.
    """

    start: int
    level: int
    text: str


def sections(headings: Iterable[Heading], end: int) -> tuple[Place, ...]:
    """From each heading to the next one, with the path joined by `` > ``; text before has no place.

    A document whose only top heading is its title carries that in every path. After a heading
    without text the path is that of the headings above it.

    >>> [p.heading for p in sections([Heading(0, 1, "Transfers"), Heading(20, 2, "Limits")], 40)]
    ['Transfers', 'Transfers > Limits']
    >>> [p.heading for p in sections([Heading(0, 1, "Transfers"), Heading(20, 2, "")], 40)]
    ['Transfers', 'Transfers']
    """
    ordered = list(headings)
    path: list[Heading] = []
    places: list[Place] = []
    stops = [*(heading.start for heading in ordered[1:]), end]
    for heading, stop in zip(ordered, stops, strict=False):  # stops is one longer without headings
        path = [above for above in path if above.level < heading.level]
        path += [heading] if heading.text else []
        name = " > ".join(above.text for above in path)
        if name and heading.start < stop:
            places.append(Place(heading.start, stop, heading=name))
    return tuple(places)
