"""HTML to text: `parse` for a page, `read_into` for markup inside of another document."""

from ragbench.ingest.load.html._page import parse, read_into

__all__ = ["parse", "read_into"]
