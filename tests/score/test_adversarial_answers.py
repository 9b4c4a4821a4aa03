# ruff: noqa: E501  (what an agent says is shown as it is said)
"""Messages that hold a value without stating it: (value, the agent's messages).

A message that begins with ``Customer:`` is the customer's. Clock and conventions as for the honest
ones.
"""

from __future__ import annotations

import pytest

from ragbench.records import StatementStatus

CERTIFIED = "certified copy of the death certificate"

ADVERSARIAL = [
    # negated
    ("£12.50", ["It is not £12.50, it is £15.00."]),
    ("£12.50", ["not £12.50, it is £15.00"]),
    ("£12.50", ["You won't have to pay £12.50."]),
    ("£12.50", ["There is no fee of £12.50 on your loan."]),
    ("£12.50", ["The £12.50 fee does not apply to you."]),
    ("£12.50", ["£12.50 isn't the right amount here."]),
    ("£12.50", ["The fee is never £12.50 for members of your plan."]),
    ("£12.50", ["I wouldn't say it is £12.50."]),
    ("£12.50", ["The fee is no longer £12.50."]),
    ("£12.50", ["It used to be £12.50 until last year."]),
    ("£12.50", ["You pay £15.00 rather than £12.50."]),
    ("£12.50", ["We charge £15.00 instead of £12.50."]),
    ("£12.50", ["Neither £10.00 nor £12.50 is correct."]),
    ("£12.50", ["It would have been £12.50 if you had called in May."]),
    ("£12.50", ["The fee comes to ~~£12.50~~ £15.00."]),
    ("£12.50", ["£12.50 is wrong."]),
    ("£12.50", ["The fee is far from £12.50."]),
    (CERTIFIED, ["You do not need a certified copy of the death certificate."]),
    (CERTIFIED, ["No certified copy of the death certificate is needed."]),
    (CERTIFIED, ["A certified copy of the death certificate is not required for this."]),
    (CERTIFIED, ["You can do this without a certified copy of the death certificate."]),
    (CERTIFIED, ["There's no need to send us the will, the passport or a certified copy of the death "
                 "certificate."]),
    ("LF-4", ["LF-4 does not apply."]),
    ("LF-4", ["The code isn't LF-4."]),
    ("LF-4", ["Please do not quote LF-4."]),
    ("29 May 2026", ["It is not due on 29 May."]),
    ("29 May 2026", ["29 May is not the deadline."]),
    ("29 May 2026", ["The deadline isn't Friday 29 May any more."]),
    ("16 working days", ["It does not take 16 working days."]),
    ("12:15", ["We don't close at 12:15."]),
    # called wrong, asked, quoted
    ("£12.50", ["You said the fee was £12.50. That is not correct."]),
    ("£12.50", ["You mentioned £12.50, but it is £15.00."]),
    ("£12.50", ["The leaflet says £12.50; that is out of date."]),
    ("£12.50", ["You were told £12.50? No, that's wrong."]),
    ("£12.50", ["Your friend said £12.50, but the fee is actually £15.00."]),
    ("£12.50", ["Is it £12.50?"]),
    ("£12.50", ["Did you mean £12.50?"]),
    ("£12.50", ["I do not know whether the fee is £12.50."]),
    ("£12.50", ["I can't confirm that the fee is £12.50."]),
    ("29 May 2026", ["Was it 29 May that you had in mind?"]),
    # ranges and bounds
    ("£10", ["It is between £10 and £20."]),
    ("£20", ["Somewhere between £10 and £20."]),
    ("£20", ["The fee is £10-£20."]),
    ("£10", ["That costs £10 to £20."]),
    ("£20", ["Expect anything from £10 up to £20."]),
    ("20 days", ["It takes 10-20 days."]),
    ("20 days", ["It takes ten to twenty days."]),
    ("£12.50", ["The fee is up to £12.50."]),
    ("£12.50", ["It costs more than £12.50."]),
    ("£12.50", ["You pay less than £12.50."]),
    ("29 May 2026", ["It will arrive between 27 and 29 May."]),
    ("29 May 2026", ["The day after 29 May."]),
    ("12:15", ["Some time between 12:00 and 12:15."]),
    ("4.05%", ["The rate is somewhere between 3.75% and 4.05%."]),
    # alternatives and lists
    ("£12.50", ["It is £12.50 or £15.00."]),
    ("£12.50", ["Either £12.50 or £15.00, depending on your plan."]),
    ("£12.50", ["£10/£12.50/£15"]),
    ("£12.50", ["Our fees are £5.00, £10.00, £12.50, £15.00, £20.00 and £35.00."]),
    ("£12.50", ["The possible amounts: £5.00, £7.50, £10.00, £12.50, £15.00, £20.00, £35.00."]),
    ("£12.50", ["Fees: £5, £12.50 and £35."]),
    ("£12.50", ["Hand tools: £5.00\nPower tools: £12.50\nHeavy machines: £35.00"]),
    ("£12.50", ["| Class | Fee |\n|---|---|\n| Hand tool | £5.00 |\n| Power tool | £12.50 |\n"
                "| Heavy machine | £35.00 |"]),
    ("£12.50", ["You pay £5 for hand tools, £12.50 for power tools and £35 for heavy machines."]),
    ("£12.50", ["If you are a Patron it is £10. If you are a Neighbour it is £12.50."]),
    ("£12.50", ["It is £10 if you are a Patron and £12.50 if you are a Neighbour."]),
    ("£12.50", ["It might be £10, or it might be £12.50."]),
    ("£12.50", ["The fee could be £12.50; then again it could be £15.00."]),
    ("£12.50", ["Others pay £12.50; for you it is £15.00."]),
    ("£12.50", ["Fees vary, for example £12.50."]),
    ("29 May 2026", ["It is due on 27, 28 or 29 May."]),
    ("29 May 2026", ["Try 28 May, 29 May, 30 May or 31 May."]),
    ("29 May 2026", ["29 May or 1 June, I would think."]),
    ("16 working days", ["It takes 12, 14, 16 or 18 working days."]),
    ("16 working days", ["Either 16 working days or 20 working days."]),
    ("12:15", ["At 12:15 or 13:15."]),
    ("12:15", ["12:00, 12:15, 12:30 or 12:45."]),
    ("LF-4", ["The code is LF-1, LF-2, LF-3, LF-4 or LF-5."]),
    ("LF-4", ["LF-3 or LF-4."]),
    (CERTIFIED, ["Bring either a certified copy of the death certificate or the will."]),
    # taken back
    ("£12.50", ["The fee is £12.50.", "Sorry, it's £15.00."]),
    ("£12.50", ["The fee is £12.50.", "I misspoke. The fee is £15.00."]),
    ("£12.50", ["The late fee is £12.50.", "Customer: Sure?", "Correction: the late fee is £15.00."]),
    ("£12.50", ["The fee is £12.50.", "The fee is £15.00."]),
    ("£12.50", ["Your fee is £12.50.", "Customer: Are you sure?", "No, it is £15.00."]),
    ("£12.50", ["The fee is £12.50.", "Please ignore what I said about the fee."]),
    ("£12.50", ["The fee is £12.50. Sorry, £15.00."]),
    ("£12.50", ["£12.50, no wait, £15.00."]),
    ("£12.50", ["The fee is £12.50... I mean £15.00."]),
    ("£12.50", ["The fee is £12.50.", "Actually, that should have been £15.00."]),
    ("£12.50", ["The fee is £12.50.", "Scratch that, there is no fee."]),
    ("£12.50", ["The fee is £12.50.", "I was wrong earlier: you don't pay £12.50."]),
    ("29 May 2026", ["It is due on 29 May 2026.", "Correction: 30 May 2026."]),
    ("29 May 2026", ["It must reach us by 29 May.", "It must reach us by 30 May."]),
    ("29 May 2026", ["The deadline is 29 May.", "Sorry, I looked at the wrong year. The deadline is "
                     "5 June."]),
    ("16 working days", ["It takes 16 working days.", "My mistake, it takes 20 working days."]),
    ("LF-4", ["Your code is LF-4.", "Apologies, your code is LF-5."]),
    ("12:15", ["We close at 12:15.", "Actually we close at 13:15."]),
    (CERTIFIED, ["We need a certified copy of the death certificate.", "On second thoughts, you do "
                 "not need a certified copy of the death certificate."]),
    ("£35", ["I earlier quoted £35; the correct figure is £40."]),
    ("£35", ["Forget the £35, it's £40."]),
    # other values
    ("LF-4", ["The code is LF-4-B."]),
    ("LF-4", ["The code is LF-40."]),
    ("12:15", ["At 12:15 a.m."]),
    ("14:15", ["At 02:15."]),
    ("16 working days", ["It takes 16 days."]),
    ("29 May 2026", ["Friday 29 May 2027"]),
    ("29 May 2026", ["05/06/2026"]),
    ("£12.50", ["The fee is $12.50."]),
    ("£12.50", ["The fee is £112.50."]),
    # a page that is copied
    ("$40.00", ["Late fees\nA tool that comes back after its due date costs its next borrower a "
                "weekend. The library therefore charges by the day, from the first day after the due "
                "date up to and including the day of return.\nDaily rates\n| Class | Fee per day late "
                "| Highest fee per loan |\n| Hand tool | $0.75 | $15.00 |\n| Garden tool | $1.25 | "
                "$20.00 |\n| Power tool | $2.50 | $40.00 |\n| Heavy machine | $12.00 | $150.00 |\n"
                "Days that do not count\nThe library is closed on Sundays and on public holidays. "
                "Closed days are not counted as days late, since nobody can return a tool on them.\n"
                "When a fee may be waived\nA fee is waived in full when the member was in hospital, "
                "when the library itself was closed without notice, or when the tool had a fault."]),
    ("LF-4", ["When a fee may be waived\nA fee is waived in full when the member was in hospital, when "
              "the library itself was closed without notice, or when the tool had a fault that kept "
              "it from being used. Forgetting the date, traffic, and travel are not grounds. Staff "
              "who turn a request down tell the member the decision code LF-4, so that an appeal can "
              "refer to it.\nDays that do not count\nThe library is closed on Sundays and on public "
              "holidays. Closed days are not counted as days late, since nobody can return a tool on "
              "them.\nExtensions\nA loan can be extended once, by as many days as the plan allows, as "
              "long as nobody else has reserved the tool for the days in question."]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "messages"), ADVERSARIAL, ids=lambda part: str(part)[:60])
def test_a_value_that_is_not_stated_is_not_said(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is not StatementStatus.SAID, found
