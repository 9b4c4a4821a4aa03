"""What a command was asked to do, as frozen values with their defaults; standard library only.

The command line shows these defaults without importing anything heavier than click, and the library
calls take these objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = [
    "DEFAULT_CHUNKER",
    "DEFAULT_EMBEDDER",
    "DEFAULT_K",
    "DEFAULT_LOADER",
    "MAX_COMPARED_K",
    "MAX_K",
    "CompareConfig",
    "EvalConfig",
    "IngestConfig",
    "LLMCacheMode",
    "LLMConfig",
    "QuestionStyle",
    "SearchConfig",
    "ToolMode",
    "ValidateConfig",
]

DEFAULT_LOADER = "files"
DEFAULT_CHUNKER = "recursive"
DEFAULT_EMBEDDER = "minilm"
DEFAULT_K = 5
MAX_K = 50
"""A larger k is a tool error: no agent reads more passages than this."""
MAX_COMPARED_K = 1000
"""Of a comparison: rankings of documents are judged this deep."""


@dataclass(frozen=True, slots=True)
class IngestConfig:
    """One ingest: everything below ``paths`` becomes one collection.

    Attributes:
        paths: files and folders.
        store: folder of the store.
        collection: name in the store; None takes the names of the paths.
        chunker: component spec.
        embedder: component spec; None builds an index without vectors, for lexical retrieval.
        jobs: processes that parse documents.
        replace: renew the collection also when it was made from other paths or with other
            components; without it that is an error.
        anew: take nothing but embeddings from what is there, as is needed when that is damaged.
        loader: component spec.
        password_file: file of passwords for encrypted PDFs, one a line.
        exclude: patterns, as in ``.gitignore``, of files that are left out.
    """

    paths: tuple[Path, ...]
    store: Path = Path(".ragbench")
    collection: str | None = None
    chunker: str = DEFAULT_CHUNKER
    embedder: str | None = DEFAULT_EMBEDDER
    jobs: int = 1
    replace: bool = False
    anew: bool = False
    loader: str = DEFAULT_LOADER
    password_file: Path | None = None
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """One search of one collection; None takes the collection ingested last.

    Attributes:
        where: metadata that a hit's document must have, each a key and a value as text.
    """

    query: str
    store: Path = Path(".ragbench")
    collection: str | None = None
    k: int = DEFAULT_K
    retriever: str = "dense"
    where: tuple[tuple[str, str], ...] = ()


ToolMode = Literal["native", "schema", "react"]
"""How an LLM agent calls tools: function calling, a JSON-schema action format, a text protocol."""

QuestionStyle = Literal["desk", "natural"]
"""Whose words a need's question is in: ``desk`` names no product, ``natural`` names it."""

LLMCacheMode = Literal["off", "record", "replay"]
"""Whether replies of models are written to a file, or taken from it without any network."""


@dataclass(frozen=True, slots=True)
class LLMConfig:
    """One chat model behind LiteLLM. No key stands here: it comes from the environment.

    Attributes:
        model: as LiteLLM names it (``gpt-4.1``, ``openai/NAME`` behind a gateway).
        args: further arguments of the completion call, as JSON text of an object; never a key.
        base_url: address of an OpenAI-compatible server, None for the provider's own.
        api_key_env: the environment variable that holds the key, None for the provider's usual one.
        timeout_s: seconds that one call may take.
        rpm: most requests a minute to this provider, retries included; None sets no limit.
        stream: ask for streamed replies.
        temperature: the role's usual one where ``args`` name none; left out, with a note, when the
            model takes no other than its own.
        price: USD per million tokens where LiteLLM's table has none, ``in=0.1,out=0.4``; None takes
            the table's.
    """

    model: str
    args: str = "{}"
    base_url: str | None = None
    api_key_env: str | None = None
    timeout_s: float = 120.0
    rpm: int | None = None
    stream: bool = False
    temperature: float | None = None
    price: str | None = None


