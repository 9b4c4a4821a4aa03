"""The loader of files: one file's bytes to documents, by the ending of its name.

Rules fixed here: a file is one document, or many where it holds records; a document's title is the
manifest's, else its own, else the file's name; metadata of the manifest wins over the file's own;
every text is well-formed Unicode; a file without a letter of text is a named failure, never an
empty document. How a format is read stands in the module of that format; which process reads it, in
`_pool`.
"""

from __future__ import annotations

import codecs
import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, Literal, Protocol

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._fields import Fields
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._records import Records, named, read_stream
from ragbench.ingest.load._sources import SUFFIXES, Source
from ragbench.records import Document
from ragbench.registry import Registry, spec_of

__all__ = ["LOADERS", "LOADER_VERSION", "Files", "Loader", "make_document", "read_bytes"]

LOADER_VERSION = 8
"""Counts up whenever the text, places or metadata of any format change; part of the identity."""

_MODULES = {
    ".md": "_markdown",
    ".markdown": "_markdown",
    ".txt": "_txt",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
    ".eml": "office._eml",
    ".epub": "office._epub",
    ".pptx": "office._pptx",
    ".xlsx": "office._xlsx",
    ".rst": "office._rst",
}
_TEXT = {".md", ".markdown", ".txt"}
_STREAMED = {".jsonl": "_jsonl", ".csv": "_csv", ".tsv": "_csv"}
_LIBRARIES = (
    "beautifulsoup4",
    "charset-normalizer",
    "lxml",
    "markdown-it-py",
    "pyyaml",
    "webencodings",
)
_OFFICE_LIBRARIES = ("docutils", "openpyxl", "python-pptx")
_PDF_LIBRARIES = {"pypdf": ("fonttools", "pypdf", "pypdfium2"), "pdfium": ("pypdfium2",)}


class Loader(Protocol):
    """Turns one source into documents."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings that it reads, in lower case."""

    @property
    def identity(self) -> str:
        """What an extracted text depends on besides the file's bytes."""

    def load(self, source: Source, passwords: Sequence[str] = ()) -> list[Document] | Records:
        """The documents of one file, at least one; those of a file of records one by one.

        Args:
            source: the file.
            passwords: tried on a file that is encrypted; no part of the identity.

        Raises:
            DocumentUnreadable: the file gives none; says why.
        """


LOADERS: Registry[Loader] = Registry("loader")


@LOADERS.register("files")
@dataclass(frozen=True)
class Files:
    """Documents of every kind in `SUFFIXES`, and records in JSON, JSON lines, CSV and TSV files.

    Attributes:
        pdf: what extracts the text of a PDF. ``pdfium`` is several times as fast, writes other
            white space, and needs the extra of that name.
        text_fields: field or column of a record that holds its text; of several names, separated
            by commas, the first that the record fills is taken; ``title+text`` joins two.
        title_fields: the same for its title.
        id_fields: the same for its id, which names the record's document.
        encoding: of text and Markdown files that are not UTF-8; none detects it.
    """

    pdf: Literal["pypdf", "pdfium"] = "pypdf"
    text_fields: str = "content,text"
    title_fields: str = "title"
    id_fields: str = "id"
    encoding: str | None = None

    spec_name: ClassVar[str]

    def __post_init__(self) -> None:
        if not _names(self.text_fields):
            raise ValueError("text_fields names no field; write text_fields=body, for example")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise ValueError(f"no encoding is called {self.encoding!r}") from None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings that it reads."""
        return SUFFIXES

    @property
    def identity(self) -> str:
        """Spec, version of this code, and versions of the libraries that read the formats."""
        libraries = sorted((*_LIBRARIES, *_PDF_LIBRARIES[self.pdf]))
        libraries += [name for name in _OFFICE_LIBRARIES if _version(name) != "absent"]
        versions = " ".join(f"{name}=={_version(name)}" for name in libraries)
        return f"{spec_of(self)} v{LOADER_VERSION} {versions}"

    def load(self, source: Source, passwords: Sequence[str] = ()) -> list[Document] | Records:
        """The documents of one file, at least one; those of a file of records one by one.

        Raises:
            DocumentUnreadable: the file gives none; says why.
            ModelUnavailable: the PDF reader that was asked for is not installed.
        """
        fields = Fields(*map(_names, (self.text_fields, self.title_fields, self.id_fields)))
        if source.suffix in _STREAMED:
            rows = _module(_STREAMED[source.suffix]).reader(fields, source.suffix)
            return read_stream(source, rows, make_document)
        data = read_bytes(source)
        sha256 = hashlib.sha256(data).hexdigest()
        if source.suffix != ".json":
            return [make_document(self._parse(source, data, passwords), source, sha256)]
        json = _module("_json")
        found: Parsed | list[Any] = json.parse(data, fields)
        if isinstance(found, Parsed):
            return [make_document(found, source, sha256)]
        records = json.array_records(found, fields)
        return Records(source.doc_id, named(source, sha256, records, make_document))

    def _parse(self, source: Source, data: bytes, passwords: Sequence[str]) -> Parsed:
        if source.suffix == ".pdf":
            parsed: Parsed = _module(f"pdf._{self.pdf}").parse(data, passwords)
        elif source.suffix in _TEXT:
            parsed = _module(_MODULES[source.suffix]).parse(data, self.encoding)
        else:
            parsed = _module(_MODULES[source.suffix]).parse(data)
        return parsed


def _names(fields: str) -> tuple[str, ...]:
    """Field names from their list with commas.

    >>> _names("body, text")
    ('body', 'text')
    """
    return tuple(filter(None, map(str.strip, fields.split(","))))


def _module(name: str) -> Any:  # noqa: ANN401  (a module that reads a format)
    return importlib.import_module(f"ragbench.ingest.load.{name}")


def read_bytes(source: Source) -> bytes:
    """The file's content.

    Raises:
        DocumentUnreadable: it cannot be read, or holds nothing.
    """
    try:
        data = source.path.read_bytes()
    except OSError as error:
        detail = f"The file cannot be read: {error.strerror}."
        raise DocumentUnreadable("unreadable", detail) from error
    if not data.strip():
        found = "only white space" if data else "0 bytes"
        raise DocumentUnreadable("empty", f"The file holds {found}.")
    return data


@cache
def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


def make_document(parsed: Parsed, source: Source, sha256: str) -> Document:
    """The document of what a format's reader found.

    Raises:
        DocumentUnreadable: there is no text in it.
    """
    if not parsed.text.strip():
        raise DocumentUnreadable("empty", "The file holds no text.")
    of_manifest = dict(source.metadata)
    of_file = of_manifest.pop("title", "")
    metadata: dict[str, Scalar] = {**parsed.metadata, **of_manifest}
    stated = parsed.title or of_file if parsed.record else of_file or parsed.title
    return Document(
        doc_id=f"{source.doc_id}::{parsed.record}" if parsed.record else source.doc_id,
        title=fold(well_formed(str(stated))) or source.path.stem,
        text=parsed.text,
        metadata=metadata,
        places=parsed.places,
        aliases=parsed.aliases,
        sha256=sha256,
        left_out=parsed.left_out,
    )
