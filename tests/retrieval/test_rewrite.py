"""Rules that rewrite a query, their file, and what an event keeps of them."""

import pytest

from ragbench.errors import SpecError
from ragbench.records import ToolCall
from ragbench.retrieval import (
    REWRITERS,
    REWRITTEN,
    KnowledgeTool,
    RewriteRules,
    Rules,
    open_retriever,
    read_rules,
)

RULES = RewriteRules(
    stop_phrases=("can you tell me", "please", "i'd like"),
    abbreviations={"acct": "account", "w/o": "without", "ach": "automated clearing house"},
    synonyms={"wire": ("transfer", "remittance"), "late fee": ("penalty",), "手续费": ("费用",)},
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Can you tell me the limit?", "the limit?"),
        ("can  you\ntell me, please, the limit", "the limit"),
        ("I’d like the limit, please.", "the limit."),
        ("pleased customers", "pleased customers"),  # whole words only
        ("please", "please"),  # nothing would be left
        ("Can you tell me, please?", "Can you tell me, please?"),
        ("an ACCT w/o fees", "an account without fees"),
        ("accts", "accts"),
        ("a wire", "a wire transfer remittance"),
        ("a wire and a WIRE", "a wire and a WIRE transfer remittance"),
        ("a wire transfer", "a wire transfer remittance"),  # what is there is not said again
        ("Late   fees and a late\tfee", "Late   fees and a late\tfee penalty"),
        ("国际手续费", "国际手续费 费用"),  # no spaces, no bounds of words
        ("ıf it wıre", "ıf it wıre"),
        ("", ""),
    ],
)
def test_rules(query, expected):
    assert RULES.rewrite(query) == expected


def test_no_rule_is_applied_to_what_a_rule_made():
    rules = RewriteRules((), {"a": "b", "b": "c"}, {"c": ("d",), "d": ("e",)})
    assert rules.rewrite("a b") == "b c d"


def test_the_longest_phrase_wins():
    rules = RewriteRules(("can you", "can you tell me"), {"po": "post", "po box": "mail"}, {})
    assert rules.rewrite("can you tell me the po box") == "the mail"


def test_toml_and_yaml_files_mean_the_same(tmp_path):
    toml, yaml = tmp_path / "r.toml", tmp_path / "r.yaml"
    toml.write_text(
        'stop_phrases = ["please"]\n[abbreviations]\nACCT = "account"\n'
        '[synonyms]\nwire = ["transfer"]\n'
    )
    yaml.write_text(
        "stop_phrases: [please]\nabbreviations: {ACCT: account}\nsynonyms:\n  wire: [transfer]\n"
    )
    assert read_rules(toml) == read_rules(yaml)
    assert read_rules(toml).rewrite("wire to my acct please") == "wire to my account transfer"
    assert Rules(str(toml)).identity == Rules(str(yaml)).identity
    before = Rules(str(toml)).identity
    toml.write_text('stop_phrases = ["pleased"]\n')
    assert Rules(str(toml)).identity != before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.toml", None, "absent.toml' cannot be used: No such file"),
        ("r.json", "{}", r"its name must end in \.toml, \.yaml or \.yml"),
        ("r.toml", "stop_phrases = [", "cannot be used: Invalid value"),
        ("r.yaml", "a: [", "cannot be used: .*line 1"),
        ("r.yaml", "- please", "it must hold the keys stop_phrases, abbreviations, synonyms"),
        ("r.toml", "synonym = {}", "'synonym' is none of the keys .*did you mean 'synonyms'"),
        ("r.toml", 'stop_phrases = "please"', "stop_phrases must be a list of texts"),
        ("r.toml", 'stop_phrases = [" "]', "stop_phrases holds ' ', which is no text"),
        ("r.toml", "synonyms = []", "synonyms must map words to words"),
        ("r.toml", "[abbreviations]\nacct = 3", "abbreviations.acct holds 3, which is no text"),
        ("r.toml", '[synonyms]\nwire = "transfer"', "synonyms.wire must be a list of texts"),
        ("r.toml", '[abbreviations]\na = "b"\nA = "c"', "abbreviations has 'A' twice"),
        ("r.toml", b"\xff", "cannot be used"),
    ],
)
def test_a_bad_file_is_refused_when_it_is_named(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SpecError, match=message):
        REWRITERS.create(f"rules(file='{path}')")


def test_the_shipped_rules():
    rewrite = REWRITERS.create("rules").rewrite
    assert rewrite("Could you tell me the min. amt for a new acct?") == (
        "the min. amount for a new account?"
    )
    assert rewrite("What does a wire cost?") == "What does a wire cost?"


def test_the_retriever_is_asked_the_rewritten_query(index_of, tmp_path):
    rules = tmp_path / "r.toml"
    rules.write_text('stop_phrases = ["tell me"]\n[abbreviations]\nacct = "account"\n')
    index = index_of({"a.txt": "the account", "b.txt": "tell me all"})
    plain, rewriting = (
        open_retriever(spec, index) for spec in ("bm25", f"bm25+rewrite(file='{rules}')")
    )
    query = "Tell me about my acct"
    assert [hit.chunk.doc_id for hit in plain.retrieve(query, 5)] == ["b.txt"]
    assert rewriting.retrieve(query, 5) == plain.retrieve("about my account", 5)
    assert rewriting.identity.startswith(f"{plain.identity}+rules sha256=")
    assert rewriting.n_chunks == 2


def test_an_event_keeps_both_queries(index_of, tmp_path):
    index = index_of({"a.txt": "the account", "b.txt": "tell me all"})
    tool = KnowledgeTool("search", open_retriever("bm25+rewrite", index), index.documents, "i")
    call = ToolCall(id="c", name="search", arguments={"query": "Please, my acct", "k": 1})
    _, event = tool.call(call, 0, 0)
    assert event.query == "Please, my acct"
    assert event.parameters == {"k": 1, REWRITTEN: "my account"}
    assert [hit.doc_id for hit in event.hits] == ["a.txt"]
    _, event = tool.call(ToolCall(id="c", name="search", arguments={"query": " "}), 0, 0)
    assert event.parameters == {"k": 5}
