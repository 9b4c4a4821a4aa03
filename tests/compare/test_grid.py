"""The axes of a grid: what is crossed with what, what is refused, how a setup is picked out."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ragbench.cli._grid_options import split_specs
from ragbench.compare import at_k, make_grid, measure_head, parse_gates, select
from ragbench.config import CompareConfig
from ragbench.errors import SpecError, UnknownName, UsageError

BASE = CompareConfig(
    chunkers=("fixed(size_tokens=64)", "document"),
    embedders=("minilm", "minilm(window=256)"),
    retrievers=("dense", "bm25"),
    k=(3, 5),
)


def names(**changes) -> list[str]:
    return [cell.name for cell in make_grid(replace(BASE, **changes), "files").cells]


def test_every_combination_once_and_bm25_once_per_chunker() -> None:
    # per chunker: bm25 x 2 k, then 2 embedders x dense x 2 k: 2 + 4 = 6; two chunkers: 12
    found = names()
    assert len(found) == len(set(found)) == 12
    assert found[:6] == [
        "fixed(size_tokens=64) / bm25 / k=3",
        "fixed(size_tokens=64) / bm25 / k=5",
        "fixed(size_tokens=64) / minilm / dense / k=3",
        "fixed(size_tokens=64) / minilm / dense / k=5",
        "fixed(size_tokens=64) / minilm(window=256) / dense / k=3",
        "fixed(size_tokens=64) / minilm(window=256) / dense / k=5",
    ]


def test_a_cell_is_identified_by_its_canonical_specs() -> None:
    one = make_grid(replace(BASE, chunkers=("fixed( overlap_tokens=0,size_tokens=64 )",)), "files")
    other = make_grid(replace(BASE, chunkers=("fixed(size_tokens=64)",)), "files")
    assert [cell.cell_id for cell in one.cells] == [cell.cell_id for cell in other.cells]
    assert len({cell.cell_id for cell in one.cells}) == 6


def test_the_embedder_is_part_of_the_identity() -> None:
    """Two models may never share a collection: else a grid compares a model with itself."""
    from pathlib import Path

    from ragbench.runner import collection_for

    made = {
        collection_for("x", Path("docs"), "files", "fixed", embedder)
        for embedder in (None, "minilm", "minilm(window=256)", "minilm-int8", "mpnet")
    }
    assert len(made) == 5


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"chunkers": ("fixd",)}, UnknownName, "No chunker is called 'fixd'.*did you mean 'fixed'"),
        ({"embedders": ("minlm",)}, UnknownName, "No embedder is called 'minlm'.*'minilm'"),
        ({"retrievers": ("dens",)}, UnknownName, "No retriever is called 'dens'.*'dense'"),
        ({"retrievers": ("dense+rerankk",)}, UnknownName, "'rerankk'.*did you mean 'rerank'"),
        ({"chunkers": ("fixed(size=3)",)}, SpecError, "has no argument 'size'"),
        ({"retrievers": ("grep",)}, UsageError, "is asked regular expressions"),
        ({"chunkers": ("fixed", "fixed(size_tokens=256)")}, UsageError, "are the same: fixed"),
        ({"retrievers": ("bm25", "bm25")}, UsageError, "'bm25' and 'bm25' are the same"),
        ({"k": (0,)}, UsageError, "--k is 0; it must be from 1 to 1000"),
        ({"k": (1001,)}, UsageError, "--k is 1001"),
        ({"k": (5, 5)}, UsageError, "holds a value twice"),
        ({"k": ()}, UsageError, "has no k"),
        ({"chunkers": ()}, UsageError, "has no chunker"),
        ({"retrievers": ()}, UsageError, "has no retriever"),
    ],
)
def test_wrong_axes_are_refused(changes, error, message) -> None:
    with pytest.raises(error, match=re.compile(message, re.S)):
        make_grid(replace(BASE, **changes), "files")


def test_a_setup_is_picked_out_by_its_name_or_parts() -> None:
    cells = make_grid(BASE, "files").cells
    assert [c.name for c in select(cells, "document / bm25 / k=5", "--baseline")] == [
        "document / bm25 / k=5"
    ]
    assert len(select(cells, "bm25", "--baseline")) == 4  # 2 chunkers x 2 k
    with pytest.raises(UsageError, match="--baseline 'minilm / bm25' is no setup of the grid"):
        select(cells, "minilm / bm25", "--baseline")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a,b"], ("a", "b")),
        (["a", "b , c"], ("a", "b", "c")),
        (["fixed(size_tokens=1,overlap_tokens=0),page"], None),
        (["st(model='a,(b')"], ("st(model='a,(b')",)),
        (["hybrid(depth=50)+rerank(model=x),bm25"], ("hybrid(depth=50)+rerank(model=x)", "bm25")),
        (["a,"], ("a", "")),
    ],
)
def test_commas_inside_a_spec_belong_to_it(given, expected) -> None:
    expected = expected or ("fixed(size_tokens=1,overlap_tokens=0)", "page")
    assert split_specs(given) == expected


def test_gates_name_a_measure_with_the_cutoff_of_setups() -> None:
    cells = make_grid(BASE, "files").cells
    (gate,) = parse_gates(["R@5=0.80"], cells)
    assert (gate.measure, gate.floor, len(gate.cell_ids)) == ("R@5", 0.8, 6)  # half have k=5
    (gate,) = parse_gates(["precision_omega=0.1"], cells)
    assert len(gate.cell_ids) == 12  # it has no cutoff: all
    (gate,) = parse_gates(["span_recall(unit=tokens)@3=1"], cells)
    assert gate.measure == "span_recall(unit=tokens)@3"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("R@5", UsageError, "is no gate"),
        ("R@5=80", UsageError, "is no gate"),
        ("R@5=x", UsageError, "is no gate"),
        ("R@5=nan", UsageError, "is no gate"),
        ("R@7=0.5", UsageError, "no setup measures that. Measured: R@3, R@5"),
        ("R=0.5", UsageError, "no setup measures that"),
        ("recal@5=0.5", UnknownName, "No measure is called 'recal'"),
    ],
)
def test_wrong_gates_are_refused(text, error, message) -> None:
    with pytest.raises(error, match=message):
        parse_gates([text], make_grid(BASE, "files").cells)


@pytest.mark.parametrize(
    ("name", "head", "at_5"),
    [
        ("R", "R", "R@5"),
        ("R@7", "R", "R@5"),
        ("RR", "RR", "RR@5"),
        ("F1(unit=tokens)", "F1(unit=tokens)", "F1(unit=tokens)@5"),
        ("precision_omega", "precision_omega", "precision_omega"),
        ("R(count=documents)", "R(count=documents)", "R(count=documents)@5"),
    ],
)
def test_a_measure_is_named_without_its_cutoff(name, head, at_5) -> None:
    assert measure_head(name) == head
    assert at_k(head, 5) == at_5
