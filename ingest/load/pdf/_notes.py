"""Form values and annotations of a page, as lines that say where they come from.

Rules fixed here: ``[Form field] NAME: VALUE`` and ``[Annotation by AUTHOR] TEXT``, in the file's
order after the page's own text. A box is ``ticked`` or ``not ticked``, a choice is what the form
shows for it. Passwords, and what is marked hidden, are left out and counted; empty fields, buttons,
links and pop-up windows say nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ragbench.ingest.load._blocks import fold

if TYPE_CHECKING:
    from pypdf import PageObject

__all__ = ["notes_of"]

_SILENT = frozenset(("/Link", "/Popup", "/Widget", "/PrinterMark", "/TrapNet", "/Watermark"))
_UNSEEN = 2 | 32  # hidden, no view
_PASSWORD, _RADIO, _BUTTON = 1 << 13, 1 << 15, 1 << 16
_MAX_PARENTS = 32


def notes_of(page: PageObject, seen: set[int], left_out: Counter[str]) -> list[str]:
    """The lines of one page.

    Args:
        page: of pypdf.
        seen: fields that were written already, since one field may stand in many places.
        left_out: counts what is not written.
    """
    lines: list[str] = []
    annotations = _object(page.get("/Annots"))
    for reference in annotations if isinstance(annotations, list) else ():
        annotation = _object(reference)
        if not hasattr(annotation, "get"):
            continue
        kind = annotation.get("/Subtype")
        unseen = int(_object(annotation.get("/F")) or 0) & _UNSEEN
        if kind == "/Widget":
            line = _field(annotation, seen, left_out, bool(unseen))
        elif unseen:
            line = ""
            left_out["hidden annotations"] += bool(_words(annotation.get("/Contents")))
        else:
            line = "" if kind in _SILENT else _annotation(annotation)
        if line:
            lines.append(line)
    return lines


def _annotation(annotation: Any) -> str:  # noqa: ANN401
    text = _words(annotation.get("/Contents")) or _plain(annotation.get("/RC"))
    if annotation.get("/Subtype") == "/FileAttachment":
        file = _object(annotation.get("/FS"))
        name = _words(file.get("/UF") or file.get("/F")) if hasattr(file, "get") else ""
        text = f"attached file {name}" + (f": {text}" if text else "") if name else text
    author = _words(annotation.get("/T"))
    return f"[Annotation{f' by {author}' if author else ''}] {text}" if text else ""


def _field(widget: Any, seen: set[int], left_out: Counter[str], unseen: bool) -> str:  # noqa: ANN401
    chain = _chain(widget)
    field = next((holder for holder in chain if "/T" in holder), widget)
    key = getattr(field.indirect_reference, "idnum", id(field))
    if key in seen:
        return ""
    value = _value(chain)
    if not value:
        return ""
    seen.add(key)
    if unseen or int(_inherited(chain, "/Ff") or 0) & _PASSWORD:
        left_out["hidden form fields" if unseen else "passwords in form fields"] += 1
        return ""
    return f"[Form field] {_name(chain)}: {value}"


def _chain(widget: Any) -> list[Any]:  # noqa: ANN401
    """The widget and the fields above it."""
    chain: list[Any] = []
    holder = widget
    while hasattr(holder, "get") and len(chain) < _MAX_PARENTS:
        chain.append(holder)
        holder = _object(holder.get("/Parent"))
    return chain


def _inherited(chain: list[Any], key: str) -> Any:  # noqa: ANN401
    return next((_object(holder.get(key)) for holder in chain if key in holder), None)


def _name(chain: list[Any]) -> str:
    label = _words(_inherited(chain, "/TU"))
    parts = [_words(holder.get("/T")) for holder in reversed(chain) if "/T" in holder]
    return label or ".".join(filter(None, parts)) or "without a name"


def _value(chain: list[Any]) -> str:
    kind, value = _inherited(chain, "/FT"), _inherited(chain, "/V")
    flags = int(_inherited(chain, "/Ff") or 0)
    if kind == "/Btn":
        return "" if flags & _BUTTON else _button(chain, value, flags)
    if kind == "/Sig":
        signer = _words(value.get("/Name")) if hasattr(value, "get") else ""
        return f"signed by {signer}" if signer else ("signed" if value is not None else "")
    if kind == "/Ch":
        chosen = value if isinstance(value, list) else [value]
        shown = _options(chain)
        return ", ".join(filter(None, (shown.get(word, word) for word in map(_words, chosen))))
    return _words(value)


def _button(chain: list[Any], value: Any, flags: int) -> str:  # noqa: ANN401
    state = value if value is not None else _object(chain[0].get("/AS"))
    on = state is not None and str(state) not in ("/Off", "Off", "")
    if not flags & _RADIO:
        return "ticked" if on else "not ticked"
    word = _words(state).lstrip("/")
    names = [_words(option) for option in _inherited(chain, "/Opt") or ()]
    if word.isdigit() and int(word) < len(names):
        word = names[int(word)]
    return word if on else ""


def _options(chain: list[Any]) -> dict[str, str]:
    """What the form shows for each value of a choice."""
    shown: dict[str, str] = {}
    for option in _inherited(chain, "/Opt") or ():
        pair = _object(option)
        if isinstance(pair, list) and len(pair) > 1:
            shown[_words(pair[0])] = _words(pair[1])
    return shown


def _words(value: Any) -> str:  # noqa: ANN401
    """A text of the file on one line; of a stream its content."""
    value = _object(value)
    if hasattr(value, "get_data"):
        value = value.get_data()
    if isinstance(value, bytes):
        value = value.decode(
            "utf-16" if value[:2] in (b"\xfe\xff", b"\xff\xfe") else "utf-8", "replace"
        )
    return fold(str(value)) if value is not None and not isinstance(value, list | dict) else ""


def _plain(value: Any) -> str:  # noqa: ANN401
    """A rich text without its markup."""
    markup = _words(value)
    if not markup:
        return ""
    from bs4 import BeautifulSoup

    return fold(BeautifulSoup(markup, "lxml-xml").get_text(" "))


def _object(value: Any) -> Any:  # noqa: ANN401
    resolved = value.get_object() if value is not None else None
    return None if type(resolved).__name__ == "NullObject" else resolved
