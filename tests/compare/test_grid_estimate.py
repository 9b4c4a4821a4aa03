"""The estimate of what is left: per model, by the chunks that it has to embed."""

from __future__ import annotations

from ragbench.compare import CellRecord, make_grid
from ragbench.compare import _clock as module
from ragbench.config import CompareConfig


def test_a_models_own_pace_counts_and_an_unknown_one_is_the_mean(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    config = CompareConfig(
        chunkers=("document", "fixed"),
        embedders=("minilm", "mpnet"),
        retrievers=("dense", "hybrid"),
    )
    grid = make_grid(config, "files")
    sizes = dict(zip(grid.chunkers, (100, 200), strict=True))
    clock = module.Clock(grid.cells, len(grid.cells), sizes)
    first = grid.cells[0]
    assert (first.chunker.split("(")[0], first.embedder.split("(")[0]) == ("document", "minilm")
    record = CellRecord(
        cell_id=first.cell_id, name=first.name, loader="files", chunker=first.chunker,
        embedder=first.embedder, retriever=first.retriever, k=5,
    )  # fmt: skip
    now[0] = 10.0  # 100 chunks in 10 s: 0.1 s each
    done = clock.done(record)
    assert (done.n_done, done.n_wanted) == (1, 8)
    # minilm: document/hybrid 100 / 20 = 5, fixed/dense 200, fixed/hybrid 10; mpnet, as fast as the
    # only model that is known: 100 + 5 + 200 + 10. Together 530 x 0.1 s.
    assert abs(done.seconds_left - 53.0) < 1e-9
