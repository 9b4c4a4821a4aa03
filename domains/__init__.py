"""Domains: the loader, and beside it the built-in domain folders, which are loaded by path.

This is the folder ``domains/``; its import name is `ragbench.domains`.
"""

if not __name__.startswith("ragbench."):
    raise ImportError(
        f"Import ragbench.domains, not {__name__}: a second copy of every module would load"
    )

from ragbench.domains._load import Domain, Reading, builtin_domains, load_domain, read_domain
from ragbench.domains._tasks import TaskProblem

__all__ = [
    "Domain",
    "Reading",
    "TaskProblem",
    "builtin_domains",
    "load_domain",
    "read_domain",
]
