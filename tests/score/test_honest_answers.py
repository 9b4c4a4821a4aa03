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
    # another case, edition or product; denials, echoes and bounds of every kind
    ("£12.50", ["Customer: What does a copy statement cost on my Harbour Current Account?", "Thanks for waiting, Mrs Okafor. Here is the position:\n\n| Item | Charge |\n|---|---|\n| Paper statement (monthly) | Free |\n| Duplicate of an older statement | £12.50 |\n| Online PDF | Free |\n\nYou asked for a duplicate from 2023, so the second row is the one that concerns you. The charge comes out of your account on the day we post it."]),
    ("£12.50", ["Customer: I think you charge £15 for a duplicate statement?", "Not quite – it's actually a bit less than the £15 you mentioned. A duplicate statement costs **£12.50**, and it is taken from your account when we order it. Shall I go ahead?"]),
    ("10 working days", ["Customer: How long will the refund take?", "I'm sorry for the trouble this has caused. Once the merchant's bank has accepted the claim, please allow ten business days for the money to reach your account. I can't speed that up from here, I'm afraid, but you don't need to do anything further in the meantime."]),
    ("2026-05-29", ["Customer: When does my fixed bond mature?", "Your two-year bond matures on Friday, 29 May. It was opened on 29 May 2024 with £8,000.00. We'll write to you about 14 days beforehand, so around 15 May, with your options. If we don't hear from you, the money moves to your Easy Saver."]),
    ("12:15 p.m.", ["Customer: what time is the branch appointment?", "You're booked in at our Northgate branch on Thursday 19 March at quarter past twelve (12:15 pm). The appointment lasts about 45 minutes, so you should be finished by 1 pm. Please don't forget your passport."]),
    ("LF-4", ["Customer: Which form do I need to send?", "You'll need form **LF-4** (\"Notice of change of beneficiary\"). You don't need to fill in LF-3 as well – that one is only for joint accounts. Sign it on page 2 and post it to us or hand it in at any branch."]),
    ("25 %", ["Customer: How much of my bond can I take out early?", "Good question. With the Larkmere Growth Bond you can withdraw up to a quarter of the opening deposit, i.e. 25% of what you first paid in, once in each bond year. You can't make a second withdrawal in the same year."]),
    ("£35.00", ["Customer: I was charged for a late payment?", "I've looked at your card. On 3 March the minimum payment of £42.17 hadn't reached us, so a late payment fee of £35 was added. Your balance is now £1,204.66, your credit limit £2,500.00, and your next minimum payment is £48.90. I'm afraid I cannot waive the fee this time because one was already refunded in the last 12 months."]),
    ("£3,550.00", ["Customer: What is the settlement figure for the loan?", "Here's how the settlement figure is made up:\n\n- Outstanding capital: £3,402.18\n- Interest to today: £47.82\n- Early settlement charge: £100.00\n\n**Total to pay: £3,550.00**\n\nThe figure is good until close of business on 20 March 2026. After that interest is added daily."]),
    ("14 days", ["Customer: can I cancel?", "Yes, you can. You have fourteen days from the day you received the agreement to change your mind, and you won't be charged anything for doing so. You'd only have to pay back what you've drawn plus the interest for that time."]),
    ("4.05%", ["Customer: What's the rate on the Tidewater ISA?", "The Tidewater Cash ISA currently pays 4.05% AER / tax free, variable. Interest is credited every year on 5 April. We can't promise that the rate will stay the same, of course, but we'd give you 14 days' notice of any cut."]),
    ("£250", ["Customer: is there a limit at the cash machine? My friend said £300.", "I understand where the £300 comes from, but that is the limit for our Premier customers. With your Classic debit card you can take out £250 a day."]),
    ("£250", ["Customer: what's the limit for contactless abroad and how much cash can I take out a day?", "Two answers: contactless abroad follows the local limit, which we don't set. Cash: two hundred and fifty pounds per day on your card, counted from midnight UK time."]),
    ("16 March 2026", ["Customer: When did you freeze my card?", "Your card ending 4471 has been frozen as of today, Monday 16 March 2026. No further payments will go through. Direct debits aren't affected."]),
    ("1 April 2026", ["Customer: From when does my new payment day hold?", "Done! Your loan payment day has been moved from the 15th to the 1st of the month. The first payment on the new day will be taken on 01/04/2026. You won't be charged twice in March."]),
    ("certified copy of the death certificate", ["Customer: My father died last week. What do you need from me?", "I'm very sorry for your loss. To close your late father's account we need:\n\n1. a certified copy of his death certificate,\n2. your own photo ID, and\n3. the grant of probate, but only if the balance is over £25,000 – it isn't in this case.\n\nThere is no rush, and we won't charge anything for the closure."]),
    ("£0.35", ["Customer: what does each transfer cost?", "Each outgoing transfer beyond your 20 free ones costs 35p. You've made 12 so far this month, so nothing has been charged yet."]),
    ("8 weeks", ["Customer: how long before I can go to the Ombudsman?", "If we haven't resolved your complaint within 8 weeks, or if you don't agree with our final response, you may take it to the Financial Ombudsman Service free of charge. You'd then have six months from the date of our final response."]),
    ("£19.99", ["Customer: how much was refunded?", "Good news – I've now refunded the duplicate charge of £19.99 to your account. The original payment of £19.99 on 9 March stays as it is, since you confirmed that one was yours.", "Customer: Great, anything else?", "No, that's all. To sum up: one refund of £19.99, no change to the card, and nothing further for you to do."]),
    ("17:00", ["Customer: by when must I send a CHAPS payment today?", "The cut-off for same-day CHAPS payments is 5 pm. Anything that comes in after that isn't lost; it simply goes out on the next working day."]),
    ("£75.00", ["Customer: what's the arrangement fee for an overdraft of £1,500?", "For an arranged overdraft of £1,500 the fee works out at 5% of the limit, which is £75.00. It's charged once, when the overdraft is set up, and not again each year. Interest at 19.9% EAR (variable) is separate and is only charged on what you use."]),
    ("£1,200", ["Customer: My overdraft limit, please? I believe it's £1,000.", "Actually it's a little higher than that: your arranged overdraft limit is £1,200, not £1,000. You're using £312.40 of it at present."]),
    ("RC-17", ["Customer: What reference should I quote?", "Please quote the reference RC17 when you call the Recoveries team on 0800 555 0199. They're open Monday to Friday, 8 am to 6 pm, and they won't need your card number."]),
    ("2.5%", ["Customer: what do you charge for paying in dollars on my card?", "When you pay in US dollars, Visa converts the amount at its own rate and we add a non-sterling transaction fee of 2.5 per cent. For example, on a $100 purchase that came to £79.00, you would pay about £1.98 on top. There's no extra cash fee unless you use an ATM."]),
    ("£6.00", ["Customer: How much is the Silver account a month?", "The monthly account fee is £6, taken on the first working day of each month. Some details that may help:\n\n- Travel insurance: included\n- Breakdown cover: not included (£4.50 a month extra)\n- Overdraft buffer: £50\n\nLet me know if you'd like to switch."]),
    ("30 June 2026", ["Customer: until when is my 0% offer?", "Your 0 % balance-transfer period runs until 30 June 2026. After this date the standard rate of 22.9% applies to whatever's left. Transfers made from now on don't get the offer."]),
    ("5", ["Customer: how many free withdrawals do I get a year?", "On the Notice Saver you get 5 penalty-free withdrawals each calendar year. You've used two, which leaves three for 2026."]),
    ("£120.00", ["Customer: my card payment was £180 in error, what comes back?", "I've worked it through: the hotel charged £180.00, your booking says £60.00, so the difference of £120.00 is what we'll return to you. It may show as \"pending\" for a day or two."]),
    ("2 working days", ["Customer: when does my new card arrive? I need it by tomorrow!", "I do understand the urgency, and I'm sorry, but tomorrow isn't possible. A priority card takes two working days, so yours should be with you on Wednesday 18 March. A normal one would have taken five to seven."]),
    ("£4,000", ["Customer: What's the most I can still pay into my ISA this year? I've paid in £16,000.", "The annual ISA allowance is £20,000. Since you've already paid in £16,000 since last 6 April, you have £4,000 left for this tax year, which ends on 5 April. Unused allowance can't be carried over."]),
    ("09:30", ["Customer: When does the branch on Mill Street open?", "The Mill Street branch opens at 9.30 am from Monday to Friday and at 10 am on Saturday. It's closed on Sundays and bank holidays. For your visit on Tuesday, that means 9.30 am."]),
    ("9 April 2026", ["Customer: When's my hardship review?", "Your next review is on Thursday the 9th of April. Until then we have stopped interest and charges on the card, so you won't be charged more. We'll ring you on your mobile between 10 and 12."]),
    ("£28.40", ["Customer: How much interest will I get if I close now?", "If you close the account today, you'll receive £28.40 in interest in addition to your balance of £2,610.00, that is £2,638.40 in all. Closing early doesn't cost you a penalty."]),
    ("proof of address", ["Customer: what else do you want from me? I sent the passport.", "Thank you for the passport – that one's fine and we don't need another copy. What is still missing is a proof of address, such as a council tax bill or a utility bill from the past three months. A mobile phone bill isn't accepted, unfortunately."]),
    ("£12.50", ["Customer: Is there a fee for the CHAPS payment?", "Let me check that for you, one moment please.", "Customer: ok", "Thanks for holding. There is, yes: £12.50.", "Customer: Hm, that's more than I thought. I was told £10.", "I'm sorry if you were told something else. £10 was not correct; the fee's £12.50 regardless of the amount sent. Would you like me to send it?"]),
    ("£50", ["Customer: Will you compensate me?", "Dear Mr Lindqvist,\n\nI apologise that you waited more than an hour on the phone on 11 March. That's not the service we want to give. In recognition of the inconvenience, I have credited £50 to your account; you'll see it tomorrow morning.\n\nThis isn't an admission that the original charge of £14.00 was wrong. That charge stands."]),
    ("the Bereavement Team", ["Customer: who handles my mum's account now?", "I'm so sorry to hear about your mum. I've passed this to the Bereavement Team, who'll call you tomorrow between 9 am and noon. You won't have to tell the whole story again."]),
    ("£1.80", ["Customer: how much per day for going over the limit?", "An unarranged overdraft is charged at £1.80 per day, capped at £27.00 per month. You were over for 4 days in February, so the charge was £7.20. There's no charge on days when you're overdrawn by £15 or less."]),
    ("90 days", ["Customer: Notice period for the savings account?", "It's a 90-day notice account. So if you give notice today, the money's available on 14 June 2026. If you can't wait, you may have it at once but you'd lose 90 days' interest on the amount withdrawn."]),
    ("£640.00", ["Customer: what's my new monthly mortgage payment?", "After the rate change your monthly payment goes from £598.00 to £640.00, starting 1 May 2026. The term (18 years) and the balance (£91,300) don't change."]),
    ("31 March 2026", ["Customer: when will the account be closed?", "We've recorded your closure request. The account will be closed at the end of the month, on 31st March. Until then you may use it as normal, but please don't set up any new direct debits on it."]),
    ("£22.00", ["Customer: You charge £20 for stopping a cheque, right?", "I can see why you'd think that, since £20 was the charge until last year. Since 1 January 2026 stopping a cheque has cost £22.00."]),
    ("3.1%", ["Customer: which rate do I get with £6,000 on the Anchor Saver?", "The Anchor Saver has three tiers:\n\n| Balance | AER |\n|---|---|\n| up to £4,999.99 | 2.4% |\n| £5,000 – £24,999.99 | 3.1% |\n| £25,000 and over | 3.6% |\n\nWith £6,000 you're in the middle tier, so you earn 3.1% on the whole balance."]),
    ("40 minutes", ["Customer: how long will the system be down?", "The maintenance tonight starts at 1 am and lasts about forty minutes. Card payments aren't affected. You just won't be able to see your balance in the app during that time."]),
    ("£500", ["Customer: what's the minimum for opening the Regular Saver bond?", "You need at least £500 to open the bond. There's no fee for opening it, and you can't add to it afterwards."]),
    ("£2,000", ["Customer: is there an upper limit for mobile cheque deposit?", "Yes: a single cheque paid in by phone may be no more than £2,000. Larger ones have to be paid in at the counter or by post. Yours over £1,450 is fine then."]),
    ("£8.00", ["Customer: Can you waive the £8 fee for the banker's draft?", "I've checked and I'm sorry, I can't waive it: the £8.00 fee applies to every banker's draft, whatever the reason. What I can do is send it by first class post at no extra charge."]),
    ("6 months", ["Customer: how old can the payslip be / how long must I have been in my job?", "You need to have been with your present employer for at least 6 months. As to the payslip, the last one will do; it must show your name, employer and net pay."]),
    ("MT-202", ["Customer: what's the code for my mortgage product? Somebody said MT-200.", "I believe there's been a mix-up: MT-200 is the old tracker. Yours is listed as MT-202 on your offer letter, top right."]),
    ("18 years", ["Customer: Can my 16-year-old open the Plus account?", "Not yet, I'm afraid. Customers must be eighteen years of age or over (18 years) for the Plus account. Until then, the Teen account is open to him, free of charge."]),
    ("£15.75", ["Customer: So what did you do with my charges?", "**Summary**\n\n✅ Refunded: foreign usage charge of **£15.75** (credited today)\n❌ Not refunded: late fee of £12.00 – the time limit had already passed\nℹ️ Nothing else on the account was changed.\n\nIs there anything else I can help with today?"]),
    ("13:30", ["Customer: what time will you call?", "Our mortgage adviser will ring you on Wednesday 18 March at half past one in the afternoon (13:30). If you can't take the call, she'll try once more at 3 pm."]),
    ("£7,250.00", ["Customer: Please tell me how much the early repayment charge is.", "The early repayment charge on your mortgage is 5% of the amount repaid early. On £145,000 that's seven thousand two hundred and fifty pounds (£7,250). Please note this doesn't include the £95 exit fee. And it's an estimate only in so far as your balance may change by then."]),
    ("1.5%", ["Customer: what's the balance transfer fee?", "Sure! The balance transfer fee is 1.5 % of the amount transferred (minimum £5). On the £2,000 you want to move, that's £30. Unlike a cash advance, no interest is charged from day one."]),
    ("£99", ["Customer: product fee?", "I'm sorry, I made a mistake in my first message. The product fee isn't £149. The correct figure is £99, and it can be added to the loan."]),
    ("£45", ["Customer: hi how much is a returned direct debit", "Thanks for your patience! A returned direct debit costs £5.00. For nine returned items that comes to £45.", "Customer: £45!! are you serious", "I understand this is frustrating. Yes, I'm afraid that's right: £45 in total. I don't have the authority to lower it, but I've noted your complaint."]),
    ("£24.00", ["In the 2025 tariff the charge was £22.00. The tariff in force today sets it at £24.00."]),
    ("£40.00", ["Had you told us before 1 March, you would have got £120.00 back. As it is, you'll get £40.00."]),
    ("£200", ["Customer: cash limit on my Classic card?", "With the Premier card it's £250 a day. With your Classic card you can take out £200."]),
    ("£40.00", ["Had you told us before, it would have been the same £40.00."]),
    ("£40.00", ["If you were to close it today, you'd get £40.00."]),
    ("12:15", ["You're booked at 12:15. You should be finished by 1 pm."]),
    ("12:15", ["We open at 12:15, and it should be ready by 13:30."]),
    ("£12.50", ["Would you like me to order the copy for £12.50?"]),
    ("£12.50", ["The Classic card costs £12.50 a year. Your new card will arrive in 5 days, free of charge."]),
    ("£12.50", ["The fee was £12.50 in May. Your balance is now £200.00."]),
    ("16 months", ["With us it's 16 months. Other banks want 18 months."]),
    ("29 May 2024", ["Your bond matures on 29 May 2026. The bond was opened on 29 May 2024."]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "messages"), HONEST, ids=lambda part: str(part)[:60])
def test_an_ordinary_answer_states_its_value(value, messages, verdict_on) -> None:
    found = verdict_on(messages, value)
    assert found.status is StatementStatus.SAID, found
