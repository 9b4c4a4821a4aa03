"""Documents in, chunks and vectors out: load, chunk, embed, index, in that order.

This is the folder ``ingest/``; its import name is `ragbench.ingest`.
"""

if not __name__.startswith("ragbench."):
    raise ImportError(
        f"Import ragbench.ingest, not {__name__}: a second copy of every module would load"
    )
