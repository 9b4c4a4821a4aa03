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
    # another case, edition or product; denials, echoes and bounds of every kind
    ("£12.50", ["Customer: Is the copy £12.50?", "No, that isn't right. A duplicate statement costs nothing on your account, so the £12.50 you read about doesn't concern you."]),
    ("10 working days", ["Customer: I read it takes 10 working days?", "I'm afraid it's longer than the 10 working days you've read about: for a foreign bank please allow 20 working days."]),
    ("LF-4", ["Customer: so I need LF-4?", "Form LF-4 won't be accepted for this. Please use form LF-9 instead."]),
    ("certified copy of the death certificate", ["Customer: what do you need?", "We don't ask for a certified copy of the death certificate in your case; a plain photocopy will do."]),
    ("£35.00", ["Customer: late fee?", "The late payment fee is £35.00.", "Customer: sure?", "My apologies, I looked at the wrong card. Your late payment fee is £12.00."]),
    ("29 May 2026", ["Customer: maturity date?", "Your bond matures on 29 May 2026.", "Customer: thanks", "One moment: I misread the record. Your bond matures on 29 June 2026, not in May."]),
    ("25 %", ["Customer: how much can I withdraw early?", "You can take out 25% of the bond.", "Customer: really?", "Please disregard my last message. I had the wrong document open, and I don't have the right figure yet. I'm passing you to the Savings team."]),
    ("14 days", ["Customer: cancellation period?", "You've got 14 days to cancel. Correction: I've now seen that yours was sold by phone, so it's 30 days rather than 14."]),
    ("£8.00", ["Customer: fee for a banker's draft?", "It's either £8.00 or £18.00. I couldn't say which."]),
    ("5 working days", ["Customer: when will I get the card?", "That usually takes between 5 working days and 15 working days, depending on the post."]),
    ("RC-17", ["Customer: reference?", "The reference is RC-17 or RC-71; I can't make out from the note which one it is."]),
    ("£20", ["Customer: what's the fee for stopping a cheque", "Somewhere around £20-£40, I'd guess."]),
    ("£6.00", ["Customer: monthly fee of my account?", "Our account fees are £0, £3.00, £6.00, £9.50, £12.00 and £18.00. One of these is going to be yours."]),
    ("LF-4", ["Customer: which form?", "Depending on what you want, it could be LF-1, LF-2, LF-3, LF-4, LF-5 or LF-6. Please look on our website which one fits."]),
    ("1 April 2026", ["Customer: when is the payment?", "It'll be 28 March, 30 March, 1 April, 2 April or 5 April 2026."]),
    ("£75.00", ["Customer: arrangement fee for £1,000?", "If you had asked for £1,500, the fee would have been £75.00. For the £1,000 you want, it's £50.00."]),
    ("£120.00", ["Customer: how much refund?", "Had you told us before 1 March, you would have got £120.00 back. As it is, you'll get £40.00."]),
    ("90 days", ["Customer: notice period?", "If yours were a Premium Notice account, you'd have to give 90 days. But it's an Easy Access account, and there is no notice period at all."]),
    ("4.05%", ["Customer: current rate on my ISA?", "The rate used to be 4.05% until the end of February. It's now 3.80%."]),
    ("£22.00", ["Customer: charge for stopping a cheque?", "In the 2025 tariff the charge was £22.00. The tariff in force today sets it at £24.00."]),
    ("3 months", ["Customer: how far back can you correct?", "Previously it was 3 months. Under the new rules we can go back 13 months."]),
    ("£250", ["Customer: cash limit on my Classic card?", "With the Premier card it's £250 a day. With your Classic card you can take out £200."]),
    ("2.5%", ["Customer: foreign fee on my Travel card?", "The Everyday card has a fee of 2.5% abroad. Your Travel card has none."]),
    ("£500", ["Customer: minimum for the Anchor bond?", "The Harbour Bond takes a minimum of £500; the Anchor Bond, which you asked about, a minimum of £1,000."]),
    ("£50", ["Customer: compensation?", "We've credited $50 to your dollar account."]),
    ("10 working days", ["Customer: how long?", "The refund takes 10 weeks."]),
    ("2.5%", ["Customer: how did the rate change?", "The rate on your account has gone up by 2.5 percentage points."]),
    ("8 weeks", ["Customer: when can I go to the Ombudsman?", "You can go to the Ombudsman after 8 days."]),
    ("LF-4", ["Customer: form?", "Please complete form LF-4B and send it to us."]),
    ("MT-202", ["Customer: product code?", "The code on your offer is MT-2021."]),
    ("RC-17", ["Customer: reference?", "Please quote ARC-17 when you call."]),
    ("12:15 p.m.", ["Customer: when does the maintenance start?", "The maintenance starts at 12:15 a.m. tonight."]),
    ("17:00", ["Customer: cut-off?", "The cut-off is 5 a.m. on the day."]),
    ("9:30 a.m.", ["Customer: when will you call me?", "Our adviser will call you at 9.30 in the evening."]),
    ("30 June 2026", ["Customer: until when is my 0% offer?", "Your offer runs until 30 June 2027."]),
    ("3 April 2026", ["Customer: when's the review?", "Your review is on 04/03/2026, so it has already taken place."]),
    ("9 April 2026", ["Customer: when was it?", "The hardship plan was agreed on 9 April 2025."]),
    ("£12.50", ["Customer: I was charged a fee I don't know.", "Sorry to hear that. Is it the £12.50 on your statement that you mean, or another one?"]),
    ("31 March 2026", ["Customer: please close the account", "Certainly. Would you like it closed on 31 March 2026, or do you have another day in mind?"]),
    ("3.1%", ["Customer: what rate do I get?", "| Balance | AER |\n|---|---|\n| up to £4,999.99 | 2.4% |\n| £5,000 – £24,999.99 | 3.1% |\n| £25,000 and over | 3.6% |\n\nI'm unable to see your balance, so I can't tell you which one applies."]),
    ("£250", ["Customer: limit?", "Your daily limit is £1,250."]),
    ("5%", ["Customer: rate?", "The rate is 1.5%."]),
    ("£12.50", ["Customer: fee?", "The fee comes to £112.50."]),
    ("6 months", ["Customer: how long in the job?", "You need to have been in your job for 16 months."]),
    ("£10", ["Customer: CHAPS fee?", "A colleague told you £10, I see. That was a mistake on our side: the CHAPS fee is £25."]),
    ("18 years", ["Customer: minimum age?", "Other banks want 18 years. With us it's 16 years."]),
    ("£45", ["Customer: So it's £45 in total?", "I'm not able to confirm any amount before you've passed the identity check. Could you give me your date of birth and postcode?"]),
    ("£19.99", ["Customer: how much did you refund?", "Refunded: ~~£19.99~~ £9.99"]),
    ("21 days", ["Customer: how long do I have to dispute?", "I don't know whether it's 21 days. You'd need to ask the Disputes team."]),
    ("£99", ["Customer: product fee?", "I cannot confirm that the product fee is £99. I couldn't find it in our documents."]),
    ("£640.00", ["Customer: what's my new mortgage payment?", "I can't work that out here. To show how it works: a customer paying £600.00 whose rate goes up might then pay, for example, £640.00. Yours will be in the letter."]),
    ("£2,000", ["Customer: what's the fee for repaying early?", "It'll be something less than £2,000. The exact figure will be in the letter."]),
    ("2 working days", ["Customer: how long until my card arrives?", "Not 2 working days, unfortunately, whatever the website says. It's 7 working days."]),
    ("£28.40", ["Customer: how much interest will I get?", "You'll get £28.40 in interest.", "Customer: lovely", "I'm sorry, I have to take that back. No interest is paid on an account closed in its first year, so you'll get none."]),
    ("proof of address", ["Customer: what must I bring?", "Just your passport. Proof of address is no longer required since January."]),
    ("the Bereavement Team", ["Customer: who'll take care of it?", "This isn't something for the Bereavement Team. I've passed it to the Probate Team, who will ring you."]),
    ("£7,250.00", ["Customer: The calculator says £7,250.00 for repaying early!", "It's a common misunderstanding that the charge is £7,250.00. You repay within the free allowance, so there's no charge."]),
    ("£15.75", ["Customer: Will I get back my £15.75?", "You'd like the £15.75 back; I understand. I'll look into it and let you know what can be refunded, if anything."]),
    ("£30.00", ["Had you paid in May, it would have been £30.00. As it is, it's £45.00."]),
    ("£30.00", ["Were you a Plus customer, you would pay £30.00. You pay £45.00."]),
    ("£30.00", ["If the account had been older, you'd pay £30.00. It's £45.00 now."]),
    ("LF-4", ["LF-4 isn't accepted for this."]),
    ("LF-4", ["LF-4 does not concern you."]),
    ("£30.00", ["The £30.00 charge won't affect you."]),
    ("£30.00", ["It's a myth that the fee is £30.00. It is free."]),
    ("£30.00", ["It is not true that we charge £30.00."]),
    ("£30.00", ["Contrary to the leaflet's £30.00, we charge £45.00."]),
    ("£30.00", ["Until last year the fee was £30.00. It is currently £45.00."]),
    ("£30.00", ["Under the old tariff it was £30.00; today it's £45.00."]),
    ("3 months", ["Most banks ask for 3 months. With us it's 6 months."]),
    ("£30.00", ["Customer: fee of my Basic account?", "The Plus account costs £30.00. Your Basic account costs nothing."]),
    ("5 days", ["It takes from 5 days to 9 days."]),
    ("£30.00", ["It's more than the £30.00 you expected."]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "messages"), ADVERSARIAL, ids=lambda part: str(part)[:60])
def test_a_value_that_is_not_stated_is_not_said(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is not StatementStatus.SAID, found
