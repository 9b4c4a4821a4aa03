"""Components of the user's own: loaded by file and name, checked, and blamed by file and line."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.config import IngestConfig, SearchConfig
from ragbench.errors import OwnPartError, RagbenchError, SpecError, UnknownName, UsageError
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import open_index
from ragbench.ingest.load import LOADERS
from ragbench.ingest.pipeline import ingest
from ragbench.own import digest_of
from ragbench.records import Document
from ragbench.registry import spec_of
from ragbench.retrieval import RERANKERS, RETRIEVERS, open_retriever, search, setup_named

CHUNKER = """
    class Mine:
        context = {context!r}
        def __init__(self, n=1):
            self.n = n
        def chunk(self, document):
            return {returned}
"""


def cut(code, returned: str, text: str = "one two one two", context=None):
    path = code(CHUNKER.format(returned=returned, context=context))
    return CHUNKERS.create(f"{path}:Mine").chunk(Document("a.md", "A", text))


# --- names and specs --------------------------------------------------------------------------


def test_the_canonical_spec_has_the_digest_and_parses_back(code) -> None:
    code(CHUNKER.format(returned="[]", context=None))
    made = CHUNKERS.create("mine.py:Mine(n=3)")
    spec = str(spec_of(made))
    assert spec == f"mine.py:Mine@{digest_of('mine.py')}(n=3)"
    assert CHUNKERS.create(spec) == made


def test_a_changed_file_is_refused_under_its_old_spec(code) -> None:
    code(CHUNKER.format(returned="[]", context=None))
    spec = str(spec_of(CHUNKERS.create("mine.py:Mine")))
    code(CHUNKER.format(returned="[(0, 1)]", context=None))
    with pytest.raises(UsageError, match=r"has changed.*--replace"):
        CHUNKERS.create(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("absent.py:Mine", "file 'absent.py' does not exist"),
        ("mine.py:Min", "has no 'Min'; did you mean 'Mine'"),
        ("no_such_module_here:Mine", "does not load: ModuleNotFoundError"),
    ],
)
def test_what_is_not_there(code, spec, message) -> None:
    code(CHUNKER.format(returned="[]", context=None))
    with pytest.raises(UsageError, match=message):
        CHUNKERS.create(spec)


@pytest.mark.parametrize(
    ("text", "line"),
    [("import os\n\nraise ValueError('no key')", 3), ("x = 1\ndef f(:\n    pass", 2)],
)
def test_code_that_does_not_load_is_blamed_by_its_line(code, text, line) -> None:
    code(text)
    with pytest.raises(UsageError, match=rf"does not load.*\(mine\.py, line {line}\)"):
        CHUNKERS.create("mine.py:Mine")


def test_an_argument_that_the_constructor_lacks(code) -> None:
    code(CHUNKER.format(returned="[]", context=None))
    chunker = CHUNKERS.create("mine.py:Mine(size=3)")
    with pytest.raises(SpecError, match=r"unexpected keyword argument 'size' \(mine\.py, line 1\)"):
        chunker.chunk(Document("a.md", "A", "text"))


def test_kinds_that_take_none_say_so(code) -> None:
    code(CHUNKER.format(returned="[]", context=None))
    with pytest.raises(UnknownName, match=r"No reranker is called 'mine\.py:Mine'"):
        RERANKERS.create("mine.py:Mine")


@pytest.mark.parametrize(
    ("registry", "method"),
    [(CHUNKERS, "chunk"), (EMBEDDERS, "embed"), (RETRIEVERS, "retrieve"), (LOADERS, "load")],
)
def test_a_class_without_the_method_is_refused_with_its_line(code, registry, method) -> None:
    code("X = 1\n\nclass Mine:\n    suffixes = ('.x',)\n    def other(self): ...")
    with pytest.raises(OwnPartError, match=rf"\(mine\.py, line 3\) has no method '{method}'"):
        registry.create("mine.py:Mine")


# --- chunkers ---------------------------------------------------------------------------------


def test_offsets_become_chunks_in_order(code) -> None:
    found = cut(code, "[(4, 7), (0, 3)]")
    assert [(c.start, c.end, c.text) for c in found] == [(0, 3, "one"), (4, 7, "two")]
    assert [c.n_tokens for c in found] == [1, 1]


@pytest.mark.parametrize(
    ("text", "returned", "spans"),
    [
        # No overlap: each behind the one before.
        ("one two one two", "['one two', 'one two']", [(0, 7), (8, 15)]),
        # The published trap of repeated words: 0, 6, 12 and not 0, 0, 0.
        ("chunk chunk chunk", "['chunk', 'chunk', 'chunk']", [(0, 5), (6, 11), (12, 17)]),
        # Overlap: "two one" begins at 4, inside the chunk before.
        ("one two one two", "['one two', 'two one', 'one two']", [(0, 7), (4, 11), (8, 15)]),
        ("a  b\n\nc", "['a  b', 'c']", [(0, 4), (6, 7)]),
    ],
)
def test_texts_are_located_one_behind_the_other(code, text, returned, spans) -> None:
    assert [(c.start, c.end) for c in cut(code, returned, text)] == spans


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("[(0, 99)]", r"the span \(0, 99\) as chunk 0 of 'a.md', whose text has 15 characters"),
        ("[(3, 3)]", r"the span \(3, 3\)"),
        ("[(True, 3)]", r"returned \(True, 3\)"),
        ("[(0, 3), (0, 3)]", r"the span \(0, 3\) of 'a.md' twice"),
        ("['one', 'three']", "the text 'three' as chunk 1.*does not stand there"),
        ("['  ']", "does not stand there"),
        ("[7]", "returned 7 as chunk 0.*A chunker is a class"),
    ],
)
def test_what_are_no_chunks_is_refused_with_the_line(code, returned, message) -> None:
    with pytest.raises(OwnPartError, match=message) as caught:
        cut(code, returned)
    assert "(mine.py, line 5)" in str(caught.value)  # where chunk is defined


def test_a_text_that_may_stand_at_two_places_is_not_guessed(code) -> None:
    # The second "fee" may be the one inside the first chunk (4) or the next one (8).
    with pytest.raises(OwnPartError, match="may stand at 4 or at 8"):
        cut(code, "['fee fee', 'fee']", "fee fee fee")


def test_what_the_code_raises_has_its_line_and_the_cause(code) -> None:
    with pytest.raises(OwnPartError, match=r"raised KeyError in chunk: 'x' \(mine\.py, line 6\)"):
        cut(code, "{}['x']")


def test_a_context_is_checked_and_embedded(code) -> None:
    with pytest.raises(OwnPartError, match="has the context 'all'; allowed: None, title, headings"):
        cut(code, "[]", context="all")
    code(CHUNKER.format(returned="[(0, 3)]", context="title"))
    assert CHUNKERS.create("mine.py:Mine").context == "title"


# --- embedders --------------------------------------------------------------------------------


def test_vectors_are_scaled_to_length_one(code) -> None:
    code("def embed(texts):\n    return [[3, 4] for _ in texts]")
    vectors = EMBEDDERS.create("mine.py:embed").embed(["a", "b"], "query")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)


def test_an_embedder_may_ask_what_a_text_is(code) -> None:
    code("""
        class Mine:
            identity = "v2"
            def embed(self, texts, kind):
                return [[1.0, 0.0] if kind == "query" else [0.0, 1.0] for _ in texts]
    """)
    embedder = EMBEDDERS.create("mine.py:Mine")
    assert embedder.has_prompts
    assert embedder.identity.endswith(" v2")
    assert embedder.embed(["a"], "query").tolist() == [[1.0, 0.0]]
    assert embedder.embed(["a"], "passage").tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[[1.0]]", r"shape \(1, 1\) for 2 texts; it must be \(2, dim\)"),
        ("[1.0, 2.0]", r"shape \(2,\) for 2 texts"),
        ("[['a'], ['b']]", "which is no array"),
        ("[[float('nan')], [1.0]]", "NaN or infinity"),
        ("1 / 0", r"raised ZeroDivisionError in embed: division by zero \(mine\.py, line 2\)"),
    ],
)
def test_what_are_no_vectors_is_refused(code, body, message) -> None:
    code(f"def embed(texts):\n    return {body}")
    with pytest.raises(RagbenchError, match=message):
        EMBEDDERS.create("mine.py:embed").embed(["a", "b"], "query")


# --- loaders ----------------------------------------------------------------------------------


def test_a_loader_reads_its_own_endings_and_files_the_rest(code, workplace) -> None:
    code("""
        class Mine:
            suffixes = (".WIKI", ".rec")
            def load(self, path):
                text = path.read_text()
                if path.suffix == ".rec":
                    return [{"text": t, "id": str(i)} for i, t in enumerate(text.splitlines())]
                if "broken" in text:
                    raise ValueError("no heading")
                return {"text": text, "title": "Of the wiki", "metadata": {"kind": "wiki"}}
    """)
    folder = workplace / "docs"
    folder.mkdir()
    for name, text in {
        "a.wiki": "Fees",
        "b.wiki": "broken",
        "c.md": "# Hours\n\nNine to five",
        "d.rec": "one\ntwo",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = ingest(IngestConfig((folder,), loader="mine.py:Mine", embedder=None, collection="c"))
    assert [(u.name, u.reason) for u in report.unread] == [("b.wiki", "failed")]
    assert "raised ValueError in load: no heading (mine.py, line 8" in report.unread[0].detail
    with open_index(IngestConfig((folder,)).store, "c") as index:
        assert list(index.documents) == ["a.wiki", "c.md", "d.rec::0", "d.rec::1"]
        assert index.documents["a.wiki"].title == "Of the wiki"
        assert index.documents["a.wiki"].metadata["kind"] == "wiki"
    assert ingest(
        IngestConfig((folder,), loader="mine.py:Mine", embedder=None, collection="c")
    ).unchanged


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("7", "returned 7"),
        ("{'txt': 'x'}", "returned {'txt': 'x'}"),
        ("{'text': 'x', 'page': 1}", "the key 'page'"),
        ("[{'text': 'x'}, {'text': 'y'}]", "one of them without an id"),
        ("[{'text': 'x', 'id': 1}, {'text': 'y', 'id': 1}]", "the id '1'"),
        ("{'text': 'x', 'metadata': {'a': []}}", "the metadata"),
    ],
)
def test_what_is_no_document_is_listed(code, workplace, body, message) -> None:
    code(f"class Mine:\n    suffixes = ['.w']\n    def load(self, path):\n        return {body}")
    (workplace / "a.w").write_text("x", encoding="utf-8")
    with pytest.raises(RagbenchError, match=message):  # the only file, so that none could be read
        ingest(IngestConfig((workplace / "a.w",), loader="mine.py:Mine", embedder=None))


def test_a_loader_without_endings_is_refused(code) -> None:
    code("class Mine:\n    def load(self, path): ...")
    with pytest.raises(OwnPartError, match="has the suffixes None"):
        LOADERS.create("mine.py:Mine")


# --- retrievers -------------------------------------------------------------------------------


@pytest.fixture
def searched(workplace):
    """An index of three documents, of which two hold the same sentence."""
    folder = workplace / "docs"
    folder.mkdir()
    for name, text in {
        "a.md": "A wire\ncosts $25.",
        "b.md": "Cards are free.\n\nAsk us.",
        "c.md": "Ask us.",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    ingest(IngestConfig((folder,), embedder=None, collection="c", chunker="document"))
    with open_index(IngestConfig((folder,)).store, "c") as index:
        yield index


def retrieve(code, index, returned: str, k: int = 5, where=None, extra: str = ""):
    code(f"class Mine:\n    def retrieve(self, query, k{extra}):\n        return {returned}")
    return open_retriever("mine.py:Mine", index).retrieve("fee", k, where)


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        ("[{'doc_id': 'a.md', 'start': 0, 'end': 6}]", [("a.md#0-6", 1.0)]),
        ("[{'text': 'A wire costs $25.'}]", [("a.md#0-17", 1.0)]),  # white space folded
        ("['Cards are free.']", [("b.md#0-15", 1.0)]),
        ("[{'text': 'Ask us.', 'doc_id': 'b.md'}]", [("b.md#17-24", 1.0)]),
        # A whole chunk is that chunk, though the words stand in another document, too.
        ("[{'text': 'Ask us.', 'doc_id': 'c.md'}]", [("c.md#0-7", 1.0)]),
        # Without scores the order counts; with scores these.
        ("['A wire', 'Cards']", [("a.md#0-6", 2.0), ("b.md#0-5", 1.0)]),
        (
            "[{'text': 'A wire', 'score': 0.25}, {'text': 'Cards', 'score': 7}]",
            [("b.md#0-5", 7.0), ("a.md#0-6", 0.25)],
        ),
        ("[]", []),
    ],
)
def test_hits_are_found_in_the_documents(code, searched, returned, found) -> None:
    hits = retrieve(code, searched, returned)
    assert [(hit.chunk.chunk_id, hit.score) for hit in hits] == found
    assert [hit.rank for hit in hits] == list(range(1, len(found) + 1))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("['A train']", "hit 0 of the query 'fee' the text 'A train', which stands in no document"),
        (
            "[{'text': 'A wire', 'doc_id': 'x.md'}]",
            "the document 'x.md', which the index does not have",
        ),
        ("[{'text': 'us.'}]", r"stands at 2 places \(b\.md#21-24, c\.md#4-7\)"),
        ("[{'doc_id': 'a.md', 'start': 5, 'end': 99}]", "whose text has 17 characters"),
        ("[{'doc_id': 'a.md'}]", "neither doc_id with start and end, nor a text"),
        ("[{'text': 'A wire', 'score': float('nan')}]", "the score nan"),
        ("['A wire', 'A wire']", "returned 'a.md#0-6' twice"),
        ("[{'text': 'A wire', 'score': 1}, 'Cards']", "some hits .* a score and others none"),
        ("None", "raised TypeError in retrieve"),
    ],
)
def test_what_are_no_hits_is_refused(code, searched, returned, message) -> None:
    with pytest.raises(OwnPartError, match=message) as caught:
        retrieve(code, searched, returned)
    assert "mine.py" in str(caught.value)


def test_a_filter_is_applied_to_code_that_knows_none(code, searched) -> None:
    searched.documents["a.md"].metadata["area"] = "wires"
    everything = "['A wire', 'Cards'][:k]"
    hits = retrieve(code, searched, everything, k=1, where={"area": "wires"})
    assert [hit.chunk.doc_id for hit in hits] == ["a.md"]
    told = "['A wire'] if where == {'area': 'wires'} else 1 / 0"
    hits = retrieve(code, searched, told, where={"area": "wires"}, extra=", where")
    assert [hit.chunk.doc_id for hit in hits] == ["a.md"]


def test_a_built_in_retriever_can_be_built_upon(documented, searched) -> None:
    hits = open_retriever("my_rerank.py:ShortFirst", searched).retrieve("ask us", 2)
    # bm25 finds both; c.md is the shorter one.
    assert [hit.chunk.doc_id for hit in hits] == ["c.md", "b.md"]


def test_a_setup_takes_it_with_modifiers(code) -> None:
    code("class Mine:\n    needs_vectors = True\n    def retrieve(self, query, k): ...")
    setup = setup_named("mine.py:Mine+grep+rewrite")
    assert setup.name == "mine.py:Mine+grep+rewrite"
    assert setup.grep is not None
    assert setup.vectors
    assert setup.retriever == (f"mine.py:Mine@{digest_of('mine.py')}+rules(file=none)")
    assert setup.stack.name == "mine.py:Mine+rewrite"


def test_an_index_made_by_code_that_changed_is_not_searched(documented) -> None:
    (documented / "docs").mkdir()
    (documented / "docs" / "a.md").write_text("A wire costs $25.", encoding="utf-8")
    config = IngestConfig((documented / "docs",), embedder="my_embedder.py:embed", collection="c")
    ingest(config)
    found = search(SearchConfig("wires", collection="c"))
    assert [hit.chunk.doc_id for hit in found.hits] == ["a.md"]
    path = documented / "my_embedder.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# v2\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has changed"):
        search(SearchConfig("wires", collection="c"))
