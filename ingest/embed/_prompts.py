"""What is written before a query and before a passage, for models that were trained with it.

A model without its prompts still gives vectors, only much worse ones, and nothing warns. So they
are found by themselves: the model's own, from ``config_sentence_transformers.json``, else those
of its family, known by its name. The ones in use stand in the embedder's identity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._base import Kind

__all__ = ["NO_PROMPTS", "Prompts", "find_prompts", "prompts_of_folder", "read_json"]

_PASSAGE_KEYS = ("document", "passage", "corpus")
_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
_E5 = r"(^|[-_/.])e5([-_.]|$)"
_GTE_INSTRUCT = r"(^|[-_/.])gte[-_.].*instruct"


@dataclass(frozen=True, slots=True)
class Prompts:
    """What stands before a query and before a passage; empty where there is nothing."""

    query: str = ""
    passage: str = ""

    def __bool__(self) -> bool:
        return bool(self.query or self.passage)

    def of(self, kind: Kind) -> str:
        """The prompt of one kind."""
        return self.query if kind == "query" else self.passage

    def __str__(self) -> str:
        """Both prompts, for an identity."""
        if not self:
            return "none"
        return json.dumps({"query": self.query, "passage": self.passage}, ensure_ascii=False)


NO_PROMPTS = Prompts()

_FAMILIES: tuple[tuple[str, Prompts], ...] = (
    (rf"{_E5}.*instruct|{_GTE_INSTRUCT}", Prompts(query=_INSTRUCT)),
    (_E5, Prompts("query: ", "passage: ")),
    (r"(^|[-_/.])bge[-_.](small|base|large)[-_.]en", Prompts(query=_SEARCH)),
    (
        r"(^|[-_/.])bge[-_.](small|base|large)[-_.]zh",
        Prompts(query="为这个句子生成表示以用于检索相关文章："),
    ),
    (r"(^|[-_/.])nomic[-_.]embed[-_.]text", Prompts("search_query: ", "search_document: ")),
    (r"(^|[-_/.])mxbai[-_.]embed[-_.]large", Prompts(query=_SEARCH)),
)
"""Patterns of names with their prompts, as the models' cards give them; the first that matches.
Other models of the bge and gte families, such as bge-m3 and gte-base, have none."""


def find_prompts(names: Iterable[str], own: Mapping[str, str | None]) -> Prompts:
    """The prompts of a model.

    Args:
        names: what it may be known by: hub name, folder, the name in its configuration.
        own: the prompts that it brings itself, by name; empty ones do not count.

    Raises:
        ModelUnavailable: it has prompts of its own, and none is called query or passage.

    >>> find_prompts(["intfloat/multilingual-e5-small"], {})
    Prompts(query='query: ', passage='passage: ')
    >>> find_prompts(["BAAI/bge-m3"], {})
    Prompts(query='', passage='')
    """
    named = {key: text for key, text in own.items() if text}
    passages = [named[key] for key in _PASSAGE_KEYS if key in named]
    if "query" in named or passages:
        return Prompts(named.get("query", ""), passages[0] if passages else "")
    for name in names:
        for pattern, prompts in _FAMILIES:
            if re.search(pattern, name.lower()):
                return prompts
    if named:
        raise ModelUnavailable(
            f"The model brings the prompts {', '.join(map(repr, sorted(named)))}, and none of "
            "them is called 'query', 'document', 'passage' or 'corpus', so that it is not clear "
            "which a search needs. Rename them in its config_sentence_transformers.json, or use "
            "it without: prompts=none"
        )
    return NO_PROMPTS


def prompts_of_folder(folder: Path) -> Prompts:
    """The prompts of a model in a folder, from its name and its configuration files.

    Raises:
        ModelUnavailable: as `find_prompts`, or a configuration file is damaged.
    """
    own = read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    base = str(read_json(folder / "config.json").get("_name_or_path") or "")
    return find_prompts([folder.resolve().name, base], own)


def read_json(path: Path) -> dict[str, Any]:
    """A configuration file of a model; empty when it is absent.

    Raises:
        ModelUnavailable: it is there and is no JSON object.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The model's file {str(path)!r} cannot be read: {error}. Fetch the model again."
        ) from error
    if not isinstance(found, dict):
        raise ModelUnavailable(
            f"The model's file {str(path)!r} holds no JSON object. Fetch the model again."
        )
    return found
