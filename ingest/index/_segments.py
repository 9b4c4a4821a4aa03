"""Vectors in segments, which generations share: a change writes what changed.

::

    <collection>/vectors/<number>/
        segment.json    written last: a segment without it is unfinished
        ids.json        the chunk id at each position, as it was when the segment was written
        vectors.npy     float32 (n, dim), absent when a server has the vectors
        chroma/         the same in ChromaDB with their graph, absent likewise
    <generation>/places.npy   int32 (chunks, 2): which of the manifest's segments, which position

A segment never changes. A generation takes from it the positions that it names; the others are dead
there. Which segments are written together with what is new is decided by sizes alone, so that there
are few of them, and a vector is written a number of times that grows with the logarithm of how many
there are: small ones always, larger ones when as much comes, and those of which much is dead.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from ragbench.ingest.index._arrays import load_array
from ragbench.ingest.index._atomic import write_atomically
from ragbench.ingest.index._manifest import Manifest, Recall, Record, damaged

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.index._layout import Layout

__all__ = [
    "PLACES",
    "Segment",
    "SegmentPlan",
    "load_places",
    "plan_segments",
    "read_ids",
    "read_segment",
    "write_ids",
    "write_segment",
]

PLACES = "places.npy"
_SEGMENT, _IDS = "segment.json", "ids.json"
_SMALL = 512
"""A segment of no more live vectors is written again with whatever is new: half a second."""
_DEAD_SHARE = 0.25


class Segment(Record):
    """What a finished segment holds.

    Attributes:
        n: number of vectors.
        dim: their components; 0 without vectors.
        recall: of its graph, measured when it was built.
        truncated: positions of chunks longer than the embedder's window, and their tokens.
    """

    n: int
    dim: int
    recall: Recall
    truncated: tuple[tuple[int, int], ...] = Field(default=())


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """What becomes of the vectors of a generation.

    Attributes:
        kept: names of the segments that stay.
        places: int32 (chunks, 2) in terms of ``kept``; -1 for what is written now.
        rows: the chunks whose vectors are written now, as one new segment.
    """

    kept: tuple[str, ...]
    places: np.ndarray
    rows: np.ndarray = field(repr=False)


def plan_segments(
    origins: np.ndarray, segments: Sequence[tuple[str, int]], places: np.ndarray
) -> SegmentPlan:
    """Decide which segments stay.

    Args:
        origins: for each chunk its number in the generation before, -1 when it is new.
        segments: those of the generation before, and how many vectors each holds.
        places: those of the generation before.
    """
    import numpy as np

    old = np.full((len(origins), 2), -1, dtype=np.int32)
    old[origins >= 0] = places[origins[origins >= 0]]
    live = np.bincount(old[origins >= 0, 0], minlength=len(segments))
    sizes = {number: size for number, (_, size) in enumerate(segments)}
    n_new, kept = int((origins < 0).sum()), []
    by_size = sorted(sizes, key=lambda i: (sizes[i] - live[i] <= _DEAD_SHARE * sizes[i], live[i]))
    for number in by_size:
        much_dead = sizes[number] - live[number] > _DEAD_SHARE * sizes[number]
        if much_dead or (n_new and live[number] <= max(_SMALL, n_new)):
            n_new += int(live[number])
        else:
            kept.append(number)
    kept.sort()
    renumbered = np.full(len(segments) + 1, -1, dtype=np.int32)  # the last is that of -1
    renumbered[kept] = np.arange(len(kept))
    old[:, 0] = renumbered[old[:, 0]]
    old[old[:, 0] < 0, 1] = -1
    names = tuple(segments[number][0] for number in kept)
    return SegmentPlan(names, old, np.flatnonzero(old[:, 0] < 0))


def write_segment(folder: Path, segment: Segment) -> None:
    """Make the segment a finished one."""
    write_atomically(folder / _SEGMENT, segment.model_dump_json() + "\n")


def read_segment(folder: Path) -> Segment:
    """What a finished segment holds.

    Raises:
        StoreError: it is absent or damaged.
    """
    path = folder / _SEGMENT
    try:
        return Segment.model_validate_json(path.read_bytes())
    except OSError as error:
        raise damaged(folder, "it holds no vectors") from error
    except ValidationError as error:
        raise damaged(path, error.errors()[0]["msg"]) from error


def write_ids(folder: Path, chunk_ids: Sequence[str]) -> None:
    """Write which chunk is at which position."""
    (folder / _IDS).write_text(json.dumps(chunk_ids) + "\n", encoding="utf-8")


def read_ids(folder: Path, n: int) -> list[str]:
    """Which chunk is at which position.

    Raises:
        StoreError: the file is absent or damaged.
    """
    path = folder / _IDS
    try:
        ids: Any = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error
    if not isinstance(ids, list) or len(ids) != n:
        raise damaged(path, f"it does not hold the {n} ids that the segment promises")
    return ids


def load_places(layout: Layout, manifest: Manifest) -> np.ndarray:
    """Segment and position of each chunk's vector.

    Raises:
        StoreError: the file, or a segment that the manifest names, is absent or damaged.
    """
    import numpy as np

    path = layout.generations / manifest.generation / PLACES
    places = load_array(path, (manifest.n_chunks, 2))
    if len(places):
        if int(places.min()) < 0 or int(places[:, 0].max()) >= len(manifest.segments):
            raise damaged(path, "it names a segment that the manifest does not")
        sizes = np.array([read_segment(layout.vectors / name).n for name in manifest.segments])
        if (places[:, 1] >= sizes[places[:, 0]]).any():
            raise damaged(path, "it names a position that its segment does not have")
    return places
