"""Embedders of the user's own: vectors are checked, scaled to length 1, and cached by the code.

An embedder is a class with ``embed(texts)`` or ``embed(texts, kind)``, or such a function; ``kind``
is ``"passage"`` or ``"query"``. It returns one vector per text: an array of shape (n, dim).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from ragbench.ingest.embed._base import EMBEDDERS, Kind, unit_vectors
from ragbench.own import Part

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OwnEmbedder"]

_PROTOCOL = (
    "An embedder is a class with a method embed(texts) or embed(texts, kind), or such a function, "
    "that returns one vector per text; see docs/own-parts.md."
)


@EMBEDDERS.adapter
@dataclass(frozen=True)
class OwnEmbedder:
    """An embedder of the user's own.

    Its attribute ``identity``, a text, names what the vectors depend on besides the code, such as a
    model's version: another one is another embedder to the cache and to every index.

    Raises:
        OwnPartError: the code is no embedder.
    """

    part: Part

    def __post_init__(self) -> None:
        self.part.require(("embed",), _PROTOCOL, function=True)

    @property
    def identity(self) -> str:
        """Spec, hash of the file, and what the code says about itself."""
        said = self.part.attribute("identity", "")
        return f"{self.part.spec} {said}".rstrip() if isinstance(said, str) else str(self.part.spec)

    @property
    def window(self) -> int | None:
        """Unknown: what it reads of a text is its own affair."""
        return None

    @property
    def has_prompts(self) -> bool:
        """Whether it is told what a text is."""
        return self._takes_kind

    def embed(self, texts: Sequence[str], kind: Kind) -> np.ndarray:
        """The vectors, float32 of shape (n, dim), each of length 1.

        Raises:
            OwnPartError: the code raised, or did not return one vector per text.
            ModelUnavailable: a component is not finite.
        """
        import numpy as np

        given = list(texts)
        with self.part.guard("embed"):
            raw = self._embed(given, kind) if self._takes_kind else self._embed(given)
        try:
            vectors = np.asarray(raw, dtype=np.float32)
        except (TypeError, ValueError) as error:
            self._refuse(f"returned {type(raw).__name__}, which is no array: {error}. {_PROTOCOL}")
        if vectors.ndim != 2 or len(vectors) != len(given) or not vectors.shape[-1]:
            self._refuse(
                f"returned an array of shape {vectors.shape} for {len(given)} texts; it must be "
                f"({len(given)}, dim). {_PROTOCOL}"
            )
        return unit_vectors(vectors, self.part.name)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Zeros: they are not known."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """0: it is not known."""
        return 0

    @cached_property
    def _embed(self) -> Callable[..., Any]:
        return self.part.method("embed")

    @cached_property
    def _takes_kind(self) -> bool:
        target = self.part.code.target
        method = getattr(target, "embed", target)
        names = list(inspect.signature(method).parameters)
        return "kind" in names

    def _refuse(self, problem: str) -> NoReturn:
        target = self.part.code.target
        self.part.refuse(getattr(target, "embed", target), problem)
