"""Rewriters and a reranker that ask a chat model, over real HTTP."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from model_server import ModelServer, error, says

from ragbench.config import SearchConfig
from ragbench.errors import LLMError, SpecError, UsageError
from ragbench.llm import LLMCache, Models
from ragbench.records import ToolCall
from ragbench.retrieval import (
    REWRITTEN,
    KnowledgeTool,
    open_retriever,
    parse_stack,
    search,
    setup_named,
)

TEXTS = {
    "a.txt": "A wire transfer costs thirty dollars.",
    "b.txt": "Money abroad takes two days.",
    "c.txt": "A wire transfer abroad is free for gold members.",
}


def answers(value):
    """A reply that is a JSON object."""
    return says(json.dumps(value))


def term(name, server, **more):
    """The component asking the server, as a term of a spec."""
    given = "".join(f", {key}={value}" for key, value in more.items())
    return f"{name}(model=openai/m, base_url={server.url}{given})"


def ids(hits):
    return [hit.chunk.doc_id for hit in hits]


def asked(server):
    """The last message of each request."""
    return [request.body["messages"][-1]["content"] for request in server.requests]


def test_the_model_s_query_is_searched_for_and_asked_once(index_of):
    index = index_of(TEXTS)
    with ModelServer([answers({"query": "wire transfer"})]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        plain = open_retriever("bm25", index)
        expected = plain.retrieve("wire transfer", 9)
        assert ids(expected) == ["a.txt", "c.txt"]  # the shorter text scores higher
        assert plain.retrieve("how do I pay someone", 9) == []
        # The second search, deeper, is what the diagnosis does: it must cost nothing.
        assert retriever.retrieve("how do I pay someone", 1) == expected[:1]
        assert retriever.retrieve("how do I pay someone", 9) == expected
        (request,) = server.requests
    assert "<query>\nhow do I pay someone\n</query>" in request.body["messages"][1]["content"]
    assert request.body["temperature"] == 0
    form = request.body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["query"]


def test_equal_queries_at_once_are_one_question(index_of):
    index = index_of(TEXTS)
    slow = answers({"query": "abroad"}).but(delay_s=0.3)
    with ModelServer([slow]) as server, ThreadPoolExecutor(4) as pool:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        found = list(pool.map(lambda n: ids(retriever.retrieve("overseas", n)), [1, 2, 3, 2]))
        assert len(server.requests) == 1
    # "abroad" stands in both, and the shorter text scores higher.
    assert found == [["b.txt"], ["b.txt", "c.txt"], ["b.txt", "c.txt"], ["b.txt", "c.txt"]]


def test_an_event_keeps_what_the_model_made_of_the_query(index_of):
    index = index_of(TEXTS)
    with ModelServer([answers({"query": " gold members "})]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        tool = KnowledgeTool("search", retriever, index.documents, "i")
        _, event = tool.call(ToolCall(id="c", name="search", arguments={"query": "VIP"}), 0, 0)
    assert event.query == "VIP"
    assert event.parameters == {"k": 5, REWRITTEN: "gold members"}
    assert [hit.doc_id for hit in event.hits] == ["c.txt"]


def test_what_is_no_query_is_not_sent_to_the_model(index_of):
    index = index_of(TEXTS)
    with ModelServer([]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        tool = KnowledgeTool("search", retriever, index.documents, "i")
        half = ToolCall(id="c", name="search", arguments={"query": "fee \ud83d"})
        text, event = tool.call(half, 0, 0)
        with pytest.raises(UsageError, match="is empty"):
            retriever.retrieve(" ", 5)
        assert server.requests == []
    assert "half of a character" in text
    assert event.hits == ()


def test_a_search_from_outside_tells_what_was_searched_for(index_of, tmp_path):
    index_of(TEXTS)
    with ModelServer([answers({"query": "gold members"})]) as server:
        spec = f"bm25+{term('llm_rewrite', server)}"
        found = search(SearchConfig("VIP", store=tmp_path / "store", retriever=spec))
    assert found.rewritten == "gold members"
    assert ids(found.hits) == ["c.txt"]
    plain = search(SearchConfig("wire", store=tmp_path / "store", retriever="bm25"))
    assert plain.rewritten is None


def test_which_tools_wait(index_of):
    index = index_of(TEXTS)

    def waits(spec):
        return KnowledgeTool("search", open_retriever(spec, index), index.documents, "i").waits

    assert not waits("bm25")
    assert not waits("bm25+rewrite")
    assert waits("bm25+hyde(model=m)")
    assert waits("bm25+rewrite+llm_rerank(model=m)")


def test_hyde_searches_for_the_passage_and_reranks_for_the_query(index_of):
    index = index_of(TEXTS)
    replies = [answers({"passage": "wire transfer"}), answers({"1": 2, "2": 9})]
    with ModelServer(replies) as server:
        spec = f"bm25+{term('hyde', server)}+{term('llm_rerank', server)}"
        hits = open_retriever(spec, index).retrieve("what does it cost", 5)
        _, grading = asked(server)
    assert ids(hits) == ["c.txt", "a.txt"]
    assert "<query>\nwhat does it cost\n</query>" in grading


def test_a_rewritten_query_is_what_the_reranker_sees(index_of):
    index = index_of(TEXTS)
    replies = [answers({"query": "wire transfer"}), answers({"1": 2, "2": 9})]
    with ModelServer(replies) as server:
        spec = f"bm25+{term('llm_rewrite', server)}+{term('llm_rerank', server)}"
        open_retriever(spec, index).retrieve("what does it cost", 5)
        assert "<query>\nwire transfer\n</query>" in asked(server)[1]


def test_grades_decide_and_equal_ones_keep_the_order(index_of):
    index = index_of(TEXTS)
    plain = open_retriever("bm25", index).retrieve("wire transfer abroad", 9)
    assert ids(plain) == ["c.txt", "a.txt", "b.txt"]  # three words, two words, one word
    with ModelServer([answers({"1": 3, "2": 3, "3": 10})]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rerank', server)}", index)
        hits = retriever.retrieve("wire transfer abroad", 9)
        assert retriever.retrieve("wire transfer abroad", 2) == hits[:2]
        (material,) = asked(server)
    assert ids(hits) == ["b.txt", "c.txt", "a.txt"]
    # 10 + 1/(1+3), 3 + 1/(1+1), 3 + 1/(1+2)
    assert [hit.score for hit in hits] == [10.25, 3.5, 3.33333]
    assert f"[1] {TEXTS['c.txt']}\n\n[2] {TEXTS['a.txt']}" in material


def test_only_the_first_hits_are_graded_and_returned(index_of):
    index = index_of(TEXTS)
    with ModelServer([answers({"1": 0, "2": 1})]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rerank', server, depth=2)}", index)
        assert ids(retriever.retrieve("wire transfer abroad", 9)) == ["a.txt", "c.txt"]
        assert retriever.retrieve("nothing of it", 9) == []
        assert len(server.requests) == 1  # there was nothing to grade


BAD_GRADES = [
    ({"1": 3, "2": 3}, "its keys are ['1', '2'], not ['1', '2', '3']"),
    ({"1": 3, "2": 3, "3": 3, "4": 3}, "its keys are"),
    ({"1": 3, "2": 3, "3": 11}, "a grade is 11"),
    ({"1": 3, "2": 3, "3": True}, "a grade is True"),
    ({"1": 3, "2": 3, "3": "3"}, "a grade is '3'"),
    ({"1": 3, "2": 3, "3": 3.5}, "a grade is 3.5"),
]


@pytest.mark.parametrize(("value", "problem"), BAD_GRADES)
def test_malformed_grades_are_an_error_and_never_the_old_order(index_of, value, problem):
    index = index_of(TEXTS)
    with ModelServer([answers(value), answers(value)]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rerank', server)}", index)
        with pytest.raises(LLMError) as raised:
            retriever.retrieve("wire transfer abroad", 2)
        _, mending = asked(server)
    assert raised.value.kind == "malformed"
    assert problem in str(raised.value)
    assert problem in mending


BAD_TEXTS = [
    says(""),
    says("wire transfer"),
    says('Sure! {"query": "wire"}'),
    says('["wire"]'),
    says('{"query": "wire", "query": "abroad"}'),
    answers({"query": " "}),
    answers({"query": None}),
    answers({"query": "\ud83d"}),
    answers({"question": "wire"}),
    answers({"query": "wire", "why": "shorter"}),
]


@pytest.mark.parametrize("bad", BAD_TEXTS)
def test_a_malformed_query_is_mended_once(index_of, bad):
    index = index_of(TEXTS)
    fenced = says('```json\n{"query": "gold members"}\n```')
    with ModelServer([bad, fenced]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        assert ids(retriever.retrieve("VIP", 5)) == ["c.txt"]
        assert len(server.requests) == 2


def test_a_failure_is_not_kept(index_of):
    index = index_of(TEXTS)
    with ModelServer([error(400), answers({"query": "gold members"})]) as server:
        retriever = open_retriever(f"bm25+{term('llm_rewrite', server)}", index)
        tool = KnowledgeTool("search", retriever, index.documents, "i")
        with pytest.raises(LLMError) as raised:
            tool.call(ToolCall(id="c", name="search", arguments={"query": "VIP"}), 0, 0)
        assert raised.value.kind == "bad_request"
        assert ids(retriever.retrieve("VIP", 5)) == ["c.txt"]


def test_a_recording_answers_without_a_server(index_of, tmp_path):
    index, file = index_of(TEXTS), tmp_path / "replies.jsonl"
    with ModelServer([answers({"query": "abroad"}), answers({"1": 1, "2": 7})]) as server:
        # bm25 finds b.txt, c.txt
        spec = f"bm25+{term('llm_rewrite', server)}+{term('llm_rerank', server)}"
        recording = LLMCache.recording(file)
        recorded = open_retriever(spec, index, Models(recording)).retrieve("overseas", 5)
        recording.close()
    replayed = open_retriever(spec, index, Models(LLMCache.replaying(file)))
    assert ids(recorded) == ["c.txt", "b.txt"]
    assert replayed.retrieve("overseas", 5) == recorded
    with pytest.raises(LLMError) as raised:
        replayed.retrieve("at home", 5)
    assert raised.value.kind == "cache_miss"


def test_the_identity_names_model_arguments_and_prompt(index_of):
    index = index_of(TEXTS)
    plain, warm, hyde, grading = (
        open_retriever(f"bm25+{part}", index).identity
        for part in (
            "llm_rewrite(model=m)",
            "llm_rewrite(model=m, args='{\"temperature\": 1}')",
            "hyde(model=m)",
            "llm_rerank(model=m, api_key_env=MY_KEY)",
        )
    )
    assert len({plain, warm, hyde, grading}) == 4
    assert "llm_rewrite(m args={} temperature=0.0 base_url=None) prompt=1" in plain
    assert "depth=10" in grading
    assert "MY_KEY" not in grading


def test_specs_and_setups():
    assert parse_stack("dense+llm_rewrite(model=openai/m)").name == (
        "dense+llm_rewrite(model=openai/m)"
    )
    text = "bm25+rerank+hyde(model=m, base_url=http://127.0.0.1:1/v1)"
    assert parse_stack(str(parse_stack(text))) == parse_stack(text)
    assert setup_named("bm25+hyde(model=m)+grep").name == "bm25+grep+hyde(model=m)"
    with pytest.raises(SpecError, match="names two rewriters"):
        setup_named("bm25+rewrite+hyde(model=m)")
    with pytest.raises(SpecError, match=r"needs model. Write: llm_rewrite\(model=\.\.\."):
        parse_stack("bm25+llm_rewrite")
    with pytest.raises(SpecError, match="depth is 0"):
        parse_stack("bm25+llm_rerank(model=m, depth=0)")


@pytest.mark.parametrize(
    "arguments",
    [
        'args=\'{"api_key": "sk-planted-123456"}\'',
        "base_url='http://user:sk-planted-123456@host/v1'",
        "api_key_env='sk-planted-123456'",
    ],
)
def test_a_key_in_a_spec_is_refused_and_not_repeated(arguments):
    with pytest.raises(SpecError) as raised:
        parse_stack(f"bm25+llm_rewrite(model=m, {arguments})")
    assert "planted" not in str(raised.value)