@dataclass(frozen=True, slots=True)
class EvalConfig:
    """One evaluation of a domain.

    Attributes:
        domain: a built-in name or the path of a domain folder.
        retrieval_config: name of the retrieval setup; None takes the domain's default.
        split: the tasks of this split only; None takes all.
        num_tasks: the first so many tasks; None takes all.
        task_ids: these tasks only, in file order; empty takes all.
        k: hits of a search that names no k; None takes the domain's default.
        style: in which words the oracle asks, as its own run and as the run's reference alike.
        agent: ``oracle``, ``llm``, or the user's own class: ``FILE.py:NAME`` or ``MODULE:NAME``.
        user: ``scripted`` or ``llm``.
        tool_mode: how the agent ``llm`` calls tools.
        user_tool_mode: how the user ``llm`` calls the customer's tools.
        agent_llm, user_llm, judge_llm: the models of the roles; None where a role has none.
        llm_cache: record the models' replies into ``llm_cache_file``, replay them from it, or
            neither.
        timeout_s: seconds that one simulation may take; None sets no limit.
        budget_usd: stop cleanly when the models have cost this much.
        counterfactual: run failed trials again with golden retrieval.
        baselines: run every trial with no knowledge and with golden retrieval, too.
        max_steps: assistant and user messages after which a simulation ends.
        save_to: the run folder; None derives ``runs/<domain>-<hash of the configuration>``.
        fresh: start anew even when a finished run of this configuration exists.
    """

    domain: str
    store: Path = Path(".ragbench")
    retrieval_config: str | None = None
    chunker: str = DEFAULT_CHUNKER
    embedder: str = DEFAULT_EMBEDDER
    k: int | None = None
    style: QuestionStyle = "desk"
    agent: str = "oracle"
    user: str = "scripted"
    tool_mode: ToolMode = "native"
    user_tool_mode: ToolMode = "native"
    agent_llm: LLMConfig | None = None
    user_llm: LLMConfig | None = None
    judge_llm: LLMConfig | None = None
    llm_cache: LLMCacheMode = "off"
    llm_cache_file: Path | None = None
    timeout_s: float | None = None
    budget_usd: float | None = None
    counterfactual: bool = False
    baselines: bool = False
    split: str | None = None
    num_tasks: int | None = None
    task_ids: tuple[str, ...] = ()
    num_trials: int = 1
    max_steps: int = 200
    max_errors: int = 10
    seed: int = 0
    max_concurrency: int = 8
    save_to: Path | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class CompareConfig:
    """One grid of retrieval setups over one corpus and one question set.

    Attributes:
        domain: a built-in name, a domain folder, or ``tau3:PATH``; excludes corpus and questions.
        corpus: folder or file of documents.
        questions: file or folder of questions.
        questions_format: ``auto``, ``file`` (JSON lines, CSV, TSV), ``beir`` or ``chunking-eval``.
        split: which judgements of a BEIR folder.
        style: in which words the needs of a domain are asked.
        windows: cut every question into windows of so many tokens, each searched on its own; None
            searches it whole.
        loader: spec; None takes the domain's, else the one that the format of the questions needs.
        baseline: a setup's name or some of its parts; None takes the first setup.
        pairs: which setups are tested against which: ``baseline``, ``same-k`` or ``all``.
        by: a property of documents to slice the tested measure by; None slices nothing.
        metric: the measure that is tested; None takes recall of spans, of documents where there are
            none, at the first k.
        jobs: processes: that many models are at work at a time, and that many parsers.
        save_to: the run folder; None derives ``runs/compare-<name>-<hash of the grid>``.
        end_to_end: run the domain's tasks with the oracle under every setup.
        fail_under: gates, each ``MEASURE=VALUE``.
        fail_under_setup: the setups that the gates are for; None means all.
    """

    domain: str | None = None
    corpus: Path | None = None
    questions: Path | None = None
    questions_format: str = "auto"
    split: str = "test"
    style: QuestionStyle = "desk"
    windows: int | None = None
    loader: str | None = None
    chunkers: tuple[str, ...] = (DEFAULT_CHUNKER,)
    embedders: tuple[str, ...] = (DEFAULT_EMBEDDER,)
    retrievers: tuple[str, ...] = ("bm25", "dense", "hybrid")
    k: tuple[int, ...] = (DEFAULT_K,)
    baseline: str | None = None
    pairs: str = "baseline"
    by: str | None = None
    metric: str | None = None
    seed: int = 0
    jobs: int = 1
    store: Path = Path(".ragbench")
    save_to: Path | None = None
    fresh: bool = False
    end_to_end: bool = False
    fail_under: tuple[str, ...] = ()
    fail_under_setup: str | None = None


@dataclass(frozen=True, slots=True)
class ValidateConfig:
    """One validation of a domain.

    Attributes:
        domain: a built-in name, a domain folder, or ``tau3:PATH`` for foreign tasks.
        task_id: this task only; rules on the whole domain are checked all the same.
        runs: run folders whose trials are looked through for such as beat the reference.
        setups: retrieval setups under which the oracle plays every task, for its difficulty.
        max_steps: what the longest path of the oracle has to fit into.
    """

    domain: str
    task_id: str | None = None
    runs: tuple[Path, ...] = ()
    store: Path = Path(".ragbench")
    setups: tuple[str, ...] = ("no_knowledge", "bm25", "dense", "hybrid", "golden_retrieval")
    max_steps: int = 200
