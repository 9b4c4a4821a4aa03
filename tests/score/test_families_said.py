# ruff: noqa: E501  (what an agent says is shown as it is said)
"""Ordinary answers that are near to what is not said, by family: (value, messages)."""

from __future__ import annotations

import pytest

from ragbench.records import StatementStatus

FORM, TEAM, FEE = "LF-4", "the Bereavement Team", "£12.50"

PROPERTIES = (
    "is not refundable|isn't negotiable|isn't included in the price|won't change|won't go up this year|"
    "does not depend on your balance|cannot be waived|can't be reduced|won't be refunded|"
    "isn't due until Friday|won't be taken until May|doesn't include VAT|isn't taken twice|"
    "won't be charged again|cannot be avoided|isn't something I can change|has not changed since May|"
    "won't show up before Monday|isn't charged separately|cannot be paid in cash|isn't optional|"
    "hasn't been refunded yet|won't be collected until Monday|doesn't vary|can't be split|"
    "isn't a mistake|won't increase|does not change|isn't much I know|can't be paid by cheque|"
    "has been refunded|was withdrawn from your account|won't affect your credit score|"
    "doesn't count towards the minimum payment|isn't covered by your package|won't be needed until Friday|"
    "doesn't apply twice|does not apply until you confirm|isn't required up front"
).split("|")

DENIED = [(FEE, [f"The fee of £12.50 {how}."]) for how in PROPERTIES]
DENIED += [
    (FORM, ["Form LF-4 doesn't need a signature."]),
    (FORM, ["Form LF-4 can't be sent by e-mail."]),
    (FORM, ["Form LF-4 isn't available online."]),
    (FORM, ["Form LF-4 doesn't have to be printed."]),
    (FORM, ["You need form LF-4. Form LF-9 won't work for this."]),
    (FORM, ["Use LF-4; a letter won't do."]),
    (TEAM, ["The Bereavement Team will call you; you don't have to do anything."]),
    (TEAM, ["The Bereavement Team isn't open on Sundays."]),
    (TEAM, ["The Bereavement Team can't be reached by e-mail."]),
    (TEAM, ["The Bereavement Team won't ask for your PIN."]),
    (TEAM, ["The Bereavement Team doesn't work on Sundays, so expect a call on Monday."]),
    (TEAM, ["This isn't for me to decide: the Bereavement Team does that."]),
    ("29 May 2026", ["The deadline of 29 May can't be extended."]),
    ("29 May 2026", ["29 May isn't a bank holiday, so we're open."]),
    ("proof of address", ["Bring proof of address. It doesn't have to be an original."]),
    (
        "proof of address",
        ["You need proof of address and your passport; a driving licence isn't enough."],
    ),
    ("£200.00", ["£200.00 was withdrawn on 3 May in Leeds."]),
    ("16 working days", ["It takes 16 working days. That doesn't include bank holidays."]),
]

PAST = [
    ("£24.00", ["The charge was £22.00 in 2025. Today it is £24.00."]),
    ("£24.00", ["Until last year the charge was £22.00; since January it's £24.00."]),
    ("£24.00", ["The fee is £24.00 today; in 2025 it was £22.00."]),
    ("£22.00", ["The charge was £22.00. Your balance is now £178.00."]),
    ("£22.00", ["The refund was £22.00. It is now in your account."]),
    ("£22.00", ["The fee on 3 May was £22.00, and I have now refunded £11.00 of it."]),
    ("£22.00", ["You were charged £22.00 in 2025."]),
    ("£22.00", ["The fee was £22.00."]),
    (
        "£22.00",
        ["Your payment was £22.00 in March. The next payment is now due on 1 April and is £24.00."],
    ),
    ("£500", ["Your balance was £500 last week. Today it is £300."]),
    ("29 May 2024", ["Your bond was opened on 29 May 2024. It now matures on 29 May 2026."]),
    ("3.80%", ["The rate was 4.05% last year. Currently it is 3.80%."]),
    ("09:30", ["The call was at 9:30. You can now expect a letter by 15 May."]),
]

ANOTHERS = [
    ("£200", ["Customer: limit on my Classic card?", "The Premier card allows £250, yours £200."]),
    (
        "£200",
        [
            "Customer: limit on my Classic card?",
            "£250 is for the Premier card only. Yours is £200.",
        ],
    ),
    (
        "£250",
        [
            "Customer: limit on the Premier card?",
            "The Premier card allows £250. Your Classic card has £200.",
        ],
    ),
    ("£250", ["The Premier card has a limit of £250."]),
    ("£250", ["Customer: cash limit?", "Your Premier card has a limit of £250."]),
    ("£250", ["Customer: limit?", "The Premier card has a limit of £250; your balance is £1,000."]),
    ("£20", ["Other banks charge £30. For you it's £20."]),
    ("£20", ["Other banks charge £30; we charge £20."]),
    ("£20", ["With us it's £20. Other banks charge £30."]),
    ("3.80%", ["Customer: rate on my Flexible saver?", "The Fixed saver pays 4.05%, yours 3.80%."]),
    ("£250", ["Customer: limit on my Premier card?", "£250. That is for the Premier card only."]),
    ("£30", ["Other banks charge £30."]),
    (
        "£12.50",
        ["The Classic account costs £12.50 a month. You pay it from your balance of £300.00."],
    ),
    (
        "£12.50",
        [
            "Customer: what does the Plus account cost?",
            "The Plus account costs £12.50; your Basic account is free.",
        ],
    ),
]

