"""The body of a document: paragraphs and tables in order, imported parts, then the notes.

A paragraph carries the number that a word processor shows before it. A table is one line a row,
merged cells repeated. Foot- and endnotes follow the text under the marks of their references, an
endnote's in Roman numerals. Page headers and footers, which repeat, and comments are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._metadata import Scalar
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._tables import Cell, add_rows
from ragbench.ingest.load.docx._numbering import Numbering
from ragbench.ingest.load.docx._package import Package, R, W, malformed, value
from ragbench.ingest.load.docx._styles import Styles
from ragbench.ingest.load.docx._text import MC, Texts, chosen
from ragbench.ingest.load.pdf._pages import sensible_title

__all__ = ["parse"]

_TRANSPARENT = {W + n for n in ("sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo")}
_DELETED = {W + "del", W + "moveFrom"}
_DC = "{http://purl.org/dc/elements/1.1/}"
_MOST_DEPTH = 30


def parse(data: bytes, depth: int = 0) -> Parsed:
    """One document; the title is the core property, else the title paragraph, else a heading.

    Args:
        data: the whole file.
        depth: how many documents it is imported into.

    Raises:
        DocumentUnreadable: not a Word document, damaged, encrypted, or far too large when unpacked.
    """
    package = Package(data)
    try:
        reader = _Reader(package, depth)
        reader.read()
        stated, metadata = _properties(package)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise malformed(error) from error  # markup that breaks the rules of the format
    blocks = reader.blocks
    title = stated or reader.title or blocks.first_heading
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=dict(blocks.left_out))


def _properties(package: Package) -> tuple[str, dict[str, Scalar]]:
    names = [r.target for r in package.relations("") if r.kind == "core-properties"]
    root = package.xml(names[0]) if names else None
    if root is None:
        return "", {}

    def stated(name: str) -> str:
        return fold(root.findtext(_DC + name) or "")

    fields = {"author": stated("creator"), "subject": stated("subject")}
    return sensible_title(stated("title")), {k: v for k, v in fields.items() if v}


class _Reader:
    """Reads the parts of one package into blocks."""

    def __init__(self, package: Package, depth: int) -> None:
        self._package, self._depth = package, depth
        self.blocks, self.title = Blocks(), ""
        self._styles = Styles(package.related("styles"))
        self._numbering = Numbering(package.related("numbering"), self._styles)
        self._texts = Texts(self._styles, self.blocks.left_out)
        self._in_list = False

    def read(self) -> None:
        root = self._package.xml(self._package.main)
        body = None if root is None else root.find(W + "body")
        if body is None:
            raise DocumentUnreadable("malformed", "The DOCX has no body. Save it anew.")
        self._add_all(body, self.blocks)
        self._add_notes()
        self._count_parts()

    def _add_all(self, parent: Any, blocks: Blocks, depth: int = 0) -> None:  # noqa: ANN401
        if depth > _MOST_DEPTH:
            return
        for element in self._elements(parent):
            if element.tag == W + "tbl":
                add_rows(blocks, self._rows(element, depth))
                self._in_list = False
            elif element.tag == W + "altChunk":
                self._import(element, blocks)
            else:
                self._paragraph(element, blocks)
                boxes, self._texts.boxes = self._texts.boxes, []
                for box in boxes:
                    self._add_all(box, blocks, depth + 1)

    def _elements(self, parent: Any) -> Iterator[Any]:  # noqa: ANN401  (lxml element)
        """Paragraphs, tables and imports in order, those inside of content controls included."""
        stack = [iter(parent)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
            elif child.tag in _TRANSPARENT:
                stack.append(iter(child))
            elif child.tag == MC + "AlternateContent":
                stack.append(iter(chosen(child)))
            elif child.tag in (W + "p", W + "tbl", W + "altChunk"):
                yield child
            elif isinstance(child.tag, str) and child.tag.endswith("}oMathPara"):
                yield _wrapped(child)

    def _paragraph(self, element: Any, blocks: Blocks) -> None:  # noqa: ANN401  (lxml element)
        text = self._texts.text(element)
        style = self._styles.style_of(element)
        names = self._styles.names(style)
        numbered = self._styles.numbering(element) is not None
        is_item = numbered or any(name.startswith("list") for name in names)
        level = self._styles.level(element)
        tight = is_item and self._in_list and level is None
        gone = not text and element.find(f"{W}pPr/{W}rPr/{W}del") is not None
        label = "" if gone or not numbered else self._numbering.label(element)
        if blocks.add(text, tight=tight, level=level, label=label):
            self._in_list = is_item
            self.title = self.title or (fold(text) if "title" in names else "")

    def _rows(self, table: Any, depth: int) -> Iterator[list[Cell]]:  # noqa: ANN401
        above: dict[int, str] = {}
        for row in _of(table, "tr"):
            gone = next(
                (n for n in ("del", "hidden") if row.find(f"{W}trPr/{W}{n}") is not None), ""
            )
            if gone:
                self.blocks.left_out["deleted" if gone == "del" else "hidden"] += 1
                continue
            cells: list[Cell] = []
            column = _integer(value(row, f"trPr/{W}gridBefore"), 0)
            cells += [Cell("")] * column
            for cell in _of(row, "tc"):
                width = _integer(value(cell, f"tcPr/{W}gridSpan"), 1)
                text = self._cell(cell, depth)
                if _continues(cell, "hMerge") and cells:
                    text = cells[-1].text
                elif _continues(cell, "vMerge"):
                    text = above.get(column, text)
                for at in range(column, column + width):
                    above[at] = text
                cells.append(Cell(text, width))
                column += width
            yield _as_one(cells)

    def _cell(self, cell: Any, depth: int) -> str:  # noqa: ANN401  (lxml element)
        inner, in_list = Blocks(), self._in_list
        self._add_all(cell, inner, depth + 1)
        self._in_list = in_list
        if next(cell.iter(W + "tbl"), None) is None:
            return fold(inner.text)
        lines = filter(None, inner.text.split("\n"))  # a table in a cell: bars would be columns
        return fold("; ".join(line.replace(" | ", ", ") for line in lines))

    def _add_notes(self) -> None:
        done = 0
        roots = {kind: self._package.related(f"{kind}s") for kind in ("footnote", "endnote")}
        while done < len(self._texts.notes):  # a note may refer to another
            (kind, note_id), mark = list(self._texts.notes.items())[done]
            done += 1
            root = roots[kind]
            for note in () if root is None else root.iter(W + kind):
                if note.get(W + "id") == note_id:
                    inner = Blocks(self.blocks.left_out)
                    self._add_all(note, inner)
                    self.blocks.add(inner.text, label=mark)
        for kind, root in roots.items():
            ids = (
                [n.get(W + "id") for n in root.iter(W + kind) if n.get(W + "type") is None]
                if (root is not None)
                else []
            )
            unused = sum((kind, str(note_id)) not in self._texts.notes for note_id in ids)
            if unused:
                self.blocks.left_out["note without reference"] += unused

    def _count_parts(self) -> None:
        comments = self._package.related("comments")
        if comments is not None and (count := len(list(comments.iter(W + "comment")))):
            self.blocks.left_out["comment"] += count
        for relation in self._package.relations(self._package.main):
            if relation.kind in ("header", "footer"):
                root = self._package.xml(relation.target)
                if root is not None and any(t.text and t.text.strip() for t in root.iter(W + "t")):
                    self.blocks.left_out["page header or footer"] += 1
            elif relation.kind in ("chart", "diagramData"):
                self.blocks.left_out["chart or diagram"] += 1

    def _import(self, element: Any, blocks: Blocks) -> None:  # noqa: ANN401  (lxml element)
        """Another document inside of this one, as some programs write them."""
        relation = self._package.by_id(self._package.main).get(element.get(R + "id") or "")
        data = None if relation is None else self._package.read(relation.target)
        if relation is None or data is None:
            return
        ending = relation.target.rsplit(".", 1)[-1].lower()
        if ending in ("htm", "html", "xhtml"):
            from ragbench.ingest.load.html import read_into

            read_into(data, blocks)
        elif ending == "docx" and self._depth < _MOST_DEPTH:
            inner = parse(data, self._depth + 1)
            for paragraph in inner.text.split("\n\n"):
                blocks.add(paragraph)
            blocks.left_out.update(inner.left_out)
        elif ending == "txt":
            from ragbench.ingest.load._decode import decode

            for paragraph in decode(data, ".txt")[0].replace("\r", "").split("\n\n"):
                blocks.add(paragraph.strip())
        else:
            blocks.left_out[f"imported .{ending}"] += 1


def _wrapped(equation: Any) -> Any:  # noqa: ANN401  (lxml element)
    """An equation beside the paragraphs, as a paragraph."""
    from lxml import etree

    paragraph = etree.Element(W + "p")
    paragraph.append(equation)
    return paragraph


def _of(parent: Any, name: str) -> Iterator[Any]:  # noqa: ANN401  (lxml element)
    """Rows of a table or cells of a row, not those of a table inside."""
    for child in parent:
        if child.tag == W + name:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from _of(child, name)


def _continues(cell: Any, name: str) -> bool:  # noqa: ANN401  (lxml element)
    found = cell.find(f"{W}tcPr/{W}{name}")
    return found is not None and (found.get(W + "val") or "continue") == "continue"


def _as_one(cells: list[Cell]) -> list[Cell]:
    """Cells that were merged into one whole row, as one."""
    return cells[:1] if len(cells) == 1 else cells


def _integer(text: str, default: int) -> int:
    return min(int(text), 1000) if text.isdigit() else default
