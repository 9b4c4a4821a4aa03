"""Any text encoder that was exported to ONNX: a folder with model.onnx and tokenizer.json."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed._base import EMBEDDERS, Kind, over_window, unit_vectors
from ragbench.ingest.embed._graph import Graph, Pooling
from ragbench.ingest.embed._packaged import file_sha256
from ragbench.ingest.embed._prompts import NO_PROMPTS, Prompts, prompts_of_folder, read_json

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Onnx"]

_REMEDY = "Export the model again, or use st(model=FOLDER) for its torch weights."


@EMBEDDERS.register("onnx")
@dataclass(frozen=True)
class Onnx:
    """A model exported to ONNX, from a local folder with model.onnx and tokenizer.json.

    Args:
        path: the folder; the model may also be in its ``onnx`` folder, as on the hub.
        pooling: how token vectors become one. ``auto`` takes what ``1_Pooling/config.json`` says,
            or None for a graph that gives one vector a text, and is an error otherwise.
        window: most tokens read of a text, special ones included; None takes what the model's
            configuration says.
        dim: first components that are kept, for Matryoshka models; None keeps all.
        prompts: ``auto`` writes the model's own or its family's prompts before the texts; None
            writes nothing.
    """

    path: str
    pooling: Literal["auto", "mean", "cls"] | None = "auto"
    window: int | None = None
    dim: int | None = None
    prompts: Literal["auto"] | None = "auto"

    def __post_init__(self) -> None:
        check_window_and_dim(self.window, self.dim)

    @cached_property
    def identity(self) -> str:
        """Hashes of graph and tokenizer, pooling, window, dimensions and prompts."""
        digest = hashlib.sha256()
        data = self._model.with_name(self._model.name + "_data")
        files = [self._model, *([data] if data.is_file() else []), self._folder / "tokenizer.json"]
        try:
            for file in files:
                digest.update(file_sha256(file).encode())
        except OSError as error:
            raise ModelUnavailable(
                f"The model's file {str(error.filename)!r} cannot be read: {error.strerror}. "
                "The folder must hold model.onnx and tokenizer.json."
            ) from error
        return (
            f"onnx(path={self._folder.name}) weights={digest.hexdigest()[:12]} dtype=as-exported "
            f"pooling={self._pooling or 'in-graph'} window={self._window} dim={self.dim} "
            f"prompts={self._prompts} norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Whether queries or passages get a prompt."""
        return bool(self._prompts)

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`."""
        prompt = self._prompts.of(kind)
        raw = self._graph.embed([prompt + text for text in texts])
        return unit_vectors(raw, self.path, self.dim) if len(texts) else raw

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.token_counts`."""
        return self._graph.token_counts([self._prompts.passage + text for text in texts])

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the window."""
        return len(over_window(self.token_counts(texts), self._window))

    @cached_property
    def _folder(self) -> Path:
        folder = Path(self.path).expanduser()
        if not folder.is_dir():
            raise ModelUnavailable(
                f"The folder {self.path!r} of the ONNX model does not exist. "
                "Give a folder that holds model.onnx and tokenizer.json."
            )
        return folder

    @cached_property
    def _model(self) -> Path:
        for name in ("model.onnx", "onnx/model.onnx"):
            if (self._folder / name).is_file():
                return self._folder / name
        raise ModelUnavailable(
            f"The folder {self.path!r} holds no model.onnx. "
            "Export the model to ONNX, or use st(model=FOLDER) for its torch weights."
        )

    @cached_property
    def _graph(self) -> Graph:
        tokenizer = self._folder / "tokenizer.json"
        return Graph(self._model, tokenizer, self._window, self._pooling, _REMEDY)

    @cached_property
    def _prompts(self) -> Prompts:
        return prompts_of_folder(self._folder) if self.prompts else NO_PROMPTS

    @cached_property
    def _pooling(self) -> Pooling | None:
        if self.pooling != "auto":
            return self.pooling or "none"
        config = read_json(self._folder / "1_Pooling" / "config.json")
        modes = [key for key, on in config.items() if key.startswith("pooling_mode") and on is True]
        named = str(config.get("pooling_mode") or "")
        if modes == ["pooling_mode_mean_tokens"] or named == "mean":
            return "mean"
        if modes == ["pooling_mode_cls_token"] or named == "cls":
            return "cls"
        if config:
            raise ModelUnavailable(
                f"The model {self.path!r} pools by {named or ', '.join(modes)}, which is not known "
                "here. Use st(model=FOLDER) for its torch weights."
            )
        return None

    @cached_property
    def _window(self) -> int:
        positions = read_json(self._folder / "config.json").get("max_position_embeddings")
        if self.window is not None:
            if isinstance(positions, int) and self.window > positions:
                raise SpecError(
                    f"window is {self.window}; the model {self.path!r} has {positions} positions."
                )
            return self.window
        for name, key in (
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
            ("config.json", "max_position_embeddings"),
        ):
            found = read_json(self._folder / name).get(key)
            if isinstance(found, int) and 3 <= found <= 1_000_000:  # unset is written as 1e30
                return found
        raise ModelUnavailable(
            f"No configuration in {self.path!r} says how many tokens the model reads. "
            "Say it: window=512, or what the model's card says."
        )


def check_window_and_dim(window: int | None, dim: int | None) -> None:
    """Refuse a window without room for text, and a vector without components.

    Raises:
        ValueError: one of them is too small.
    """
    if window is not None and window < 3:
        raise ValueError(f"window is {window}; it must be at least 3, two special tokens and one")
    if dim is not None and dim < 1:
        raise ValueError(f"dim is {dim}; it must be at least 1")
