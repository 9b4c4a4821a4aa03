"""The resolved configuration, ``config.json``: what decides a result, and what was asked for.

``identity`` is what two runs must share to be one: another value is another run. Left out is what
may change between two starts of the same run: concurrency, budget, the judge, whether replies are
recorded, how long a call may take and how fast calls may come.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import importlib.util
import json
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ragbench
from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import RunError
from ragbench.runner._check import is_custom
from ragbench.runner._prepare import Prepared

__all__ = ["config_of", "corpus_hash", "resolved"]

_PACKAGES = (
    "chromadb",
    "bm25s",
    "google-re2",
    "litellm",
    "numpy",
    "onnxruntime",
    "pydantic",
    "pypdf",
    "PyStemmer",
    "scipy",
    "sentence-transformers",
    "tokenizers",
)
_NOT_STORED = ("save_to", "fresh")
_PATHS = ("store", "llm_cache_file")
_MODELS = ("agent_llm", "user_llm", "judge_llm")


def resolved(prepared: Prepared) -> dict[str, Any]:
    """The resolved configuration: what decides the result, and what only describes the machine."""
    config = prepared.config
    return {
        "schema_version": 1,
        "identity": {
            "ragbench": ragbench.__version__,
            "domain": prepared.domain.name,
            "domain_sha256": prepared.domain.sha256,
            "corpus_sha256": corpus_hash(prepared),
            "setup": prepared.setup.name,
            "retriever": prepared.retrieval,
            "index_id": prepared.index.index_id,
            "loader": prepared.domain.loader,
            "chunker": prepared.index.manifest.chunker,
            "embedder": prepared.index.manifest.embedder,
            "k": prepared.probe.k if prepared.probe else None,
            **_roles(config),
            "task_ids": [task.id for task in prepared.tasks],
            "num_trials": config.num_trials,
            "max_steps": config.max_steps,
            "max_errors": config.max_errors,
            "timeout_s": config.timeout_s,
            "seed": config.seed,
        },
        "options": _options(config),
        "environment": {
            "python": platform.python_version(),
            "parsers": prepared.index.manifest.loader,
            "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
            "commit": _commit(),
        },
    }


def corpus_hash(prepared: Prepared) -> str:
    """Hash of every document's id and source file: what the spans of a trajectory refer to."""
    digest = hashlib.sha256()
    for doc_id, document in sorted(prepared.documents.items()):
        digest.update(f"{doc_id}\0{document.sha256}\n".encode())
    return digest.hexdigest()


def _roles(config: EvalConfig) -> dict[str, Any]:
    """Who plays; keys of roles without a model are absent, and so is the usual style."""
    roles: dict[str, Any] = {"agent": config.agent, "user": config.user}
    if config.style != "desk":
        roles["style"] = config.style
    if is_custom(config.agent):
        roles["agent_sha256"] = _code_hash(config.agent)
    if config.agent_llm is not None:
        roles |= {"agent_llm": _model(config.agent_llm, 0.0), "tool_mode": config.tool_mode}
    if config.user_llm is not None:
        roles |= {
            "user_llm": _model(config.user_llm, 1.0),
            "user_tool_mode": config.user_tool_mode,
        }
    return roles


def _model(config: LLMConfig, usual_temperature: float) -> dict[str, Any]:
    """What a model's replies depend on; `ragbench.llm` has refused secrets in it."""
    temperature = usual_temperature if config.temperature is None else config.temperature
    args = {"temperature": temperature, **json.loads(config.args)}
    return {"model": config.model, "args": args, "base_url": config.base_url}


def _code_hash(agent: str) -> str | None:
    """Hash of the file of an agent of the user's own; None for a module without one."""
    place = agent.rpartition(":")[0]
    path = Path(place)
    if path.suffix != ".py":
        spec = importlib.util.find_spec(place)
        path = Path(spec.origin) if spec is not None and spec.origin else Path()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _options(config: EvalConfig) -> dict[str, Any]:
    """What was asked for, so that the run can be resumed by its name alone."""
    options = dataclasses.asdict(config)
    for name in _NOT_STORED:
        del options[name]
    for name in _PATHS:
        options[name] = None if options[name] is None else str(options[name])
    return {**options, "task_ids": list(config.task_ids)}


def config_of(stored: Mapping[str, Any], folder: Path) -> EvalConfig:
    """The configuration with which a run was started, from its ``config.json``.

    Args:
        stored: the content of the file.
        folder: the run folder, which becomes ``save_to``.

    Raises:
        RunError: it does not say; it was written by another version.
    """
    try:
        options = dict(stored["options"])
        for name in _MODELS:
            if options.get(name) is not None:
                options[name] = LLMConfig(**options[name])
        for name in _PATHS:
            if options.get(name) is not None:
                options[name] = Path(options[name])
        options["task_ids"] = tuple(options["task_ids"])
        return EvalConfig(**options, save_to=folder)
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"{folder / 'config.json'} does not say with which options the run was started "
            f"({error!r}). Give them again, with --save-to {folder} in place of --resume."
        ) from error


def _commit() -> str | None:
    """The checkout's commit when ragbench runs from one, else None."""
    here = Path(ragbench.__file__).parent
    if not (here.parent / ".git").exists():
        return None
    command = ["git", "-C", str(here), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
