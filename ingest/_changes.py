"""What an ingest found changed: files of one generation beside those of the one before."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.ingest.index import Manifest, SourceEntry

__all__ = ["Changes"]


@dataclass(frozen=True, slots=True)
class Changes:
    """How many files differ from the generation before, by their bytes and by what is said of them.

    Attributes:
        n_added: files that it did not hold; all of them at the first ingest.
        n_changed: files whose bytes or metadata are others.
        n_removed: files that it held, and that are gone or give no document any more.
        n_unchanged: files that are as they were.
    """

    n_added: int
    n_changed: int
    n_removed: int
    n_unchanged: int

    @classmethod
    def between(cls, before: Manifest | None, after: Manifest) -> Changes:
        """The changes from one generation to another; None is the empty one."""
        old = {} if before is None else before.sources
        shared = old.keys() & after.sources.keys()
        same = sum(_same_file(old[doc_id], after.sources[doc_id]) for doc_id in shared)
        return cls(
            n_added=len(after.sources) - len(shared),
            n_changed=len(shared) - same,
            n_removed=len(old) - len(shared),
            n_unchanged=same,
        )


def _same_file(before: SourceEntry, after: SourceEntry) -> bool:
    return (before.sha256, before.metadata_sha256) == (after.sha256, after.metadata_sha256)
