"""Front matter of a Markdown file: YAML between ``---`` lines, TOML between ``+++``.

Numbers stay as they are written (`_written`): ``12.50``, ``0042`` and ``12:30`` are text, as is
what YAML alone takes for truth (``NO``, ``yes``). A key that stands twice is refused.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._written import Written, number

__all__ = ["split_front_matter"]

_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)(?:^)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)(?:^)\+\+\+[ \t]*(?:\r?\n|\Z)", re.S | re.M)


def split_front_matter(text: str) -> tuple[dict[object, object], str]:
    """The fields of the front matter, and the text after it.

    Raises:
        DocumentUnreadable: the front matter cannot be read.
    """
    toml = _TOML.match(text)
    if toml is not None:
        return _toml(toml.group(1)), text[toml.end() :]
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    import yaml

    try:
        fields = yaml.load(match.group(1), Loader=_yaml_loader())
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
        found = tomllib.loads(
            front.replace("\r\n", "\n"), parse_float=lambda text: number(text, float)
        )
    except tomllib.TOMLDecodeError as error:
        raise DocumentUnreadable(
            "malformed", f"The front matter between the +++ lines is not TOML: {error}. Correct it."
        ) from error
    return {key: value for key, value in found.items()}


@cache
def _yaml_loader() -> Any:  # noqa: ANN401  (yaml is imported when it is needed)
    import yaml

    class Loader(yaml.SafeLoader):
        """Values as they are written, and no key twice."""

    def kept(loader: Any, node: Any) -> object:  # noqa: ANN401
        kind = node.tag.rpartition(":")[2]
        found = getattr(loader, f"construct_yaml_{kind}")(node)
        same = node.value.lower() in ("true", "false") and kind == "bool"
        if same or str(found) == node.value:
            return found
        return Written(node.value)

    def mapping(loader: Any, node: Any) -> dict[object, object]:  # noqa: ANN401
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        doubled = next((key for key in keys if keys.count(key) > 1), None)
        if doubled is not None:
            problem = f"the key {doubled!r} stands twice"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        found: dict[object, object] = loader.construct_mapping(node, deep=True)
        return found

    for kind in ("int", "float", "bool"):
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", kept)
    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return Loader
