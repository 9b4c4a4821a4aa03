"""Whether a value is denied where it stands: negated, struck out, asked, or called wrong.

A negation reaches as far as its clause: ``it is not refundable. The fee is $12.50`` and ``not
$15.00 but $12.50`` state $12.50. A bound is no negation (``no more than $12.50``), and neither is
what cannot be taken away (``I cannot waive the $12.50``).
"""

from __future__ import annotations

import re

from ragbench.score.statements._mention import Mention
from ragbench.score.statements._predicate import denied_subject

__all__ = ["BOUNDARY", "ONLY_ASKED", "denial"]

ONLY_ASKED = "only asked"

_STARTS = (
    r"it|they|he|she|we|i|you|your|the|this|that|these|those|there|which|who|only|just|please|"
    r"it's|that's|there's|they're|you'll|we'll|i'll|i've|we've|for you|in your case|in fact"
)
BOUNDARY = re.compile(
    rf":(?!\d)|—|\s-\s|[()|?!]|,?\s(?:but|so|because|since|although|though|whereas|while|however|"
    rf"therefore|hence|unless|otherwise|yet(?! been)|then|instead(?! of))\s"
    rf"|,\s(?:and\s|as\s)?(?:{_STARTS})\s|,\s(?=(?:[$€£¥]|\d))"
    rf"|\sand\s(?:{_STARTS}|is|are|was|were|will|costs?|has|have|must|can|would|should|does|then)\s"
    rf"|\sand\s(?=[$€£¥]|\d)"
)
_NEGATION = re.compile(
    r"(?<!not )(?<!n't )\b(?:forget|ignore|disregard)\b(?= the\b| about\b)|"
    r"\bno (?:need|obligation|requirement|reason|duty|point)\b|(?P<no>\b(?:no|neither|"
    r"nor)\b(?!\.? \d)(?!,))|\b(?:not|never|cannot|nobody|without|whether)\b"
    r"|n't\b|\bcant\b|\bdont\b|\b(?:unsure|unclear|no idea)\b"
    r"|(?P<instead>\b(?:instead of|rather than|as opposed to|in place of|in lieu of|used to (?:be|"
    r"cost|charge|pay)|formerly|(?:was|were) previously|previously (?:was|were|cost|stood at)|would"
    r"(?: have|'ve) (?:been(?! the same)|cost|come to|owed|paid)|far from|anything but)\b)"
)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|higher|lower|greater|other|later|earlier|sooner|longer|"
    r"different(?:ly)?) "
    r"(?:\w+ )?than|\b(?:beyond|except|apart from|but|only|just|merely|simply|until|till|before|"
    r"exceed\w*|over|above|below|under|without|unless|if|when|once|why|how|because|includ\w+|"
    r"excluding|count\w*|cover\w*|waiv\w+|refund\w*|revers\w+|remov\w+|cancel\w*|avoid\w*|reduc\w+|"
    r"lower|chang\w+|alter\w*|extend\w*|postpon\w+|mov(?:e|ed|ing)|miss\w*|forget\w*|escape|drop|"
    r"beat|skip|worry|mind|hesitate|doubt|get around|get (?:the|your|that)|get back|give|"
    r"return\w*|pay (?:back|out)|dispute|contest|deduct|override|mention\w*|get out of)\b"
)
_PHRASE_WORDS = re.compile(
    r"(?:\s+(?!for\b|by\b|on\b|at\b|in\b|if\b|from\b|to\b|within\b|after\b|with\b|per\b|is\b|as\b)"
    r"[\w'-]+){0,4}?(?:\s+of)?(?:\s+(?:the|an?|any|his|her|your|such))?\s*(?:(?!for\b|by\b|on\b|"
    r"at\b|in\b|if\b|from\b|to\b)[\w'-]+\s+){0,2}$"
)
_LAST_OF_LIST = re.compile(r"\b(?:or|nor)\s(?:an?\s|the\s|your\s|any\s)?(?:\w+\s)?$")
_LIST_COMMA = re.compile(r",\s(?:an?|the|your|any|his|her)\s")
_ADJUNCT = re.compile(r"\b(?:until|till|before|after|for|during|since|by at least)\s(?:the\s)?$")
_CONDITION = re.compile(r"(?:^|[,:;(]\s?|\b(?:and|but)\s)(?:if|when|should|in case|unless|where)\b")
_ONCE_ONLY = re.compile(
    r"\s*(?:\w+\s){0,2}?(?:again|twice|a second time|up ?front|yet|immediately|right away|straight "
    r"away|separately|in advance|until|before|unless|every (?:time|month|year|day))\b"
)
_THING = (
    r"(?:the|your|an?|his|her)\s(?:\w+\s)?(?:fee|charge|amount|price|cost|total|balance|limit|"
    r"deadline|date|time|code|figure|answer|value|rate|number|period|one|sum|day|case|document)"
)
_WRONG = r"(?:wrong|incorrect|out of date|outdated|a mistake|an error|false|mistaken|obsolete)\b"
_DENIED = (
    rf"(?:be\s|been\s|to\sbe\s|actually\s|quite\s|longer\s|at all\s)*(?:{_THING}\b|"
    rf"(?:the\s)?(?:right|"
    r"correct|true|accurate|valid|actual|current|applicable|relevant)\b|apply\b|applies\b|needed\b|"
    r"required\b|necessary\b|owed\b|due\b|payable\b|charged\b|enough\b|accepted\b|concern\b|"
    r"(?:affect|cover|fit)\syou\b|it\b|so\b|what\s|in force)"
)
_NOT = (
    r"(?:is|are|was|were|does|do|did|will|would|can|has|have|should|need|needs)\s(?:also\s|"
    r"simply\s|"
    r"really\s|currently\s|therefore\s|unfortunately\s)?(?:not|never|no longer)\s|(?:is|are|was|"
    r"were|"
    r"does|do|did|wo|would|has|have|should|need)n't\s|no longer\s"
)
_PREDICATE = re.compile(
    rf"(?:\s[\w'-]+){{0,4}}?\s(?:(?:{_NOT}){_DENIED}(?!\suntil|\sbefore|\sunless|\sagain|\stwice|"
    rf"\syet|\sup ?front|\sseparately|\sin advance|\sto (?!you|your|this)|\sof (?!you)|\sif)|"
    rf"(?:is|was|are|were)\s{_WRONG})"
)
_NEXT = re.compile(
    rf"\s*(?:(?:but|however|sorry|no|and)[, ]+)*(?:that|this|it|which|they)(?:\s(?:{_NOT})|(?:'s|"
    rf"\sis|"
    rf"\swas)\s(?:not\s|no longer\s)){_DENIED}(?!\suntil|\sbefore|\sunless|\sto (?!you|your|this)|"
    rf"\sof |\sif)|\s*(?:(?:but|however|sorry|no)[, ]+)*(?:that|this|it|which)(?:'s|\sis|"
    rf"\swas)\s{_WRONG}"
    r"|[\s,]*(?:though|but|although) i doubt\b|\s*no[,.:] (?:that|it|this|not|sorry)"
)
_ASKED = re.compile(
    r"^(?:[\w' ]{0,25}[,:] ?)?(?:and |but |so |or )?(?:is|are|was|were|does|do|did|isn't|could it|"
    r"might it|would it|wasn't|doesn't)\b"
)
_POLITE = re.compile(
    r"\b(?:ok|okay|alright|all right|acceptable|agree|accept|consent|happy|content|fine|willing|"
    r"want|"
    r"wish|go ahead|proceed|confirm|suit|work for you|clear|like me)\b"
)
_STRUCK = re.compile(r"~~|</?(?:s|del|strike)>")


