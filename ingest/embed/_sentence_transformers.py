"""Any sentence-transformers model: a local folder, or a hub name when the hub is reachable."""

from __future__ import annotations

import contextlib
import hashlib
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._base import EMBEDDERS, Kind

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SentenceTransformers"]

_BATCH = 32
_HUB_TIMEOUT_S = 3.0


@EMBEDDERS.register("st")
@dataclass(frozen=True)
class SentenceTransformers:
    """A sentence-transformers model from a local folder or the Hugging Face hub.

    Args:
        model: a folder, or a hub name such as ``BAAI/bge-small-en-v1.5``.
        dtype: precision of the weights; ``bf16`` is another embedder with its own index.
        window: most tokens read of a text, special ones included; None takes the model's own.
    """

    model: str
    dtype: Literal["fp32", "bf16"] = "fp32"
    window: int | None = None

    @cached_property
    def identity(self) -> str:
        """Spec, hash of the weights, precision, prompts and normalisation."""
        prompts = {key: text for key, text in self._loaded.prompts.items() if text}
        return (
            f"st(model={Path(self.model).name}) weights={_weights_hash(self._loaded)} "
            f"dtype={self.dtype} window={self._loaded.max_seq_length} prompts={prompts} norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Whether the model names a prompt for queries or passages."""
        return any(self._loaded.prompts.values())

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; a model with prompts gets its own for queries and for passages."""
        import numpy as np

        encode = self._loaded.encode_query if kind == "query" else self._loaded.encode_document
        vectors = encode(
            list(texts),
            batch_size=_BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts the model's own tokenizer makes longer than the window."""
        limit = self._loaded.max_seq_length
        if limit is None:
            return 0
        encoded = self._loaded.tokenizer(list(texts), truncation=False, verbose=False)
        return sum(len(ids) > limit for ids in encoded["input_ids"])

    @cached_property
    def _loaded(self) -> Any:  # noqa: ANN401  (imported when it is needed)
        local = Path(self.model).expanduser().is_dir()
        import torch
        from sentence_transformers import SentenceTransformer

        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[self.dtype]
        source = str(Path(self.model).expanduser()) if local else self.model
        try:
            with _quiet():
                loaded = SentenceTransformer(
                    source,
                    device="cpu",
                    model_kwargs={"dtype": dtype},
                    local_files_only=local or not _hub_answers(),
                )
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
            raise ModelUnavailable(
                f"The model {self.model!r} cannot be loaded: {first} "
                + (
                    "The folder must hold a sentence-transformers model."
                    if local
                    else "It is no local folder, and the hub lacks it or cannot be reached. "
                    "Give a folder, connect, or use --embedder minilm"
                )
            ) from error
        if self.window is not None:
            loaded.max_seq_length = self.window
        return loaded.eval()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    from transformers.utils import logging

    logging.disable_progress_bar()
    yield


def _hub_answers() -> bool:
    """Whether the hub can be reached at all, asked once with a short limit.

    The hub's client retries for minutes when there is no network.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    host = constants.ENDPOINT.split("://")[-1].split("/")[0]
    name, _, port = host.partition(":")
    try:
        with socket.create_connection((name, int(port or 443)), timeout=_HUB_TIMEOUT_S):
            return True
    except OSError:
        return False


def _weights_hash(model: Any) -> str:  # noqa: ANN401  (a SentenceTransformer)
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().contiguous().flatten().view(_uint8()).numpy())
    return digest.hexdigest()[:12]


def _uint8() -> Any:  # noqa: ANN401  (a torch dtype)
    import torch

    return torch.uint8
