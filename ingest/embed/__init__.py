"""Embedders: texts become unit vectors, each distinct text once per model.

An embedder is a registered spec; its `Embedder.identity` names exactly what its vectors depend on
and is what the cache (`ragbench.ingest.embed.EmbeddingCache`) is keyed by. No model is ever
replaced by another when it does not load.
"""

from ragbench.ingest.embed._base import EMBEDDERS, Embedder, Kind
from ragbench.ingest.embed._cache import EmbeddingCache, embed_cached
from ragbench.ingest.embed._minilm import MiniLM
from ragbench.ingest.embed._sentence_transformers import SentenceTransformers

__all__ = [
    "EMBEDDERS",
    "Embedder",
    "EmbeddingCache",
    "Kind",
    "MiniLM",
    "SentenceTransformers",
    "embed_cached",
]
