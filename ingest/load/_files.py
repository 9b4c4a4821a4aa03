"""The loader of files: one file's bytes to documents, by the ending of its name.

Rules fixed here: a document's title is the manifest's, else its own, else the file's name;
metadata of the manifest wins over the file's own; every text is well-formed Unicode; a file without
a letter of text is a named failure, never an empty document. How a format is read stands in the
module of that format; which process reads it, in `_pool`.
"""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar, Literal, Protocol

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parse, Parsed
from ragbench.ingest.load._sources import Source
from ragbench.records import Document
from ragbench.registry import Registry, spec_of

__all__ = ["LOADERS", "LOADER_VERSION", "Files", "Loader"]

LOADER_VERSION = 1
"""Counts up whenever the text, places or metadata of any format change; part of the identity."""

_MODULES = {
    ".md": "_markdown",
    ".markdown": "_markdown",
    ".txt": "_txt",
    ".html": "_html",
    ".htm": "_html",
    ".docx": "_docx",
    ".json": "_json",
}
_LIBRARIES = ("beautifulsoup4", "charset-normalizer", "lxml", "python-docx", "pyyaml")
_PDF_LIBRARIES = {"pypdf": ("fonttools", "pypdf"), "pdfium": ("pypdfium2",)}


class Loader(Protocol):
    """Turns one source into documents."""

    spec_name: ClassVar[str]

    @property
    def identity(self) -> str:
        """What an extracted text depends on besides the file's bytes."""

    def load(self, source: Source) -> list[Document]:
        """The documents of one file, at least one.

        Raises:
            DocumentUnreadable: the file gives none; says why.
        """


LOADERS: Registry[Loader] = Registry("loader")


@LOADERS.register("files")
@dataclass(frozen=True)
class Files:
    """PDF, Markdown, HTML, text, DOCX and JSON files, each by its own reader.

    Attributes:
        pdf: what extracts the text of a PDF. ``pdfium`` is several times as fast, writes other
            white space, and needs the extra of that name.
    """

    pdf: Literal["pypdf", "pdfium"] = "pypdf"

    spec_name: ClassVar[str]

    @property
    def identity(self) -> str:
        """Spec, version of this code, and versions of the libraries that read the formats."""
        libraries = sorted((*_LIBRARIES, *_PDF_LIBRARIES[self.pdf]))
        versions = " ".join(f"{name}=={_version(name)}" for name in libraries)
        return f"{spec_of(self)} v{LOADER_VERSION} {versions}"

    def load(self, source: Source) -> list[Document]:
        """The documents of one file, at least one.

        Raises:
            DocumentUnreadable: the file gives none; says why.
            ModelUnavailable: the PDF reader that was asked for is not installed.
        """
        try:
            data = source.path.read_bytes()
        except OSError as error:
            detail = f"The file cannot be read: {error.strerror}."
            raise DocumentUnreadable("unreadable", detail) from error
        if not data.strip():
            found = "only white space" if data else "0 bytes"
            raise DocumentUnreadable("empty", f"The file holds {found}.")
        sha256 = hashlib.sha256(data).hexdigest()
        return [_document(parsed, source, sha256) for parsed in self._parse(source)(data)]

    def _parse(self, source: Source) -> Parse:
        module = f"_{self.pdf}" if source.suffix == ".pdf" else _MODULES[source.suffix]
        parse: Parse = importlib.import_module(f"ragbench.ingest.load.{module}").parse
        return parse


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


def _document(parsed: Parsed, source: Source, sha256: str) -> Document:
    if not parsed.text.strip():
        raise DocumentUnreadable("empty", "The file holds no text.")
    metadata: dict[str, Scalar] = {**parsed.metadata, **source.metadata}
    of_file = metadata.pop("title", "")
    stated = parsed.title or of_file if parsed.record else of_file or parsed.title
    return Document(
        doc_id=f"{source.doc_id}::{parsed.record}" if parsed.record else source.doc_id,
        title=fold(well_formed(str(stated))) or source.path.stem,
        text=parsed.text,
        metadata=metadata,
        places=parsed.places,
        aliases=parsed.aliases,
        sha256=sha256,
    )
