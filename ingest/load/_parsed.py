"""What the reader of a format hands over: text with its places, before it is a document."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragbench.ingest.load._metadata import Scalar
from ragbench.records import Place

__all__ = ["Parsed"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document as a format's reader sees it.

    Attributes:
        text: the extracted text, without surrogates.
        title: what the content calls itself, empty when it does not say.
        metadata: what the content says about itself.
        places: offsets into ``text``.
        aliases: ids that the content states.
        record: name of this record among several in one file, empty when the file is the document.
        left_out: what the file holds and the text does not, such as deleted passages, by kind.
    """

    text: str
    title: str = ""
    metadata: dict[str, Scalar] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    aliases: tuple[str, ...] = ()
    record: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
