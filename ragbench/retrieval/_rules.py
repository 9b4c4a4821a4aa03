"""Rules that rewrite a query, and the file that holds them.

TOML::

    stop_phrases = ["can you tell me"]     # left out
    [abbreviations]
    acct = "account"                       # replaced
    [synonyms]
    wire = ["transfer", "remittance"]      # appended once, unless the query has them

or YAML with the same keys. The rules apply in this order, each to the result of the one before and
none to its own result. Phrases match whole words in any case, white space as any white space; the
longest that fits wins. A query of nothing but stop phrases is left as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ragbench.errors import SpecError, did_you_mean

__all__ = ["RewriteRules", "read_rules"]

_KEYS = ("stop_phrases", "abbreviations", "synonyms")


@dataclass(frozen=True)
class RewriteRules:
    """Rules as they stand in a file; keys of the mappings are case-folded.

    >>> rules = RewriteRules(("can you tell me",), {"acct": "account"}, {"fee": ("charge",)})
    >>> rules.rewrite("Can you tell me, what is the fee of an ACCT?")
    'what is the fee of an account? charge'
    """

    stop_phrases: tuple[str, ...]
    abbreviations: Mapping[str, str]
    synonyms: Mapping[str, tuple[str, ...]]

    def rewrite(self, query: str) -> str:
        """The query without stop phrases, abbreviations written out, synonyms appended."""
        stop, short, known = self._patterns
        shorter, n_left_out = stop.subn(" ", query) if stop else (query, 0)
        shorter = _tidy(shorter) if n_left_out and re.search(r"\w", shorter) else query
        long = short.sub(self._long_form, shorter) if short else shorter
        return " ".join([long, *self._missing_synonyms(long, known)])

    def _long_form(self, match: re.Match[str]) -> str:
        # A dotless i matches an i, but is another key.
        return self.abbreviations.get(_key(match.group()), match.group())

    def _missing_synonyms(self, query: str, known: re.Pattern[str] | None) -> list[str]:
        found: list[str] = []
        for match in known.finditer(query) if known else ():
            for synonym in self.synonyms.get(_key(match.group()), ()):
                has = re.compile(_whole(synonym), re.IGNORECASE).search
                if not has(query) and synonym not in found:
                    found.append(synonym)
        return found

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str] | None, ...]:
        parts: tuple[Iterable[str], ...] = (self.stop_phrases, self.abbreviations, self.synonyms)
        return tuple(_any_of(part) for part in parts)


def read_rules(path: Path) -> RewriteRules:
    """The rules of a TOML or YAML file.

    Raises:
        SpecError: the file is absent, of another kind, or holds something else than rules.
    """
    problem = _problem_of(path)
    try:
        text = path.read_text(encoding="utf-8")
        values = _parsers(path)(text)
    except OSError as error:
        raise problem(error.strerror or str(error)) from error
    except ValueError as error:  # UnicodeDecodeError and TOMLDecodeError are such
        raise problem(" ".join(str(error).split())) from error
    if not isinstance(values, dict):
        raise problem("it must hold the keys " + ", ".join(_KEYS))
    for key in values:
        if key not in _KEYS:
            known = f"{', '.join(_KEYS)}{did_you_mean(str(key), _KEYS)}"
            raise problem(f"{key!r} is none of the keys {known}")
    stop = values.get("stop_phrases")
    return RewriteRules(
        stop_phrases=_phrases([] if stop is None else stop, "stop_phrases", problem),
        abbreviations={
            key: _phrases([value], f"abbreviations.{key}", problem)[0]
            for key, value in _entries(values, "abbreviations", problem)
        },
        synonyms={
            key: _phrases(value, f"synonyms.{key}", problem)
            for key, value in _entries(values, "synonyms", problem)
        },
    )


_Problem = Callable[[str], SpecError]


def _problem_of(path: Path) -> _Problem:
    return lambda reason: SpecError(f"The rules file {str(path)!r} cannot be used: {reason}.")


def _parsers(path: Path) -> Callable[[str], Any]:
    if path.suffix.lower() == ".toml":
        return tomllib.loads
    if path.suffix.lower() in (".yaml", ".yml"):
        return _yaml
    raise _problem_of(path)("its name must end in .toml, .yaml or .yml")


def _yaml(text: str) -> Any:  # noqa: ANN401  (whatever the file holds)
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _entries(values: dict[str, Any], name: str, problem: _Problem) -> list[tuple[str, Any]]:
    entries = {} if values.get(name) is None else values[name]
    if not isinstance(entries, dict):
        raise problem(f"{name} must map words to words, and is {entries!r}")
    found: dict[str, Any] = {}
    for key, value in entries.items():
        folded = _key(_phrases([key], name, problem)[0])
        if folded in found:
            raise problem(f"{name} has {key!r} twice")
        found[folded] = value
    return list(found.items())


def _phrases(values: Any, name: str, problem: _Problem) -> tuple[str, ...]:  # noqa: ANN401
    if not isinstance(values, list):
        raise problem(f"{name} must be a list of texts, and is {values!r}")
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise problem(f"{name} holds {value!r}, which is no text")
    return tuple(" ".join(value.split()) for value in values)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    if not longest_first:
        return None
    return re.compile("|".join(map(_whole, longest_first)), re.IGNORECASE)


def _whole(phrase: str) -> str:
    r"""A pattern for the phrase as whole words; a script without spaces has no such bounds."""
    body = r"\s+".join(re.escape(word) for word in phrase.split())
    body = re.sub("['’]", "['’]", body)
    before = r"(?<!\w)" if _is_spaced(phrase[0]) else ""
    after = r"(?!\w)" if _is_spaced(phrase[-1]) else ""
    return f"{before}{body}{after}"


def _is_spaced(character: str) -> bool:
    return character.isalnum() and ord(character) < 0x0E00


def _key(phrase: str) -> str:
    return " ".join(phrase.casefold().replace("’", "'").split())


def _tidy(text: str) -> str:
    """Single spaces, and no commas that what was left out has left behind."""
    closed = re.sub(r"[\s,;:]*([,;:.?!])", r"\1", " ".join(text.split()))
    return closed.lstrip(",;:.!? ").rstrip(",;: ")
