"""The text of paragraphs: runs, fields, symbols, notes, equations, what is left out.

Tracked insertions are text, tracked deletions are none; of alternate content the first choice is
taken, and the fallback where that gives nothing. Fields show their result, never their code, and
may reach over many paragraphs. Text boxes are kept for after the paragraph that they hang on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._marks import lowered, raised, set_apart
from ragbench.ingest.load._numerals import roman
from ragbench.ingest.load.docx._math import M, equation
from ragbench.ingest.load.docx._package import W, value
from ragbench.ingest.load.docx._styles import Styles
from ragbench.ingest.load.docx._symbols import SYMBOL_FONTS, symbol

__all__ = ["MC", "Texts", "chosen"]

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WORDS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DELETED = ("del", "moveFrom")
_SILENT = frozenset(
    "pPr rPr instrText delText delInstrText softHyphen sectPr tblPr trPr tcPr sdtPr sdtEndPr "
    "footnoteRef endnoteRef annotationRef commentReference bookmarkStart rubyPr".split()
)
_FLAGS = {"vanish": "hidden", "strike": "struck out", "dstrike": "struck out"}
_MOST_DEPTH = 300


class Texts:
    """Turns paragraphs of one document into text.

    Attributes:
        notes: kind and id of each note in the order of the references to it, with its number.
        boxes: contents of text boxes since they were last taken.
    """

    def __init__(self, styles: Styles, left_out: Counter[str]) -> None:
        self._styles, self._left_out = styles, left_out
        self.notes: dict[tuple[str, str], str] = {}
        self.boxes: list[Any] = []
        self._n_notes: Counter[str] = Counter()
        self._fields: list[bool] = []  # open fields: whether each is past its code
        self._style = ""
        self._pending: Counter[str] = Counter()

    def text(self, paragraph: Any) -> str:  # noqa: ANN401  (lxml element)
        """The paragraph's text; line breaks kept, other white space folded."""
        self._style = self._styles.style_of(paragraph)
        text = "".join(self._inline(child, 0) for child in paragraph)
        return "\n".join(filter(None, map(fold, set_apart(text, runs=True).split("\n"))))

    def _inline(self, node: Any, depth: int) -> str:  # noqa: ANN401  (lxml element)
        if not isinstance(node.tag, str) or depth > _MOST_DEPTH:
            return ""
        if node.tag == MC + "AlternateContent":
            return self._alternate(node, depth)
        if node.tag in (M + "oMath", M + "oMathPara"):
            return "" if self._in_code else f" {equation(node)} "
        name = node.tag.removeprefix(W)
        if name in _SILENT:
            return ""
        if name in _DELETED:
            self._leave_out("deleted", node)
            return ""
        if name == "r":
            return self._run(node, depth)
        if name == "txbxContent":
            self.boxes.append(node)
            return ""
        if name == "ruby":
            return self._ruby(node, depth)
        return self._leaf(name, node) or "".join(self._inline(c, depth + 1) for c in node)

    def _leaf(self, name: str, node: Any) -> str:  # noqa: ANN401  (lxml element)
        if name == "fldChar":
            return self._field(node)
        if self._in_code:
            return ""
        if name == "t":
            return node.text or ""
        if name in _WORDS:
            return _WORDS[name]
        if name == "sym":
            return self._symbol(node.get(W + "font") or "", node.get(W + "char") or "")
        if name in ("footnoteReference", "endnoteReference"):
            return self._reference(name.removesuffix("Reference"), node)
        if name in ("drawing", "pict") and not _holds_text(node):
            self._left_out["picture"] += 1
        elif name == "object":
            self._left_out["embedded object"] += 1
        return ""

    @property
    def _in_code(self) -> bool:
        return not all(self._fields)

    def _alternate(self, node: Any, depth: int) -> str:  # noqa: ANN401  (lxml element)
        n_boxes = len(self.boxes)
        for child in node:
            text = "".join(self._inline(part, depth + 1) for part in child)
            if text.strip() or len(self.boxes) > n_boxes:
                return text
        return ""

    def _ruby(self, node: Any, depth: int) -> str:  # noqa: ANN401  (lxml element)
        base, reading = (
            "".join(self._inline(c, depth + 1) for part in node.iter(W + name) for c in part)
            for name in ("rubyBase", "rt")
        )
        return f"{base}({reading})" if reading.strip() else base

    def _run(self, run: Any, depth: int) -> str:  # noqa: ANN401  (lxml element)
        for flag, kind in _FLAGS.items():
            if self._styles.is_on(run, self._style, flag):
                if any(child.tag == W + "fldChar" for child in run):
                    break  # the field goes on behind it
                self._leave_out(kind, run)
                return ""
        text = "".join(self._inline(child, depth + 1) for child in run)
        fonts = run.find(f"{W}rPr/{W}rFonts")
        font = "" if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or ""
        if any("\uf000" <= char <= "\uf0ff" for char in text):
            font = font if font.lower() in SYMBOL_FONTS else "Symbol"
            text = "".join(
                self._symbol(font, f"{ord(c):x}") if "\uf000" <= c <= "\uf0ff" else c for c in text
            )
        for child in run:
            if self.notes.get(_note(child)) == "" and _has_own_mark(child):
                self.notes[_note(child)] = text.strip()
        how = self._styles.raised(run, self._style)
        if how not in ("superscript", "subscript") and text.strip().isdigit():
            how = self._styles.moved(run)
        is_note = text.startswith("[") and any(c.tag.endswith("noteReference") for c in run)
        if how == "superscript" and not is_note:
            return raised(text)
        return lowered(text) if how == "subscript" else text

    def _leave_out(self, kind: str, node: Any) -> None:  # noqa: ANN401  (lxml element)
        names = (W + "t", W + "delText", M + "t", W + "sym")
        if any((part.text or part.tag == W + "sym") for part in node.iter(*names)):
            self._left_out[kind] += 1
        for part in node.iter(W + "fldChar"):
            self._field(part)

    def _field(self, node: Any) -> str:  # noqa: ANN401  (lxml element)
        kind = node.get(W + "fldCharType")
        if kind == "begin":
            shown = "" if self._in_code else _form_field(node)
            self._fields.append(False)
            return shown
        if kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()
        return ""

    def _symbol(self, font: str, code: str) -> str:
        try:
            found = symbol(font, int(code, 16))
        except ValueError:
            found = ""
        if not found:
            self._left_out["unknown symbol"] += 1
        return found or "\ufffd"

    def _reference(self, kind: str, node: Any) -> str:  # noqa: ANN401  (lxml element)
        key = _note(node)
        if _has_own_mark(node):
            self.notes.setdefault(key, "")
            return ""
        if key not in self.notes:
            self._n_notes[kind] += 1
            count = self._n_notes[kind]
            self.notes[key] = f"[{roman(count) if kind == 'endnote' else count}]"
        return self.notes[key]


