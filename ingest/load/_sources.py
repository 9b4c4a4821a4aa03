"""Which files are documents: paths to `Source` objects, with a reason for each file that is none.

Rules fixed here: a document's id is its path under its root with ``/``, in Unicode NFC; a file that
was named itself has its own name; with several roots the root's name comes first. The order is that
of the ids and does not depend on the file system. Hidden files and a root's ``manifest.json`` are
not listed; every other file is a source or an `Unread`. A linked folder is followed, unless it was
read already. Nothing is opened here but manifests.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragbench.errors import UsageError
from ragbench.ingest.load._ignore import Ignores
from ragbench.ingest.load._kinds import kind_of
from ragbench.ingest.load._manifest import MANIFEST, read_manifest
from ragbench.ingest.load._metadata import Scalar

__all__ = ["RECORD_SUFFIXES", "SUFFIXES", "Source", "Unread", "find_sources", "printable"]

SKIPPED = "skipped"

RECORD_SUFFIXES = (".jsonl", ".csv", ".tsv")
"""Files of many records, which are read one after another."""

SUFFIXES = (
    *(".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx", ".json"),
    *(".pptx", ".xlsx", ".eml", ".epub", ".rst"),
    *RECORD_SUFFIXES,
)
"""What a loader reads, by the file name's ending in lower case."""

_REMEDIES = {
    **dict.fromkeys((".doc", ".odt", ".rtf", ".docm", ".dotx"), ".docx or .pdf"),
    **dict.fromkeys((".xls", ".ods", ".xlsm", ".xlsb", ".numbers"), ".xlsx or .csv"),
    **dict.fromkeys((".ppt", ".odp", ".pptm", ".ppsx"), ".pptx or .pdf"),
    **dict.fromkeys((".msg", ".mbox"), ".eml, a message a file"),
    **dict.fromkeys((".mobi", ".azw3"), ".epub"),
}
"""What to save a file as whose kind is near to one that is read."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Line breaks, terminal controls, and what turns the direction of writing."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to load.

    Attributes:
        path: where the file is.
        doc_id: what its document is called; several documents of one file add ``::`` and a name.
        root: the given folder that it stands in, or the folder of a file that was named itself.
        metadata: what the root's ``manifest.json`` says about it, ``title`` included.
    """

    path: Path
    doc_id: str
    root: Path
    metadata: dict[str, Scalar] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        """The file name's ending in lower case."""
        return self.path.suffix.lower()


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that gave no document: its name, a stable reason word, and a sentence for a person.

    Reasons are those of `ragbench.errors.DocumentUnreadable`, and ``skipped`` for what is no
    document or was left out on purpose.
    """

    name: str
    reason: str
    detail: str

    @property
    def is_failure(self) -> bool:
        """Whether it should have given a document."""
        return self.reason != SKIPPED


def find_sources(
    paths: Sequence[Path], suffixes: Sequence[str] = SUFFIXES, exclude: Sequence[str] = ()
) -> tuple[list[Source], list[Unread]]:
    """Every document below the paths, and every file that is none, both ordered by name.

    Args:
        paths: files and folders.
        suffixes: the endings that the loader reads.
        exclude: patterns, as in ``.gitignore``, of what is left out.

    Raises:
        UsageError: a path does not exist, two have the same name, or one lies within another.
        RagbenchError: a manifest is malformed.
    """
    roots = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100  (keeps a link's name)
    _check_roots(paths, roots)
    sources: list[Source] = []
    unread: list[Unread] = []
    for root in roots:
        if not root.is_dir():
            source = Source(root, _id(root.name), root.parent)
            _take_file(root, source, suffixes, sources, unread)
            continue
        prefix = f"{root.name}/" if len(roots) > 1 else ""
        walk = _Walk(root, prefix, read_manifest(root), suffixes, exclude)
        walk.run()
        sources += walk.sources
        unread += walk.unread
    sources.sort(key=lambda source: source.doc_id)
    return _without_doubles(sources, unread), sorted(unread, key=lambda entry: entry.name)


def _check_roots(paths: Sequence[Path], roots: list[Path]) -> None:
    for path, root in zip(paths, roots, strict=True):
        try:
            exists = root.exists()
            broken = "" if exists or not root.is_symlink() else f" (a link to {root.readlink()})"
        except OSError as error:
            raise UsageError(
                f"The path {str(path)!r} cannot be reached: {error.strerror}."
            ) from error
        if not exists:
            raise UsageError(
                f"The path {str(path)!r} does not exist{broken}. Give files or folders that exist."
            )
    name, count = Counter(_id(root.name) for root in roots).most_common(1)[0] if roots else ("", 0)
    if count > 1:
        raise UsageError(
            f"{count} of the given paths are called {name!r}, so that their documents could not be "
            "told apart. Rename one, or give the folder that holds both."
        )
    for inner in roots:
        outer = next((root for root in roots if root in inner.parents), None)
        if outer is not None:
            raise UsageError(
                f"The path {str(inner)!r} lies within {str(outer)!r}, so that its documents would "
                "be ingested twice. Give one of the two."
            )


class _Walk:
    """One root: real folders first, then the linked ones that no real one had covered."""

    def __init__(
        self,
        root: Path,
        prefix: str,
        manifest: dict[str, dict[str, Scalar]],
        suffixes: Sequence[str],
        exclude: Sequence[str],
    ) -> None:
        self.suffixes = suffixes
        self._ignores = Ignores(root, exclude)
        self._hidden: set[str] = set()
        self.root, self.prefix, self.manifest = root, prefix, manifest
        self.sources: list[Source] = []
        self.unread: list[Unread] = []
        self._seen: dict[tuple[int, int], str] = {}
        self._links: list[Path] = []

    def run(self) -> None:
        self._folders([self.root])
        while self._links:
            self._folders([self._links.pop(0)])
        if self.manifest:
            self._miss()

    def _miss(self) -> None:
        """What the manifest names and the folder does not hold."""
        named = {_id(source.path.relative_to(self.root).as_posix()) for source in self.sources}
        named |= {entry.name.removeprefix(self.prefix) for entry in self.unread}
        for name in sorted(set(self.manifest) - named):
            if any(name.startswith(f"{hidden}/") for hidden in self._hidden):
                continue
            detail = f"{MANIFEST} names it, but the folder does not hold it. Correct the manifest."
            self.unread.append(Unread(self.prefix + _shown(name), "missing", detail))

    def _folders(self, stack: list[Path]) -> None:
        while stack:
            folder = stack.pop()
            if self._first_visit(folder):
                stack += self._read(folder)

    def _first_visit(self, folder: Path) -> bool:
        try:
            status = folder.stat()
        except OSError as error:
            self._refuse(folder, "unreadable", f"The folder cannot be read: {error.strerror}.")
            return False
        key = (status.st_dev, status.st_ino)
        if key in self._seen:
            detail = f"It links to {self._seen[key]!r}, which is read already; nothing is lost."
            self._refuse(folder, "link", detail)
            return False
        self._seen[key] = _shown(str(folder))
        return True

    def _read(self, folder: Path) -> list[Path]:
        """Take the files of one folder; return its real sub-folders and remember linked ones."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            detail = f"The folder cannot be read: {error.strerror}. Check its permissions."
            self._refuse(folder, "unreadable", detail)
            return []
        inner, at_root = [], folder == self.root
        above = "" if at_root else f"{folder.relative_to(self.root).as_posix()}/"
        for entry in entries:
            if entry.name.startswith(".") or (at_root and entry.name == MANIFEST):
                continue
            path, is_folder = folder / entry.name, _is_folder(entry)
            if self._is_left_out(path, is_folder):
                continue
            if not is_folder:
                name = _id(above + entry.name)
                source = Source(path, self.prefix + name, self.root, self.manifest.get(name, {}))
                _take_file(path, source, self.suffixes, self.sources, self.unread)
            elif entry.is_symlink():
                self._links.append(path)
            else:
                inner.append(path)
        return inner

    def _is_left_out(self, path: Path, is_folder: bool) -> bool:
        why = self._ignores.why(path, is_folder=is_folder)
        if why:
            self._hidden.add(_id(path.relative_to(self.root).as_posix()))
            self._refuse(path, SKIPPED, f"It is left out by {why}.")
        return bool(why)

    def _refuse(self, path: Path, reason: str, detail: str) -> None:
        relative = "" if path == self.root else path.relative_to(self.root).as_posix()
        self.unread.append(Unread(_shown(self.prefix + relative) or path.name, reason, detail))


