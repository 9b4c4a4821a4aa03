"""A page's drawing instructions before pypdf extracts their text: what is raised, what is unseen.

Rules fixed here: text in a layer that is switched off is left out and counted; so is text drawn
invisibly, unless the page shows an image, whose recognised text it then is; text drawn twice at one
place (a bold type that a program has made up) counts once. A short run with a rise, or of a smaller
type on a higher or lower baseline than its neighbour on the line, gets the marks of
`ragbench.ingest.load._marks`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ragbench.ingest.load._marks import lowered, raised
from ragbench.ingest.load.pdf._layers import Layers

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

__all__ = ["prepare"]

Operation = tuple[list[Any], bytes]
Matrix = tuple[float, float, float, float, float, float]

_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_RAISE, _END = raised("x").split("x")
_LOWER = lowered("x").split("x")[0]
_SMALLER = 0.86
_RAISED = (0.14, 0.8)
_LOWERED = (0.04, 0.45)
_INVISIBLE = (3, 7)
_MAX_BYTES = 24
_SHOWS = frozenset((b"Tj", b"TJ", b"'", b'"'))
_MAX_DEPTH = 8


class _Mark(str):
    """A mark that takes no width on the line, as pypdf measures it."""

    __slots__ = ()

    def __iter__(self) -> Any:  # noqa: ANN401
        return iter(())

    def __len__(self) -> int:
        return 0


def prepare(page: PageObject, reader: PdfReader, layers: Layers, left_out: Counter[str]) -> None:
    """Put the marks into the page's content, and take out what is not seen.

    Args:
        page: changed in place, for this reading alone.
        reader: of the page.
        layers: which layers are off.
        left_out: counts what is taken out.
    """
    from pypdf.generic import ContentStream, NameObject

    if "/Contents" not in page:
        return
    resources = _dictionary(page.get("/Resources"))
    has_images = bool(_images(resources))
    _prepare_forms(resources, reader, layers, left_out, has_images)
    contents = ContentStream(page["/Contents"], reader, "bytes")
    work = _Pass(resources, layers, left_out, has_images)
    contents.operations = work.run(contents.operations)
    page[NameObject("/Contents")] = contents


def _prepare_forms(
    resources: Any,  # noqa: ANN401  (a dictionary of pypdf)
    reader: PdfReader,
    layers: Layers,
    left_out: Counter[str],
    has_images: bool,
    depth: int = 0,
) -> None:
    """The same for the pieces of content that the resources hold."""
    from pypdf.generic import ContentStream, NameObject

    objects = _dictionary(resources.get("/XObject"))
    for name in list(objects):
        form = objects[name]
        is_form = hasattr(form, "get") and form.get("/Subtype") == "/Form"
        if not is_form or isinstance(form, ContentStream) or layers.is_off(objects.raw_get(name)):
            continue
        inner = _dictionary(form.get("/Resources"))
        if depth < _MAX_DEPTH:
            _prepare_forms(inner, reader, layers, left_out, has_images, depth + 1)
        stream = ContentStream(form, reader, "bytes")
        work = _Pass(inner or resources, layers, left_out, has_images)
        stream.operations = work.run(stream.operations)
        for key in ("/Subtype", "/Resources", "/Matrix", "/BBox", "/OC"):
            if key in form:
                stream[NameObject(key)] = form.raw_get(key)
        objects[NameObject(name)] = stream


def _dictionary(value: Any) -> Any:  # noqa: ANN401
    from pypdf.generic import DictionaryObject

    value = value.get_object() if value is not None else None
    return value if isinstance(value, DictionaryObject) else DictionaryObject()


def _images(resources: Any) -> list[str]:  # noqa: ANN401
    objects = _dictionary(resources.get("/XObject"))
    return [
        name
        for name in objects
        if hasattr(objects[name], "get") and objects[name].get("/Subtype") == "/Image"
    ]


class _Run:
    """Where a shown text stands: its size, its baseline, its direction, and its operation."""

    __slots__ = ("at", "base", "size", "slope")

    def __init__(self, at: int, size: float, base: float, slope: float) -> None:
        self.at, self.size, self.base, self.slope = at, size, base, slope


class _Pass:
    """One walk over the operations of one content stream."""

    def __init__(
        self,
        resources: Any,  # noqa: ANN401
        layers: Layers,
        left_out: Counter[str],
        has_images: bool,
    ) -> None:
        self._layers, self._left_out, self._has_images = layers, left_out, has_images
        self._properties = _dictionary(resources.get("/Properties"))
        self._objects = _dictionary(resources.get("/XObject"))
        self._out: list[Operation] = []
        self._cm = self._tm = self._line = _IDENTITY
        self._size = self._rise = self._leading = 0.0
        self._mode = 0
        self._stack: list[tuple[Matrix, float, float, float, int]] = []
        self._marked: list[bool] = []
        self._n_off = 0
        self._fresh = False
        self._normal: _Run | None = None
        self._drawn: dict[bytes, list[tuple[float, float]]] = {}
        self._handlers: dict[bytes, Callable[[list[Any]], None]] = {
            b"q": self._save,
            b"Q": self._restore,
            b"cm": self._concatenate,
            b"BT": self._begin,
            b"Tf": self._font,
            b"Ts": self._set_rise,
            b"TL": self._set_leading,
            b"Tr": self._set_mode,
            b"Tm": self._matrix,
            b"Td": self._move,
            b"TD": self._move_leading,
            b"T*": self._next_line,
            b"BDC": self._mark,
            b"BMC": self._mark,
            b"EMC": self._unmark,
        }

    def run(self, operations: list[Operation]) -> list[Operation]:
        """The operations, with marks and without what is not seen."""
        out, handlers = self._out, self._handlers
        for operands, operator in operations:
            if operator in _SHOWS:
                self._show(operands, operator)
                continue
            handler = handlers.get(operator)
            if handler is not None:
                try:
                    handler(operands)
                except (ValueError, TypeError, IndexError):
                    pass  # operands that are none change nothing
            elif operator == b"Do" and self._is_unseen(operands):
                continue
            out.append((operands, operator))
        return out

    def _is_unseen(self, operands: list[Any]) -> bool:
        if not operands or operands[0] not in self._objects:
            return False
        drawn = self._objects[operands[0]]
        layer = drawn.raw_get("/OC") if hasattr(drawn, "raw_get") and "/OC" in drawn else None
        off = bool(self._n_off) or (layer is not None and self._layers.is_off(layer))
        if off and drawn.get("/Subtype") == "/Form":
            self._left_out["passages in hidden layers"] += 1
        return off

    def _show(self, operands: list[Any], operator: bytes) -> None:
        if operator in (b"'", b'"'):
            self._next_line([])
        shown = _bytes(operands)
        if self._n_off:
            self._left_out["passages in hidden layers"] += bool(shown.strip())
        elif self._mode in _INVISIBLE and not self._has_images:
            self._left_out["invisible passages"] += bool(shown.strip())
        elif not self._is_double(shown):
            self._place(operands, operator, shown)
        self._fresh = False

    def _is_double(self, shown: bytes) -> bool:
        """Whether the same text has just been drawn at nearly the same place."""
        if not self._fresh or not shown.strip():
            return False
        a, b, c, d, x, y = _times(self._tm, self._cm)
        near = 0.09 * abs(self._size) * max(math.hypot(a, b), math.hypot(c, d))
        before = self._drawn.setdefault(shown, [])
        if any(abs(x - left) <= near and abs(y - low) <= near for left, low in before[-3:]):
            return True
        before.append((x, y))
        return False

    def _place(self, operands: list[Any], operator: bytes, shown: bytes) -> None:
        _, _, c, d, x, y = _times(self._tm, self._cm)
        scale = math.hypot(c, d)
        if not scale or not self._size or not shown.strip():
            self._out.append((operands, operator))
            return
        size = abs(self._size) * scale
        base = (x * c + y * d) / scale + self._rise * scale
        run = _Run(len(self._out), size, base, math.atan2(d, c))
        mark = self._mark_of(run, shown)
        if not mark:
            self._mark_before(run)
            self._normal = run
            self._out.append((operands, operator))
            return
        self._out += [([_Mark(mark)], b"Tj"), (operands, operator), ([_Mark(_END)], b"Tj")]

    def _mark_of(self, run: _Run, shown: bytes) -> str:
        if len(shown) > _MAX_BYTES:
            return ""
        if self._rise:
            lift = self._rise / abs(self._size)
            return _RAISE if lift > 0.1 else _LOWER if lift < -0.04 else ""
        normal = self._normal
        return _between(run, normal) if normal is not None else ""

    def _mark_before(self, run: _Run) -> None:
        """A small run at a line's beginning shows to be raised only by what follows it."""
        first = self._normal
        if first is None:
            return
        operands, operator = self._out[first.at]
        if operator in _SHOWS and len(_bytes(operands)) <= _MAX_BYTES:
            mark = _between(first, run)
            if mark:
                self._out[first.at : first.at + 1] = [
                    ([_Mark(mark)], b"Tj"),
                    (operands, operator),
                    ([_Mark(_END)], b"Tj"),
                ]
                run.at += 2

    def _save(self, _: list[Any]) -> None:
        self._stack.append((self._cm, self._size, self._rise, self._leading, self._mode))

    def _restore(self, _: list[Any]) -> None:
        if self._stack:
            self._cm, self._size, self._rise, self._leading, self._mode = self._stack.pop()

    def _concatenate(self, operands: list[Any]) -> None:
        self._cm = _times(_floats(operands), self._cm)

    def _begin(self, _: list[Any]) -> None:
        self._tm = self._line = _IDENTITY
        self._fresh = True

    def _font(self, operands: list[Any]) -> None:
        self._size = float(operands[1])

    def _set_rise(self, operands: list[Any]) -> None:
        self._rise = float(operands[0])

    def _set_leading(self, operands: list[Any]) -> None:
        self._leading = float(operands[0])

    def _set_mode(self, operands: list[Any]) -> None:
        self._mode = int(operands[0])

    def _matrix(self, operands: list[Any]) -> None:
        self._tm = self._line = _floats(operands)
        self._fresh = True

    def _move(self, operands: list[Any]) -> None:
        x, y = float(operands[0]), float(operands[1])
        self._tm = self._line = _times((1.0, 0.0, 0.0, 1.0, x, y), self._line)
        self._fresh = True

    def _move_leading(self, operands: list[Any]) -> None:
        self._leading = -float(operands[1])
        self._move(operands)

    def _next_line(self, _: list[Any]) -> None:
        self._move([0.0, -self._leading])

    def _mark(self, operands: list[Any]) -> None:
        off = len(operands) > 1 and operands[0] == "/OC" and self._is_off(operands[1])
        self._marked.append(off)
        self._n_off += off

    def _is_off(self, name: Any) -> bool:  # noqa: ANN401
        return isinstance(name, str) and (
            name in self._properties and self._layers.is_off(self._properties.raw_get(name))
        )

    def _unmark(self, _: list[Any]) -> None:
        if self._marked:
            self._n_off -= self._marked.pop()


def _between(run: _Run, normal: _Run) -> str:
    """The mark of a run beside a larger one, empty when it stands on the same baseline."""
    if run.size > _SMALLER * normal.size or abs(run.slope - normal.slope) > 0.02:
        return ""
    lift = (run.base - normal.base) / normal.size
    if _RAISED[0] <= lift <= _RAISED[1]:
        return _RAISE
    return _LOWER if _LOWERED[0] <= -lift <= _LOWERED[1] else ""


def _bytes(operands: list[Any]) -> bytes:
    """What a showing operation shows, as its codes."""
    if not operands:
        return b""
    shown = operands[-1]
    parts = shown if isinstance(shown, list) else [shown]
    return b"".join(
        bytes(part) if isinstance(part, bytes) else part.encode("utf-8", "replace")
        for part in parts
        if isinstance(part, str | bytes)
    )


def _floats(operands: list[Any]) -> Matrix:
    a, b, c, d, e, f = (float(operand) for operand in operands[:6])
    return a, b, c, d, e, f


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )
