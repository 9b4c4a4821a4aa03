"""Chunkers: a document becomes spans of its own text, with exact offsets.

Every chunker keeps four promises: ``document.text[chunk.start:chunk.end] == chunk.text``; chunks
come in order of their start; every character that is not white space stands in a chunk; no chunk
has more tokens than the size that the spec names. ``n_tokens`` is counted in MiniLM's word pieces
without special tokens, whatever the chunker itself measures.
"""

from ragbench.ingest.chunk._base import CHUNKERS, Chunker
from ragbench.ingest.chunk._chunkers import Fixed, Recursive, WholeDocument
from ragbench.ingest.chunk._wordpieces import count_tokens

__all__ = ["CHUNKERS", "Chunker", "Fixed", "Recursive", "WholeDocument", "count_tokens"]
