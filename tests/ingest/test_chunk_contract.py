"""Every chunker keeps its promises on every text, and counts as the tokenizers themselves do."""

from itertools import accumulate, pairwise

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragbench.ingest.chunk import CHUNKERS, count_tokens
from ragbench.ingest.chunk._cl100k import cl100k
from ragbench.ingest.minilm import model_folder
from ragbench.records import Document, Place

SPECS = [
    "recursive",
    "recursive(size_tokens=8)",
    "recursive(size_tokens=32, overlap_tokens=12)",
    "recursive(size_tokens=20, overlap_tokens=19)",
    "recursive(size_tokens=16, overlap_tokens=5, tokenizer=cl100k)",
    "recursive(size_tokens=9, tokenizer=cl100k)",
    "recursive(size_chars=1000)",
    "recursive(size_chars=32)",
    "recursive(size_chars=100, overlap_chars=40)",
    "fixed",
    "fixed(size_tokens=8)",
    "fixed(size_tokens=24, overlap_tokens=10)",
    "fixed(size_tokens=24, overlap_tokens=23, tokenizer=cl100k)",
    "sentence",
    "sentence(size_tokens=8)",
    "sentence(size_tokens=40, overlap_tokens=20)",
    "sentence(size_tokens=24, overlap_tokens=8, tokenizer=cl100k)",
    "heading",
    "heading(size_tokens=16, merge_tokens=12, overlap_tokens=4)",
    "heading(size_tokens=20, merge_tokens=0, tokenizer=cl100k)",
    "page",
    "page(size_tokens=16, overlap_tokens=7)",
    "page(size_tokens=16, tokenizer=cl100k)",
    "semantic(embedder=hash)",
    "semantic(embedder=hash, size_tokens=16, percentile=50.0, window_sentences=0)",
    "semantic(embedder=hash, size_tokens=24, percentile=80.0, tokenizer=cl100k)",
    "document",
]
TEXTS = {
    "empty": "",
    "white space": " \n\t \u3000\r\n ",
    "one word": "word",
    "control characters alone": "\x00\x0c\ufeff\u200b",
    "ASCII": "Wire transfers cost $25.00. A stop payment is $35, see 4.2.\n\n" * 30,
    "CJK": "银行的国际电汇费用是二十五美元。支票止付费用为三十五美元！" * 40,
    "Japanese": "振込手数料は二百円です。口座を開設するには「本人確認」が必要です。" * 30,
    "Hangul": "국제송금수수료는이만오천원입니다" * 40,
    "Hangul in jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af" * 60,
    "Thai": "ค่าธรรมเนียมการโอนเงินระหว่างประเทศ น้ำเงินกู้ยืม " * 30,
    "Devanagari": "अंतरराष्ट्रीय स्थानांतरण का शुल्क है। क्षमा करें। " * 30,
    "emoji": "👩‍👩‍👧‍👦 pays 🏦🏦🏦 with 💳👍🏽 " * 60,
    "emoji without spaces": "👩‍👩‍👧‍👦👍🏽🇩🇪🇫🇷" * 60,
    "combining marks": "cafe\u0301 nai\u0308ve \u0338= e\u0301\u0302x " * 60,
    "combining marks without spaces": "e\u0301o\u0302\u0323" * 300,
    "kana with separate marks": "か\u3099き\u3099。ﾊﾞﾝｸ" * 80,
    "CRLF": "First line.\r\nSecond line!\r\n\r\nNew paragraph?\r\n" * 40,
    "CR": "First line.\rSecond line!\r\rNew paragraph?\r" * 40,
    "CRLF alone": "\r\n" * 40 + "end",
    "one long line": "All fees are listed here and there. " * 300,
    "no spaces": "QmFzZTY0" * 2000,
    "no spaces but punctuation": "QmFz+ZTY0/QmFz==" * 300,
    "long words": "antidisestablishmentarianism_" * 12 + " x" * 30,
    "repeated passages": "chunk chunk chunk\n\n" * 200,
    "dashes": "fees—all of them—are “listed”…" * 60,
    "special tokens": "Say [CLS] or [MASK], not [cls] or [[SEP]] <|endoftext|> " * 30,
    "odd spaces": "a\x0cb c\x85d\u2028e\u00a0f\x1cg\x0bh " * 60,
    "much white space": "a" + " " * 3000 + "b" + "\n" * 3000 + "c",
    "table": "| Tier | Fee |\n|---|---|\n" + "| Gold | $1,250.00 |\n" * 80,
    "wide rows": "Tier | Fee\n" + "Gold | one. two! three? four, five " * 20 + "\nEnd | 1\n",
    "lists": "# Fees\n- wire: $25.\n- stop: $35.\n1. first\n2) second\n\n## None\n### Bare\n" * 20,
    "leaders": "Fees " + "." * 200 + " 12\n" + "-" * 150 + "\n" + "=" * 90,
}


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _with_places(text, cuts):
    """A document with a page and a section between each two of the offsets, and a gap."""
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    places = []
    for n, (start, end) in enumerate(pairwise(edges)):
        places.append(Place(start, end, page=n + 1))
        if n % 4:
            places.append(Place(start, end, heading=" > ".join("ABC"[: n % 4])))
    return Document("d", "t", text, places=tuple(places))


