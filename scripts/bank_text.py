"""Print built documents as the loader reads them: the text that quotes are taken from.

Usage:

    python scripts/bank_text.py playbooks/x.md [MORE ...] [--corpus NAME]
"""

from __future__ import annotations

import argparse

from build_corpora import SOURCES

from ragbench.ingest.load import Files, Unread, find_sources, load_many


def main() -> None:
    """Print each document under its id."""
    parser = argparse.ArgumentParser(description="Print built documents as they are loaded.")
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--corpus", default="banking_knowledge")
    options = parser.parse_args()
    sources, _ = find_sources([SOURCES.parent / options.corpus])
    wanted = [source for source in sources if source.doc_id in options.documents]
    missing = sorted(set(options.documents) - {source.doc_id for source in wanted})
    if missing:
        parser.error(f"not built: {', '.join(missing)}; ids are paths such as playbooks/x.md")
    for source, loaded in load_many(wanted, Files()):
        if isinstance(loaded, Unread):
            parser.error(f"{source.doc_id}: {loaded}")
        for document in loaded:
            print(f"===== {source.doc_id}\n{document.text}")


if __name__ == "__main__":
    main()