def _note(node: Any) -> tuple[str, str]:  # noqa: ANN401  (lxml element)
    """Kind and id of the note that an element refers to."""
    kind = str(node.tag).removeprefix(W).removesuffix("Reference")
    return kind, node.get(W + "id") or ""


def _has_own_mark(node: Any) -> bool:  # noqa: ANN401  (lxml element)
    """Whether the author wrote the mark of a note, so that it takes no number."""
    return (node.get(W + "customMarkFollows") or "0") not in ("0", "false", "off")


def chosen(node: Any) -> Any:  # noqa: ANN401  (lxml element)
    """The part of alternate content that counts: the first choice with text, else the fallback."""
    parts = list(node)
    return next((part for part in parts if _holds_text(part)), parts[0] if parts else ())


def _holds_text(node: Any) -> bool:  # noqa: ANN401  (lxml element)
    return next(node.iter(W + "t", M + "t", W + "sym"), None) is not None


def _form_field(node: Any) -> str:  # noqa: ANN401  (lxml element)
    """What an old form field shows besides its result: a box, or the chosen entry."""
    box = node.find(f"{W}ffData/{W}checkBox")
    if box is not None:
        state = box.find(W + "checked")
        state = box.find(W + "default") if state is None else state
        on = state is not None and (state.get(W + "val") or "1") not in ("0", "false", "off")
        return "☒ " if on else "☐ "
    choice = node.find(f"{W}ffData/{W}ddList")
    if choice is None:
        return ""
    entries = [entry.get(W + "val") or "" for entry in choice.iter(W + "listEntry")]
    chosen_at = value(choice, "result") or value(choice, "default") or "0"
    at = int(chosen_at) if chosen_at.isdigit() else 0
    return entries[at] if at < len(entries) else ""
