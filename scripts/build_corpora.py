"""Build the corpora from `corpora/src/`, and the database and tasks that belong to their facts.

`corpora/src/NAME/` becomes `corpora/NAME/`: `x.pdf.md` is written as `x.pdf`, `x.docx.md` as
`x.docx`, every other document as it is, and `manifest.json` lists all of them with hash, licence,
title and metadata. `{{ expressions }}` in any of them are filled from the facts (`corpus_facts`).
A source with areas (`corpus_areas`) gives `domains/NAME/db.json` and `domains/NAME/tasks/` as well
(`corpus_domain`).

`documents.yaml` must name exactly the documents that exist; a `title` in it wins over the one that
a document gives itself. `checks.yaml` holds statements and codes that must stand in the built
documents (`check_statements`). Facts that nothing uses are listed.

The result does not depend on when, where or how often this runs. Usage:

    python scripts/build_corpora.py [--out DIR] [--only NAME]

With `--out DIR` everything is written below DIR: `DIR/NAME/` and `DIR/domains/NAME/`.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from corpus_areas import Area, Listing, areas_of, merged_checks, merged_listing
from corpus_blocks import parse_source
from corpus_docx import write_docx
from corpus_domain import write_domain
from corpus_facts import Facts, SourceError, Writer, load_facts, plain
from corpus_pdf import write_pdf
from corpus_tasks import evidence_of

SOURCES = Path(__file__).resolve().parent.parent / "corpora" / "src"
WRITERS = {".pdf.md": write_pdf, ".docx.md": write_docx}


def build(source: Path, target: Path, domain: Path) -> list[str]:
    """Build one corpus and what belongs to it; return what is wrong with it.

    Args:
        source: its folder beneath `corpora/src/`.
        target: where the documents go; emptied before.
        domain: where database and tasks go, for a source with areas.
    """
    areas = areas_of(source)
    facts = load_facts([area.folder for area in areas])
    listing = merged_listing(areas)
    manifest = build_corpus(areas, target, facts, listing, source.name)
    problems = check_statements(areas, target)
    tasks: list[Any] = []
    if any((area.folder / "db.yaml").exists() for area in areas):
        found, tasks = write_domain(areas, facts, domain)
        problems += [*found, *_role_problems(manifest["roles"], evidence_of(tasks))]
    sys.stdout.write(f"{source.name}: {len(manifest['files'])} documents, {len(tasks)} tasks\n")
    sys.stdout.writelines(f"unused fact: {path}\n" for path in facts.unused())
    return problems


def build_corpus(
    areas: list[Area], target: Path, facts: Facts, listing: Listing, name: str
) -> dict[str, Any]:
    """Build the documents into `target`, which is emptied before, and return their manifest."""
    if target.exists():
        shutil.rmtree(target)
    writer = Writer(facts)
    files: dict[str, dict[str, Any]] = {}
    for area in areas:
        for path in sorted(area.docs.rglob("*")):
            if path.is_dir() or path.name.startswith("."):
                continue
            built = _build_file(path, path.relative_to(area.docs).as_posix(), target, writer)
            if built in files:
                raise SourceError(f"{path}: another area has a document of this name")
            files[built] = _entry(built, target / built, listing)
    _compare_listing(
        name, set(files), set(files if listing.documents is None else listing.documents)
    )
    manifest = {
        "schema_version": 1,
        "corpus": name,
        "files": dict(sorted(files.items())),
        "roles": _roles(listing),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (target / "manifest.json").write_text(text, encoding="utf-8", newline="\n")
    return manifest


def check_statements(areas: list[Area], target: Path) -> list[str]:
    """Return what the built documents say differently from `checks.yaml`, empty when all agrees.

    `statements`: document -> texts that must stand in it once; `codes`: code -> the only document
    in which it may stand, or a list of them.
    """
    checks = merged_checks(areas)
    texts = {
        path.relative_to(target).as_posix(): extract_text(path)
        for path in sorted(target.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
    problems = [
        f"{name}: the statement {statement!r} stands in it {count} times, not once"
        for name, statements in checks["statements"].items()
        for statement in statements
        if (count := texts.get(name, "").count(_folded(statement))) != 1
    ]
    for code, homes in checks["codes"].items():
        expected = {homes} if isinstance(homes, str) else set(homes)
        pattern = re.compile(rf"(?<!\w){re.escape(code)}(?!\w)")
        found = {name for name, text in texts.items() if pattern.search(text)}
        if found != expected:
            problems.append(f"code {code!r}: expected in {sorted(expected)}, is in {sorted(found)}")
    return problems


def _role_problems(roles: dict[str, str], evidence: set[str]) -> Iterator[str]:
    """Every document is evidence of a need, or the distractor of a document that is."""
    for name, role in roles.items():
        prefix, _, target = role.partition("distractor of ")
        if role == "evidence":
            if name not in evidence:
                yield f"{name}: its role is evidence, but no task's need points to it"
        elif prefix or target not in roles:
            yield f"{name}: role {role!r} is neither 'evidence' nor 'distractor of <a document>'"
        elif target not in evidence:
            yield f"{name}: it is the distractor of {target}, to which no task's need points"
    yield from (f"{name}: a need points to it, its role says otherwise" for name in sorted(evidence)
                if roles.get(name) != "evidence")  # fmt: skip


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


def _build_file(path: Path, name: str, target: Path, writer: Writer) -> str:
    """Write one source file with its expressions filled; return the name of the built file."""
    text = writer.text(path.read_bytes().decode("utf-8"), str(path))
    for suffix, write in WRITERS.items():
        if name.endswith(suffix):
            built = name.removesuffix(".md")
            (target / built).parent.mkdir(parents=True, exist_ok=True)
            write(parse_source(text, name), target / built)
            return built
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    (target / name).write_bytes(text.encode("utf-8"))
    return name


def _entry(name: str, path: Path, listing: Listing) -> dict[str, Any]:
    fields = dict((listing.documents or {}).get(name) or {})
    fields.pop("role", None)
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "licence": listing.licence,
        "title": fields.pop("title", None) or _title(path),
        "metadata": {key: plain(value) for key, value in sorted(fields.items())},
    }


def _roles(listing: Listing) -> dict[str, str]:
    """Why each document is there. Kept apart from its metadata, which an agent may filter by."""
    documents = listing.documents or {}
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
        raise SourceError(
            f"corpora/src/{corpus}: documents.yaml and the documents differ. Not listed: "
            f"{sorted(built - listed)}. Listed, but absent: {sorted(listed - built)}."
        )


def _folded(text: str) -> str:
    return " ".join(text.split())


def main(arguments: list[str] | None = None) -> int:
    """Build every corpus; 0 when all is well, 1 when something is wrong with what was built."""
    parser = argparse.ArgumentParser(description="Build the corpora from corpora/src/.")
    parser.add_argument("--out", type=Path, help="default: corpora/ and domains/")
    parser.add_argument("--only", help="build this corpus alone")
    options = parser.parse_args(arguments)
    out = options.out or SOURCES.parent
    domains = options.out / "domains" if options.out else SOURCES.parent.parent / "domains"
    problems = []
    try:
        for source in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
            if options.only in (None, source.name):
                problems += build(source, out / source.name, domains / source.name)
    except ValueError as error:  # SourceError, or a fault of the notation
        problems.append(str(error))
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
