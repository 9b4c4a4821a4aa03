"""Beside a clone called ragbench, ``import ragbench`` gives the package and not its repository."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHOW = "import ragbench, ragbench.ingest, ragbench.domains; print(ragbench.__file__)"


@pytest.fixture
def parent(tmp_path, repository):
    """A folder that holds the clone under the package's name."""
    (tmp_path / "ragbench").symlink_to(repository, target_is_directory=True)
    return tmp_path


def python(folder, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)


def test_the_package_is_imported(parent, repository) -> None:
    done = python(parent, "-c", SHOW)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(repository / "ragbench" / "__init__.py")


def test_the_command_works_there(parent) -> None:
    done = python(parent, "-m", "ragbench", "--version")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ragbench, version ")


def test_without_an_installation_the_message_says_what_to_do(parent) -> None:
    # -S leaves the installed packages out, the editable one among them.
    done = python(parent, "-S", "-c", "import ragbench")
    assert done.returncode == 1
    assert "ImportError: ragbench is not installed: " in done.stderr
    assert "pip install -e ." in done.stderr
