"""Characters of the symbol fonts, whose codes mean something else than in every other font."""

from __future__ import annotations

__all__ = ["SYMBOL_FONTS", "symbol"]

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅"
    "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)  # from 0x20
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
_WINGDINGS = {
    0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x28: "☎", 0x2A: "✉", 0x41: "✌", 0x43: "👍", 0x44: "👎",
    0x46: "☞", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "❐", 0x71: "❑", 0x72: "❒",
    0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "⌧", 0x9F: "•", 0xA1: "○",
    0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
    0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xFB: "✗", 0xFC: "✓",
    0xFD: "☒", 0xFE: "☑",
    **{0x80 + n: c for n, c in enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿")},
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "□"}
_TABLES = {
    "symbol": {
        **{0x20 + n: c for n, c in enumerate(_SYMBOL)},
        **{0xA0 + n: c for n, c in enumerate(_SYMBOL_HIGH)},
    },
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "wingdings 3": {0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓"},
    "webdings": {0x61: "✔", 0x72: "✗", 0x63: "□", 0x67: "■"},
}
SYMBOL_FONTS = frozenset(_TABLES)
_PRIVATE = range(0xF000, 0xF100)


def symbol(font: str, code: int) -> str:
    """The character, empty when it is not known.

    >>> symbol("Symbol", 0xF0B3), symbol("Wingdings", 0xF0FE), symbol("Cambria", 0x2265)
    ('≥', '☑', '≥')
    """
    table = _TABLES.get(font.lower())
    low = code - _PRIVATE.start if code in _PRIVATE else code
    if table is not None:
        return table.get(low, "")
    return chr(low) if 0x20 <= low < 0x110000 and not 0xD800 <= low < 0xE000 else ""
