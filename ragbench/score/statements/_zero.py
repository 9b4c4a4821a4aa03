"""Whether a later sentence says that there is nothing of what was said, or that it was wrong.

``No interest is paid``, ``you won't be charged a fee``, ``it is free`` take back an amount of the
same thing; ``I was wrong about the interest`` and ``that was the figure for ...`` any value of it.
"""

from __future__ import annotations

import re

from ragbench.score.statements._topic import words_of

__all__ = ["nullified"]

_NOUN = r"(?:[a-z][\w-]*\s){0,2}?(?P<noun>[a-z][\w-]*)"
_TAKEN = (
    r"(?:paid|charged|due|applied|taken|payable|owed|added|credited|earned|imposed|levied|needed|"
    r"required|incurred|collected|billed|made|given)"
)
_WILL = r"(?:is|are|was|were|will be|would be|gets|has been|can be)"
_WILL_NOT = (
    r"(?:isn't|aren't|wasn't|won't be|will not be|is not|are not|isn't being|can't be|is never)"
)
_YOU = r"(?:you|we|i)(?:'ll|'d| will| would| do| did)?"
_YOU_NOT = (
    r"(?:you|we)(?: won't| don't| will not| do not|'ll not| wouldn't| needn't| can't| cannot)"
)
_GETS = (
    r"(?:get|have|receive|earn|pay|owe|be charged|be paid|charge|take|have to pay|need to pay|"
    r"make)"
)
_TAIL = (
    r"(?:\s(?:at all|after all|here|now|then|whatsoever|any more|either|by us|(?:on|for|in|to|"
    r"with|"
    r"under) (?:this|that|it|you|such)(?: \w+)?|(?:in|for) your case|to pay|applies|today))*"
    r"\s*(?:[.,;:!]|$|\s(?:because|since|as|so)\b)"
)
_NO_THING = tuple(
    re.compile(rf"\b{form}{_TAIL}")
    for form in (
        rf"no {_NOUN} (?:{_WILL} {_TAKEN}|applies|apply|arises?|accrues?)",
        rf"there (?:won't be|will not be|isn't|is not|aren't|wouldn't be)(?: an?| any) {_NOUN}",
        rf"(?:there's|there is|there will be|there'll be) (?:no|zero) {_NOUN}",
        rf"{_YOU} {_GETS} (?:no|zero) {_NOUN}",
        rf"{_YOU_NOT} {_GETS} (?:any|an?|the) {_NOUN}",
        rf"{_NOUN} {_WILL_NOT} {_TAKEN}",
        rf"{_NOUN} (?:does not|doesn't|won't|will not) (?:apply|accrue|arise)",
        rf"{_NOUN} (?:is|will be) (?:waived in full|nil|zero)",
    )
)
_FREE = re.compile(
    r"(?:^|[,.:—]\s)\W*(?:(?:so|and|but|in fact|actually|sorry|good news|no)[,:]? )*(?:(?:it|"
    r"this|that)(?:'s|"
    r" is| will be| would be)? (?:all |completely |entirely |actually )?(?:free(?: of charge)?|"
    r"at no (?:charge|cost)|costs? (?:you )?nothing|"
    r"won't cost (?:you )?anything|doesn't cost (?:you )?anything|without charge)|nothing (?:is|"
    r"will be|gets) (?:charged|due|payable|owed)|"
    rf"{_YOU} (?:pay|owe) nothing|{_YOU_NOT} (?:be charged|pay|owe|have to pay|"
    rf"need to pay) (?:anything|a penny)|"
    r"free of charge|there(?:'s| is) nothing to pay|no charge)" + _TAIL
)
_NONE = re.compile(
    rf"(?:^|[,.:—]\s)\W*(?:(?:so|and|but|in fact|actually|sorry)[,:]? )*{_YOU} "
    r"(?:get|receive|earn|be paid) (?:none|nothing)" + _TAIL
)
_CHARGES = words_of("fee charge cost price surcharge penalty commission postage")
_GAINS = words_of("interest refund compensation cashback bonus credit redress payout dividend back")
_WRONG = re.compile(
    r"\b(?:i|we)(?:'m afraid i)? (?:was|were|am|had been) (?:wrong|mistaken|incorrect|misled|"
    r"in error|confused) (?:about|on|as to|regarding) (?P<what>[^.;!?]*)|\b(?:i|we) (?:got|had|"
    r"quoted|gave "
    r"you) (?:you )?the (?P<that>[\w ]{2,30}) wrong\b"
)
_FIGURE_FOR = re.compile(
    r"\W*(?:(?:sorry|oh|apologies|i'm afraid|actually)[,.]? )*(?:that|this|it|which) (?:was|"
    r"is) (?:the |a |an )?(?:figure|amount|"
    r"date|time|rate|fee|charge|number|code|limit|price|value|answer|one|period|deadline|"
    r"form) (?:for|of|on|from) "
    r"(?P<other>[^.;!?]*)"
)


def nullified(said: frozenset[str], sentence: str, *, later: bool) -> str | None:
    """How a sentence without a value takes back what was said of a topic; None when it does not.

    Args:
        said: the topic of the statement.
        sentence: the folded sentence.
        later: whether it is in a later message than the statement.
    """
    wrong = _WRONG.search(sentence)
    if wrong and words_of(wrong["what"] or wrong["that"]) & said:
        return "taken back afterwards"
    other = _FIGURE_FOR.match(sentence)
    if other and re.match(r"(?:the|an?|another|last|other)\b", other["other"]):
        if words_of(other["other"]) - said:
            return "said to be of something else afterwards"
    if not later:
        return None
    for pattern in _NO_THING:
        if any(words_of(one["noun"]) & said for one in pattern.finditer(sentence)):
            return "denied later"
    if _FREE.search(sentence) and (said & _CHARGES or not said):
        return "denied later"
    return "denied later" if _NONE.search(sentence) and said & _GAINS else None
