"""``manifest.json`` at a root: metadata per file, written by whoever keeps the folder.

The form is ``{"files": {"<path under the root>": {"title": ..., <scalars>, "metadata": {...}}}}``.
An entry's scalars and those of its ``metadata`` are taken together; its ``sha256`` describes the
file as it was when the manifest was written and is no metadata.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from ragbench.errors import RagbenchError
from ragbench.ingest.load._metadata import Scalar, flatten

__all__ = ["MANIFEST", "read_manifest"]

MANIFEST = "manifest.json"


def read_manifest(root: Path) -> dict[str, dict[str, Scalar]]:
    """Metadata by relative path (NFC, with ``/``); empty when the root has no manifest.

    Raises:
        RagbenchError: the file is there and is not a manifest.
    """
    path = root / MANIFEST
    try:
        if not path.is_file():
            return {}
        manifest = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _malformed(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _malformed(path, f"is not JSON in UTF-8: {error}") from error
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, dict):
        raise _malformed(path, "has no object 'files'")
    return {unicodedata.normalize("NFC", name): _entry(path, name, files[name]) for name in files}


def _entry(path: Path, name: str, entry: object) -> dict[str, Scalar]:
    nested = entry.get("metadata", {}) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(nested, dict):
        raise _malformed(path, f"gives {name!r} something else than an object of fields")
    return {**flatten(entry, leave=("sha256", "metadata")), **flatten(nested)}


def _malformed(path: Path, what: str) -> RagbenchError:
    return RagbenchError(
        f"The manifest {str(path)!r} {what}. The form is "
        '{"files": {"fees.pdf": {"title": "Fees", "product": "card"}}}. '
        "Correct the file, or rename it when it is no manifest."
    )
