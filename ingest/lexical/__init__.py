"""The lexical part of an index: the tokens of its chunks, and which chunks hold which.

How hits are scored and ranked is the retriever's, in `ragbench.retrieval`.
"""

from ragbench.ingest.lexical._tokens import (
    STOP_LISTS,
    Tokenizer,
    check_language,
    stop_digest,
    tokenizer,
)

__all__ = ["STOP_LISTS", "Tokenizer", "check_language", "stop_digest", "tokenizer"]
