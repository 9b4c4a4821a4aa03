"""Counting the tokens of words: once each, many together, and as the tokenizer counts them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragbench.ingest.chunk import CHUNKERS, count_tokens
from ragbench.ingest.chunk._longest_match import LongestMatch, is_plain
from ragbench.ingest.chunk._table import Table
from ragbench.ingest.chunk._wordpieces import WordPieces
from ragbench.ingest.minilm import model_folder
from ragbench.records import Document


@pytest.fixture(scope="module")
def tokenizer():
    found = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


@pytest.fixture
def asked():
    """What a table asked to be counted, one list for each call; a word's number is its length."""
    return []


@pytest.fixture
def table(asked):
    def count(words):
        asked.append(words)
        return list(map(len, words))

    return Table(count)


def test_each_distinct_word_is_counted_once_and_new_ones_together(table, asked):
    assert table.counts(["fee", "a", "fee"]) == [3, 1, 3]
    assert table.counts(["card", "a", "is"]) == [4, 1, 2]
    assert asked == [["fee", "a"], ["card", "is"]]


def test_sums_of_groups_count_what_is_new_in_any_of_them(table, asked):
    table.counts(["a"])
    # a + fee = 1 + 3; nothing; fee + fee + is = 3 + 3 + 2
    assert table.sums([["a", "fee"], [], ["fee", "fee", "is"]]) == [4, 0, 8]
    assert table.sums([["is", "a"]]) == [3]
    assert asked == [["a"], ["fee", "is"]]


def test_a_word_that_counts_nothing_is_known_too(table, asked):
    assert table.counts(["", "a"]) == [0, 1]
    assert table.sums([["", "a"]]) == [1]
    assert len(asked) == 1


def test_a_long_word_is_counted_but_not_kept(table, asked):
    long = "x" * 129
    assert table.counts([long, "a"]) == [129, 1]
    assert table.sums([[long, "a"]]) == [130]
    assert asked == [[long, "a"], [long]]


def test_a_failed_count_leaves_nothing_behind(asked):
    answers = iter([ValueError("no"), [2]])

    def count(words):
        asked.append(words)
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    table = Table(count)
    with pytest.raises(ValueError, match="no"):
        table.sums([["fee"]])
    assert table.sums([["is"]]) == [2]  # and not that of "fee" with it
    assert asked == [["fee"], ["is"]]


@pytest.mark.parametrize(
    ("word", "n_pieces"),
    [
        ("fee", 1),
        ("Fees", 2),  # fee ##s
        ("refees", 3),  # re ##fee ##s: the longest continuation, not ##f
        ("ref", 2),  # re ##f
        ("fee-fee", 3),  # fee - fee
        ("(fees)", 4),  # ( fee ##s )
        ("$9", 2),  # $, and 9 that is unknown
        ("refx", 1),  # no piece goes on with x, so that all of it is unknown
        ("fee" * 33 + "f", 34),  # 100 characters: fee 33 times, ##f
        ("fee" * 33 + "ff", 1),  # 101 characters
        ("-", 1),
    ],
)
def test_longest_match_worked_by_hand(word, n_pieces):
    vocabulary = ["fee", "re", "##s", "##f", "##fee", "-", "(", ")", "$"]
    assert LongestMatch(vocabulary).count(word) == n_pieces


@pytest.mark.parametrize("word", ["[SEP]", "a b", "caf\u00e9", "a\x00b", "a\tb", "", "\u00a325"])
def test_what_only_the_tokenizer_can_count_is_not_plain(word):
    assert not is_plain(word)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7F), max_size=120))
def test_printable_ascii_counts_as_the_tokenizer_counts_it(tokenizer, text):
    expected = len(tokenizer.encode(text, add_special_tokens=False).ids)
    assert WordPieces(tokenizer).count(text) == expected


def test_every_entry_of_the_vocabulary_and_random_runs_count_as_the_tokenizer_does(tokenizer):
    rng = np.random.default_rng(7)
    letters = np.array(list("abcdeinorst0123456789"))
    words = [piece.removeprefix("##") for piece in tokenizer.get_vocab()]
    words += ["".join(rng.choice(letters, size=n)) for n in rng.integers(1, 30, size=3000)]
    plain = [word for word in words if is_plain(word)]
    assert len(plain) > 20_000
    expected = [len(e) for e in tokenizer.encode_batch_fast(plain, add_special_tokens=False)]
    match = LongestMatch(tokenizer.get_vocab(with_added_tokens=False))
    assert [match.count(word) for word in plain] == expected


@pytest.mark.parametrize("spec", ["recursive(size_chars=64)", "document"])
def test_tokens_that_no_chunker_needed_are_counted_when_asked_for(spec, tokenizer):
    text = "Wire transfers cost $25. " * 8
    for chunk in CHUNKERS.create(spec).chunk(Document("d", "D", text)):
        assert chunk.tokens is count_tokens
        assert chunk.n_tokens == len(tokenizer.encode(chunk.text, add_special_tokens=False).ids)
        assert chunk.tokens == chunk.n_tokens  # kept
