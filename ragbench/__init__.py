"""Evaluate knowledge agents and the retrieval under them.

Folder path and import path differ: ``ingest/`` is imported as `ragbench.ingest`, ``domains/`` as
`ragbench.domains` and ``corpora/`` as `ragbench.corpora`. Importing this package loads nothing
heavy.
"""

from ragbench.errors import RagbenchError

__all__ = ["RagbenchError", "__version__"]

__version__ = "0.1.0"
