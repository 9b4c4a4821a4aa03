"""Embedders: texts become unit vectors, each distinct text once per model.

An embedder is a registered spec; its `Embedder.identity` names exactly what its vectors depend on
and is what the cache (`ragbench.ingest.embed.EmbeddingCache`) is keyed by. No model is ever
replaced by another when it does not load.
"""

from ragbench.ingest.embed._base import EMBEDDERS, Embedder, Kind, over_window
from ragbench.ingest.embed._cache import EmbeddingCache, embed_cached
from ragbench.ingest.embed._hub import hub_answers
from ragbench.ingest.embed._litellm import LiteLLM
from ragbench.ingest.embed._minilm import MiniLM, MiniLMInt8
from ragbench.ingest.embed._multilingual import E5Small, UniversalSentenceEncoder
from ragbench.ingest.embed._onnx import Onnx
from ragbench.ingest.embed._own import OwnEmbedder
from ragbench.ingest.embed._sentence_transformers import MPNet, SentenceTransformers
from ragbench.ingest.embed._static import Static, WordLlama

__all__ = [
    "EMBEDDERS",
    "E5Small",
    "Embedder",
    "EmbeddingCache",
    "Kind",
    "LiteLLM",
    "MPNet",
    "MiniLM",
    "MiniLMInt8",
    "Onnx",
    "OwnEmbedder",
    "SentenceTransformers",
    "Static",
    "UniversalSentenceEncoder",
    "WordLlama",
    "embed_cached",
    "hub_answers",
    "over_window",
]
