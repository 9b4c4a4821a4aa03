"""What BM25 counts, and that its scores are those of the library and of every document."""

import bm25s
import numpy as np
import pytest

from ragbench.errors import SpecError
from ragbench.ingest.lexical import STOP_LISTS, Tokenizer, check_language
from ragbench.retrieval import RETRIEVERS, open_retriever


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $1,250.00!", "cost 1250"),
        ("1250 or 1,250 or 1,250.50 or 1250.5", "1250 1250 1250.5 1250.5"),
        ("1,250-2,000 and $25.50-$30.00", "1250 2000 25.5 30"),
        ("10, 200, 3000, 1,000,000", "10 200 3000 1000000"),
        ("1,250,00 1,25", "1250 00 1 25"),
        ("007", "007"),
        ("1.2.3", "1.2 3"),
        ("call open_account_4821 now", "call open_account_4821 open account 4821"),
        ("Tool_Name_0421", "tool_name_0421 tool name 0421"),
        ("__dunder__ _", "dunder"),
        ("policy FEE-0421", "polici fee-0421 fee 0421"),
        ("FEE‑0421", "fee-0421 fee 0421"),  # a hyphen that does not break
        ("2024-05-01", "2024-05-01 2024 05 01"),
        ("a 5-year loan", "5-year 5 year loan"),
        ("Form W2, section 4.2, 3rd, 5%, $5k", "form w2 section 4.2 3rd 5 5k"),
        ("customers' customer’s Customer", "custom custom custom"),
        ("O'Brien doesn't know", "o brien know"),
        ("I'd ask how you pay Schedule D", "ask pay schedul d"),  # a letter alone names something,
        ("pass-through", "pass"),
        ("set-aside", "set asid"),
        ("co\u00adoperate", "cooper"),  # a soft hyphen
        ("ＦＥＥ ﬁnal ①", "fee final 1"),
        ("STRASSE Straße", "strass strass"),
        ("国际电汇 fee", "国际 际电 电汇 fee"),
        ("額 of ｆｅｅ", "額 fee"),
        ("1,250円 1250円", "1250 円 1250 円"),
        ("ﾃﾞｰﾀの手数料", "デー ータ タの の手 手数 数料"),
        ("𠮷野家", "𠮷野 野家"),
        ("수수료", "수수 수료"),
        ("ค่าธรรม", "ค่ ่า าธ ธร รร รม"),
        ("हिन्दी शुल्क", "हिन्दी शुल्क"),  # vowel signs do not end a word
        ("", ""),
        ("?! -- ''", ""),
    ],
)
def test_tokens(text, expected):
    assert Tokenizer("english", "english").tokens(text) == expected.split()


def test_plain_and_other_texts_are_cut_alike():
    # The letters of a plain text are looked for with a shorter pattern.
    plain = "It's 1,250-2,000: FEE-0421, open_account_4821, 4.10 o'brien -x- 5-year 25.5abc 1.2.3"
    tokenizer = Tokenizer("english", "english")
    assert [*tokenizer.tokens(plain), "é"] == tokenizer.tokens(plain + " é")


def test_the_language_of_stems_and_stop_words():
    assert Tokenizer("german", "german").tokens("die Gebühren der Konten") == ["gebuhr", "kont"]
    assert Tokenizer(None, None).tokens("the fees") == ["the", "fees"]
    for language in STOP_LISTS:
        check_language(None, language)
        assert Tokenizer(None, language).tokens("x1") == ["x1"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bm25(k1=-1)", "k1 is -1.0; it must be at least 0"),
        ("bm25(b=1.5)", "b is 1.5; it must be from 0 to 1"),
        ("bm25(stem=klingon)", "no stemmer is called 'klingon'; known: arabic"),
        ("bm25(stop=klingon)", "no stop words of 'klingon'; known: chinese"),
        ("bm25(context=page)", "context must be one of 'title', 'headings' or none"),
    ],
)
def test_bad_arguments(spec, message):
    with pytest.raises(SpecError, match=message):
        RETRIEVERS.create(spec)


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (0.0, 0.0)])
def test_scores_and_ranks_are_those_of_bare_bm25s(index_of, k1, b):
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(40)])
    texts = {
        f"{i:03d}.txt": " ".join(rng.choice(words, rng.integers(1, 30), p=_zipf(40)))
        for i in range(200)
    }
    index = index_of(texts)
    retriever = open_retriever(f"bm25(k1={k1}, b={b})", index)
    bare = bm25s.BM25(k1=k1, b=b, method="lucene")
    tokenizer = Tokenizer("english", "english")
    bare.index([tokenizer.tokens(chunk.text) for chunk in index.chunks], show_progress=False)
    for query in ("w1", "w0 w1 w2", "w3 w3 w39 unknown", "w0 w5 w9 w12 w20"):
        scores = bare.get_scores(tokenizer.tokens(query))
        expected = sorted(
            (
                (round(float(score), 5), chunk.chunk_id)
                for score, chunk in zip(scores, index.chunks, strict=True)
                if score > 0
            ),
            key=lambda found: (-found[0], found[1]),  # one chunk per document
        )
        for n in (1, 3, 10, 50, 200, 500):
            hits = retriever.retrieve(query, n)
            assert [(hit.score, hit.chunk.chunk_id) for hit in hits] == expected[:n]


def _zipf(n):
    weights = 1 / np.arange(1, n + 1)
    return weights / weights.sum()


def test_a_filter_leaves_scores_as_they_are(index_of):
    metadata = {"a.txt": {"kind": "x"}, "b.txt": {"kind": "y"}, "c.txt": {"kind": "x"}}
    texts = {"a.txt": "fox", "b.txt": "fox fox", "c.txt": "whale"}
    retriever = open_retriever("bm25", index_of(texts, metadata=metadata))
    scores = {hit.chunk.doc_id: hit.score for hit in retriever.retrieve("fox", 5)}
    (hit,) = retriever.retrieve("fox", 5, {"kind": "x"})
    assert (hit.chunk.doc_id, hit.score, hit.rank) == ("a.txt", scores["a.txt"], 1)


def test_titles_and_headings_can_be_indexed(index_of):
    index = index_of({"a.md": "# Wires\n\n## Abroad\n\nIt costs $25.", "b.md": "# Cards\n\nNone."},
                     chunker="heading")  # fmt: skip
    cost = next(chunk for chunk in index.chunks if "costs" in chunk.text)

    def found(spec):
        return cost in [hit.chunk for hit in open_retriever(spec, index).retrieve("wires", 9)]

    assert not found("bm25") or "Wires" in cost.text
    assert found("bm25(context=title)")
    assert found("bm25(context=headings)")


def test_codes_and_numbers_are_found(index_of):
    texts = {
        "a.txt": "To waive it, unlock tool_name_0421 first.",
        "b.txt": "To raise it, unlock tool_name_0422 first.",
        "c.txt": "A wire of $1,250.00 is free.",
        "d.txt": "国际电汇的手续费是多少",
    }
    retriever = open_retriever("bm25", index_of(texts))
    for query, first in {
        "tool_name_0421": "a.txt",
        "tool_name_0422": "b.txt",
        "0422": "b.txt",
        "1250": "c.txt",
        "1,250 dollars": "c.txt",
        "手续费": "d.txt",
    }.items():
        assert retriever.retrieve(query, 3)[0].chunk.doc_id == first
    assert [hit.chunk.doc_id for hit in retriever.retrieve("tool name", 3)] == ["a.txt", "b.txt"]
