"""Markdown: verbatim text, metadata from a front matter, sections from headings.

The front matter (YAML, or TOML between ``+++``) is removed from the text and everything else is
kept as it is written, so that offsets are those of the body. Headings are ``#`` lines and lines
underlined with ``=`` or ``-`` (one line, as nearly everyone writes them), neither inside code
fences nor in HTML comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._headings import Heading, sections
from ragbench.ingest.load._metadata import flatten, scalar
from ragbench.ingest.load._parsed import Parsed

__all__ = ["headings_of", "parse"]

_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)(?:^)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_COMMENT = re.compile(r" {0,3}<!--")
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)(?:^)\+\+\+[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*$| {4}|\t|\s*(?:[-*+>|]|\d+[.)])(?:\s|$)|.*\|.*\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MAX_HEADING = 1_000  # characters; a longer line is no heading, whatever it begins with
_MARKUP = re.compile(r"(\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w))")


def parse(data: bytes, encoding: str | None = None) -> Parsed:
    """One document; a front matter's ``id`` is an alias.

    Raises:
        DocumentUnreadable: the bytes are no text, or the front matter is no YAML.
    """
    text, found_encoding = decode(data, ".md", fallback=encoding)
    fields, text = _split_front_matter(text)
    headings = list(headings_of(text))
    metadata = flatten(fields, leave=("title", "id"))
    if found_encoding not in ("utf-8", "utf-8-sig"):
        metadata["encoding"] = found_encoding
    stated = scalar(fields.get("title")) or next((found.text for found in headings), "")
    alias = scalar(fields.get("id"))
    aliases = () if alias is None else (str(alias),)
    return Parsed(text, str(stated), metadata, sections(headings, len(text)), aliases)


def headings_of(text: str) -> Iterator[Heading]:
    r"""The headings in order.

    >>> [(h.level, h.text) for h in headings_of("# A\n```\n# no\n```\nB *b*\n---\n")]
    [(1, 'A'), (2, 'B b')]
    """
    fence, commented = "", False
    previous, previous_start = "", 0
    position = 0
    while position < len(text):
        match = _LINE.match(text, position)
        if match is None:
            break
        start, position = position, match.end()
        line = match.group().rstrip("\r\n")
        if commented or (not fence and _COMMENT.match(line)):
            commented = "-->" not in line
            previous = ""
            continue
        if fence or _FENCE.fullmatch(line):
            fence = _fence_after(fence, line)
            previous = ""
            continue
        heading = _heading(line, start, previous, previous_start)
        if heading is not None and heading.text:
            yield heading
        previous, previous_start = ("" if heading else line), start


def _heading(line: str, start: int, previous: str, previous_start: int) -> Heading | None:
    if len(line) > _MAX_HEADING or len(previous) > _MAX_HEADING:
        return None
    atx = _ATX.match(line)
    if atx is not None:
        return Heading(start, len(atx.group(1)), _plain(_without_closing(line[atx.end() :])))
    underline = _UNDERLINE.fullmatch(line)
    if underline is not None and not _NO_PARAGRAPH.match(previous):
        return Heading(previous_start, 1 if "=" in line else 2, _plain(previous))
    return None


def _without_closing(text: str) -> str:
    """The heading's text without a closing run of ``#``, which follows white space."""
    text = text.rstrip()
    opened = text.rstrip("#")
    return opened if not opened or opened[-1] in " \t" else text


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after this line, empty when none is."""
    match = _FENCE.fullmatch(line)
    if not fence:
        if match is None or ("`" in match.group(1) and "`" in match.group(2)):
            return ""
        return match.group(1)
    closes = match is not None and match.group(1).startswith(fence) and not match.group(2).strip()
    return "" if closes else fence


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())


def _split_front_matter(text: str) -> tuple[dict[object, object], str]:
    toml = _TOML.match(text)
    if toml is not None:
        return _toml(toml.group(1)), text[toml.end() :]
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    import yaml

    try:
        fields = yaml.safe_load(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 2} of the file)" if mark is not None else ""
        raise DocumentUnreadable(
            "malformed",
            f"The front matter between the --- lines is not YAML{line}: {problem}. Correct it, or "
            "put an empty line before the first --- when it is a rule across the page.",
        ) from error
    if fields is None:
        return {}, text[match.end() :]
    if not isinstance(fields, dict):
        return {}, text  # two rules with prose between them
    return fields, text[match.end() :]


def _toml(front: str) -> dict[object, object]:
    import tomllib

    try:
        found = tomllib.loads(front.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise DocumentUnreadable(
            "malformed", f"The front matter between the +++ lines is not TOML: {error}. Correct it."
        ) from error
    return {key: value for key, value in found.items()}
