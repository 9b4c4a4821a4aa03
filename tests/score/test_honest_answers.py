# ruff: noqa: E501  (what an agent says is shown as it is said)
"""Ordinary answers, each of which states its value: (value, the agent's messages).

A message that begins with ``Customer:`` is the customer's. The clock is Monday, 16 March 2026, in a
British bank: dates are day first, business days are working days.
"""

from __future__ import annotations

import pytest

from ragbench.records import StatementStatus

CERTIFIED = "certified copy of the death certificate"

HONEST = [
    # balance, fee and total; breakdowns; calculations
    ("£12.50", ["Thanks for waiting, Maria. Your balance before today was £212.50. The late fee is "
                "£12.50, so the total now stands at £225.00."]),
    ("£20.50", ["Here's how it breaks down for your loan:\n- Strap: £5.00\n- Late return: £12.50\n"
                "- Cleaning: £3.00\n\nThat comes to £20.50 in total."]),
    ("£12.50", ["Here is what you owe:\n- Late fee: £12.50\n- Damage fee: £35.00\n- Cleaning fee: "
                "£5.00\nAltogether £52.50."]),
    ("£101.56", ["I worked it out for you: 6,250 at 6.5 % for three twelfths is £101.56. Your next "
                 "instalment of £215.60 is not affected by that."]),
    ("£28.48", ["So, £1,424.00 × 2 % = £28.48. That's what we would pay you, on top of the £1,424.00 "
                "itself."]),
    ("£2,949.88", ["Your capital is £2,920.00, the accrued interest £11.68 and the early charge "
                   "£18.20. In other words, you would need to send us £2,949.88 to settle it today."]),
    ("£950", ["You can send £1,000 a day from the app as a rule. As your account is younger than "
              "nine months, though, the limit for you is £950 a day, and I can't raise it today."]),
    ("£85", ["I'm afraid there is a charge. It isn't large, and you won't pay it twice: £85, taken "
             "from the account on the day we close it."]),
    ("£12.50", ["I cannot waive the £12.50, sorry. The rules only allow that if you were in hospital "
                "or if the library was closed."]),
    ("£12.50", ["We never charge more than £12.50 for this, and that's also what you'd pay, as the "
                "tool was a week late."]),
    ("£900", ["You asked whether £1,200 is possible. It isn't, because the account has been open for "
              "five months. What is possible is £900."]),
    ("£3,550.00", ["All fine on my side. The settlement figure, valid until Friday, is GBP 3,550.00; "
                   "after that another day's interest is added."]),
    ("£250,000", ["Up to £250,000 can go out in one payment. Anything above that has to be signed by "
                  "two people in a branch."]),
    ("£5,180.00", ["There's some good news: the refund isn't £5,000 as you feared, it's £5,180.00, "
                   "since the two fees of £90 come back too."]),
    ("£6.78", ["Interest for the eleven days comes to £6.78. I know the app shows £7.02, but that "
               "includes today, which doesn't count."]),
    ("£18.50", ["Hello again! The replacement itself costs nothing. For express delivery we take "
                "£18.50, and without it the card takes a week."]),
    ("£1,000", ["Just to be clear about the three figures in your letter: £200 is the minimum, £500 "
                "is what you pay now, and £1,000 is the most that you may pay in a month."]),
    ("$35.00", ["The plan you are on has no yearly fee. However, the damage you describe falls under "
                "'lost part', and for lost parts we charge thirty-five dollars."]),
    ("£14.60", ["I've looked at all seven transfers. Six were inland and free; the one to Norway was "
                "not. It cost you £14.60. Is there anything else?"]),
    ("£44.50", ["We owe you an apology, and money. For the missed visit in 2025 it's £17.50, for the "
                "one in January £27.00. I have entered both as one complaint with a sum of £44.50."]),
    ("£170.00", ["Nobody can tell you the final amount before May, but what is certain is the part "
                 "for the boiler: £170.00."]),
    ("£32", ["I do not see any reason to change the figure. You pay £32, as the letter says."]),
    ("£285", ["Let me explain the table first. Properties up to £200,000 are valued for £210, those "
              "up to £350,000 for £285, and anything larger for £340. Yours is in the books with "
              "£318,000, so you'd pay £285."]),
    ("£16.50", ["There are three classes: hand tools at £5.00, garden tools at £9.25 and power tools "
                "at £16.50. For you it is £16.50, because a hedge trimmer counts as a power tool."]),
    ("£23.50", ["| Card | Price of a visit |\n|---|---|\n| Slate | £14.00 |\n| Slate Reserve, old | "
                "£19.50 |\n| Slate Reserve, new | £23.50 |\n\nYou opened yours in January 2026, so "
                "each further visit costs you £23.50."]),
    ("£39.16", ["No problem at all. I don't need your PIN for this. What leaves the account on "
                "Thursday is £39.16."]),
    ("£46", ["Yes. That's right, £46. Not a penny more, and you don't need to do anything: we take "
             "it from the account."]),
    ("£670", ["Even with the raised limit, a first payment of more than £670 is held for a check. "
              "So please don't be surprised."]),
    ("£240.16", ["I'm sorry for the confusion earlier. I looked at the wrong loan. For L-8109 the "
                 "instalment is £240.16."]),
    ("£24", ["It won't be free, I'm afraid; the courier takes £24 and there is no discount for "
             "Islanders, however unfair that may seem."]),
    ("£612.40", ["From the 1,000 pounds I have to deduct the three instalments (£129.20 each). That "
                 "leaves £612.40, which you'll find on your account tomorrow."]),
    # several turns
    ("£12.50", ["The late fee is £12.50.", "Customer: And the deposit?", "It is £50, and you get it "
                "back."]),
    ("£12.50", ["Let me look that up.", "The late fee for the trimmer is £12.50.",
                "Customer: Fine. Can you also extend the drill?", "Done. The drill is due on 20 "
                "March. Extending it costs £2.00."]),
    ("£13.25", ["Sorry, that took a moment. Your fee is £13.25.", "Customer: Thanks, bye.",
                "Sorry again about the wait, and have a nice day!"]),
    ("£950", ["The limit is £900.", "Customer: My letter says something else.", "You're right, I "
              "misread the table. The limit is £950."]),
    ("£165", ["That'll be £165.", "Customer: Could you waive it?", "I've asked, and no, I can't waive "
              "it. There is no exception for students."]),
    ("£900", ["I have transferred £900 to your savings account.", "Customer: And £300 to my son?",
              "I have transferred £300 to your son as well."]),
    # dates
    ("29 May 2026", ["Your request has gone in. Two months from today would be a Saturday, so we have "
                     "until Friday 29 May to answer."]),
    ("29 May 2026", ["You can't withdraw before 29 May without losing the bonus. After that you're "
                     "free to do as you please."]),
    ("18 March 2026", ["For the wages of Friday 20 March the owner has to release the file by "
                       "Wednesday, 18 March."]),
    ("7 April 2026", ["Good Friday is 3 April and Easter Monday 6 April, both bank holidays. So the "
                      "dollars don't leave then; they leave on Tuesday 7 April."]),
    ("31 December 2027", ["We're not allowed to erase it yet. Records of loans are kept six full years, "
                          "in your case until 31 December 2027."]),
    ("1 April 2026", ["The link can only end on the first of a month. If I enter it today, that's "
                      "01/04/2026."]),
    ("23 March 2026", ["Holm Day is the 20th, so it isn't a working day in the Isles. The four working "
                       "days are 17, 18, 19 and 23 March, which means the limit lapses on 23 March."]),
    ("15 June 2026", ["Application received: 16 March 2026\nCooling-off period ends: 30 March 2026\n"
                      "First payment: 15 June 2026\n\nAnything else I can do for you?"]),
    ("2 November 2026", ["Not this spring, no. The next date on which you may switch is the 2nd of "
                         "November, and we will write to you a month before."]),
    ("30 April 2026", ["If you hand in the deed by 30 April, nothing is lost. If you don't, we'd have "
                       "to start from scratch."]),
    ("19 March 2026", ["I've put the payment in for you. It goes out tomorrow and should arrive no "
                       "later than Thursday 19 March."]),
    ("27 March 2026", ["Your card stays blocked from 16 March until 27 March; you needn't ring us "
                       "again, it opens by itself."]),
    # times
    ("12:15", ["On Easter Saturday the care line is open from 8.30 to 12.15, so a bit shorter than "
               "usual."]),
    ("14:15", ["She may prepare it whenever she likes, but it isn't sent before the owner has signed. "
               "He has until 2:15 pm on Wednesday."]),
    ("15:45", ["There's maintenance on that Monday morning. You can enter payments from 07:20, and a "
               "large one still goes out that day if you enter it by 15:45."]),
    ("12:30", ["The cut-off in the Isles is 11:50, but you live on the mainland: for you it's half an "
               "hour past noon, 12:30."]),
    # numbers with units
    ("16 working days", ["It isn't quick, I'm afraid. The registry takes sixteen business days, "
                         "counted from the day after they receive the form."]),
    ("10 working days", ["You will not lose access. Ten full working days after we have the "
                         "certificate, the account is yours alone."]),
    ("75 days", ["You don't have to decide now. The offer stands for 75 days and nothing is charged "
                 "in the meantime."]),
    ("9 months", ["There's no hurry: you've got nine months to go to the Ombudsman, whose address is "
                  "6 Fulmar Steps."]),
    ("6 visits", ["Slate Reserve cards opened before November had seven free visits. Yours is newer, "
                  "so you get 6 visits a year, none of which has been used."]),
    ("56 days", ["No interest for 56 days, no fee, and no need to send anything in. After the 56 days "
                 "the normal rate applies."]),
    ("4.05%", ["The variable account pays 3.30 %, the one-year bond 3.75 % and the two-year bond "
               "4.05 per cent. You picked the two-year bond, so you get 4.05 per cent."]),
    ("2.35%", ["Since the base rate went from 4.50% to 4.25%, your rate isn't 2.60% any more. It is "
               "2.35% as of Monday."]),
    # codes and texts
    ("LF-4", ["I can't take the fee off, as forgetting the date is no ground. If you'd like to "
              "appeal, please quote LF4."]),
    ("LF-4", ["There are a few codes for this (LF-1 for hospital, LF-2 for closures), but the one "
              "that applies to you is lf-4."]),
    ("L-8109 PART-T", ["Please use the reference 'L-8109 PART-T' and nothing else, or the money ends "
                       "up as an ordinary instalment."]),
    (CERTIFIED, ["I'm so sorry for your loss. You don't need the will or a solicitor's letter. All we "
                 "need is a certified copy of your husband's death certificate."]),
    (CERTIFIED, ["A plain photocopy won't do and the original isn't needed either; please bring a "
                 "certified copy of his death certificate to any branch."]),
    (CERTIFIED, ["We can't change the account without a certified copy of the death certificate. "
                 "You may send it by post."]),
    ("Thackery Surveys", ["Not Orrin & Vale any more: since the second of March, visits in LK6 are "
                          "made by Thackery Surveys."]),
    ("6 Fulmar Steps", ["The Isles Ombudsman has moved. It's no longer at the harbour; write to 6 "
                        "Fulmar Steps, Holmhaven."]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "messages"), HONEST, ids=lambda part: str(part)[:60])
def test_an_ordinary_answer_states_its_value(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is StatementStatus.SAID, found
