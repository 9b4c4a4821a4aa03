"""The command line: one file per command, imported only when that command runs."""

from ragbench.cli._main import main

__all__ = ["main"]
