"""Whether a value is the subject of a denial: ``form LF-4 won't work for this``.

A negated verb denies its subject when the verb says that the thing serves, holds or is asked for.
A property of a thing that stands denies nothing: ``the fee of £12.50 is not refundable``.
"""

from __future__ import annotations

import re

__all__ = ["denied_subject"]

_SUBJECT = r"(?:\s(?!and\b|or\b|if\b|unless\b|until\b|but\b)[\w'-]+){0,6}?"
_ADVERB = (
    r"(?:also|simply|really|currently|therefore|unfortunately|actually|strictly|just|necessarily|"
    r"in fact|normally|usually|sadly|quite|even|at all|generally)\s"
)
_CAN = r"(?:will|would|can|could|does|do|did|should|need|must|may)"
_IS = r"(?:is|are|was|were)"
_VERB_NOT = (
    rf"(?:{_CAN}\s(?:{_ADVERB})?(?:not|never|no longer)|cannot|can't|cant|won't|{_CAN}n't|dont|"
    rf"wont|never|no longer)\s(?:{_ADVERB})?"
)
_IS_NOT = (
    rf"(?:{_IS}\s(?:{_ADVERB})?(?:not|never|no longer)|{_IS}n't|'s not|"
    rf"(?:{_VERB_NOT})be)\s(?:{_ADVERB})?(?:any longer\s|going to be\s)?"
)
_DO = (
    r"(?:works?|do|does|help|helps|suffices?|counts?|applies|apply|cover (?:this|that|it|you|"
    r"your)|"
    r"concern|affect (?:you|this|it)|hold|holds|hold (?:good|true)|stand|come into (?:it|play|"
    r"force|effect)|enter into it|fit|match|exist|matter (?:here|to you|for you|in your case)|"
    r"figure here|relate to|belong|serve|qualify|pass|go through|get you|solve|settle|"
    r"deal with (?:this|that|it|such|these)|handle (?:this|that|it|such|these)|"
    r"look after (?:this|that|it|such|these)|take care of (?:this|that|it|such|these)|"
    r"decide (?:this|that|it|on)|process (?:this|that|it|such|these)|"
    r"need to be (?:paid|sent|provided|shown|quoted|brought|enclosed|filled in|submitted|used)|"
    r"have to be (?:paid|sent|provided|shown|quoted|brought|enclosed|filled in|submitted|used))\b"
)
_BE = (
    r"(?:accepted|needed|required|necessary|charged|asked for|enough|sufficient|adequate|used|"
    r"usable|useful|of (?:any )?use|any good|any help|good enough|valid|right|correct|accurate|"
    r"true|"
    r"relevant|suitable|applicable|appropriate|acceptable|allowed|permitted|possible|available to "
    r"you|meant for|intended for|designed for|made for|recognised|recognized|recommended|in use|"
    r"in force|in effect|current|yours|for (?:you|this|that)\b|part of this|the (?:one|1)|"
    r"the form|the "
    r"right|responsible|in charge|owed|payable|imposed|levied|involved|concerned|expected|"
    r"considered|"
    r"counted|offered|on offer|an option|the answer|what (?:you|we|is)|able to (?:help|do|"
    r"handle))\b"
)
_GONE = (
    r"(?:abolished|scrapped|superseded|discontinued|done away with|phased out|revoked|repealed|"
    r"rescinded|annulled|voided|out of date|outdated|obsolete|off the table|out of the question|"
    r"history|a thing of the past|no more|ruled out|out of use|not an option|invalid|irrelevant|"
    r"unnecessary|inapplicable|immaterial|beside the point|void|defunct)\b"
)
_RULE_GONE = (
    r"(?:withdrawn|dropped|replaced|retired|removed from use|lapsed|expired)\b(?! (?:from|to)\b)"
)
_RULE = re.compile(
    r"\b(?:fee|charge|rate|form|tariff|rule|offer|code|price|limit|requirement|surcharge|"
    r"penalty)\b"
)
_QUALIFIED = (
    r"(?!\s(?:until|till|before|unless|again|twice|yet|of (?!use)|if|when|while|up ?front|"
    r"separately|in advance|in cash|immediately|to (?!you|your|this)|towards?|every|by|straight|"
    r"at once|on top|for (?:the first|longer|more|anything else)|on (?!this|that|your|here)|"
    r"from|without|online|more than|right away|automatically|only|in (?!this|that|your|such)))"
)
_DENIED = re.compile(
    rf"{_SUBJECT}\s?(?:(?:{_VERB_NOT}{_DO}|{_IS_NOT}{_BE}){_QUALIFIED}|"
    rf"(?:{_IS}|(?:has|have) been|(?:got|gets)|'s)\s(?:now |since been |been |"
    rf"long ){{0,2}}{_GONE})"
)
_WITHDRAWN = re.compile(
    rf"(?P<subject>{_SUBJECT})\s(?:{_IS}|(?:has|have)(?: (?:since|now))?(?: been)?)\s{_RULE_GONE}"
)


def denied_subject(clause_before: str, clause: str) -> bool:
    """Whether the predicate behind a value denies it.

    Args:
        clause_before: what stands before the value in its clause.
        clause: what stands behind it, up to the end of the clause.

    >>> denied_subject("form ", " won't work for this"), denied_subject("", " is not refundable")
    (True, False)
    """
    clause = clause.rstrip(" .;!") + " "
    if _DENIED.match(clause):
        return True
    gone = _WITHDRAWN.match(clause)
    return gone is not None and _RULE.search(f"{clause_before} {gone['subject']}") is not None
