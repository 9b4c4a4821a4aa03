"""Layers of a PDF (optional content) and whether a viewer shows them when it opens the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PdfReader

__all__ = ["Layers"]


class Layers:
    """Which layers are off in the default configuration."""

    def __init__(self, reader: PdfReader) -> None:
        properties = _get(reader.root_object, "/OCProperties")
        default = _get(properties, "/D")
        self._off = {_key(layer) for layer in _list(default, "/OFF")}
        if _get(default, "/BaseState") == "/OFF":
            shown = {_key(layer) for layer in _list(default, "/ON")}
            self._off |= {_key(layer) for layer in _list(properties, "/OCGs")} - shown

    def is_off(self, layer: Any) -> bool:  # noqa: ANN401  (an object of pypdf)
        """Whether the layer, or the membership in several, hides its content."""
        if not self._off:
            return False
        if _key(layer) in self._off:
            return True
        members = _list(layer, "/OCGs")
        if not members:
            return False
        off = [_key(member) in self._off for member in members]
        policy = _get(layer, "/P") or "/AnyOn"
        hidden = {"/AnyOn": all(off), "/AllOn": any(off), "/AnyOff": not any(off)}
        return hidden.get(str(policy), not all(off))


def _get(holder: Any, key: str) -> Any:  # noqa: ANN401
    holder = holder.get_object() if holder is not None else None
    return holder.get(key) if hasattr(holder, "get") else None


def _list(holder: Any, key: str) -> list[Any]:  # noqa: ANN401
    value = _get(holder, key)
    resolved = value.get_object() if value is not None else None
    return list(resolved) if isinstance(resolved, list) else ([] if value is None else [value])


def _key(layer: Any) -> object:  # noqa: ANN401
    reference = layer if hasattr(layer, "idnum") else getattr(layer, "indirect_reference", None)
    return id(layer) if reference is None else reference.idnum
