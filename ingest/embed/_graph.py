"""A transformer as an ONNX graph with its tokenizer: batches in, one vector a text out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragbench.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Graph", "Pooling", "load_tokenizer"]

Pooling = Literal["mean", "cls", "none"]
"""How a text's token vectors become one: none when the graph does it itself."""

_BATCH = 32
_PADDING = ("[PAD]", "<pad>", "<|padding|>", "<|endoftext|>")


class Graph:
    """A model file and a tokenizer file; both are read at the first use.

    Args:
        model: the ``.onnx`` file.
        tokenizer: the ``tokenizer.json`` file.
        window: most tokens read of a text, special ones included.
        pooling: how token vectors become one; None takes ``none`` when the graph gives one vector
            a text, and is an error otherwise.
        remedy: what to do when the model file cannot be loaded.
    """

    def __init__(
        self, model: Path, tokenizer: Path, window: int, pooling: Pooling | None, remedy: str
    ) -> None:
        self._model, self._tokenizer_file, self._window = model, tokenizer, window
        self._pooling, self._remedy = pooling, remedy

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Pooled vectors as the graph gives them, float32 of shape (n, dim), not normalised."""
        import numpy as np

        encodings = self._tokenizer.encode_batch_fast(list(texts))
        order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids), reverse=True)
        parts = []
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            longest = max(1, len(encodings[batch[0]].ids))
            ids = np.full((len(batch), longest), self._pad_id, dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, i in enumerate(batch):
                tokens = encodings[i].ids
                ids[row, : len(tokens)] = tokens
                mask[row, : len(tokens)] = 1
            parts.append(self._run(ids, mask))
        if not parts:
            return np.empty((0, 0), dtype=np.float32)
        vectors = np.empty((len(order), parts[0].shape[1]), dtype=np.float32)
        vectors[order] = np.concatenate(parts)
        return vectors

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special ones included, before the cut."""
        return [len(encoding.ids) for encoding in self._whole.encode_batch_fast(list(texts))]

    def _run(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        import numpy as np

        session, inputs, output, pooling = self._loaded
        known = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        found = session.run([output], {name: known[name] for name in inputs})[0]
        if pooling == "cls":
            found = found[:, 0]
        elif pooling == "mean":
            weights = mask[:, :, None].astype(np.float32)
            found = (found * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        pooled: np.ndarray = found.astype(np.float32, copy=False)
        return pooled

    @cached_property
    def _loaded(self) -> tuple[Any, list[str], str, Pooling]:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        failures = (
            state.Fail,
            state.InvalidArgument,
            state.InvalidGraph,
            state.InvalidProtobuf,
            state.NoSuchFile,
            state.NotImplemented,
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(
                self._model, options, providers=["CPUExecutionProvider"]
            )
        except failures as error:
            raise ModelUnavailable(
                f"The ONNX model {str(self._model)!r} cannot be loaded: {error}. {self._remedy}"
            ) from error
        inputs = [entry.name for entry in session.get_inputs()]
        strange = set(inputs) - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        if strange:
            raise ModelUnavailable(
                f"The ONNX model {str(self._model)!r} asks for {', '.join(sorted(strange))}. "
                "Only a text encoder with input_ids, attention_mask, token_type_ids and "
                "position_ids can be used."
            )
        ranks = {entry.name: len(entry.shape) for entry in session.get_outputs()}
        output, pooling = self._choose(ranks)
        return session, inputs, output, pooling

    def _choose(self, ranks: dict[str, int]) -> tuple[str, Pooling]:
        """The output that is read, and how it is pooled."""
        pooled = [name for name, rank in ranks.items() if rank == 2]
        tokens = [name for name, rank in ranks.items() if rank == 3]
        pooling: Pooling | None = self._pooling
        if pooling is None and not tokens:
            pooling = "none"
        candidates = pooled if pooling == "none" else tokens
        if pooling is None or not candidates:
            found = ", ".join(f"{name} (rank {rank})" for name, rank in ranks.items())
            raise ModelUnavailable(
                f"The ONNX model {str(self._model)!r} gives {found}, and pooling is "
                f"{pooling or 'not known'}. Name it: pooling=mean or pooling=cls for token vectors "
                "(rank 3), as the model's card says; pooling=none for one vector a text (rank 2)."
            )
        preferred = ("sentence_embedding", "embedding", "last_hidden_state", "token_embeddings")
        return next((name for name in preferred if name in candidates), candidates[0]), pooling

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401  (tokenizers ships no types)
        tokenizer = load_tokenizer(self._tokenizer_file)
        tokenizer.enable_truncation(max_length=self._window)
        return tokenizer

    @cached_property
    def _whole(self) -> Any:  # noqa: ANN401  (tokenizers ships no types)
        return load_tokenizer(self._tokenizer_file)

    @cached_property
    def _pad_id(self) -> int:
        """The padding token; some models derive positions from it, so that 0 would not do."""
        found = (self._tokenizer.token_to_id(token) for token in _PADDING)
        return next((number for number in found if number is not None), 0)


def load_tokenizer(path: Path) -> Any:  # noqa: ANN401  (tokenizers ships no types)
    """A tokenizer that neither pads nor cuts.

    Raises:
        ModelUnavailable: the file is absent or no tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        text = path.read_text(encoding="utf-8")
        # The library raises a bare Exception for text that is no tokenizer.
        if not text.lstrip().startswith("{") or '"model"' not in text:
            raise ValueError("it describes no tokenizer")
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The tokenizer {str(path)!r} cannot be read: {error}. "
            "The model's folder must hold its tokenizer.json."
        ) from error
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
