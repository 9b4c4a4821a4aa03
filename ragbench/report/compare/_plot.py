"""Plots of a grid as inline SVG: recall against context tokens, and against latency."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragbench.compare import Results, Row
from ragbench.report._markup import Markup, element, join, raw
from ragbench.report.compare._table import milliseconds

__all__ = ["legend", "plot"]

_WIDTH, _HEIGHT = 560, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 14, 46
_COLOURS = 8
_SHAPES = ("circle", "square", "triangle", "diamond", "cross")


@dataclass(frozen=True, slots=True)
class _Point:
    row: Row
    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _Axis:
    """Maps values to positions; ``ticks`` are values to name."""

    place: Callable[[float], float]
    ticks: tuple[float, ...]


def plot(results: Results, x_of: Callable[[Row], float | None], label: str, log: bool) -> Markup:
    """The plot; setups without one of the two figures are not on it.

    Args:
        results: the table.
        x_of: the cost of a setup; lower is better.
        label: what that is, with its unit.
        log: a logarithmic axis.
    """
    points = _points(results, x_of)
    if not points:
        return element("p", "No setup has both figures.", cls="soft")
    x = _scale([p.x for p in points], _LEFT, _WIDTH - _RIGHT, log)
    y = _scale([bound for p in points for bound in (p.low, p.high)], _HEIGHT - _BOTTOM, _TOP, False)
    marks = [_mark(point, x, y, results) for point in points]
    content = join([_frame(x, y, results.metric, label), _front_line(points, x, y), *marks])
    return element(
        "svg",
        content,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        cls="plot",
        **{"aria-label": f"{results.metric} against {label}"},
    )


def legend(results: Results) -> Markup:
    """Which colour is which embedder, and which shape is which retriever."""
    embedders, retrievers = _kinds(results)
    colours = [
        element("span", _swatch(f'<circle cx="6" cy="6" r="5" class="c{number}"/>'), name)
        for name, number in embedders.items()
    ]
    shapes = [
        element("span", _swatch(_shape(number, 6, 6, "ink")), name)
        for name, number in retrievers.items()
    ]
    ring = element("span", _swatch('<circle cx="6" cy="6" r="5" class="ring"/>'), "Pareto front")
    return element("p", *colours, *shapes, ring, cls="legend")


def _swatch(content: str) -> Markup:
    return raw(f'<svg viewBox="0 0 12 12" class="swatch" aria-hidden="true">{content}</svg>')


def _kinds(results: Results) -> tuple[dict[str, int], dict[str, int]]:
    embedders: dict[str, int] = {}
    retrievers: dict[str, int] = {}
    for row in results.rows:
        embedder, retriever = _kind(row)
        embedders.setdefault(embedder, len(embedders) % _COLOURS)
        retrievers.setdefault(retriever, len(retrievers) % len(_SHAPES))
    return embedders, retrievers


def _kind(row: Row) -> tuple[str, str]:
    parts = row.cell.name.split(" / ")
    return ("no embedder" if row.cell.embedder is None else parts[1]), parts[-2]


def _points(results: Results, x_of: Callable[[Row], float | None]) -> list[_Point]:
    points = []
    for row in results.rows:
        figure, x = row.figures.get(results.metric), x_of(row)
        if figure is None or figure.mean is None or x is None:
            continue
        low = figure.mean if figure.low is None else figure.low
        high = figure.mean if figure.high is None else figure.high
        points.append(_Point(row, x, figure.mean, low, high))
    return points


def _scale(values: Sequence[float], start: float, end: float, log: bool) -> _Axis:
    if log:
        low = math.log10(max(min(values), 1e-3))
        high = math.log10(max(max(values), 1e-3))
        pad = max(0.1, 0.06 * (high - low))
        low, high = low - pad, high + pad
        exponents = range(math.floor(low), math.ceil(high) + 1)
        ticks = [m * 10.0**e for e in exponents for m in (1, 2, 5)]
        shown = tuple(tick for tick in ticks if low <= math.log10(tick) <= high)

        def place_log(value: float) -> float:
            return start + (math.log10(max(value, 1e-3)) - low) / (high - low) * (end - start)

        return _Axis(place_log, shown)
    low, high = min(values), max(values)
    pad = 0.06 * (high - low) or abs(high) * 0.1 or 0.1
    low, high = max(0.0, low - pad), high + pad

    def place(value: float) -> float:
        return start + (value - low) / (high - low) * (end - start)

    return _Axis(place, _round_ticks(low, high))


def _round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Round values, five or so.

    >>> _round_ticks(0.03, 0.97)
    (0.2, 0.4, 0.6, 0.8)
    """
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    factor = next(f for f in (1, 2, 5, 10) if (high - low) / (step * f) <= 6)
    first = math.ceil(low / (step * factor))
    last = math.floor(high / (step * factor))
    return tuple(round(n * step * factor, 10) for n in range(first, last + 1))


