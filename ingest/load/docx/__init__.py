"""DOCX to text: `parse`; how the parts divide the work stands in `_body`."""

from ragbench.ingest.load.docx._body import parse
from ragbench.ingest.load.docx._package import MAX_UNPACKED_BYTES

__all__ = ["MAX_UNPACKED_BYTES", "parse"]
