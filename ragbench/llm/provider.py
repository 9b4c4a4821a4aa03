"""What every caller of a provider through LiteLLM needs: the module, its failures, the waits.

For components that do not chat, such as embedders; chat models are in `ragbench.llm`.
"""

from ragbench.llm._failure import missing_keys
from ragbench.llm._litellm import failures, litellm
from ragbench.llm._retry import ATTEMPTS, LONGEST_ASKED_S, backoff_s, retry_after_s

__all__ = [
    "ATTEMPTS",
    "LONGEST_ASKED_S",
    "backoff_s",
    "failures",
    "litellm",
    "missing_keys",
    "retry_after_s",
]
