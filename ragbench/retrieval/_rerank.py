"""Rerankers: a second, slower look at the first hits of a retriever."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed import hub_answers
from ragbench.llm import Models
from ragbench.registry import Registry
from ragbench.retrieval._base import Hit, Retriever, Scalar, check_query, rank_hits

__all__ = ["RERANKERS", "CrossEncoder", "RerankedRetriever", "Reranker", "RerankerSpec"]

_BATCH = 32


class Reranker(Protocol):
    """An opened reranker."""

    @property
    def waits(self) -> bool:
        """Whether scoring waits for a model elsewhere."""
        ...

    @property
    def depth(self) -> int:
        """How many hits of the retriever are looked at."""
        ...

    @property
    def identity(self) -> str:
        """What the scores depend on."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score per text, higher is better; equal lists for equal queries have equal scores.

        Args:
            query: what the texts are held against.
            texts: in the retriever's order.

        Raises:
            LLMError: a model that does the scoring failed.
        """
        ...


class RerankerSpec(Protocol):
    """A registered spec: scores passages against a query.

    Attributes:
        waits: whether scoring waits for a model elsewhere.
    """

    waits: ClassVar[bool]

    @property
    def identity(self) -> str:
        """What the scores depend on.

        Raises:
            ModelUnavailable: the model does not load.
        """
        ...

    def open(self, models: Models | None = None) -> Reranker:
        """The reranker; ``models`` are those of the run, for one that asks a chat model.

        Raises:
            ModelUnavailable: the model does not load.
        """
        ...


RERANKERS: Registry[RerankerSpec] = Registry("reranker", see="ragbench list rerankers")


class RerankedRetriever:
    """The first hits of a retriever in the order of a reranker, with its scores.

    Only these are returned: what stands behind them has scores of another kind. Searching is done
    by one thread at a time; waiting for a model is not.

    Raises:
        ModelUnavailable: the reranker's model does not load.
    """

    def __init__(self, retriever: Retriever, reranker: Reranker) -> None:
        self._retriever, self._reranker = retriever, reranker
        self._lock = threading.Lock()
        self.identity = f"{retriever.identity}+{reranker.identity}"  # loads the model

    @property
    def waits(self) -> bool:
        """Whether a search waits for a model elsewhere."""
        return self._reranker.waits

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._retriever.n_chunks

    def retrieve(
        self,
        query: str,
        n: int,
        where: Mapping[str, Scalar] | None = None,
        about: str | None = None,
    ) -> list[Hit]:
        """See `Retriever.retrieve`; at most the reranker's depth.

        Args:
            query: what is retrieved.
            n: how many hits.
            where: metadata that a hit's document must have.
            about: what passages are scored against, when that is not what is retrieved.

        Raises:
            LLMError: the reranker's model failed.
        """
        check_query(query, n)
        with self._lock:
            found = self._retriever.retrieve(query, self._reranker.depth, where)
        chunks = [hit.chunk for hit in found]
        with contextlib.nullcontext() if self.waits else self._lock:
            scores = self._reranker.score(about or query, [chunk.text for chunk in chunks])
        return rank_hits(zip(chunks, scores, strict=True), n)


@RERANKERS.register("cross_encoder")
@dataclass(frozen=True)
class CrossEncoder:
    """A cross-encoder of sentence-transformers: reads query and passage together.

    The score is the model's output before any sigmoid, so that rounding to 5 decimals does not make
    all good passages equal. What is longer than the model's window is cut at the passage's end.

    Args:
        model: a folder, or a hub name.
        depth: how many hits of the retriever are read, at least 1; no more are returned.
    """

    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    depth: int = 50

    waits: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}; it must be at least 1")

    @cached_property
    def identity(self) -> str:
        """Name, depth, and a hash of weights, tokenizer and window."""
        name = Path(self.model).name
        return f"cross_encoder(model={name}, depth={self.depth}) weights={_hash(self._loaded)}"

    def open(self, models: Models | None = None) -> CrossEncoder:
        """Itself; its model is no chat model."""
        return self

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker.score`; a text's score does not depend on the others."""
        if not texts:
            return []
        found = self._loaded.predict(
            [(query, text) for text in texts], batch_size=_BATCH, show_progress_bar=False
        )
        return [float(score) for score in found]

    @cached_property
    def _loaded(self) -> Any:  # noqa: ANN401  (imported when it is needed)
        loaded = _load(self.model)
        if loaded.num_labels != 1:
            raise ModelUnavailable(
                f"The model {self.model!r} has {loaded.num_labels} outputs; a reranker has one. "
                "Name a cross-encoder that was trained for ranking."
            )
        return loaded


def _load(name: str) -> Any:  # noqa: ANN401
    from sentence_transformers import CrossEncoder as Model
    from torch import nn
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = Path(name).expanduser()
    is_folder = folder.is_dir()
    try:
        return Model(
            str(folder) if is_folder else name,
            device="cpu",
            local_files_only=is_folder or not hub_answers(),
            activation_fn=nn.Identity(),
        )
    except (OSError, ValueError, RuntimeError, ImportError, KeyError, TypeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        remedy = (
            "The folder must hold a cross-encoder of sentence-transformers."
            if is_folder
            else "It is no local folder, and the hub lacks it or cannot be reached. Where there is "
            f"a network, run: hf download {name} --local-dir FOLDER; then give the folder: "
            "rerank(model=FOLDER)"
        )
        raise ModelUnavailable(
            f"The reranker {name!r} cannot be loaded: {first.rstrip('.')}. {remedy}"
        ) from error


def _hash(model: Any) -> str:  # noqa: ANN401  (a CrossEncoder)
    """Hash of weights, tokenizer and window."""
    import torch

    digest = hashlib.sha256(f"{model.max_seq_length}".encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().contiguous().flatten().view(torch.uint8).numpy())
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    parts = json.loads(backend.to_str()) if backend else model.tokenizer.get_vocab()
    kept = {key: parts[key] for key in parts if key not in ("truncation", "padding")}
    digest.update(json.dumps(kept, sort_keys=True).encode())
    return digest.hexdigest()[:12]
