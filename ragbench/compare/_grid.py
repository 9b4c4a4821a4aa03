"""The grid: lists of specs on every axis, and the cells that they make.

A cell is one setup: loader, chunker, embedder, retriever and k. Every spec is checked and made
canonical before anything else happens, so that an unknown name costs no work, and two spellings of
one component are one component. Retrievers that need no vectors have one cell per chunker, not one
per embedder. A collection is named by the hash of everything that made it, the model included: no
two models can ever share one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragbench.config import MAX_COMPARED_K, CompareConfig
from ragbench.errors import UsageError
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.load import LOADERS
from ragbench.registry import Registry, spec_of
from ragbench.retrieval import RERANKERS, RETRIEVERS, REWRITERS, Stack, parse_stack
from ragbench.retrieval._stack import SHORTHANDS
from ragbench.spec import ComponentSpec, parse_spec, shown_name

__all__ = ["Cell", "Grid", "make_grid", "select", "short_spec"]

_BETWEEN = " / "


@dataclass(frozen=True, slots=True)
class Cell:
    """One setup of the grid; all specs are canonical.

    Attributes:
        embedder: None for a retriever that needs no vectors.
        name: the specs without the arguments that have their defaults, for people.
    """

    loader: str
    chunker: str
    embedder: str | None
    retriever: str
    k: int
    name: str

    @property
    def cell_id(self) -> str:
        """Twelve hexadecimal digits that equal setups share, in whichever grid."""
        parts = (self.loader, self.chunker, self.embedder or "none", self.retriever, str(self.k))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the name, by which a cell is picked out."""
        return tuple(self.name.split(_BETWEEN))


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells, in the order of the axes: chunkers, then embedders, then retrievers, then k."""

    loader: str
    cells: tuple[Cell, ...]

    @property
    def deepest_k(self) -> int:
        """The largest k; hits of a smaller k are the first of these."""
        return max(cell.k for cell in self.cells)

    @property
    def chunkers(self) -> tuple[str, ...]:
        """The chunkers, in order."""
        return tuple(dict.fromkeys(cell.chunker for cell in self.cells))

    @property
    def embedders(self) -> tuple[str | None, ...]:
        """The embedders, in order, None for no vectors."""
        return tuple(dict.fromkeys(cell.embedder for cell in self.cells))


def make_grid(config: CompareConfig, loader: str) -> Grid:
    """Check every name and value of every axis, and cross them.

    Args:
        config: the comparison.
        loader: spec of the loader.

    Raises:
        UnknownName, SpecError: a spec names no component, or is refused by it.
        UsageError: an axis is empty, or holds one setup twice; k is out of range.
    """
    chunkers = _canonical("chunker", config.chunkers, CHUNKERS)
    embedders = _canonical("embedder", config.embedders, EMBEDDERS)
    stacks = _stacks(config.retrievers)
    _check_k(config.k)
    read_by = str(spec_of(LOADERS.create(loader)))
    cells = [
        Cell(
            loader=read_by,
            chunker=chunker,
            embedder=embedder,
            retriever=str(stack),
            k=k,
            name=_name(chunker, embedder, stack, k),
        )
        for chunker in chunkers
        for stack, embedder in _pairs(stacks, embedders)
        for k in config.k
    ]
    return Grid(read_by, tuple(cells))


def _pairs(stacks: Sequence[Stack], embedders: Sequence[str]) -> Iterable[tuple[Stack, str | None]]:
    """Retrievers without vectors first, then every embedder with every other retriever."""
    yield from ((stack, None) for stack in stacks if not stack.needs_vectors)
    for embedder in embedders:
        yield from ((stack, embedder) for stack in stacks if stack.needs_vectors)


def _canonical(kind: str, specs: Sequence[str], registry: Registry[Any]) -> tuple[str, ...]:
    if not specs:
        raise UsageError(f"The grid has no {kind}. Give one with --{kind}s.")
    return _distinct(kind, [str(spec_of(registry.create(spec))) for spec in specs], specs)


def _stacks(specs: Sequence[str]) -> tuple[Stack, ...]:
    if not specs:
        raise UsageError("The grid has no retriever. Give one with --retrievers.")
    stacks = [parse_stack(spec) for spec in specs]
    for stack, spec in zip(stacks, specs, strict=True):
        if stack.queries == "pattern":
            raise UsageError(
                f"The retriever {spec!r} is asked regular expressions; the questions are words. "
                "Take another one: ragbench list retrievers"
            )
        if stack.rewriter is not None:
            _ = stack.rewriter.identity  # reads its file, which must be right before work begins
    _distinct("retriever", [str(stack) for stack in stacks], specs)
    return tuple(stacks)


def _distinct(kind: str, canonical: list[str], given: Sequence[str]) -> tuple[str, ...]:
    for number, spec in enumerate(canonical):
        first = canonical.index(spec)
        if first < number:
            raise UsageError(
                f"The {kind}s {given[first]!r} and {given[number]!r} are the same: {spec}. "
                "Give each one once."
            )
    return tuple(canonical)


def _check_k(values: Sequence[int]) -> None:
    if not values:
        raise UsageError("The grid has no k. Give one with --k.")
    for k in values:
        if not 1 <= k <= MAX_COMPARED_K:
            raise UsageError(f"--k is {k}; it must be from 1 to {MAX_COMPARED_K}.")
    if len(set(values)) < len(values):
        raise UsageError(f"--k holds a value twice: {', '.join(map(str, values))}.")


def short_spec(spec: str, registry: Registry[Any]) -> str:
    """The spec without the arguments that have their defaults; it means the same.

    >>> short_spec("fixed(size_tokens=200, overlap_tokens=0)", CHUNKERS)
    'fixed(size_tokens=200)'
    """
    parsed = parse_spec(spec)
    defaults = dict(parse_spec(registry.defaults(parsed.name)).args)
    kept = tuple((key, value) for key, value in parsed.args if defaults.get(key, ...) != value)
    return str(ComponentSpec(shown_name(parsed.name), kept))


def _name(chunker: str, embedder: str | None, stack: Stack, k: int) -> str:
    model = [] if embedder is None else [short_spec(embedder, EMBEDDERS)]
    return _BETWEEN.join([short_spec(chunker, CHUNKERS), *model, _short_stack(stack), f"k={k}"])


def _short_stack(stack: Stack) -> str:
    words = {component: word for word, component in SHORTHANDS.items()}
    parts = (
        (stack.retriever, RETRIEVERS),
        (stack.reranker, RERANKERS),
        (stack.rewriter, REWRITERS),
    )
    short = [
        parse_spec(short_spec(str(spec_of(part)), registry)) for part, registry in parts if part
    ]
    return "+".join(str(replace(spec, name=words.get(spec.name, spec.name))) for spec in short)


def select(cells: Sequence[Cell], text: str, option: str) -> list[Cell]:
    """The cells that a name, or some parts of one, picks out: ``minilm / dense``.

    Raises:
        UsageError: it picks out none.
    """
    wanted = [part.strip() for part in text.split(_BETWEEN)]
    found = [cell for cell in cells if all(part in cell.parts for part in wanted)]
    if not found:
        raise UsageError(
            f"{option} {text!r} is no setup of the grid. Give a setup's name, or some of its parts "
            f"with ' / ' between them. Setups: {'; '.join(cell.name for cell in cells[:12])}"
            f"{'; ...' if len(cells) > 12 else ''}"
        )
    return found