def _frame(x: _Axis, y: _Axis, metric: str, label: str) -> Markup:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for tick in y.ticks:
        at = y.place(tick)
        parts.append(raw(f'<line x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'))
        parts.append(_text(_LEFT - 8, at + 4, f"{100 * tick:g}", "end"))
    for tick in x.ticks:
        at = x.place(tick)
        parts.append(raw(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{bottom}" y2="{bottom + 5}"/>'))
        parts.append(_text(at, bottom + 18, f"{tick:,g}", "middle"))
    parts.append(raw(f'<line x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}" class="axis"/>'))
    parts.append(_text((_LEFT + right) / 2, _HEIGHT - 8, label, "middle"))
    turned = element(
        "text",
        f"{metric}, %",
        x=f"{-(_TOP + bottom) / 2:.1f}",
        y="14",
        transform="rotate(-90)",
        **{"text-anchor": "middle"},
    )
    return element("g", *parts, turned, cls="frame")


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})


def _front_line(points: Sequence[_Point], x: _Axis, y: _Axis) -> Markup:
    """The steps above which no setup stands."""
    best, path = -1.0, ""
    for point in sorted(points, key=lambda p: (p.x, -p.y)):
        if point.y > best:
            at_x, at_y = x.place(point.x), y.place(point.y)
            path += f"H{at_x:.1f}V{at_y:.1f}" if path else f"M{at_x:.1f},{at_y:.1f}"
            best = point.y
    return raw(f'<path d="{path}H{_WIDTH - _RIGHT}" class="front"/>')


def _mark(point: _Point, x: _Axis, y: _Axis, results: Results) -> Markup:
    embedders, retrievers = _kinds(results)
    embedder, retriever = _kind(point.row)
    at_x, at_y = x.place(point.x), y.place(point.y)
    whisker = (
        f'<line x1="{at_x:.1f}" x2="{at_x:.1f}" y1="{y.place(point.low):.1f}" '
        f'y2="{y.place(point.high):.1f}" class="whisker"/>'
    )
    ring = f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="9" class="ring"/>'
    shape = _shape(retrievers[retriever], at_x, at_y, f"c{embedders[embedder]}")
    tokens = point.row.figures["context_tokens"].mean or 0
    title = element(
        "title",
        f"{point.row.cell.name}: {results.metric} {100 * point.y:.1f} % "
        f"[{100 * point.low:.1f}, {100 * point.high:.1f}], {tokens:,.0f} tokens, "
        f"p50 {milliseconds(point.row.whole.p50)} ms",
    )
    return element(
        "g",
        title,
        raw(whisker + (ring if point.row.on_front else "") + shape),
        cls="point",
        **{"data-cell": point.row.cell.cell_id},
    )


def _shape(number: int, x: float, y: float, cls: str) -> str:
    r = 5.0
    kind = _SHAPES[number]
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" class="{cls}"/>'
    if kind == "cross":
        path = f"M{x - r:.1f},{y - r:.1f}l{2 * r},{2 * r}m0,{-2 * r}l{-2 * r},{2 * r}"
        return f'<path d="{path}" class="{cls} stroke"/>'
    corners = {
        "square": ((-r, -r), (r, -r), (r, r), (-r, r)),
        "triangle": ((0, -r - 1), (r + 1, r), (-r - 1, r)),
        "diamond": ((0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)),
    }[kind]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" class="{cls}"/>'
