"""The embedder's role, the registry of its implementations, and what they all keep to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ragbench.errors import ModelUnavailable
from ragbench.registry import Registry

if TYPE_CHECKING:
    import numpy as np

__all__ = ["EMBEDDERS", "Embedder", "Kind", "over_window", "unit_vectors"]

Kind = Literal["passage", "query"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Nothing is loaded before the first text is embedded.

    An embedder that is paid by request also has an attribute ``batch``, the texts of one request;
    `embed_cached` then commits after each of them. One whose weights are out of sight, behind a
    service, has ``unpinned``, and is asked once more now and then whether it is still the same.
    """

    @property
    def identity(self) -> str:
        """What the vectors depend on: spec, weights, precision, prompts, normalisation.

        Keys the cache and stands in the index's manifest; holds no secret.
        """
        ...

    @property
    def window(self) -> int | None:
        """Most tokens, special ones included, that are read of a text; None is the model's own."""
        ...

    @property
    def has_prompts(self) -> bool:
        """Whether a text embeds differently as a query and as a passage."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> np.ndarray:
        """The vectors, float32 of shape (n, dim), each of length 1.

        A text of which the model knows no token has no direction: its vector is zero, which is
        similar to nothing.

        Args:
            texts: any number of texts; one longer than the window is read up to the window.
            kind: what the texts are; it matters for models that were trained with prompts.

        Raises:
            ModelUnavailable: the model cannot be loaded or fails its check.
        """
        ...

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as a passage, prompt and special ones included, before the cut.

        Zeros where a text is never cut, or where it cannot be known.
        """
        ...

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the window."""
        ...


EMBEDDERS: Registry[Embedder] = Registry("embedder", see="ragbench list embedders")


def over_window(counts: Sequence[int], window: int | None) -> list[tuple[int, int]]:
    """Which texts are cut, worst first: (position, tokens) of every count above the window.

    >>> over_window([10, 700, 512, 900], 512)
    [(3, 900), (1, 700)]
    >>> over_window([10, 700], None)
    []
    """
    if window is None:
        return []
    over = [(at, count) for at, count in enumerate(counts) if count > window]
    return sorted(over, key=lambda item: (-item[1], item[0]))


def unit_vectors(raw: np.ndarray, model: str, dim: int | None = None) -> np.ndarray:
    """The first ``dim`` components of each row, scaled to length 1; a zero row stays zero.

    Args:
        raw: of shape (n, components).
        model: name for messages.
        dim: how many components are kept, as Matryoshka models allow; None keeps all.

    Raises:
        ModelUnavailable: a component is not finite, or there are fewer than ``dim``.

    >>> import numpy as np
    >>> unit_vectors(np.array([[3.0, 4.0, 9.0], [0.0, 0.0, 1.0]]), "m", dim=2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    import numpy as np

    vectors = np.asarray(raw, dtype=np.float32)
    if dim is not None and vectors.shape[1] < dim:
        raise ModelUnavailable(
            f"The model {model!r} has {vectors.shape[1]} dimensions, fewer than dim={dim}. "
            "Give a smaller dim, or none."
        )
    vectors = vectors[:, :dim]
    if not np.isfinite(vectors).all():
        raise ModelUnavailable(
            f"The model {model!r} gave a vector that holds NaN or infinity. Its weights are "
            "damaged, or they overflow in this precision: try dtype=fp32 or another model."
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: np.ndarray = vectors / np.where(lengths > 0, lengths, 1)
    return unit
