"""Embeddings from a provider's API through LiteLLM: paid, limited, and kept as soon as they come.

Each request is one batch, and `ragbench.ingest.embed.embed_cached` commits each batch, so that
nothing that was paid for is lost when a later one fails. What a provider sends is checked: as many
vectors as texts, each at its place, all of one length, all finite. Keys come from the environment
and stay there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._base import EMBEDDERS, Kind, unit_vectors
from ragbench.ingest.embed._onnx import check_window_and_dim
from ragbench.ingest.embed._prompts import NO_PROMPTS, Prompts, find_prompts
from ragbench.ingest.embed._request import Requests
from ragbench.llm import refuse_secrets

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LiteLLM"]

_KINDS: dict[str, tuple[str, str, str]] = {
    "cohere": ("input_type", "search_query", "search_document"),
    "voyage": ("input_type", "query", "document"),
    "nvidia_nim": ("input_type", "query", "passage"),
    "jina_ai": ("task", "retrieval.query", "retrieval.passage"),
    "gemini": ("task_type", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
    "vertex_ai": ("task_type", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"),
}
"""How a provider is told what a text is: parameter, value for a query, value for a passage."""


@EMBEDDERS.register("litellm")
@dataclass(frozen=True)
class LiteLLM:
    """Any provider's embeddings through LiteLLM; keys from the environment.

    Args:
        model: as LiteLLM names it, such as ``openai/text-embedding-3-small``; a server of your own
            that speaks OpenAI's protocol is ``openai/NAME`` with ``api_base``.
        dim: first components that are kept, for Matryoshka models; None keeps all.
        api_base: the server's address, without any key.
        batch: texts of one request; each request is kept as soon as it is answered.
        rpm: most requests a minute; None sets no limit.
        prompts: ``auto`` tells a provider that distinguishes them what is a query and what a
            passage, and writes the prompts of a known family (e5, bge, ...) before the texts; None
            does neither.
    """

    model: str
    dim: int | None = None
    api_base: str | None = None
    batch: int = 64
    rpm: int | None = None
    prompts: Literal["auto"] | None = "auto"

    unpinned: ClassVar[bool] = True

    def __post_init__(self) -> None:
        refuse_secrets(self.api_base)
        check_window_and_dim(None, self.dim)
        for name, value in (("batch", self.batch), ("rpm", self.rpm)):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}; it must be at least 1")

    @property
    def window(self) -> int | None:
        """The provider's own; it refuses or cuts a longer text, and does not say how it counts."""
        return None

    @cached_property
    def identity(self) -> str:
        """Model, address, dimensions, prompts and normalisation."""
        told = self._prompts if self._prompts else ("by-kind" if self._kinds else "none")
        return (
            f"litellm(model={self.model}, api_base={self.api_base}) dtype=as-sent dim={self.dim} "
            f"prompts={told} norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Whether the provider is told what is a query, or a prompt is written."""
        return bool(self._prompts) or self._kinds is not None

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; asks again after a limit or a failure that may pass.

        Raises:
            ModelUnavailable: the provider refuses, or answers wrongly, or not at all.
        """
        import numpy as np

        prompt = self._prompts.of(kind)
        rows: list[list[float]] = []
        for at in range(0, len(texts), self.batch):
            sent = [prompt + text for text in texts[at : at + self.batch]]
            reply = self._requests.send(sent, self._parameters(kind))
            rows += self._checked(reply, len(sent))
        raw = np.array(rows, dtype=np.float32).reshape(len(rows), -1) if rows else np.empty((0, 0))
        return unit_vectors(raw, self.model, self.dim if rows else None)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Not known: the tokenizer is the provider's."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """Not known; most providers refuse a text that is too long, and that is an error."""
        return 0

    def _parameters(self, kind: Kind) -> dict[str, str]:
        if self._kinds is None:
            return {}
        name, query, passage = self._kinds
        return {name: query if kind == "query" else passage}

    @property
    def _kinds(self) -> tuple[str, str, str] | None:
        return _KINDS.get(self.model.partition("/")[0]) if self.prompts else None

    @cached_property
    def _prompts(self) -> Prompts:
        if self.prompts is None or self._kinds is not None:
            return NO_PROMPTS
        return find_prompts([self.model], {})

    @cached_property
    def _requests(self) -> Requests:
        return Requests(self.model, self.api_base, self.rpm)

    @cached_property
    def _seen(self) -> _Seen:
        return _Seen()

    def _checked(self, reply: Any, n_texts: int) -> list[list[float]]:  # noqa: ANN401
        """The vectors of a reply in the order of the texts."""
        rows = _rows(reply)
        wrong = None
        if rows is None:
            wrong = "without a list of vectors, one for each text"
        elif len(rows) != n_texts:
            wrong = f"with {len(rows)} vectors for {n_texts} texts"
        elif not all(math.isfinite(value) for row in rows for value in row):
            wrong = "with a number that is NaN or infinite"
        elif lengths := {len(row) for row in rows} - {self._seen.n_components or len(rows[0])}:
            expected = self._seen.n_components or len(rows[0])
            wrong = f"with a vector of {min(lengths)} dimensions where {expected} are expected"
        elif not len(rows[0]):
            wrong = "with an empty vector"
        if rows is None or wrong:
            raise ModelUnavailable(
                f"The provider of {self.model!r} answered {wrong}. Nothing of this request is "
                "kept; the ones before it are. Run the command again, and if this comes back, try "
                "another batch size: litellm(..., batch=16)."
            )
        self._seen.n_components = len(rows[0])
        return rows


@dataclass(slots=True)
class _Seen:
    """How long the vectors of the first reply were; all later ones must agree."""

    n_components: int = field(default=0)


def _rows(reply: Any) -> list[list[float]] | None:  # noqa: ANN401  (a provider may send anything)
    data = getattr(reply, "data", None)
    if not isinstance(data, list):
        return None
    found: dict[int, list[float]] = {}
    for position, entry in enumerate(data):
        fields = entry if isinstance(entry, dict) else vars(entry)
        row, index = fields.get("embedding"), fields.get("index")
        if not isinstance(row, list) or not all(isinstance(v, int | float) for v in row):
            return None
        found[index if isinstance(index, int) else position] = row
    if found.keys() != set(range(len(data))):
        return None  # two vectors for one text, or none for another
    return [found[i] for i in range(len(data))]
