"""The repository's folder is no package; the package is the folder ``ragbench`` inside it.

This file is found by ``import ragbench`` only in the folder that holds a clone called ``ragbench``.
There Python would take the clone for a package without code. It hands over to the installed one.
"""

import importlib.util
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

_PARENT = Path(__file__).absolute().parent.parent.resolve()


def _installed() -> Any:  # noqa: ANN401  (a ModuleSpec, or None)
    """The spec of the installed package: a regular one on the path, else an editable one."""
    places = [place for place in sys.path if Path(place or ".").resolve() != _PARENT]
    found = [PathFinder.find_spec("ragbench", places)]
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    found += [finder.find_spec("ragbench", None) for finder in finders]
    return next((spec for spec in found if spec is not None and spec.origin is not None), None)


if __name__ == "ragbench":
    _spec = _installed()
    if _spec is None:
        raise ImportError(
            f"ragbench is not installed: {_PARENT / 'ragbench'} is its repository. Install it from "
            "there (pip install -e .), or run in another folder."
        )
    _module = importlib.util.module_from_spec(_spec)
    sys.modules["ragbench"] = _module
    _spec.loader.exec_module(_module)
