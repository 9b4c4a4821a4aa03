"""The numbers of lists and clauses as a word processor shows them: ``4.2``, ``(b)``, ``iv.``."""

from __future__ import annotations

import re
from typing import Any

from ragbench.ingest.load._numerals import repeated, roman
from ragbench.ingest.load.docx._package import W, value
from ragbench.ingest.load.docx._styles import Styles

__all__ = ["Numbering"]

_PLACE = re.compile(r"%([1-9])")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class Numbering:
    """Counts the numbered paragraphs of a document.

    Args:
        root: the part of numbering, None without one.
        styles: the document's, to which lists may refer.
    """

    def __init__(self, root: Any, styles: Styles) -> None:  # noqa: ANN401  (lxml element)
        entries = () if root is None else root
        abstract = {e.get(W + "abstractNumId"): e for e in entries if e.tag == W + "abstractNum"}
        self._nums = {e.get(W + "numId"): e for e in entries if e.tag == W + "num"}
        self._abstract = abstract
        self._by_link = {
            value(e, "styleLink"): e for e in abstract.values() if value(e, "styleLink")
        }
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def label(self, paragraph: Any) -> str:  # noqa: ANN401  (lxml element)
        """The number of the next paragraph, empty for a bullet or a paragraph without one."""
        found = self._styles.numbering(paragraph)
        if found is None or found[0] not in self._nums:
            return ""
        number, level = found
        levels, key = self._levels(number)
        level = self._by_style(levels, paragraph, level)
        if level not in levels:
            return ""
        counts = self._counts.setdefault(key, {})
        self._count(number, levels, counts, level)
        return self._written(levels, counts, level)

    def _by_style(self, levels: dict[int, Any], paragraph: Any, level: int) -> int:  # noqa: ANN401
        """The level that a paragraph's style is linked to, where it states none itself."""
        if value(paragraph, f"pPr/{W}numPr/{W}ilvl"):
            return level
        chain = self._styles.chain(self._styles.style_of(paragraph))
        ids = [style.get(W + "styleId") for style in chain]
        linked = {value(entry, "pStyle"): number for number, entry in levels.items()}
        return next((linked[style_id] for style_id in ids if style_id in linked), level)

    def _levels(self, number: str) -> tuple[dict[int, Any], str]:
        num = self._nums[number]
        key = value(num, "abstractNumId")
        abstract = self._abstract.get(key)
        link = value(abstract, "numStyleLink")
        if link and link in self._by_link:
            abstract = self._by_link[link]
            key = abstract.get(W + "abstractNumId")
        levels = {_level(e): e for e in (() if abstract is None else abstract.iter(W + "lvl"))}
        for override in num.iter(W + "lvlOverride"):
            own = override.find(W + "lvl")
            if own is not None:
                levels[_level(override)] = own
        return levels, key

    def _count(
        self, number: str, levels: dict[int, Any], counts: dict[int, int], level: int
    ) -> None:
        for above in range(level):
            if above not in counts and above in levels:
                counts[above] = _start(levels[above])
        anew = None
        if (number, level) not in self._started:
            self._started.add((number, level))
            path = f"{W}lvlOverride[@{W}ilvl='{level}']"
            anew = value(self._nums[number].find(path), "startOverride")
        if anew:
            counts[level] = int(anew)
        elif level in counts:
            counts[level] += 1
        else:
            counts[level] = _start(levels[level])
        for below in [deeper for deeper in counts if deeper > level]:
            restart = value(levels.get(below), "lvlRestart")
            if restart != "0" and not (restart.isdigit() and level >= int(restart)):
                del counts[below]

    @staticmethod
    def _written(levels: dict[int, Any], counts: dict[int, int], level: int) -> str:
        own = levels[level]
        if value(own, "numFmt") == "bullet":
            return ""
        is_legal = own.find(W + "isLgl") is not None

        def place(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            kind = value(levels.get(at), "numFmt") or "decimal"
            kind = "decimal" if is_legal and kind != "none" else kind
            return _numeral(counts.get(at, 1), kind)

        return _PLACE.sub(place, value(own, "lvlText")).strip()


def _level(entry: Any) -> int:  # noqa: ANN401  (lxml element)
    stated = entry.get(W + "ilvl") or "0"
    return int(stated) if stated.isdigit() else 0


def _start(level: Any) -> int:  # noqa: ANN401  (lxml element)
    stated = value(level, "start")
    return int(stated) if stated.isdigit() else 0 if stated else 1


def _numeral(number: int, kind: str) -> str:
    """A number in a format of Word; digits in one that is not known."""
    small = kind[:5] == "lower"
    if kind == "none":
        return ""
    if kind in ("lowerLetter", "upperLetter"):
        written = repeated(number)
    elif kind in ("lowerRoman", "upperRoman"):
        written = roman(number)
    elif kind == "decimalZero":
        return f"{number:02d}"
    elif kind == "ordinal":
        teens = 10 < number % 100 < 14
        return f"{number}{'th' if teens else _ENDINGS.get(number % 10, 'th')}"
    elif kind == "cardinalText" and number < len(_ONES):
        return _ONES[number].capitalize()
    elif kind == "numberInDash":
        return f"- {number} -"
    else:
        return str(number)
    return written if small else written.upper()
