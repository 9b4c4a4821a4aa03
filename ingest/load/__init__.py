"""Files to documents: find the sources, load each one, name the reason of each that gives none.

`find_sources` lists the files below the given paths; a loader (a `Files` from the registry
`LOADERS`) turns one source into documents; `load_many` does so for all of them in their order, the
heavy formats in guarded worker processes. What a document is cut into is the business of
`ragbench.ingest.chunk`. This package is the folder ``ingest/load/``.
"""

from ragbench.ingest.load._files import LOADER_VERSION, LOADERS, Files, Loader
from ragbench.ingest.load._own import OwnLoader
from ragbench.ingest.load._passwords import check_apart, read_passwords
from ragbench.ingest.load._pool import Loaded, ParserPool, load_guarded, load_many
from ragbench.ingest.load._records import Records
from ragbench.ingest.load._sources import SUFFIXES, Source, Unread, find_sources, printable

__all__ = [
    "LOADERS",
    "LOADER_VERSION",
    "SUFFIXES",
    "Files",
    "Loaded",
    "Loader",
    "OwnLoader",
    "ParserPool",
    "Records",
    "Source",
    "Unread",
    "check_apart",
    "find_sources",
    "load_guarded",
    "load_many",
    "printable",
    "read_passwords",
]