def denial(text: str, mention: Mention, start: int, end: int, following: str) -> str | None:
    """Why a mention is no statement, in a word or two; None when nothing denies it.

    Args:
        text: a folded text.
        mention: where the value stands in it.
        start: where its sentence starts.
        end: where it ends.
        following: the sentence after it.
    """
    before, after = text[start : mention.start], text[mention.end : end]
    if _struck(text, mention):
        return "struck out"
    cue = _negated(before, after)
    if cue is not None:
        return f"behind {cue!r}"
    clause = _first_clause(after)
    if _PREDICATE.match(clause.rstrip(" .;!") + " ") or denied_subject(before, clause):
        return "denied in its clause"
    tail = after[len(clause) :].lstrip(" ,:-—") or following
    if not clause.strip(" .;!?\"')]") or len(clause.split()) <= 6:
        if _NEXT.match(tail) or _NEXT.match(following):
            return "called wrong right after"
    return ONLY_ASKED if _is_asked(before, after, end, text) else None


def _struck(text: str, mention: Mention) -> bool:
    return (
        len(_STRUCK.findall(text, 0, mention.start)) % 2 == 1
        and _STRUCK.search(text, mention.end) is not None
    )


def _first_clause(after: str) -> str:
    boundary = BOUNDARY.search(after)
    return after[: boundary.start()] if boundary else after


def _negated(before: str, after: str) -> str | None:
    """The word that negates what follows ``before``, None when there is none."""
    for cue in reversed(list(_NEGATION.finditer(before))):
        between = before[cue.end() :]
        if _LAST_OF_LIST.search(between):
            between = _LIST_COMMA.sub(" ", between)
        if BOUNDARY.search(between) or len(between.split()) > 12:
            return None
        if _reaches(cue, before, between, after):
            return cue[0]
    return None


def _reaches(cue: re.Match[str], before: str, between: str, after: str) -> bool:
    """Whether the negation is one of the value."""
    if cue["instead"]:
        return "," not in between and len(between.split()) <= 5
    if _BOUND.search(between) or re.match(r"\s*(?:only|just|merely|simply|to worry)\b", between):
        return False
    if cue[0] == "whether" and between.strip() in ("or not", "or not the"):
        return False
    lead = before[: cue.start()]
    clauses = [m.end() for m in BOUNDARY.finditer(lead)]
    lead = lead[clauses[-1] if clauses else 0 :]
    if _CONDITION.search(lead) or _ONCE_ONLY.match(after):
        return False
    if cue[0] == "without" and _NEGATION.search(lead):
        return False  # not without: it takes it
    if cue["no"]:
        return _PHRASE_WORDS.fullmatch(between) is not None
    return _ADJUNCT.search(between) is None


def _is_asked(before: str, after: str, end: int, text: str) -> bool:
    if "?" not in text[end - 3 : end]:
        return False
    sentence = f"{before}*{after}".strip()
    if _POLITE.search(sentence):
        return False
    return _ASKED.match(sentence) is not None or len(sentence.split()) <= 3
