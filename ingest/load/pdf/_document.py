"""What a PDF says as a whole: files attached to it, and forms of the XFA kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ragbench.ingest.load._metadata import Scalar, well_formed

if TYPE_CHECKING:
    from pypdf import PdfReader

__all__ = ["of_document"]


def of_document(reader: PdfReader, left_out: Counter[str]) -> dict[str, Scalar]:
    """Metadata: names of attached files, whose content is not read, and the kind of the form."""
    from pypdf.errors import PyPdfError

    found: dict[str, Scalar] = {}
    try:
        names = sorted({attachment.name for attachment in reader.attachment_list})
        form: Any = reader.root_object.get("/AcroForm")
        is_xfa = form is not None and "/XFA" in form.get_object()
    except (PyPdfError, AttributeError, LookupError, TypeError, ValueError):
        left_out["damaged attachments"] += 1
        return found
    if names:
        found["attachments"] = well_formed(", ".join(names))
        left_out["attached files"] += len(names)
    if is_xfa:
        found["form"] = "XFA; what only its XML holds is not read"
        left_out["XFA forms"] += 1
    return found
