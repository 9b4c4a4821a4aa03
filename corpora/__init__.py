"""The documents of the built-in domains: data only.

This is the folder ``corpora/``; its import name is `ragbench.corpora`. Built files stand in one
folder per domain; their sources, from which ``make corpora`` builds them, stand in ``corpora/src``.
"""

if not __name__.startswith("ragbench."):
    raise ImportError(
        f"Import ragbench.corpora, not {__name__}: a second copy of every module would load"
    )
