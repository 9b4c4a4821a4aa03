"""Chunkers: a document becomes spans of its own text, with exact offsets.

Every chunker keeps these promises: ``document.text[chunk.start:chunk.end] == chunk.text``; chunks
come in order of their start, and no two are equal; every character that is not white space stands
in a chunk; no chunk but that of ``document`` is over the size that the spec names; no chunk begins
or ends inside what a reader takes for one character, nor inside a row of a table, unless that alone
is over the size. ``n_tokens`` is counted in MiniLM's word pieces without special tokens, whatever
the chunker itself measures; where it did not come to know the number, it is counted when a chunk is
first asked for it.
"""

from ragbench.ingest.chunk._base import CHUNKERS, Chunker, Context, embedded_text
from ragbench.ingest.chunk._chunkers import Fixed, Page, Recursive, WholeDocument
from ragbench.ingest.chunk._folded import folded
from ragbench.ingest.chunk._heading import Heading
from ragbench.ingest.chunk._own import OwnChunker
from ragbench.ingest.chunk._sentence import Semantic, Sentence, embeds, with_cache
from ragbench.ingest.chunk._wordpieces import count_tokens

__all__ = [
    "CHUNKERS",
    "Chunker",
    "Context",
    "Fixed",
    "Heading",
    "OwnChunker",
    "Page",
    "Recursive",
    "Semantic",
    "Sentence",
    "WholeDocument",
    "count_tokens",
    "embedded_text",
    "embeds",
    "folded",
    "with_cache",
]
