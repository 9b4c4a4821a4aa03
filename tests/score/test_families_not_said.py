# ruff: noqa: E501  (what an agent says is shown as it is said)
"""Values that stand in a message without being its answer, by family: (value, messages)."""

from __future__ import annotations

import pytest

from ragbench.records import StatementStatus

FORM, TEAM, FEE = "LF-4", "the Bereavement Team", "£12.50"

DENYING = (
    "won't work for this|won't do|won't be enough|won't be accepted|won't suffice|won't help you here|"
    "won't be needed|won't be required|won't count|isn't enough|isn't accepted here|isn't needed|"
    "isn't the one you need|isn't used for this|isn't meant for this|isn't intended for that|"
    "isn't valid here|isn't relevant to you|isn't suitable|isn't applicable|doesn't count|doesn't help|"
    "doesn't work for this|doesn't cover this|doesn't concern you|doesn't affect you|doesn't hold|"
    "doesn't come into it|doesn't fit your case|doesn't matter here|doesn't exist|can't be used for this|"
    "cannot be accepted|cannot be used here|can't help|never applies|never counts|never works here|"
    "will not be accepted|will not help|does not suffice|is no longer used|is no longer valid|"
    "is no longer accepted|has been abolished|has been scrapped|has been superseded|was abolished in May|"
    "is out of date|is off the table|is out of the question|has been discontinued|is obsolete"
).split("|")

DENIED = [(FORM, [f"Form LF-4 {how}."]) for how in DENYING]
DENIED += [
    (FEE, ["The £12.50 won't be charged to you."]),
    (FEE, ["The £12.50 fee won't be needed."]),
    (FEE, ["The fee of £12.50 doesn't come into play."]),
    (FEE, ["The £12.50 fee has been withdrawn."]),
    (FEE, ["The fee of £12.50 was dropped in January."]),
    (FEE, ["The £12.50 charge has been replaced."]),
    (FEE, ["The £12.50 you read about won't affect you."]),
    (TEAM, ["The Bereavement Team can't help with this."]),
    (TEAM, ["The Bereavement Team doesn't deal with this."]),
    (TEAM, ["The Bereavement Team won't handle it."]),
    (TEAM, ["This isn't for the Bereavement Team."]),
    (TEAM, ["That is not a matter for the Bereavement Team."]),
    (TEAM, ["This is not one for the Bereavement Team."]),
    (TEAM, ["This isn't up to the Bereavement Team."]),
    ("proof of address", ["Proof of address won't be asked for."]),
    ("proof of address", ["Proof of address doesn't need to be sent."]),
]

PAST = [
    ("£22.00", ["The charge was £22.00 in 2025. Today it is £24.00."]),
    ("£22.00", ["The charge was £22.00. Today it is £24.00."]),
    ("£22.00", ["Until last year the charge was £22.00; since January it's £24.00."]),
    ("£22.00", ["Back then the fee was £22.00. These days it's £24.00."]),
    ("£22.00", ["At the time we charged £22.00; now we charge £24.00."]),
    ("£22.00", ["In 2025 it cost £22.00. This year it costs £24.00."]),
    ("£22.00", ["The old fee was £22.00, and the new one is £24.00."]),
    ("£22.00", ["The fee is £24.00 today; in 2025 it was £22.00."]),
    ("£22.00", ["Before the change the fee was £22.00. As of March it is £24.00."]),
    ("4.05%", ["The rate was 4.05% last year. Currently it is 3.80%."]),
    ("4.05%", ["Previously the rate stood at 4.05%; it now stands at 3.80%."]),
    ("10 days", ["The notice period was 10 days in 2024. It is 30 days nowadays."]),
    ("LF-4", ["The form was LF-4 until last year. Now it is LF-9."]),
    ("09:30", ["We used to open at 9:30; nowadays we open at 10:00."]),
    ("09:30", ["Last year the branch opened at 9:30. Now it opens at 10:00."]),
    ("£500", ["The limit was £500 before. It's £300 now."]),
]

ANOTHERS = [
    ("£250", ["Customer: limit on my Classic card?", "The Premier card allows £250, yours £200."]),
    (
        "£250",
        [
            "Customer: limit on my Classic card?",
            "£250 is for the Premier card only. Yours is £200.",
        ],
    ),
    ("£250", ["Customer: limit on my Classic card?", "£250 is for the Premier card only."]),
    (
        "£250",
        [
            "Customer: limit on my Classic card?",
            "£250 applies to the Premier card; your card has £200.",
        ],
    ),
    ("£250", ["The Premier card has a limit of £250. Your Classic card has a limit of £200."]),
    ("4.05%", ["Customer: rate on my Flexible saver?", "The Fixed saver pays 4.05%, yours 3.80%."]),
    (
        "4.05%",
        [
            "Customer: rate on my Flexible saver?",
            "The Fixed saver pays 4.05%. Your Flexible saver pays 3.80%.",
        ],
    ),
    ("£30", ["Other banks charge £30. For you it's £20."]),
    ("£30", ["Other banks charge £30; we charge £20."]),
    ("£30", ["Most lenders take £30, but with us it's £20."]),
    (
        "90 days",
        ["Customer: notice on my Easy account?", "The Notice account has 90 days, yours 30 days."],
    ),
    (
        "90 days",
        [
            "Customer: notice on my Easy account?",
            "90 days is for the Notice account. Yours has 30 days.",
        ],
    ),
]

