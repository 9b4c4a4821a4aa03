"""What an agent's message says: (message, fact, whether it does), grouped by rule."""

from __future__ import annotations

import pytest

from ragbench.score import says

NUMBERS = [
    ("It is 1,234 in all.", "1234", True),
    ("It is 1234 in all.", "1,234", True),
    ("It is 1234 in all.", "23", False),
    ("It is 1234 in all.", "34", False),
    ("It is 1,234 in all.", "234", False),
    ("It is 1,234 in all.", "1", False),
    ("It is 12,345,678.90.", "12345678.9", True),
    ("It is 7.5.", "7.50", True),
    ("It is 7.50.", "7.5", True),
    ("It is 7.5.", "7", False),
    ("It is 7.5.", "5", False),
    ("It is .5 of it", "0.5", True),
    ("It is 7.55.", "7.5", False),
    ("The total is 25.", "25", True),
    ("25", "25", True),
    ("(25)", "25", True),
    ("25, then 30", "25", True),
    ("25, then 30", "30", True),
    ("Version 1.2.3", "1.2", False),
    ("Version 1.2.3", "3", False),
    ("At 10:30 sharp", "30", False),
    ("Open 24/7", "7", False),
    ("Ends in 0042", "42", False),
    ("Ends in 0042", "0042", True),
    ("The total is ２５.", "25", True),  # full-width digits
    ("Grade A25", "25", False),
    ("Case LF-25", "25", False),
    ("25th floor", "25", False),  # an ordinal is no quantity of 25
    ("No number at all", "25", False),
    ("", "25", False),
]
SIGNS = [
    ("A balance of -25", "-25", True),
    ("A balance of -25", "25", False),
    ("A balance of 25", "-25", False),
    ("A balance of −25", "-25", True),  # U+2212
    ("A balance of -$25", "$-25", True),
    ("A balance of -$25.00", "-25 USD", True),
    ("A balance of -$25", "$25", False),
    ("10-20 days", "20 days", False),  # an end of a range is no answer
    ("10-20 days", "-20", False),
    ("10–20 days", "10", False),
    ("$5-$10", "$10", False),
    ("3 to 5 business days", "5 business days", False),
    ("3 to 5 business days", "3", False),
    ("3 to 5 business days", "4", False),
]
UNITS = [
    ("The fee is $25.", "25", True),  # the fact has no unit: any will do
    ("It is 25%.", "25", True),
    ("It takes 25 days.", "25", True),
    ("It is 25%.", "$25", False),
    ("The fee is $25.", "25%", False),
    ("The fee is $25.", "25 days", False),
    ("It takes 25 days.", "$25", False),
    ("Just 25.", "$25", False),
    ("It takes 3 days.", "3 business days", False),
    ("It takes 3 business days.", "3 days", False),
    ("It takes 3 business days.", "3 business days", True),
    ("It takes 3 Business  Days.", "3 business days", True),
    ("It takes 1 day.", "1 days", True),
    ("a 30-day period", "30 days", True),
    ("within 30 days", "30-day", True),
    ("within thirty (30) days", "30 days", True),
    ("a 30‑day period", "30 days", True),  # U+2011
    ("within 30 hours", "30 days", False),
    ("within **30** days", "30 days", True),
    ("within **30 days**", "30 days", True),
    ("5 hours and 30 days", "5 days", False),
    ("30 calendar days after the claim", "30 calendar days", True),
]
MONEY = [
    ("The fee is $25", "25 USD", True),
    ("The fee is USD 25", "$25", True),
    ("The fee is USD25", "$25", True),
    ("The fee is 25 USD", "$25", True),
    ("The fee is US$25", "$25", True),
    ("The fee is 25 dollars", "$25", True),
    ("The fee is 25 US dollars", "$25", True),
    ("The fee is 25.00 dollars each", "25 USD", True),
    ("The fee is $25", "25 dollars", True),
    ("The fee is $25", "€25", False),
    ("The fee is 25 €", "€25", True),
    ("The fee is 25€", "25 EUR", True),
    ("The fee is 25 euros", "€25", True),
    ("The fee is £1,250.50", "1250.5 GBP", True),
    ("The fee is 1,250.50 pounds", "£1250.50", True),
    ("The fee is $25.00.", "$25", True),
    ("The fee is $25.50.", "$25", False),
    ("The fee is $250.", "$25", False),
    ("The fee is **$25**.", "$25", True),
    ("The cap is $1 million", "$1", False),
    ("The cap is $1 million", "$1,000,000", True),
    ("The cap is $1.5k", "$1500", True),
    ("The cap is $5k", "$5", False),
    ("The cap is 2 million dollars", "$2,000,000", True),
    ("It is 5 m long", "5", True),  # metres
    ("It is $12.50 for three days.", "$12.50", True),
]
PERCENT = [
    ("It is 25%.", "25 %", True),
    ("It is 25 %.", "25%", True),
    ("It is 25 percent.", "25%", True),
    ("It is 25 per cent.", "25%", True),
    ("It is 25%.", "25 percent", True),
    ("It is 25%.", "25 per cent", True),
    ("It is 4.5% AER", "4.50%", True),
    ("It rose 25 percentage points", "25%", False),
    ("It is 4.5 % AER", "4.50% AER", True),  # text with a quantity inside
    ("It is 4.5 % APR", "4.50% AER", False),
    ("It is 5 dollars per month", "$5.00 per month", True),
    ("It is 5 dollars per year", "$5.00 per month", False),
]
DATES = [
    ("Due on 2026-03-03.", "2026-03-03", True),
    ("Due on March 3, 2026.", "2026-03-03", True),
    ("Due on March 3rd, 2026", "2026-03-03", True),
    ("Due on Mar. 3, 2026", "2026-03-03", True),
    ("Due on 3 March 2026", "2026-03-03", True),
    ("Due on the 3rd of March, 2026", "2026-03-03", True),
    ("Due on Tuesday, March 3, 2026 at noon", "2026-03-03", True),
    ("Due 2026-03-03T10:00", "2026-03-03", True),
    ("Due on 2026-03-03.", "March 3, 2026", True),
    ("Due on 3/3/2026", "2026-03-03", True),  # both orders give one day
    ("Due on 13/3/2026", "2026-03-13", True),  # there is no month 13,
    ("Due on 3/4/2026", "2026-03-04", False),
    ("Due on 3/4/2026", "2026-04-03", False),
    ("Due on 3/4/2026", "3/4/2026", True),  # text
    ("Due on 3/4/2026", "4", False),
    ("Due on March 4, 2026", "2026-03-03", False),
    ("Due on March 3", "2026-03-03", True),  # of any year, where no clock is known,
    ("Due on 2026-03-031", "2026-03-03", False),
    ("Due on 2026-02-31", "2026-02-28", False),
    ("Due on March 3, 2026", "3", False),  # a date's parts are no numbers
    ("Due on March 3, 2026", "2026", False),
    ("Due on 2026-03-13", "13", False),
    ("Due on March 13", "13", False),
    ("Due on 13 March", "13", False),
    ("Due on March 3, 2026, in 3 days", "3 days", True),
    ("You may 25% of the time", "25%", True),
    ("Valid from 3 March 2026 on", "from March 3, 2026", True),  # a date inside a text
]
TEXT = [
    ("The code is LF-4.", "LF-4", True),
    ("The code is lf-4", "LF-4", True),
    ("The code is ＬＦ－4", "LF-4", True),  # full width
    ("The code is LF‑4", "LF-4", True),  # U+2011
    ("The code is `LF-4`.", "LF-4", True),
    ("The code is LF-45", "LF-4", False),
    ("The code is ALF-4", "LF-4", False),
    ("The code is LF 4", "LF-4", True),
    ("The code is LF4", "LF-4", True),
    ("The code is LF-4-B", "LF-4", False),
    ("The code is 4", "LF-4", False),
    ("We cannot  do\nthat", "cannot do that", True),
    ("We CANNOT do that", "cannot do that", True),
    ("We cannot do thatch", "cannot do that", False),
    ("It is unfair", "fair", False),
    ("It is fair.", "Fair.", True),
    ("The customer’s card", "customer's card", True),
    ("Straße", "STRASSE", True),
    ("Order 25.50 now", "order 25", False),
    ("tool waive_fee_2718 it is", "waive_fee_2718", True),
    ("tool waive_fee_27189", "waive_fee_2718", False),
    ("anything", " ", False),
]


