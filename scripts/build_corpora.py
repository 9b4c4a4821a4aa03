"""Build the corpora from `corpora/src/`: PDFs and DOCX from sources, other files copied.

`corpora/src/NAME/` becomes `corpora/NAME/`: `x.pdf.md` is written as `x.pdf`, `x.docx.md` as
`x.docx`, every other document is copied byte for byte, and `manifest.json` lists all of them with
hash, licence, title and metadata. Two files of a source folder are no documents:

- `documents.yaml` (optional): `licence` and, per built path, metadata. When it stands, it must name
  exactly the documents that exist. A `title` here wins over the one a document gives itself.
- `facts.yaml` (optional): facts that must stand in the built documents (see `check_facts`).

The result does not depend on when, where or how often this runs. Usage:

    python scripts/build_corpora.py [--out DIR] [--only NAME]
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from corpus_blocks import parse_source
from corpus_docx import write_docx
from corpus_pdf import write_pdf

SOURCES = Path(__file__).resolve().parent.parent / "corpora" / "src"
NO_DOCUMENTS = {"documents.yaml", "facts.yaml"}
WRITERS = {".pdf.md": write_pdf, ".docx.md": write_docx}


def build_corpus(source: Path, target: Path) -> dict[str, Any]:
    """Build one corpus into `target`, which is emptied before, and return its manifest."""
    if target.exists():
        shutil.rmtree(target)
    listing = _read_yaml(source / "documents.yaml")
    files = {}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.is_dir() or name in NO_DOCUMENTS or path.name.startswith("."):
            continue
        built = _build_file(path, name, target)
        files[built] = _entry(built, target / built, listing)
    _compare_listing(source.name, set(files), set(listing.get("documents", files)))
    manifest = {
        "schema_version": 1,
        "corpus": source.name,
        "files": dict(sorted(files.items())),
        "roles": _roles(listing),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (target / "manifest.json").write_text(text, encoding="utf-8", newline="\n")
    return manifest


def check_facts(source: Path, target: Path) -> list[str]:
    """Return what the built documents say differently from `facts.yaml`, empty when all agrees.

    `statements`: document -> texts that must stand in it; `codes`: code -> the only document in
    which it may stand, or a list of them.
    """
    facts = _read_yaml(source / "facts.yaml")
    texts = {
        path.relative_to(target).as_posix(): extract_text(path)
        for path in sorted(target.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
    problems = [
        f"{name}: the statement {statement!r} stands in it {count} times, not once"
        for name, statements in facts.get("statements", {}).items()
        for statement in statements
        if (count := texts.get(name, "").count(_folded(statement))) != 1
    ]
    for code, homes in facts.get("codes", {}).items():
        expected = {homes} if isinstance(homes, str) else set(homes)
        pattern = re.compile(rf"(?<!\w){re.escape(code)}(?!\w)")
        found = {name for name, text in texts.items() if pattern.search(text)}
        if found != expected:
            problems.append(f"code {code!r}: expected in {sorted(expected)}, is in {sorted(found)}")
    return problems


def extract_text(path: Path) -> str:
    """Return the text of a built file with white space folded, for the check of facts only."""
    if path.suffix == ".pdf":
        from pypdf import PdfReader

        return _folded("\n".join(page.extract_text() for page in PdfReader(path).pages))
    if path.suffix == ".docx":
        from docx import Document

        document = Document(str(path))
        parts = [p.text for p in document.paragraphs]
        parts += [c.text for t in document.tables for row in t.rows for c in row.cells]
        return _folded("\n".join(parts))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    if path.suffix == ".json":
        text = json.loads(text)["content"]
    return _folded(text)


def _build_file(path: Path, name: str, target: Path) -> str:
    """Write or copy one source file; return the name of the built file."""
    for suffix, write in WRITERS.items():
        if name.endswith(suffix):
            built = name.removesuffix(".md")
            (target / built).parent.mkdir(parents=True, exist_ok=True)
            write(parse_source(path.read_text(encoding="utf-8"), name), target / built)
            return built
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target / name)
    return name


def _entry(name: str, path: Path, listing: dict[str, Any]) -> dict[str, Any]:
    fields = dict(listing.get("documents", {}).get(name) or {})
    fields.pop("role", None)
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "licence": listing.get("licence", "MIT"),
        "title": fields.pop("title", None) or _title(path),
        "metadata": {key: _plain(value) for key, value in sorted(fields.items())},
    }


def _roles(listing: dict[str, Any]) -> dict[str, str]:
    """Why each document is there. Kept apart from its metadata, which an agent may filter by."""
    documents = listing.get("documents", {})
    return {name: fields["role"] for name, fields in sorted(documents.items()) if "role" in fields}


def _title(path: Path) -> str:
    """Return the title that a built document gives itself."""
    if path.suffix == ".pdf":
        from pypdf import PdfReader

        metadata = PdfReader(path).metadata
        return str(metadata.title if metadata else path.stem)
    if path.suffix == ".docx":
        from docx import Document

        return str(Document(str(path)).core_properties.title)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return str(json.loads(text)["title"])
    if path.suffix == ".html" and (found := re.search(r"<title>(.*?)</title>", text, re.DOTALL)):
        return _folded(html.unescape(found[1]))
    if text.startswith("---\n"):
        matter = yaml.safe_load(text.split("---\n")[1])
        return str(matter["title"])
    return next(line for line in text.splitlines() if line.strip()).lstrip("# ").strip()


def _compare_listing(corpus: str, built: set[str], listed: set[str]) -> None:
    if built != listed:
        raise ValueError(
            f"corpora/src/{corpus}/documents.yaml and the documents differ. Not listed: "
            f"{sorted(built - listed)}. Listed, but absent: {sorted(listed - built)}."
        )


def _plain(value: object) -> object:
    """Dates as ISO text; everything else as YAML gave it."""
    return value.isoformat() if hasattr(value, "isoformat") else value


def _folded(text: str) -> str:
    return " ".join(text.split())


def _read_yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(arguments: list[str] | None = None) -> int:
    """Build every corpus and check its facts; 0 when all is well, 1 when a fact is missing."""
    parser = argparse.ArgumentParser(description="Build the corpora from corpora/src/.")
    parser.add_argument("--out", type=Path, default=SOURCES.parent, help="default: corpora/")
    parser.add_argument("--only", help="build this corpus alone")
    options = parser.parse_args(arguments)
    problems = []
    for source in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
        if options.only in (None, source.name):
            manifest = build_corpus(source, options.out / source.name)
            sys.stdout.write(f"{source.name}: {len(manifest['files'])} documents\n")
            problems += check_facts(source, options.out / source.name)
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
