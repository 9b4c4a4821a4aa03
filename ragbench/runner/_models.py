"""The models of an evaluation from its configuration."""

from __future__ import annotations

from ragbench.config import EvalConfig
from ragbench.llm import LLMCache, Models

__all__ = ["models_for"]


def models_for(config: EvalConfig) -> Models:
    """One cache, one budget and one pace per provider for everything that the evaluation asks.

    Nothing is loaded yet, and no key is read.

    Raises:
        RunError: the file of recorded replies cannot be read or written.
    """
    cache = None
    if config.llm_cache_file is not None and config.llm_cache == "record":
        cache = LLMCache.recording(config.llm_cache_file)
    if config.llm_cache_file is not None and config.llm_cache == "replay":
        cache = LLMCache.replaying(config.llm_cache_file)
    return Models(cache, config.budget_usd)
