"""Whether what is said later takes a statement back.

It does when it corrects itself with another value (``sorry, it is $15.00``), takes back what was
said (``ignore what I said about the fee``), says another value of the same thing in the same
words, or denies the thing (``there is no fee``). Values of other things take nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.score.statements._mention import Mention
from ragbench.score.statements._topic import GENERIC, topic, words_of
from ragbench.score.statements._zero import nullified

__all__ = ["denied_quote", "other_answer", "retraction"]

_CORRECTS = re.compile(
    r"\b(?:actually|in fact|correction|correcting|let me correct|i need to correct|"
    r"i have to correct|"
    r"i must correct|to correct (?:myself|that|my)|misspoke|mis-spoke|i meant|i mean|or rather|"
    r"i was (?:wrong|mistaken|incorrect)|i got (?:that|it) wrong|i made (?:a|an) (?:mistake|error)|"
    r"my (?:mistake|bad|error|apologies)|scratch that|strike that|on second thoughts?|"
    r"that was (?:wrong|incorrect|a mistake|an error|not right)|should (?:have been|read|"
    r"have said|be)\s(?:the |exactly |only |actually |\w+day,? )*$|"
    r"i take (?:that|it) back|mistaken(?:ly)?|typo|rather,)\b"
    r"|\b(?:sorry|apologies|apologise|apologize|pardon)\b(?:\s(?:again|for that|"
    r"about that))?\s?(?:[,:;.!—-]|$)"
    r"|(?:^|[,.;:—(-]\s?)(?:(?:no|oh|oops|hmm|um|er)[, ]+)*(?:wait|no|hold on|hmm|oops)(?:,|"
    r"\sit\b|\sthat\b)"
)
_TAKES_BACK = re.compile(
    r"\b(?:ignore|disregard|forget|scratch|strike|scrap|withdraw|take back|"
    r"take (?:that|it|this) back|retract)\b"
    r"|\b(?:was|were|is|gave you) (?:the )?(?:wrong|mistaken|incorrect)\b|\bi take (?:that|"
    r"it) back\b"
    r"|\bmisspoke\b|\bi was (?:wrong|mistaken|incorrect)\b|\bi got (?:that|it) wrong\b"
    r"|\bnot (?:right|correct|true)\b"
)
_WHAT_WAS_SAID = re.compile(
    r"\b(?:what i (?:just )?(?:said|told you|wrote)|(?:my|the) (?:last|previous|earlier|first) "
    r"(?:message|answer|statement|reply|figure|amount|date|time|code|number|information)|that|"
    r"my (?:answer|statement)|i (?:gave|told|said|mentioned|quoted)|i misspoke|i take that back|"
    r"(?:figure|amount|date|time|code|number|information) (?:i|above)|i was (?:wrong|"
    r"mistaken)\s*(?:$|[.,;!])|it)\b"
)
_STATES = re.compile(
    r"(?:\b(?:is|are|will be|would be|costs?|comes to|amounts to|stands at|remains|takes?|pay|owe|"
    r"by|on|at|until|before|be)|'s|:)\s(?:the\s|only\s|exactly\s|a\s|on\s|by\s|at\s|due\s|"
    r"\w+day,?\s)*$"
)
_NOUN = r"(?P<noun>[\w-]+)"
_DENIES = re.compile(
    rf"(?:there(?:'s| is| will be) no|you (?:do not|don't|will not|won't) (?:have to )?(?:pay|owe|"
    rf"need) "
    rf"(?:a|any|the)|no) (?:[\w-]+ )?{_NOUN}(?: (?:applies|is due|is needed|is required|"
    rf"will be charged|at "
    r"all|after all|for you|for this|here|to pay|whatsoever))*\s*(?:[.,;!]|$)"
)
_TURNS = re.compile(
    r"\b(?:what about|how about|and (?:the|my|what|how|for|when)|how (?:much|long|many)|when|what|"
    r"which|also|another|other|next|second|different|where)\b"
)
_ANSWERS = re.compile(
    r"\b(?:for you(?! to)|in your case|yours is|your case|applies to you|you (?:owe|pay|"
    r"must pay))\b"
)


def retraction(
    said: frozenset[str],
    text: str,
    found: Sequence[Mention],
    span: tuple[int, int],
    *,
    asked: str = "",
    later: bool,
) -> str | None:
    """How a sentence takes back what was said of a topic before it; None when it does not.

    Args:
        said: the topic of the statement.
        text: the folded text of the message in which the sentence stands.
        found: values of the kind in that text.
        span: where the sentence starts and ends.
        asked: what the customer said in between, folded.
        later: whether it is another message than the statement's.
    """
    start, end = span
    sentence = text[start:end]
    previous = text[max(0, start - 60) : start].rstrip().rpartition("\n")[2]
    firm = [one for one in found if start <= one.start < end and not one.loose]
    others = [one for one in firm if not one.agrees]
    for other in others:
        cue = _CORRECTS.search(text[start : other.start]) or _ends_with_cue(previous)
        about = topic(text, other, start, end) - GENERIC
        if cue and (not about or not (said - GENERIC) or about & said):
            return "corrected afterwards"
        if later and _says_the_same(said, about, text, start, other, asked):
            return "another value is said of the same thing later"
    about = words_of(sentence) - GENERIC
    if not firm and _TAKES_BACK.search(sentence) and _WHAT_WAS_SAID.search(sentence):
        if (about - _OF_SPEECH) & said or not (about - _OF_SPEECH):
            return "taken back afterwards"
    null = None if firm else nullified(said, sentence, later=later)
    if null is not None:
        return null
    denied = _DENIES.search(sentence) if later else None
    if denied and not firm and words_of(denied["noun"]) & said:
        return "denied later"
    return None


_OF_SPEECH = words_of(
    "ignore disregard forget scratch strike withdraw retract back take took gave quoted mentioned "
    "told wrote said last first reply statement information afraid was is were "
    "i'm just before above "
    "please moment ago sorry have must need"
)


def _ends_with_cue(previous: str) -> bool:
    """Whether the sentence before announces a correction and says nothing else."""
    last = re.split(r"(?<=[.!;:])\s", previous)[-1]
    return len(last.split()) <= 9 and _CORRECTS.search(last) is not None


def _says_the_same(
    said: frozenset[str],
    about: frozenset[str],
    text: str,
    start: int,
    other: Mention,
    asked: str,
) -> bool:
    """Whether a later sentence states another value of what was spoken of."""
    if not _STATES.search(text, start, other.start) or re.search(
        r"(?:'ve|\b(?:has|have|had|was|were)\b)", text[start : other.start]
    ):
        return False
    if asked and _TURNS.search(asked) and not words_of(asked) & said:
        return False
    if re.search(r"\b(?:if|when|for (?!you\b|this\b|that\b))", text[start : other.start]):
        return False
    return about <= said


def denied_quote(text: str, found: Sequence[Mention], mention: Mention, start: int) -> str | None:
    """Whether a mention quotes somebody, and the agent goes on to say another value."""
    if not _QUOTES.search(text, start, mention.start):
        return None
    for other in found:
        gap = text[mention.end : other.start]
        if other.start > mention.end and not other.agrees and _BUT.match(gap):
            return "quoted, and another value is said"
    return None


_QUOTES = re.compile(
    r"\b(?:said|say|says|mention(?:ed|s)?|told|think|thought|expect(?:ed)?|believed?|assumed?|"
    r"quoted|"
    r"read|heard|saw|states?|shows?|claims?|wrote|had in mind|lists?)\b"
)
_BUT = re.compile(
    r"[;,.:—-]\s(?:the|a) (?:correct|right|actual|real|true) \w+ (?:is|was) $|"
    r"[^.;\n]{0,20}[.,;—-]?\s(?:but|however|though|actually|in fact|unfortunately|in reality|yet|"
    r"no)\b,?"
    r"[^.;\n]{0,40}?(?:'s|\b(?:is|are|be|costs?|to))\s(?:\w+\s){0,2}$"
)


def other_answer(text: str, found: Sequence[Mention], mention: Mention) -> str | None:
    """Whether the message picks another value of the kind as the customer's."""
    own = text[text.rfind("\n", 0, mention.start) + 1 : mention.end]
    if _ANSWERS.search(own):
        return None
    for other in found:
        if other.agrees or other.loose:
            continue
        lead = text[max(0, other.start - 50) : other.start]
        lead = re.split(r"[.;\n,]\s|\sand\s", lead)[-1]
        tail = re.split(r"[.;\n,]\s|\sand\s", text[other.end : other.end + 30])[0]
        if _ANSWERS.search(lead) or re.match(r"\s(?:for you|in your case)\b", tail):
            about = words_of(f"{_ANSWERS.sub(' ', lead)}") - GENERIC
            if not about and re.search(r"\bfor (?!you)|\bif\b|\bwith\b|\bothers?\b", own):
                return "another value is picked for the customer"
    return None
