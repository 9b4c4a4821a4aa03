"""Static models: a table with one vector a token; a text is the mean of its tokens' vectors.

No network runs, so that a text takes well under a millisecond. Folders as model2vec writes them,
and WordLlama's table from its package; its code is not needed, and not imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._base import EMBEDDERS, Kind, unit_vectors
from ragbench.ingest.embed._graph import load_tokenizer
from ragbench.ingest.embed._onnx import check_window_and_dim
from ragbench.ingest.embed._packaged import Packaged, file_sha256

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Static", "WordLlama"]

_WORDLLAMA = Packaged("wordllama", "wordllama", "wordllama==0.4.0.post1")
_WORDLLAMA_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
_TOKENIZER_SHA256 = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_TABLES = ("model.safetensors", "embeddings.safetensors")
_NAMES = ("embeddings", "embedding.weight")


@EMBEDDERS.register("wordllama")
@dataclass(frozen=True)
class WordLlama:
    """WordLlama: a static table, about 100 times as fast as minilm; a package of 19 MB.

    Args:
        dim: components that are kept; the model was trained for each of these.
    """

    dim: Literal[64, 128, 256] = 256

    @property
    def window(self) -> int | None:
        """A text is read whole."""
        return None

    @property
    def identity(self) -> str:
        """Spec, weights and normalisation."""
        weights = _WORDLLAMA_SHA256[:12]
        return f"wordllama(dim={self.dim}) weights={weights} dtype=float32 pooling=mean norm=l2"

    @property
    def has_prompts(self) -> bool:
        """The model has none."""
        return False

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; without prompts, ``kind`` changes nothing."""
        return unit_vectors(self._table.means(texts), "wordllama", self.dim)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """No text is cut."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """No text is cut."""
        return 0

    @cached_property
    def _table(self) -> _Table:
        return _Table(
            _WORDLLAMA.file("weights/l2_supercat_256.safetensors", _WORDLLAMA_SHA256),
            _WORDLLAMA.file("tokenizers/l2_supercat_tokenizer_config.json", _TOKENIZER_SHA256),
            skip_unknown=False,
        )


@EMBEDDERS.register("static")
@dataclass(frozen=True)
class Static:
    """A static model in a local folder, as model2vec writes it.

    Args:
        path: folder with tokenizer.json and model.safetensors (or embeddings.safetensors).
        dim: first components that are kept, for Matryoshka models; None keeps all.
    """

    path: str
    dim: int | None = None

    def __post_init__(self) -> None:
        check_window_and_dim(None, self.dim)

    @property
    def window(self) -> int | None:
        """A text is read whole."""
        return None

    @cached_property
    def identity(self) -> str:
        """Hashes of table and tokenizer, dimensions and normalisation."""
        table, tokenizer = self._files
        return (
            f"static(path={Path(self.path).name}) weights={file_sha256(table)[:12]} "
            f"tokenizer={file_sha256(tokenizer)[:12]} dtype=float32 pooling=mean dim={self.dim} "
            "norm=l2"
        )

    @property
    def has_prompts(self) -> bool:
        """Static models have none."""
        return False

    def embed(self, texts: Sequence[str], kind: Kind = "passage") -> np.ndarray:
        """See `Embedder.embed`; without prompts, ``kind`` changes nothing."""
        return unit_vectors(self._table.means(texts), self.path, self.dim)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """No text is cut."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """No text is cut."""
        return 0

    @cached_property
    def _files(self) -> tuple[Path, Path]:
        folder = Path(self.path).expanduser()
        tokenizer = folder / "tokenizer.json"
        table = next((folder / name for name in _TABLES if (folder / name).is_file()), None)
        if table is None or not tokenizer.is_file():
            raise ModelUnavailable(
                f"The folder {self.path!r} holds no static model. It must hold tokenizer.json and "
                f"{' or '.join(_TABLES)}, as model2vec writes them."
            )
        return table, tokenizer

    @cached_property
    def _table(self) -> _Table:
        table, tokenizer = self._files
        return _Table(table, tokenizer, skip_unknown=True)


class _Table:
    """Vectors by token, and the tokenizer that they belong to.

    Args:
        weights: a safetensors file. Beside the vectors it may hold one weight a token, and a
            mapping of tokens to rows, as newer model2vec models do.
        tokenizer: the ``tokenizer.json``.
        skip_unknown: leave unknown tokens out of the mean, as model2vec does.
    """

    def __init__(self, weights: Path, tokenizer: Path, *, skip_unknown: bool) -> None:
        self._tokenizer = load_tokenizer(tokenizer)
        tensors = _read(weights)
        named = [tensors[name] for name in _NAMES if name in tensors]
        if not named or named[0].ndim != 2:
            raise ModelUnavailable(
                f"The table {str(weights)!r} holds {', '.join(sorted(tensors)) or 'nothing'}; "
                f"a static model has a matrix called {' or '.join(_NAMES)}."
            )
        self._vectors: np.ndarray = named[0].astype("float32")
        self._weights = tensors.get("weights")
        self._mapping = tensors.get("mapping")
        self._unknown = self._unknown_id(tokenizer) if skip_unknown else None

    def means(self, texts: Sequence[str]) -> np.ndarray:
        """Mean vector of each text's tokens; zero when it has none. Shape (n, dim)."""
        import numpy as np

        means = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        n_tokens = len(self._vectors if self._mapping is None else self._mapping)
        for row, encoding in enumerate(encodings):
            ids = np.asarray(encoding.ids, dtype=np.int64)
            if self._unknown is not None:
                ids = ids[ids != self._unknown]
            ids = np.minimum(ids, n_tokens - 1)  # a token that was added later has no row
            if not len(ids):
                continue
            found = self._vectors[ids if self._mapping is None else self._mapping[ids]]
            if self._weights is not None:
                found = found * self._weights[ids, None]
            means[row] = found.mean(axis=0)
        return means

    def _unknown_id(self, path: Path) -> int | None:
        import json

        model = json.loads(path.read_text(encoding="utf-8"))["model"]
        token = model.get("unk_token")
        found: int | None = self._tokenizer.token_to_id(token) if token else model.get("unk_id")
        return found


def _read(path: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors: dict[str, Any] = load_file(path)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelUnavailable(
            f"The table {str(path)!r} cannot be read: {error}. Fetch the model again, in float32 "
            "or float16."
        ) from error
    return tensors
