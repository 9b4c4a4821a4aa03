"""One spelling for what is compared: worked out by hand from what each character stands for."""

from __future__ import annotations

import pytest
import re2

from ragbench.ingest.chunk import embedded_text, folded
from ragbench.ingest.lexical._tokens import tokenizer
from ragbench.records import Chunk, Document


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("oﬃce ﬁle", "office file"),
        ("re\u00adfund", "refund"),
        ("ＦＥＥ　３５", "FEE 35"),
        ("35\u00a0USD 35\u202f000", "35 USD 35 000"),
        ("fe\u200be\u2060 \ufeff5", "fee 5"),
        ("\u202e35\u202c \u206735\u2069 \u200f5", "35 35 5"),
        ("non\u2011refundable \u22125", "non-refundable -5"),
        ("m², 10² 35¹ 12₂", "m2, 10 2 35 1 12 2"),  # no number is changed
        ("2½ and ½ and 5①", "2 1/2 and 1/2 and 5 1"),
        ("e\u0301", "é"),
        ("Gebühr “fee” – 5 €", "Gebühr “fee” – 5 €"),
    ],
)
def test_folded(text, plain):
    assert folded(text) == plain
    assert folded(plain) == plain


def test_a_pattern_keeps_its_meaning():
    assert folded("ﬁ.*e", re2.escape) == "fi.*e"
    assert folded("a…｜b", re2.escape) == r"a\.\.\.\|b"  # no signs of patterns come about


def test_embedding_and_tokens_see_the_plain_spelling():
    document = Document("a", "oﬃce", "The oﬃce re\u00adfunds 35¹")
    chunk = Chunk("a", 0, len(document.text), document.text, 5)
    assert embedded_text(document, chunk, None) == "The office refunds 35 1"
    assert embedded_text(document, chunk, "title") == "office\n\nThe office refunds 35 1"
    assert tokenizer(None, None).tokens(document.text) == ["the", "office", "refunds", "35", "1"]


def test_a_chunk_within_a_table_is_embedded_with_the_columns_names():
    text = "Fees\n\nName | USD\nWire | 35\nCard | 5\n\nEnd."
    document = Document("a", "T", text)

    def of(start: int, end: int) -> str:
        return embedded_text(document, Chunk("a", start, end, text[start:end], 5), "headings")

    card = text.index("Card")
    assert of(card, card + 8) == "T\n\nName | USD\n\nCard | 5"
    assert of(text.index("Name"), card + 8) == "T\n\nName | USD\nWire | 35\nCard | 5"
    assert of(text.index("End"), len(text)) == "T\n\nEnd."
