"""The lexical part of an index: the tokens of its chunks, and which chunks hold which.

How hits are scored and ranked is the retriever's, in `ragbench.retrieval`.
"""

from ragbench.ingest.lexical._postings import Postings
from ragbench.ingest.lexical._stored import (
    Words,
    build_lexical,
    find_postings,
    wrong_postings,
)
from ragbench.ingest.lexical._tokens import (
    STOP_LISTS,
    Tokenizer,
    check_language,
    stop_digest,
    tokenizer,
)

__all__ = [
    "STOP_LISTS",
    "Postings",
    "Tokenizer",
    "Words",
    "build_lexical",
    "check_language",
    "find_postings",
    "stop_digest",
    "tokenizer",
    "wrong_postings",
]
