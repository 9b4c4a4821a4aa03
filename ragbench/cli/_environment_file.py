"""``.env`` in the working folder: keys for providers, read by the command line alone."""

from __future__ import annotations

from pathlib import Path

from ragbench.errors import UsageError

__all__ = ["read_environment_file"]

_FILE = Path(".env")


def read_environment_file() -> None:
    """Add the variables of ``.env`` to the environment, where they are not set there already.

    Its values are shown nowhere, also not when a line of it cannot be read.

    Raises:
        UsageError: it is there, but no text that can be read.
    """
    if not _FILE.is_file():
        return
    from dotenv import load_dotenv

    try:
        load_dotenv(_FILE, override=False)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{_FILE.resolve()} cannot be read ({type(error).__name__}). It must be UTF-8 text of "
            "lines NAME=value; mend or remove it."
        ) from None
