"""The password file: one password a line, each tried on every encrypted PDF.

Rules fixed here: nothing quotes a password, neither an error nor a log; they travel in calls and on
workers' standard input alone, and are no part of a loader's spec or identity. A line is taken as it
is, white space included; empty lines are none.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ragbench.errors import UsageError
from ragbench.ingest.load._sources import Source

__all__ = ["check_apart", "read_passwords"]


def read_passwords(path: Path) -> tuple[str, ...]:
    """The passwords in the order of the file.

    Raises:
        UsageError: the file cannot be read, is not UTF-8, or holds no password.
    """
    remedy = "Give a UTF-8 text file with one password a line."
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"The password file {str(path)!r} cannot be read: {error.strerror}. {remedy}"
        ) from error
    except UnicodeDecodeError:
        text = ""  # the error itself would show what stands there
    passwords = tuple(dict.fromkeys(filter(None, (line.rstrip("\r") for line in text.split("\n")))))
    if not passwords:
        raise UsageError(f"The password file {str(path)!r} holds no password in UTF-8. {remedy}")
    return passwords


def check_apart(path: Path, sources: Iterable[Source]) -> None:
    """Refuse a password file that would be ingested as a document.

    Raises:
        UsageError: it is among the sources.
    """
    for source in sources:
        try:
            same = source.path.samefile(path)
        except OSError:
            continue  # loading it will say why
        if same:
            raise UsageError(
                f"The password file {str(path)!r} is among the documents, so that its passwords "
                "would be stored in the index. Move it out of the folder."
            )
