r"""Pages to one document, whichever library extracted them.

Rules fixed here: pages are joined by an empty line, and each page's place reaches to the beginning
of the next, so that these places partition the text. Places of headings come from the outline
(`_outline`) and lie across those of pages. A hyphen at a line's end stays with its line break
(``Wider-\nspruch``): whether it belongs to the word cannot be told without a dictionary, and
offsets refer to what stands on the page. The title is the one in the PDF's metadata when a person
can have written it, else the first line of the text when it can be one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._headings import sections
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load.pdf._outline import Bookmark, placed
from ragbench.ingest.load.pdf._quality import garbled, garbled_pages
from ragbench.records import Place

__all__ = ["check_is_pdf", "encrypted", "join_pages", "sensible_title"]

_JOINT = "\n\n"
_NEWLINE = re.compile(r"\r\n?")
_FILE_NAME = re.compile(
    r"\.(docx?|xlsx?|pptx?|odt|rtf|tex|dvi|ps|eps|indd|qxd|pmd|pdf|html?)$", re.I
)
_NO_TITLE = re.compile(
    r"(untitled|title|unknown|none|document|dokument|doc|draft|layout|scan)?[\s\d.()-]*$"
    r"|(?:microsoft )?word document$"
    r"|microsoft (word|powerpoint) - |(table of )?contents$|inhalt(sverzeichnis)?$",
    re.I,
)
_MAX_TITLE = 200


def check_is_pdf(data: bytes) -> None:
    """Raise `DocumentUnreadable` when the bytes do not begin as a PDF does."""
    if b"%PDF-" not in data[:1024]:
        raise mislabelled(data, ".pdf")


def encrypted(n_passwords: int) -> DocumentUnreadable:
    """The error for a PDF that opens neither without a password nor with those given."""
    tried = ", which none of the given passwords opens" if n_passwords else ""
    remedy = "Add the right one to the password file" if n_passwords else "Give a --password-file"
    return DocumentUnreadable(
        "encrypted",
        f"The PDF is protected by a password or certificate{tried}. {remedy}, or save an open copy "
        "and give that.",
    )


def join_pages(
    pages: Sequence[str], title: str, n_images: int, outline: Sequence[Bookmark] = ()
) -> Parsed:
    """One document of all pages.

    Args:
        pages: text of each page as the library extracted it.
        title: the title in the metadata, empty without one.
        n_images: images that the pages show; matters only when no page has text.
        outline: the bookmarks, in order.

    Raises:
        DocumentUnreadable: ``no-text`` or ``garbled``.
    """
    pages = [well_formed(_NEWLINE.sub("\n", page).replace("\0", "")) for page in pages]
    if not any(page.strip() for page in pages):
        raise _no_text(len(pages), n_images)
    bad_pages, share = garbled_pages(pages)
    problem = garbled("\n".join(pages))
    if share > 0.5 or problem:
        what = problem or next(filter(None, map(garbled, pages)))
        raise DocumentUnreadable(
            "garbled",
            f"The extracted text cannot be read: {what}. Make the PDF anew from its source, or "
            "recognise its pages as images (OCR), which is not done here.",
        )
    metadata: dict[str, Scalar] = {"n_pages": len(pages)}
    if bad_pages:
        metadata["garbled_pages"] = ", ".join(map(str, bad_pages))
    places, position = [], 0
    for number, page in enumerate(pages, start=1):
        end = position + len(page) + (len(_JOINT) if number < len(pages) else 0)
        places.append(Place(position, end, page=number))
        position = end
    text = _JOINT.join(pages)
    headings = placed(outline, pages, [place.start for place in places])
    # of two places that begin together, the page is the outer one
    ordered = sorted([*places, *sections(headings, len(text))], key=lambda place: place.start)
    return Parsed(text, sensible_title(title) or _first_line(text), metadata, tuple(ordered))


def sensible_title(title: str) -> str:
    """The title, or nothing when no person can have meant it as one.

    >>> sensible_title("Fees 2024"), sensible_title("Microsoft Word - fees_v2.doc")
    ('Fees 2024', '')
    >>> sensible_title("untitled"), sensible_title("Untitled 3")
    ('', '')
    """
    title = " ".join(title.split())
    if not title.isprintable() or "\ufffd" in title or len(title) > _MAX_TITLE:
        return ""
    if _FILE_NAME.search(title) or _NO_TITLE.match(title):
        return ""
    return title if any(char.isalpha() for char in title) else ""


def _first_line(text: str) -> str:
    """The first line with text when it reads as a title: letters, no paragraph's beginning."""
    lines = [" ".join(line.split()) for line in text.strip().split("\n", 2)[:2]]
    line = lines[0]
    letters = sum(char.isalpha() for char in line)
    goes_on = len(line) > 60 and bool(lines[1:] and lines[1])
    fits = 3 <= letters and letters * 2 >= len(line.replace(" ", "")) and len(line) <= 100
    return sensible_title(line) if fits and not goes_on else ""


def _no_text(n_pages: int, n_images: int) -> DocumentUnreadable:
    if n_pages == 0:
        return DocumentUnreadable("no-text", "The PDF has no pages.")
    pages = "Its only page holds no" if n_pages == 1 else f"None of its {n_pages} pages holds"
    images = f", but {n_images} image{'s' * (n_images != 1)}" if n_images else ""
    scanned = ": it seems to be scanned" if n_images else ""
    return DocumentUnreadable(
        "no-text",
        f"{pages} text{images}{scanned}. "
        "Text is not recognised in images (no OCR); give a PDF with a text layer.",
    )
