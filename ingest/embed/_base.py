"""The embedder's role and the registry of its implementations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ragbench.registry import Registry

if TYPE_CHECKING:
    import numpy as np

__all__ = ["EMBEDDERS", "Embedder", "Kind"]

Kind = Literal["passage", "query"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Nothing is loaded before the first text is embedded."""

    @property
    def identity(self) -> str:
        """What the vectors depend on: spec, weights, precision, normalisation. Keys the cache."""
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

        Args:
            texts: any number of texts; one longer than the window is read up to the window.
            kind: what the texts are; it matters for models that were trained with prompts.

        Raises:
            ModelUnavailable: the model cannot be loaded or fails its check.
        """
        ...

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the window."""
        ...


EMBEDDERS: Registry[Embedder] = Registry("embedder", see="ragbench list embedders")