def _limit(chunker, tokenizer):
    """What a chunk's text may measure, and how it is measured."""
    if getattr(chunker, "size_chars", None):
        return chunker.size_chars, len
    if not hasattr(chunker, "size_tokens"):
        return float("inf"), len
    if chunker.tokenizer == "cl100k":
        return chunker.size_tokens, lambda text: len(cl100k()._encoding.encode_ordinary(text))
    return chunker.size_tokens, lambda text: len(
        tokenizer.encode(text, add_special_tokens=False).ids
    )


def _check(chunker, document, tokenizer):
    text = document.text
    chunks = chunker.chunk(document)
    covered = set()
    limit, measure = _limit(chunker, tokenizer)
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip() == chunk.text != ""
        assert chunk.n_tokens == len(tokenizer.encode(chunk.text, add_special_tokens=False).ids)
        assert measure(chunk.text) <= limit
        covered.update(range(chunk.start, chunk.end))
    assert covered >= {i for i, character in enumerate(text) if not character.isspace()}
    assert all(a.start <= b.start and a.end < b.end for a, b in pairwise(chunks))
    if not any(getattr(chunker, f"overlap_{unit}", 0) for unit in ("tokens", "chars")):
        assert all(a.end <= b.start for a, b in pairwise(chunks))
    return chunks


def _check_clusters(chunker, document, chunks, tokenizer):
    """No cut inside a cluster of characters, but where that alone is over the size."""
    limit, measure = _limit(chunker, tokenizer)
    clusters = regex.findall(r"\X", document.text)
    starts = [0, *accumulate(map(len, clusters))]
    inside = {
        at
        for start, cluster in zip(starts, clusters, strict=False)
        if measure(cluster) <= limit
        for at in range(start + 1, start + len(cluster))
    }
    cuts = {at for chunk in chunks for at in (chunk.start, chunk.end)}
    # white space at the ends of a chunk is not part of it, though a mark may stand on it
    assert not {at for at in cuts & inside if not document.text[at - 1].isspace()}


