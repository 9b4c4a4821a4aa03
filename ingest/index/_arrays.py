"""Arrays as files: written once, then mapped into memory, so that opening one reads nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ragbench.ingest.index._manifest import damaged

if TYPE_CHECKING:
    import numpy as np

__all__ = ["load_array", "save_array", "write_matrix_header"]


def save_array(path: Path, array: np.ndarray) -> None:
    """Write the array; equal arrays give equal bytes."""
    import numpy as np

    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(array), allow_pickle=False)


def write_matrix_header(file: BinaryIO, n_rows: int, dim: int) -> None:
    """Begin the file of a float32 matrix whose rows are written after it."""
    import numpy as np

    header = {"descr": "<f4", "fortran_order": False, "shape": (n_rows, dim)}
    np.lib.format.write_array_header_1_0(file, header)


def load_array(path: Path, shape: tuple[int | None, ...]) -> np.ndarray:
    """The array of a file, mapped; None in the shape takes any number.

    Raises:
        StoreError: the file is absent, no array, or of another shape.
    """
    import numpy as np

    array: np.ndarray
    try:
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:  # an array without elements cannot be mapped
            array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(path, getattr(error, "strerror", None) or error) from error
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise damaged(path, f"its shape is {array.shape}, and {shape} is expected")
    return array
