"""Texts that components stumble over: scripts, long lines, repetitions, nothing at all."""

from __future__ import annotations

from ragbench.records import Document

__all__ = ["TEXTS", "documents"]

TEXTS = {
    "plain": "# Fees\n\nA wire costs $25. It arrives the next day.\n\nA card costs nothing.\n" * 8,
    "one_word": "Fees",
    "chinese": "转账手续费为二十五元。次日到账。信用卡免费。" * 20,
    "arabic": "رسوم التحويل خمسة وعشرون دولارا. تصل في اليوم التالي. " * 12,
    "emoji": "The fee 👩‍👩‍👧 is 🇬🇧 £5 — or €6 😀. " * 15,
    "combining": "Ge" + "bu\u0308hren fu\u0308r U\u0308berweisungen. " * 20,
    "crlf": "First line\r\nSecond line\r\n\r\nThird paragraph\r\n" * 10,
    "one_long_line": "fee " * 3000,
    "no_spaces": "x" * 5000,
    "repeated": "The same sentence again. " * 60,
    "table": "| Card | Fee |\n| --- | --- |\n" + "| Travel | $3.00 |\n" * 40,
}
"""By name, none of them empty."""


def documents() -> list[Document]:
    """A document of each text."""
    return [Document(f"{name}.md", name, text) for name, text in TEXTS.items()]