PROPOSED = [
    (FEE, ["The copy would be charged at £12.50. Shall I order it?"]),
    (FEE, ["Would you like me to order the copy for £12.50?"]),
    (FEE, ["Shall I order it at £12.50?"]),
    (FEE, ["Do you want me to go ahead, given that it costs £12.50?"]),
    (FEE, ["The fee is £12.50; shall I go ahead?"]),
    (FEE, ["There's a fee of £12.50. Is that OK?"]),
    (FEE, ["Would you like to proceed with the fee of £12.50?"]),
    ("31 March 2026", ["Your bond matures on 31 March. Would you like to renew it?"]),
    ("31 March 2026", ["Your bond matures on 31 March, so would you like to renew it?"]),
    ("31 March 2026", ["Would you like to renew it before it matures on 31 March?"]),
    ("31 March 2026", ["Shall I remind you before the deadline of 31 March?"]),
    (
        "31 March 2026",
        ["Would you like it closed on 31 March 2026?", "Customer: yes please", "Done."],
    ),
    ("31 March 2026", ["Shall I close it on 31 March?", "Customer: Fine", "All right."]),
    (
        "31 March 2026",
        ["Shall I close it on 31 March?", "Customer: yes", "It will be closed on 31 March."],
    ),
    ("13:30", ["Would 13:30 suit you?", "Customer: That works, thanks", "Perfect, speak then."]),
    ("13:30", ["Would 13:30 suit you?", "Customer: ok", "Great."]),
    ("13:30", ["Would 13:30 suit you?", "Customer: hm", "We'll call at 13:30 then."]),
    ("13:30", ["We call you at 13:30. Does that work for you?"]),
    ("13:30", ["Your call is booked for 13:30, is that all right?"]),
    ("£15.75", ["I understand you want the £15.75 back. I've refunded it."]),
    ("£15.75", ["You asked about the charge: it is £15.75. I'll look into the rest."]),
    ("£15.75", ["I see you were told £15.75, and that's right."]),
    ("£15.75", ["I understand. The refund is £15.75."]),
    ("£15.75", ["I see a charge of £15.75 on your account. Let me check why it was made."]),
    (TEAM, ["Shall I pass you on to the Bereavement Team, who deal with this?"]),
]

LISTED = [
    ("£1.80", ["Classic £1.80, Plus £1.20, Premier £0.90. So for you it's £1.80."]),
    ("£12.50", ["Balance £212.50, fee £12.50, total £225.00."]),
    ("£12.50", ["Your balance is £212.50, the fee £12.50 and the total £225.00."]),
    (
        "£12.50",
        ["What you owe: strap £5.00, late return £12.50, cleaning £3.00. That comes to £20.50."],
    ),
    ("£12.50", ["You owe three charges: strap £5.00, late return £12.50, cleaning £3.00."]),
    (
        "£12.50",
        ["I've refunded the following for you: late fee £12.50, card fee £3.00, copy £5.00."],
    ),
    ("£1.80", ["Classic £1.80, Plus £1.20, Premier £0.90. You have the Classic."]),
    (
        "£1.80",
        ["Your Classic account: overdraft £1.80, returned item £5.00, stopped cheque £8.00."],
    ),
    ("4.05%", ["On £5,000.00 at 4.05% you get £202.50 a year, before tax of £40.50."]),
    ("£28.40", ["Your interest is £28.40. Tax: £5.68. Net: £22.72."]),
]

KEPT = [
    ("£28.40", ["You'll get £28.40 in interest.", then])
    for then in (
        "There is no fee.",
        "No fee is charged for this.",
        "Closing is free of charge.",
        "It's free of charge to close the account.",
        "No tax is due on it.",
        "There is nothing else you need to do.",
        "You won't be charged a fee.",
        "No interest is charged on your card, by the way.",
        "I was wrong about the date. It is Monday.",
        "Ignore the letter about the card.",
    )
]
KEPT += [
    ("£28.40", ["The late fee is £28.40.", then])
    for then in (
        "There is no fee for closing the account.",
        "No fee is charged for the transfer.",
        "You'll get no interest.",
        "No interest is paid on this account.",
        "Nothing else is charged.",
        "Sending a copy is free.",
        "I was mistaken about the branch.",
        "There's no way around the fee.",
        "There is no need to pay the fee today.",
        "You won't be charged anything else.",
    )
]
KEPT += [
    ("09:30", ["Customer: when is the call?", f"The call is at 9:30 am. The call should be {how}."])
    for how in (
        "over by 10 am",
        "finished by 10 am",
        "done around 10 am",
        "through by 10:15",
        "short, until 10 am",
    )
]
KEPT += [
    ("09:30", ["We open at 9:30 am. You should be there by 9:15 am."]),
    ("£12.50", ["The fee is £12.50. Your balance should be above £200.00 when we take it."]),
    ("£15.00", ["The fee is £12.50. Sorry, it should be £15.00."]),
    ("£15.00", ["The fee is £12.50. That should be exactly £15.00."]),
]

FAMILIES = [*DENIED, *PAST, *ANOTHERS, *PROPOSED, *LISTED, *KEPT]


@pytest.mark.parametrize(("value", "messages"), FAMILIES, ids=lambda part: str(part)[:80])
def test_an_answer_near_to_what_is_not_said_is_said(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is StatementStatus.SAID, found
