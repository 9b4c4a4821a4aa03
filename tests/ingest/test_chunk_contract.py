"""Every chunker keeps its promises on every text, and counts as the tokenizer itself does."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragbench.errors import SpecError, UnknownName
from ragbench.ingest.chunk import CHUNKERS, count_tokens
from ragbench.ingest.minilm import model_folder
from ragbench.records import Document
from ragbench.registry import spec_of

SPECS = [
    "recursive",
    "recursive(size_tokens=8)",
    "recursive(size_tokens=32, overlap_tokens=12)",
    "recursive(size_tokens=20, overlap_tokens=19)",
    "fixed",
    "fixed(size_tokens=8)",
    "fixed(size_tokens=24, overlap_tokens=10)",
    "document",
]
TEXTS = {
    "empty": "",
    "white space": " \n\t \u3000\r\n ",
    "one word": "word",
    "control characters alone": "\x00\x0c\ufeff\u200b",
    "ASCII": "Wire transfers cost $25.00. A stop payment is $35, see 4.2.\n\n" * 30,
    "CJK": "银行的国际电汇费用是二十五美元。支票止付费用为三十五美元！" * 40,
    "Japanese": "振込手数料は二百円です。口座を開設するには本人確認が必要です。" * 30,
    "Hangul": "국제송금수수료는이만오천원입니다" * 40,
    "emoji": "👩‍👩‍👧‍👦 pays 🏦🏦🏦 with 💳👍🏽 " * 60,
    "combining marks": "cafe\u0301 nai\u0308ve \u0338= e\u0301\u0302x " * 60,
    "CRLF": "First line.\r\nSecond line!\r\n\r\nNew paragraph?\r\n" * 40,
    "one long line": "All fees are listed here and there. " * 300,
    "no spaces": "QmFzZTY0" * 2000,
    "long words": "antidisestablishmentarianism_" * 12 + " x" * 30,
    "repeated passages": "chunk chunk chunk\n\n" * 200,
    "dashes": "fees—all of them—are “listed”…" * 60,
    "special tokens": "Say [CLS] or [MASK], not [cls] or [[SEP]] " * 30,
    "odd spaces": "a\x0cb c\x85d\u2028e\u00a0f\x1cg\x0bh " * 60,
    "table": "| Tier | Fee |\n|---|---|\n" + "| Gold | $1,250.00 |\n" * 80,
}


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _check(chunker, text, size, tokenizer):
    chunks = chunker.chunk(Document("d", "t", text))
    covered = set()
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip() == chunk.text != ""
        assert chunk.n_tokens == len(tokenizer.encode(chunk.text, add_special_tokens=False).ids)
        assert size is None or chunk.n_tokens <= size
        covered.update(range(chunk.start, chunk.end))
    assert covered >= {i for i, character in enumerate(text) if not character.isspace()}
    starts = [chunk.start for chunk in chunks]
    assert starts == sorted(starts)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    return chunks


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec, name, tokenizer):
    chunker = CHUNKERS.create(spec)
    _check(chunker, TEXTS[name], getattr(chunker, "size_tokens", None), tokenizer)


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["\n\n", ". ", "。", "\r\n", " ", "[SEP]", "# Head\n", "é", "e\u0301", "x" * 120]
    ),
    st.text(alphabet="abcdefghij -_$,.", max_size=60),
)


@settings(max_examples=150, deadline=None)
@given(
    text=st.lists(PIECES, max_size=60).map("".join),
    size=st.integers(8, 40),
    overlap=st.integers(0, 39),
    name=st.sampled_from(["recursive", "fixed"]),
)
def test_contract_on_any_text(text, size, overlap, name, tokenizer):
    overlap = min(overlap, size - 1)
    chunker = CHUNKERS.create(f"{name}(size_tokens={size}, overlap_tokens={overlap})")
    chunks = _check(chunker, text, size, tokenizer)
    if not overlap:
        assert all(a.end <= b.start for a, b in pairwise(chunks))


@settings(max_examples=200, deadline=None)
@given(text=st.lists(PIECES, max_size=30).map("".join))
def test_count_equals_the_tokenizer(text, tokenizer):
    assert count_tokens(text) == len(tokenizer.encode(text, add_special_tokens=False).ids)


def test_recursive_prefers_paragraphs_then_lines_then_sentences():
    # One word piece per word and per full stop. Size 8.
    text = "one two three.\n\nfour five six. seven eight nine ten. two\nfive"
    chunks = CHUNKERS.create("recursive(size_tokens=8)").chunk(Document("d", "t", text))
    assert [(chunk.text, chunk.n_tokens) for chunk in chunks] == [
        ("one two three.", 4),  # 8 tokens reach "six"+"."; the paragraph ends before
        ("four five six.", 4),  # the reach is "ten"; no line ends there, a sentence does
        ("seven eight nine ten. two\nfive", 7),  # all that is left fits: 5 + 1 + 1
    ]


def test_recursive_keeps_a_heading_with_what_follows():
    text = "one two three.\nfour five.\n## Fees\n\nsix seven eight nine ten"
    chunks = CHUNKERS.create("recursive(size_tokens=12)").chunk(Document("d", "t", text))
    # 12 tokens reach "six" (4 + 3 + "#", "#", "fees" + 2). The paragraph end stands behind a
    # heading and is passed over; so is the line end there; the line end before it is taken.
    assert [chunk.text for chunk in chunks] == [
        "one two three.\nfour five.",
        "## Fees\n\nsix seven eight nine ten",
    ]


def test_overlap_repeats_whole_words_up_to_the_size():
    text = " ".join(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
    chunks = CHUNKERS.create("fixed(size_tokens=8, overlap_tokens=3)").chunk(
        Document("d", "t", text)
    )
    assert [chunk.text for chunk in chunks] == [
        "one two three four five six seven eight",
        "six seven eight nine ten",
    ]


def test_every_spec_prints_and_parses_back():
    for name in CHUNKERS:
        chunker = CHUNKERS.create(name)
        assert CHUNKERS.create(str(spec_of(chunker))) == chunker
    assert str(spec_of(CHUNKERS.create("recursive"))) == (
        "recursive(size_tokens=256, overlap_tokens=0, tokenizer=wordpiece)"
    )


def test_bad_specs_say_what_is_wrong():
    with pytest.raises(UnknownName, match=r"No chunker is called 'fixd'.*did you mean 'fixed'"):
        CHUNKERS.create("fixd")
    with pytest.raises(SpecError, match="size_tokens is 3; it must be at least 8"):
        CHUNKERS.create("fixed(size_tokens=3)")
    with pytest.raises(SpecError, match="overlap_tokens is 8; it must be from 0 to below"):
        CHUNKERS.create("recursive(size_tokens=8, overlap_tokens=8)")
