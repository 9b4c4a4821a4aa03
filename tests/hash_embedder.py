"""A deterministic embedder for tests, without a model: a text is the bag of its words, hashed.

Texts that share words are near to each other. No `from __future__ import annotations`: the file is
run by path, and the registry reads the field types.
"""

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Hash:
    """Hashed bag of words; for tests, without meaning."""

    dim: int = 64
    window: int = 10_000
    delay_s: float = 0.0

    @property
    def identity(self) -> str:
        return f"hash(dim={self.dim}, window={self.window})"

    @property
    def has_prompts(self) -> bool:
        return False

    def embed(self, texts: Sequence[str], kind: str) -> np.ndarray:
        time.sleep(self.delay_s)
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or ["empty"]:
                digest = hashlib.sha256(word.encode()).digest()
                vectors[row, digest[0] % self.dim] += 1 + digest[1] / 256
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def count_truncated(self, texts: Sequence[str]) -> int:
        return sum(count > self.window for count in self.token_counts(texts))

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+", text)) for text in texts]
