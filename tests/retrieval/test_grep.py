"""Regular expressions: counted, ranked, never catastrophic, and refused with a reason."""

import time

import pytest

from ragbench.errors import UsageError
from ragbench.records import ToolCall
from ragbench.retrieval import GrepTool, grep_tool_name, open_retriever

TEXTS = {
    "a.txt": "Wire fee $25.\nOpen it with open_account_4821.",
    "b.txt": "fee, FEE and Fee\nwire",
    "c.txt": "Gebühr 手续费 fee",
}


def found(index, pattern, n=9, spec="grep", where=None):
    hits = open_retriever(spec, index).retrieve(pattern, n, where)
    return [(hit.chunk.doc_id, hit.score, hit.rank) for hit in hits]


def test_matches_are_counted_and_ranked(index_of):
    index = index_of(TEXTS)
    assert found(index, "fee") == [("b.txt", 3.0, 1), ("a.txt", 1.0, 2), ("c.txt", 1.0, 3)]
    assert found(index, "fee", n=1) == [("b.txt", 3.0, 1)]
    assert found(index, "fee", spec="grep(ignore_case=false)") == [
        ("a.txt", 1.0, 1), ("b.txt", 1.0, 2), ("c.txt", 1.0, 3)
    ]  # fmt: skip
    assert found(index, "(?-i)FEE") == [("b.txt", 1.0, 1)]
    assert found(index, r"[a-z_]+_\d{4}") == [("a.txt", 1.0, 1)]
    assert found(index, r"\$25\.") == [("a.txt", 1.0, 1)]
    assert found(index, "手续.") == [("c.txt", 1.0, 1)]
    assert found(index, r"geb\p{L}hr") == [("c.txt", 1.0, 1)]
    assert found(index, "nowhere") == []


def test_lines_alternatives_and_matches_of_nothing(index_of):
    index = index_of(TEXTS)
    assert found(index, "^(wire|open)") == [("a.txt", 2.0, 1), ("b.txt", 1.0, 2)]
    assert found(index, "wire$|q") == [("b.txt", 1.0, 1)]
    assert found(index, "q*") == []
    assert found(index, "e*fe*") == [("b.txt", 3.0, 1), ("a.txt", 1.0, 2), ("c.txt", 1.0, 3)]


def test_at_most_a_hundred_matches_of_a_chunk_count(index_of):
    assert found(index_of({"a.txt": "x " * 150}), "x") == [("a.txt", 100.0, 1)]


@pytest.mark.parametrize(
    "pattern",
    [
        "(x+x+)+y",  # exponential for an engine that goes back
        "(x|xx)*y",
        "(?s:.*z|x)",  # every match reads to the end: quadratic in the matches without a bound
        "(?:x?){200}x{200}",
    ],
)
def test_no_pattern_is_catastrophic(index_of, pattern):
    index = index_of({"a.txt": "x" * 200_000}, chunker="document")
    retriever = open_retriever("grep", index)
    started = time.perf_counter()
    retriever.retrieve(pattern, 5)
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", r"The pattern '\(' is no regular expression of RE2: missing \): \(.*backslash"),
        ("*fee", "no argument for repetition operator"),
        ("[a", "missing ]"),
        (r"(a)\1", r"invalid escape sequence.*no backreferences"),
        ("(?<=wire )fee", "invalid perl operator.*no look-around"),
        ("a{5000}", "invalid repetition size"),
        (r"[\p{L}]{10}", r"too large: it compiles to [\d,]+ instructions, 2,500 are allowed"),
    ],
)
def test_a_bad_pattern_says_why(index_of, pattern, message, capfd):
    with pytest.raises(UsageError, match=message):
        open_retriever("grep", index_of(TEXTS)).retrieve(pattern, 5)
    assert capfd.readouterr() == ("", "")


def test_the_tool_for_patterns(index_of):
    metadata = {name: {"category": "fees" if name < "c" else "other"} for name in TEXTS}
    index = index_of(TEXTS, metadata=metadata)
    tool = GrepTool(
        "grep_policies", open_retriever("grep", index), index.documents, index.index_id, k=2
    )
    assert tool.schema["required"] == ["pattern"]
    assert list(tool.schema["properties"]) == ["pattern", "k", "category"]
    text, event = tool.call(_call(pattern="fee"), 3, 1)
    assert text.startswith("[1] ")
    assert (event.tool, event.query, event.parameters) == ("grep_policies", "fee", {"k": 2})
    assert [(hit.doc_id, hit.score) for hit in event.hits] == [("b.txt", 3.0), ("a.txt", 1.0)]
    assert (event.step, event.position, event.n_delivered, event.error) == (3, 1, 2, None)
    assert event.index_id == index.index_id
    assert event.latency_ms > 0
    _, event = tool.call(_call(pattern="fee", k=9, category="fees"), 0, 0)
    assert [hit.doc_id for hit in event.hits] == ["b.txt", "a.txt"]
    assert event.parameters == {"k": 9, "category": "fees"}
    assert tool.call(_call(pattern="nowhere"), 0, 0)[0] == "No passage matches this pattern."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "("}, "The pattern '(' is no regular expression of RE2: missing ): (."),
        ({"pattern": " "}, "grep_policies needs a pattern. A regular expression"),
        ({}, "grep_policies needs a pattern."),
        ({"query": "fee"}, "grep_policies has no argument 'query'. It has: pattern, k, category."),
        ({"pattern": "\ud800"}, "is half of a character"),
        ({"pattern": "fee", "k": 51}, "k is 51; it must be an integer from 1 to 50."),
    ],
)
def test_the_tool_answers_a_bad_call(index_of, arguments, message):
    index = index_of(TEXTS)
    tool = GrepTool("grep_policies", open_retriever("grep", index), index.documents, "i")
    text, event = tool.call(ToolCall(id="c", name="grep_policies", arguments=arguments), 0, 0)
    assert text.startswith("Error: ")
    assert message in text
    assert (event.error, event.hits, event.n_delivered) == (text.removeprefix("Error: "), (), 0)


def _call(**arguments):
    return ToolCall(id="c", name="grep_policies", arguments=arguments)


def test_its_name_follows_from_the_search_tool():
    assert grep_tool_name("search_policies") == "grep_policies"
    assert grep_tool_name("search_bank_policies") == "grep_bank_policies"
