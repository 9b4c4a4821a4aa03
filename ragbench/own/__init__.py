"""Parts of the user's own: code named as ``FILE.py:NAME``, and errors that name its file and line.

A spec may name a class or function of the user's own wherever it may name a registered component:
``--retrievers my_search.py:MySearch``. What each kind has to offer stands in the package of that
kind (`ragbench.retrieval`, `ragbench.ingest.chunk`, ...); here is only how code is loaded, called
and blamed. docs/own-parts.md has an example of each.
"""

from ragbench.own._code import Code, digest_of, is_own, load_code, load_module
from ragbench.own._part import Part

__all__ = ["Code", "Part", "digest_of", "is_own", "load_code", "load_module"]
