"""reStructuredText, by docutils: rendered to HTML and read as a page.

Rules fixed here: no file is included and nothing raw is let through (both are left out and
counted), and so are comments; a directive that docutils does not know, as those of Sphinx, stays
with its text as it is written; a role that it does not know is its text. What is wrong in the
markup costs nothing else.
"""

from __future__ import annotations

import io
import re
from typing import Any

from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load.html import read_into
from ragbench.ingest.load.office._archive import library

__all__ = ["parse"]

_SUFFIX = ".rst"
_ROLE = re.compile(r":[\w:+.-]+:`([^`<]+?)\s*(?:<[^`>]*>)?`")
_REFUSED = re.compile(r'"(include|raw|csv-table|figure|image)" directive|file insertion', re.I)
_WARNING = 2
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 2,
    "halt_level": 5,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "toc_backlinks": False,
    "footnote_backlinks": False,
    "footnote_references": "superscript",
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "line_length_limit": 10_000_000,
}


def parse(data: bytes) -> Parsed:
    """One document; the title is the first heading, ``:title:`` of the metadata before it.

    Raises:
        DocumentUnreadable: the bytes are no text, or docutils is not installed.
    """
    text, encoding = decode(data, _SUFFIX)
    core = library("docutils.core", _SUFFIX)
    blocks = Blocks()
    settings = {**_SETTINGS, "warning_stream": io.StringIO()}
    tree = core.publish_doctree(text, settings_overrides=settings)
    _tidy(tree, blocks)
    html = core.publish_from_doctree(
        tree, writer="html5", settings_overrides={**settings, "output_encoding": "utf-8"}
    )
    read_into(html, blocks)
    metadata: dict[str, Scalar] = {}
    if encoding not in ("utf-8", "utf-8-sig"):
        metadata["encoding"] = encoding
    title = well_formed(fold(str(tree.get("title", "")))) or blocks.first_heading
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=blocks.left_out)


def _tidy(tree: Any, blocks: Blocks) -> None:  # noqa: ANN401  (docutils node)
    """Take out comments and messages; put in place what the messages hold back."""
    nodes = library("docutils.nodes", _SUFFIX)
    tree.transform_messages = []
    for comment in list(tree.findall(nodes.comment)):
        blocks.left_out["comment"] += bool(comment.astext().strip())
        comment.parent.remove(comment)
    for problem in list(tree.findall(nodes.problematic)):
        role = _ROLE.fullmatch(problem.astext())
        problem.parent.replace(problem, nodes.Text(role.group(1) if role else problem.astext()))
    for message in list(tree.findall(nodes.system_message)):
        is_error = message["level"] > _WARNING  # a warning's text stands in the document too
        held = list(message.findall(nodes.literal_block)) if is_error else []
        if _REFUSED.search(message.astext().split("\n")[0]):
            blocks.left_out["included or raw content"] += 1
            held = []
        elif held:
            blocks.left_out["unknown directive, kept as written"] += 1
        message.parent.replace(message, held)
    for note in [*tree.findall(nodes.footnote), *tree.findall(nodes.citation)]:
        _lead(nodes, note, f"[{note.pop(0).astext()}] ")
    for entry in list(tree.findall(nodes.field)):
        name, body = entry.children
        _lead(nodes, body, f"{name.astext()}: ")
        entry.parent.replace(entry, body.children)
    for section in list(tree.findall(nodes.section)):
        if "system-messages" in section.get("classes", ()):
            section.parent.remove(section)


def _lead(nodes: Any, node: Any, label: str) -> None:  # noqa: ANN401  (docutils)
    """Set a label before the first paragraph of a node."""
    if not node.children or not isinstance(node[0], nodes.paragraph):
        node.insert(0, nodes.paragraph())
    node[0].insert(0, nodes.Text(label))
    fields = node.parent.parent
    if isinstance(fields, nodes.field_list):
        fields.__class__ = nodes.container
    elif isinstance(node, nodes.footnote | nodes.citation):
        node.parent.replace(node, node.children)
