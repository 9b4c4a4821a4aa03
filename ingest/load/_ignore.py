"""Files that the user leaves out: ``--exclude GLOB``, and ``.ragbenchignore`` in any folder.

Rules fixed here: both are read as git reads ``.gitignore``. A file of rules holds for its own
folder and those below; of several the deepest decides; what ``--exclude`` names is out in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragbench.errors import UsageError

__all__ = ["IGNORE_FILE", "Ignores"]

IGNORE_FILE = ".ragbenchignore"


class Ignores:
    """What is left out below one root."""

    def __init__(self, root: Path, exclude: Sequence[str] = ()) -> None:
        self._root = root
        self._excluded = _rules(exclude, "--exclude") if exclude else None
        self._above: dict[Path, list[tuple[Path, object]]] = {}

    def why(self, path: Path, *, is_folder: bool) -> str:
        """What leaves the path out, empty when nothing does.

        Raises:
            UsageError: a rule cannot be read.
        """
        if self._excluded is not None and _says(self._excluded, path, self._root, is_folder):
            return "--exclude"
        for folder, rules in self._from(path.parent):
            said = _says(rules, path, folder, is_folder)
            if said is not None:
                return IGNORE_FILE if said else ""
        return ""

    def _from(self, folder: Path) -> list[tuple[Path, object]]:
        """The folders with rules from this one up to the root."""
        known = self._above.get(folder)
        if known is None:
            rules = _rules_in(folder)
            known = [] if rules is None else [(folder, rules)]
            if folder not in (self._root, folder.parent):
                known += self._from(folder.parent)
            self._above[folder] = known
        return known


def _rules_in(folder: Path) -> object:
    file = folder / IGNORE_FILE
    if not file.is_file():
        return None
    try:
        return _rules(file.read_text("utf-8-sig").splitlines(), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{str(file)!r} cannot be read: {error}.") from error


def _rules(lines: Sequence[str], where: str) -> object:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise UsageError(
            f"{where} holds a pattern that is none: {error}. Write it as in .gitignore."
        ) from error


def _says(rules: object, path: Path, base: Path, is_folder: bool) -> bool | None:
    from pathspec import GitIgnoreSpec

    assert isinstance(rules, GitIgnoreSpec)
    name = path.relative_to(base).as_posix() + ("/" if is_folder else "")
    return rules.check_file(name).include