def _check_rows(chunker, document, chunks, tokenizer):
    """No cut inside a row, but where that alone is over the size, or holds a word that is cut.

    In cl100k white space behind a row is a token, which must fit with it.
    """
    limit, measure = _limit(chunker, tokenizer)
    cl100k_tokens = getattr(chunker, "tokenizer", "") == "cl100k"
    for match in regex.finditer(r"[^\r\n]+", document.text):
        line = match.group()
        behind = regex.match(r"\s*", document.text, pos=match.end()).group() * cl100k_tokens
        long_word = max(map(len, line.split()), default=0) > 64
        if "|" in line and not long_word and measure(line.strip() + behind) <= limit:
            first = match.start() + len(line) - len(line.lstrip())
            end = match.start() + len(line.rstrip())
            assert not [c for c in chunks if first < c.start < end or first < c.end < end]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec, name, tokenizer, hash_embedder):
    chunker = CHUNKERS.create(spec)
    document = Document("d", "t", TEXTS[name])
    chunks = _check(chunker, document, tokenizer)
    _check_clusters(chunker, document, chunks, tokenizer)
    _check_rows(chunker, document, chunks, tokenizer)


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["\n\n", ". ", "。", "\r\n", " ", "[SEP]", "# Head\n", "é", "e\u0301", "x" * 120]
    ),
    st.sampled_from(
        ["a | b. c | d\n", "| x |\n", "\n", "- item\n", "👩‍👩‍👧‍👦", "🇩🇪", "か\u3099", "銀行。"]
    ),
    st.text(alphabet="abcdefghij -_$,.", max_size=60),
)
ANY_TEXT = st.lists(PIECES, max_size=60).map("".join)


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=ANY_TEXT,
    size=st.integers(8, 40),
    overlap=st.integers(0, 39),
    name=st.sampled_from(["recursive", "fixed", "sentence", "heading", "page", "semantic"]),
    counted=st.sampled_from(["wordpiece", "cl100k"]),
    cuts=st.none() | st.lists(st.integers(0, 600), max_size=8),
)
def test_contract_on_any_text(text, size, overlap, name, counted, cuts, tokenizer, hash_embedder):
    more = f"overlap_tokens={min(overlap, size - 1)}"
    if name == "semantic":
        more = "embedder=hash, percentile=60.0"
    chunker = CHUNKERS.create(f"{name}(size_tokens={size}, {more}, tokenizer={counted})")
    document = Document("d", "t", text) if cuts is None else _with_places(text, cuts)
    chunks = _check(chunker, document, tokenizer)
    if cuts is None:
        _check_clusters(chunker, document, chunks, tokenizer)
        _check_rows(chunker, document, chunks, tokenizer)


@settings(max_examples=200, deadline=None)
@given(text=ANY_TEXT, size=st.integers(32, 200), overlap=st.integers(0, 199))
def test_contract_by_characters_on_any_text(text, size, overlap, tokenizer):
    chunker = CHUNKERS.create(
        f"recursive(size_chars={size}, overlap_chars={min(overlap, size - 1)})"
    )
    document = Document("d", "t", text)
    chunks = _check(chunker, document, tokenizer)
    _check_clusters(chunker, document, chunks, tokenizer)
    _check_rows(chunker, document, chunks, tokenizer)


@settings(max_examples=150, deadline=None)
@given(text=st.lists(PIECES, max_size=30).map("".join))
def test_count_equals_the_tokenizer(text, tokenizer):
    assert count_tokens(text) == len(tokenizer.encode(text, add_special_tokens=False).ids)


@settings(max_examples=100, deadline=None)
@given(text=st.lists(PIECES, max_size=30).map("".join), size=st.integers(8, 40))
@pytest.mark.parametrize("counted", ["wordpiece", "cl100k"])
def test_units_partition_the_text(text, size, counted):
    from ragbench.ingest.chunk._rulers import tokenizer

    units = tokenizer(counted).units(text, size, base=7)
    assert units.starts[0] == 7
    assert units.starts[-1] == 7 + len(text)
    assert all(a < b for a, b in pairwise(units.starts))
    assert all(b - a <= size for a, b in pairwise(units.before))


@pytest.mark.parametrize("spec", SPECS)
def test_a_text_longer_than_what_is_read_at_a_time(spec, tokenizer, hash_embedder, monkeypatch):
    from ragbench.ingest.chunk import _rulers, _spaces

    text = "\n\n".join(TEXTS.values())
    chunker = CHUNKERS.create(spec)
    expected = chunker.chunk(Document("d", "t", text))
    monkeypatch.setattr(_spaces, "_BLOCK", 500)
    monkeypatch.setattr(_rulers, "_BLOCK", 12)
    chunks = _check(chunker, Document("d", "t", text), tokenizer)
    # where a cut word is put together again its parts may be others
    assert len(chunks) == pytest.approx(len(expected), rel=0.02)
