"""Chat models through LiteLLM: pace, retries, cost, record and replay, and no secret in any text.

Roles that use them are elsewhere: agents and users in `ragbench.simulate`, rewriters and rerankers
in `ragbench.retrieval`, the judge in `ragbench.judge`.
"""

from ragbench.llm._background import Background
from ragbench.llm._cache import LLMCache
from ragbench.llm._check import ModelCheck, check_model
from ragbench.llm._config import check_config, check_key
from ragbench.llm._models import Models
from ragbench.llm._pace import Waits
from ragbench.llm._reasoning import joined_thoughts, spoken_and_thought
from ragbench.llm._reply import whole_text
from ragbench.llm._secrets import also_secret, refuse_secrets, without_secrets
from ragbench.llm._session import Session, summed
from ragbench.llm._structured import (
    StrictObject,
    ask_json,
    json_format,
    read_object,
    tagged,
)
from ragbench.llm._types import CallKey, ChatModel, ChatRequest, Completion, RawCall

__all__ = [
    "Background",
    "CallKey",
    "ChatModel",
    "ChatRequest",
    "Completion",
    "LLMCache",
    "ModelCheck",
    "Models",
    "RawCall",
    "Session",
    "StrictObject",
    "Waits",
    "also_secret",
    "ask_json",
    "check_config",
    "check_key",
    "check_model",
    "joined_thoughts",
    "json_format",
    "read_object",
    "refuse_secrets",
    "spoken_and_thought",
    "summed",
    "tagged",
    "whole_text",
    "without_secrets",
]
