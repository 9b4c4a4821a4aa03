"""Component specs: ``name(key=value, ...)`` text that prints, parses back and is an identity.

A spec names a chunker, an embedder, a retriever; or one of the user's own, by file and name. The
canonical text (every argument, in the component's own order) stands in file names' hashes, table
headers, manifests and caches. What a name means is the registry's business (`ragbench.registry`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragbench.errors import SpecError

__all__ = ["OWN_NAME", "ComponentSpec", "Value", "parse_spec", "shown_name"]

Value = str | int | float | bool | None

OWN_NAME = re.compile(
    r"(?P<place>[^\s,()'\"=+:@]+):(?P<name>[^\W\d]\w*)(?:@(?P<digest>[0-9a-f]{12}|builtin))?"
)
"""The name of a class or function of the user's own: ``FILE.py:NAME`` or ``MODULE:NAME``, and
behind it the digest of its file where it is known."""

_NAME = re.compile(rf"{OWN_NAME.pattern}|[A-Za-z][A-Za-z0-9_.-]*")
_BARE = re.compile(r"[^\s,()'\"=]+")
_INT = re.compile(r"-?(0|[1-9][0-9]*)")  # 007 and +7 are words: 7 would not print back as they do
_FLOAT = re.compile(r"[+-]?(([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)")
_WORDS: dict[str, Value] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """A component's name with its arguments.

    >>> str(ComponentSpec("recursive", (("size_tokens", 256), ("overlap_tokens", 0))))
    'recursive(size_tokens=256, overlap_tokens=0)'
    """

    name: str
    args: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        if not self.args:
            return self.name
        return f"{self.name}({', '.join(f'{key}={_print(value)}' for key, value in self.args)})"


def shown_name(name: str) -> str:
    """A component's name for people: without the digest of a file of the user's own.

    >>> shown_name("cut.py:Lines@0123456789ab"), shown_name("bm25")
    ('cut.py:Lines', 'bm25')
    """
    own = OWN_NAME.fullmatch(name)
    return name if own is None else f"{own['place']}:{own['name']}"


def parse_spec(text: str) -> ComponentSpec:
    """Read ``name`` or ``name(key=value, ...)``.

    Values are integers, floats, ``true``, ``false``, ``none``, bare words or quoted strings. The
    name may be ``FILE.py:NAME``.

    Raises:
        SpecError: the text is not of this form, or an argument stands twice.

    >>> parse_spec("recursive(size_tokens=128)").args
    (('size_tokens', 128),)
    >>> str(parse_spec("st( model = 'my model' ,dtype=bf16 )"))
    "st(model='my model', dtype=bf16)"
    >>> parse_spec("parts/cut.py:Lines(n=3)").name
    'parts/cut.py:Lines'
    """
    name = _NAME.match(text.strip())
    body = text.strip()[name.end() :].strip() if name else ""
    if name is None or (body and not (body.startswith("(") and body.endswith(")"))):
        raise SpecError(
            f"{text!r} is not a component spec. The form is name or name(key=value, ...), "
            "for example recursive(size_tokens=256)."
        )
    args: list[tuple[str, Value]] = []
    for key, value in _arguments(body[1:-1], text):
        if key in dict(args):
            raise SpecError(f"The spec {text!r} gives {key!r} twice. Give each argument once.")
        args.append((key, value))
    return ComponentSpec(name.group(), tuple(args))


def _arguments(body: str, whole: str) -> list[tuple[str, Value]]:
    found, position = [], 0
    while body[position:].strip():
        position += len(body[position:]) - len(body[position:].lstrip())
        key = re.compile(r"([A-Za-z_]\w*)\s*=\s*").match(body, position)
        if key is None:
            raise SpecError(
                f"The spec {whole!r} has {body[position:]!r} where key=value should stand. "
                "Name every argument, for example size_tokens=256."
            )
        value, position = _value(body, key.end(), whole)
        found.append((key.group(1), value))
        rest = body[position:].lstrip()
        if rest and not rest.startswith(","):
            raise SpecError(f"The spec {whole!r} lacks a comma before {rest!r}.")
        position = len(body) - len(rest) + 1
    return found


def _value(body: str, position: int, whole: str) -> tuple[Value, int]:
    if body[position : position + 1] in ("'", '"'):
        quoted = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"").match(body, position)
        if quoted is None:
            raise SpecError(f"The spec {whole!r} opens a quote that it does not close.")
        text = quoted.group(1) if quoted.group(1) is not None else quoted.group(2)
        return re.sub(r"\\(.)", r"\1", text), quoted.end()
    bare = _BARE.match(body, position)
    if bare is None:
        raise SpecError(f"The spec {whole!r} has an argument without a value.")
    return _read_bare(bare.group()), bare.end()


def _read_bare(word: str) -> Value:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if _INT.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word):
        return float(word)
    return word


def _print(value: Value) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if _BARE.fullmatch(value) and _read_bare(value) == value:
            return value
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return repr(value)