def _take_file(
    path: Path,
    source: Source,
    suffixes: Sequence[str],
    sources: list[Source],
    unread: list[Unread],
) -> None:
    problem = _problem(path, suffixes)
    if problem is None:
        sources.append(source)
    else:
        unread.append(Unread(_shown(source.doc_id), *problem))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # `_problem` says what is wrong with it


def _problem(path: Path, suffixes: Sequence[str]) -> tuple[str, str] | None:
    """Reason and detail when the file cannot be a source."""
    if _shown(str(path)) != str(path):
        return "unreadable", "Its path is not valid UTF-8 and cannot be an id. Rename the file."
    try:
        return _problem_of_kind(path, suffixes)
    except OSError as error:
        return "unreadable", f"It cannot be reached: {error.strerror}. Check the permissions."


def _problem_of_kind(path: Path, suffixes: Sequence[str]) -> tuple[str, str] | None:
    try:
        status = path.stat()
    except OSError:
        if path.exists():  # or raises what is worth telling
            raise
        if not path.is_symlink():
            return "unreadable", "It was removed while the folder was read."
        target = _shown(str(path.readlink()))
        return "unreadable", f"It is a link to {target!r}, which cannot be reached."
    is_file, kind = stat.S_ISREG(status.st_mode), kind_of(path, suffixes)
    if kind and is_file:
        return SKIPPED, f"It is {kind}, and no document."
    if is_file and not status.st_size:
        return SKIPPED, "It is empty (0 bytes)."
    if path.suffix.lower() not in suffixes:
        ending = f"Files ending in {path.suffix!r}" if path.suffix else "Files without an ending"
        remedy = _REMEDIES.get(path.suffix.lower())
        if remedy:
            return "unsupported", f"{ending} are not read. Save it as {remedy} and give that."
        return "unsupported", f"{ending} are not read. Read are: {' '.join(suffixes)}"
    if not is_file:
        return "unsupported", "It is not a regular file but a device, pipe or socket."
    return None


def _without_doubles(sources: list[Source], unread: list[Unread]) -> list[Source]:
    """Refuse all but the first of names that are one name in NFC; the list is sorted by id."""
    kept: list[Source] = []
    for source in sources:
        if kept and kept[-1].doc_id == source.doc_id:
            detail = (
                "Another file of this folder has the same name in another Unicode spelling "
                f"({kept[-1].path.name.encode('unicode_escape').decode()!r}). Rename one."
            )
            unread.append(Unread(source.doc_id, "unreadable", detail))
        else:
            kept.append(source)
    return kept


def _id(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def printable(text: str) -> str:
    r"""The text on one line that does what it looks like: line breaks and controls as escapes.

    >>> print(printable("two\nlines \x1b[31m\u202e.md"), printable("Gebühr 😀.md"))
    two\nlines \x1b[31m\u202e.md Gebühr 😀.md
    """
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


def _shown(name: str) -> str:
    """The name with bytes that are no UTF-8 written as escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
