"""What an embedder of the user's own is held to."""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.conformance._findings import Finding, tried
from ragbench.conformance._texts import TEXTS
from ragbench.ingest.embed import Embedder, Kind

__all__ = ["check_embedder"]

_TOLERANCE = 1e-4
"""How far two vectors of one text may lie apart, in cosine."""


def check_embedder(embedder: Embedder) -> list[Finding]:
    """One finite vector per text, of one dimension, whatever else is in the batch."""
    return [
        *tried("Gives one finite vector per text", lambda: _on_every_text(embedder)),
        *tried("Gives a text the same vector again", lambda: _again(embedder)),
        *tried("Gives a text the same vector alone and in a batch", lambda: _alone(embedder)),
        *tried("Tells texts apart", lambda: _apart(embedder)),
    ]


def _on_every_text(embedder: Embedder) -> Iterator[str]:
    kinds: tuple[Kind, ...] = ("passage", "query")
    for kind in kinds:
        vectors = embedder.embed(list(TEXTS.values()), kind)
        one = embedder.embed(["x"], kind)
        if one.shape[1] != vectors.shape[1]:
            yield f"{vectors.shape[1]} dimensions in a batch, {one.shape[1]} of one text ({kind})."


def _again(embedder: Embedder) -> Iterator[str]:
    import numpy as np

    texts = list(TEXTS.values())
    first, second = (embedder.embed(texts, "passage") for _ in range(2))
    for name, gap in zip(TEXTS, 1 - np.sum(first * second, axis=1), strict=True):
        if gap > _TOLERANCE and np.any(first):
            yield f"The text {name!r}: {gap:.4f} apart in cosine. Results cannot be repeated."


def _alone(embedder: Embedder) -> Iterator[str]:
    import numpy as np

    batch = embedder.embed(list(TEXTS.values()), "passage")
    for row, (name, text) in enumerate(TEXTS.items()):
        alone = embedder.embed([text], "passage")[0]
        if float(np.max(np.abs(batch[row] - alone))) > _TOLERANCE * 10:
            yield (
                f"The text {name!r} has another vector in a batch, so that what is cached depends "
                "on what stood beside it."
            )


def _apart(embedder: Embedder) -> Iterator[Finding]:
    import numpy as np

    names = [name for name in TEXTS if name != "one_word"]
    vectors = embedder.embed([TEXTS[name] for name in names], "passage")
    for row, name in enumerate(names):
        if not np.any(vectors[row]):
            yield Finding(
                "Tells texts apart", "note", f"The text {name!r} has no direction (all zeros)."
            )
    for row, name in enumerate(names):
        same = [n for i, n in enumerate(names[:row]) if np.array_equal(vectors[i], vectors[row])]
        if same and np.any(vectors[row]):
            yield Finding("Tells texts apart", "note", f"{same[0]!r} and {name!r} have one vector.")
