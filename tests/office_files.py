"""Loading one file, for the tests of the office formats."""

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source
from ragbench.records import Document


def one(folder, name: str, data: bytes | str) -> Document:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    (document,) = LOADERS.create("files").load(Source(path, name, folder))
    return document


def refused(folder, name: str, data: bytes | str) -> DocumentUnreadable:
    with pytest.raises(DocumentUnreadable) as caught:
        one(folder, name, data)
    return caught.value
