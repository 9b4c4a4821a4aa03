"""Setups are composed from their names, and played with all their tools."""

import itertools
import json
from dataclasses import replace

import pytest

from ragbench.config import EvalConfig
from ragbench.errors import SpecError, UnknownName, UsageError
from ragbench.retrieval import MODIFIERS, RETRIEVERS, SETUPS, parse_stack, setup_named
from ragbench.runner import prepare, run
from ragbench.simulate import Environment

BASES = ("dense", "bm25", "hybrid")


def test_every_combination_in_any_order_is_one_setup():
    names = set()
    for base in BASES:
        for size in range(len(MODIFIERS) + 1):
            for chosen in itertools.permutations(MODIFIERS, size):
                setup = setup_named("+".join([base, *chosen]))
                names.add(setup.name)
                assert setup.stack.retriever == RETRIEVERS.create(base)
                assert (setup.stack.reranker is not None) == ("rerank" in chosen)
                assert (setup.stack.rewriter is not None) == ("rewrite" in chosen)
                assert (setup.grep is not None) == ("grep" in chosen)
                assert setup.inline == "nothing"
                assert setup.vectors == (base != "bm25")
                assert setup_named(setup.name) == setup
                assert str(parse_stack(setup.retriever)) == setup.retriever
    assert len(names) == 3 * 8
    assert "hybrid+rerank+grep+rewrite" in names


def test_bases_without_a_search_tool():
    others = {name: setup_named(name) for name in SETUPS if name not in BASES}
    assert {name: (s.retriever, s.grep is not None, s.inline) for name, s in others.items()} == {
        "grep_only": (None, True, "nothing"),
        "golden_retrieval": (None, False, "documents"),
        "golden_passages": (None, False, "passages"),
        "full_kb": (None, False, "corpus"),
        "no_knowledge": (None, False, "nothing"),
    }
    assert not any(setup.vectors for setup in others.values())


def test_parts_take_arguments():
    setup = setup_named(" bm25(k1=1.2) + grep(ignore_case=false)+ rules(file=none) ")
    assert setup.name == "bm25(k1=1.2)+grep(ignore_case=false)+rules(file=none)"
    assert setup.stack.name == "bm25(k1=1.2)+rewrite"
    assert setup.retriever == (
        "bm25(k1=1.2, b=0.75, stem=english, stop=english, context=none)+rules(file=none)"
    )
    assert setup.grep.ignore_case is False
    assert setup_named("grep_only(ignore_case=false)").grep.ignore_case is False
    quoted = parse_stack("bm25+rerank(model='a+b(c')")
    assert quoted.reranker.model == "a+b(c"
    assert parse_stack(str(quoted)) == quoted


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("dens", UnknownName, "did you mean 'dense'"),
        ("dens+rerank", UnknownName, "No retrieval setup is called 'dens'"),
        ("grep", UnknownName, "did you mean 'grep_only'"),
        ("dense+rerankk", UnknownName, "No modifier of a retrieval setup is called 'rerankk'. "
         "Known: grep, rerank, rewrite; did you mean 'rerank'"),
        ("dense+bm25", UnknownName, "No modifier of a retrieval setup is called 'bm25'"),
        ("dense+grep+grep", SpecError, "has .grep twice"),
        ("dense+rerank+cross_encoder", SpecError, "names two rerankers"),
        ("full_kb+grep", SpecError, "takes no modifier.*Modifiers go with dense, bm25, hybrid"),
        ("grep_only+rewrite", SpecError, "has no search tool"),
        ("no_knowledge(k=3)", SpecError, "has no arguments"),
        ("dense+", SpecError, "'' is not a component spec"),
        ("bm25(k9=1)", SpecError, "has no argument 'k9'"),
        ("dense+rewrite(file=absent.toml)", SpecError, "'absent.toml' cannot be used"),
    ],
)  # fmt: skip
def test_bad_names(name, error, message):
    with pytest.raises(error, match=message):
        setup_named(name)


def test_a_stack_for_patterns_takes_nothing_else():
    with pytest.raises(SpecError, match="grep is asked patterns"):
        parse_stack("grep+rewrite")
    with pytest.raises(UnknownName, match="No reranker or rewriter is called 'grep'"):
        parse_stack("dense+grep")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def config(store, folder, setup):
    return EvalConfig(domain="mock", store=store, retrieval_config=setup, save_to=folder)


def test_a_setup_with_modifiers_is_played(store, tmp_path):
    prepared = prepare(config(store, tmp_path / "run", "bm25+rewrite+grep"))
    assert [tool.name for tool in prepared.knowledge] == ["search_policies", "grep_policies"]
    assert prepared.search_tool == "search_policies"
    views = Environment(prepared.domain, prepared.tasks[0], prepared.knowledge).tools("assistant")
    assert [view.name for view in views][-2:] == ["search_policies", "grep_policies"]
    result = run(prepared)
    assert result.resolved["identity"]["setup"] == "bm25+grep+rewrite"
    retriever = result.resolved["identity"]["retriever"]
    assert retriever.startswith("search_policies: bm25(k1=1.5, ")
    assert "+rules sha256=" in retriever
    assert retriever.endswith(", grep_policies: grep(ignore_case=true)")
    lines = (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    assert {event["tool"] for event in events} == {"search_policies"}
    assert all(event["parameters"]["rewritten_query"] for event in events)


def test_another_rules_file_is_another_run(store, tmp_path):
    rules = tmp_path / "r.toml"

    def identity():
        prepared = prepare(config(store, None, f"bm25+rewrite(file='{rules}')"))
        return prepared.retrieval

    rules.write_text('stop_phrases = ["please"]')
    first = identity()
    assert identity() == first
    rules.write_text('stop_phrases = ["thanks"]')
    assert identity() != first


def test_the_oracle_refuses_grep_only(store, tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(UsageError, match=r"cannot play the setup 'grep_only'.*Take bm25\+grep"):
        prepare(config(store, folder, "grep_only"))
    assert not folder.exists()


def test_a_domain_tool_of_that_name_is_refused(store, tmp_path, monkeypatch):
    from ragbench.domains import load_domain
    from ragbench.errors import DomainError

    domain = load_domain("mock")
    (first, *_) = domain.tools.values()
    renamed = replace(domain, tools={**domain.tools, "grep_policies": first})
    monkeypatch.setattr("ragbench.runner._prepare.load_domain", lambda name: renamed)
    with pytest.raises(DomainError, match="has a tool 'grep_policies'"):
        prepare(config(store, tmp_path / "run", "bm25+grep"))


def test_patterns_are_diagnosed_with_the_tool_for_patterns(store, tmp_path):
    probe = prepare(config(store, tmp_path / "run", "bm25+grep")).probe
    assert probe.search_tool == "search_policies"
    assert probe.hits("zzz|fee", 3, "search_policies") != probe.hits("zzz|fee", 3, "grep_policies")
    assert all(hit.score == int(hit.score) for hit in probe.hits("zzz|fee", 3, "grep_policies"))
    # A trajectory from elsewhere: its tool stands for the search tool.
    assert probe.hits("late fee", 3, "kb_search") == probe.hits("late fee", 3, "search_policies")