PROPOSED = [
    ("31 March 2026", ["Would you like it closed on 31 March 2026?"]),
    ("31 March 2026", ["Shall I close it on 31 March 2026?"]),
    ("31 March 2026", ["Should I close it on 31 March?"]),
    ("31 March 2026", ["Do you want me to close it on 31 March?"]),
    ("31 March 2026", ["Happy to help. Could you come in on 31 March?"]),
    ("31 March 2026", ["Can I book you in for 31 March?"]),
    ("31 March 2026", ["How about 31 March?"]),
    ("31 March 2026", ["What about Tuesday 31 March?"]),
    ("13:30", ["Would 13:30 suit you?"]),
    ("13:30", ["Would half past one (13:30) work for you?"]),
    ("13:30", ["Does 13:30 work?"]),
    ("13:30", ["Is 13:30 all right?"]),
    ("13:30", ["Shall we say 13:30?"]),
    ("13:30", ["Would 13:30 suit you?", "Customer: no, later", "Then we'll call you at 16:45."]),
    (
        "13:30",
        ["Would 13:30 suit you?", "Customer: yes, but could we make it later", "16:45 it is."],
    ),
    ("£500", ["Shall I transfer £500?"]),
    ("£500", ["Would you like to move £500?"]),
    ("£15.75", ["I understand you want the £15.75 back. I'll look into it."]),
    ("£15.75", ["I see you were told £15.75. Let me check."]),
    ("£15.75", ["I hear you asked for £15.75. I'll find out."]),
    ("£15.75", ["You mentioned £15.75. I'll get back to you."]),
    ("£15.75", ["I understand you were told £15.75."]),
    ("£15.75", ["You asked whether you get £15.75 back. I'll ask a colleague."]),
]

LISTED = [
    ("£1.80", ["Unarranged overdraft: Classic £1.80, Plus £1.20, Student £0.00, Premier £0.90."]),
    ("£1.80", ["Classic £1.80, Plus £1.20, Premier £0.90."]),
    ("£1.80", ["Classic: £1.80 per day; Plus: £1.20 per day; Premier: £0.90 per day."]),
    (
        "£1.20",
        [
            "Unarranged overdraft. Classic: £1.80 per day. Plus: £1.20 per day. Premier: £0.90 per day."
        ],
    ),
    ("£0.90", ["Daily charge: Classic £1.80, Plus £1.20 and Premier £0.90."]),
    ("4.05%", ["Our rates: Easy saver 4.05%, Notice saver 4.20%, Fixed saver 4.50%."]),
    ("£250", ["Cash limits: Classic £250, Plus £300, Premier £500. I hope that helps."]),
    ("5 days", ["Delivery: post 5 days, courier 2 days, branch 1 day."]),
]

TAKEN_BACK = [
    ("£28.40", ["You'll get £28.40 in interest.", then])
    for then in (
        "No interest is paid on this account.",
        "I was wrong about the interest. You'll get none.",
        "I was mistaken about the interest.",
        "There is no interest.",
        "There won't be any interest.",
        "Ignore what I said about the interest.",
        "Disregard the interest I quoted.",
        "You'll get no interest.",
        "You won't get any interest.",
        "Interest isn't paid on this account.",
        "That was the figure for the Premier account.",
        "That was the amount for another account.",
    )
]
TAKEN_BACK += [
    ("£28.40", ["The fee is £28.40.", then])
    for then in (
        "There is no fee.",
        "Nothing is charged.",
        "You won't be charged anything.",
        "You won't be charged a fee.",
        "It's free of charge.",
        "It is free.",
        "No fee is charged for this.",
        "No fee applies in your case.",
        "I was wrong about the fee. It costs nothing.",
        "You pay nothing.",
        "There isn't a fee.",
        "There isn't any fee for that.",
        "Please forget the fee I told you.",
    )
]

FAMILIES = [
    *DENIED,
    *PAST,
    *ANOTHERS,
    *PROPOSED,
    *LISTED,
    *TAKEN_BACK,
]


@pytest.mark.parametrize(("value", "messages"), FAMILIES, ids=lambda part: str(part)[:80])
def test_what_stands_without_being_the_answer_is_not_said(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is not StatementStatus.SAID, found