WORDS = [
    ("It takes ten working days until it is yours.", "10 working days", True),
    ("It takes seventy-five days.", "75 days", True),
    ("It takes seventy five days.", "75 days", True),
    ("It takes 75 days.", "seventy-five days", True),
    ("Five per cent of it", "5 %", True),
    ("twelve pounds", "£12", True),
    ("Twelve euros", "£12", False),
    ("It takes ten working days.", "10 days", False),  # working days are no days
    ("It takes five days.", "75 days", False),
    ("It takes thirty (30) days.", "30 days", True),
    ("No one knows.", "1", False),  # a word without a unit is no number
    ("Ten is a number.", "10", False),
    ("tender documents", "10", False),
]


@pytest.mark.parametrize(
    ("message", "info", "expected"),
    [*WORDS, *NUMBERS, *SIGNS, *UNITS, *MONEY, *PERCENT, *DATES, *TEXT],
)
def test_says(message, info, expected):
    assert says(message, info) is expected


@pytest.mark.parametrize(
    "info",
    ["25", "$25", "1,234.50 USD", "3 business days", "4.5% AER", "2026-03-03", "March 3, 2026",
     "LF-4", "0042", "10:30", "24/7", "-$5.00", "US$1 million", "thirty (30) days"],
)  # fmt: skip
def test_every_fact_says_itself_within_a_sentence(info):
    assert says(f"I can tell you: {info}.", info)
    assert says(info, info)
