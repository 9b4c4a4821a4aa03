"""E-mails: headers, the alternative that is read, encodings, what is attached; by hand."""

import pytest
from office_files import one, refused

PLAIN = """From: Ada Moss <ada@heron.example>
To: desk@heron.example
Date: Tue, 3 Mar 2026 09:15:00 +0000
Subject: =?utf-8?q?Geb=C3=BChr_f=C3=BCr?= =?utf-8?b?IERyYWh0?=
Message-ID: <1@x>
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The fee is =A335.

> What is the fee?
"""


def test_headers_text_and_quotes(tmp_path):
    document = one(tmp_path, "m.eml", PLAIN)
    assert document.text == (
        "From: Ada Moss <ada@heron.example>\nTo: desk@heron.example\n"
        "Date: Tue, 3 Mar 2026 09:15:00 +0000\nSubject: Gebühr für Draht\n\n"
        "The fee is £35.\n\n> What is the fee?"
    )
    assert document.title == "Gebühr für Draht"
    assert document.metadata["from"] == "Ada Moss <ada@heron.example>"
    assert document.metadata["date"] == "Tue, 3 Mar 2026 09:15:00 +0000"


def alternative(plain: str) -> str:
    return f"""From: a@b
Subject: S
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=O

--O
Content-Type: multipart/alternative; boundary=I

--I
Content-Type: text/plain; charset=utf-8

{plain}
--I
Content-Type: text/html; charset=utf-8

<h1>Fees</h1><table><tr><th>Kind</th><th>Fee</th></tr><tr><td>Wire</td><td>$35</td></tr></table>
<img src="http://127.0.0.1:9/pixel.gif"><p style="display:none">secret</p>
--I--
--O
Content-Type: application/pdf; name="fees.pdf"
Content-Disposition: attachment; filename*=utf-8''Geb%C3%BChr.pdf
Content-Transfer-Encoding: base64

JVBERi0=
--O
Content-Type: text/plain
Content-Disposition: attachment; filename="notes.txt"

not read
--O--
"""


def test_plain_text_is_preferred_and_attachments_are_named(tmp_path):
    document = one(tmp_path, "m.eml", alternative("Wire: $35"))
    body = document.text.split("Subject: S\n\n")[1]
    assert body == "Wire: $35\n\nAttachment: Gebühr.pdf\n\nAttachment: notes.txt"
    assert document.left_out == {"attachment": 2}


def test_html_where_the_plain_text_is_blank(tmp_path):
    document = one(tmp_path, "m.eml", alternative("   "))
    assert "Fees\n\nKind | Fee\nWire | $35" in document.text
    assert "secret" not in document.text
    assert [place.heading for place in document.places] == ["Fees"]


def test_a_message_within_the_message(tmp_path):
    text = """From: a@b
Subject: Outer
Content-Type: multipart/mixed; boundary=O

--O
Content-Type: text/plain

See below.
--O
Content-Type: message/rfc822
Content-Disposition: attachment; filename="inner.eml"

From: c@d
Subject: Inner
Content-Type: text/plain

The limit is 500.
--O--
"""
    document = one(tmp_path, "m.eml", text)
    assert document.text == (
        "From: a@b\nSubject: Outer\n\nSee below.\n\nInner\n\nFrom: c@d\nSubject: Inner\n\n"
        "The limit is 500."
    )
    assert [place.heading for place in document.places] == ["Inner"]
    assert document.title == "Outer"


def test_lines_that_were_broken_on_the_way_are_joined(tmp_path):
    text = (
        "From: a@b\nSubject: S\nContent-Type: text/plain; format=flowed\n\n"
        "The fee \nis $35.\n-- \nAda\n"
    )
    assert one(tmp_path, "m.eml", text).text.endswith("\n\nThe fee is $35.\n--\nAda")


@pytest.mark.parametrize(
    ("charset", "raw", "shown"),
    [
        ("windows-1252", b"\x80 35", "€ 35"),
        ("utf-8", "£ 35".encode(), "£ 35"),
        ("iso-2022-jp", "手数料".encode("iso-2022-jp"), "手数料"),
        ("x-nobody-knows", b"plain", "plain"),
    ],
)
def test_encodings(tmp_path, charset, raw, shown):
    head = f"From: a@b\r\nSubject: S\r\nContent-Type: text/plain; charset={charset}\r\n\r\n"
    assert one(tmp_path, "m.eml", head.encode() + raw + b"\r\n").text.endswith("\n\n" + shown)


def test_headers_that_break_the_rules_stay_as_written(tmp_path):
    raw = b"From: J\xfcrgen <j@x>\nSubject: =?x-none?q?Fee?= \xe2\x82\xac 5\n\nText.\n"
    document = one(tmp_path, "m.eml", raw)
    assert document.title == "=?x-none?q?Fee?= € 5"
    assert document.metadata["from"] == "Jürgen <j@x>"


def test_what_is_no_mail_or_encrypted(tmp_path):
    assert refused(tmp_path, "m.eml", "Just a text.\n").reason == "mislabelled"
    sealed = "From: a@b\nSubject: S\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nAAAA\n"
    assert refused(tmp_path, "m.eml", sealed).reason == "encrypted"
