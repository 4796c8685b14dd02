"""Mail: names and subjects however they are encoded, and the work that a message takes."""

from __future__ import annotations

import sys

import pytest

from copysift.model.values import LIMIT, Skipped
from copysift.sources.container_limits import ArchiveLimits, Budget
from copysift.sources.inputs import members
from copysift.sources.readers.mail import MAIL
from copysift.sources.readers.reader import Extracted, TextLimits

from . import samples

TYPICAL = (
    b"Date: Thu, 01 Jan 2026 00:00:00 +0000\nFrom: Ann <ann@site.example>\nTo: Bob <bob@site.example>\n"
    b'Subject: Re: a word\nMIME-Version: 1.0\nContent-Type: text/plain; charset="utf-8"\n'
    b"Content-Transfer-Encoding: 8bit\n\nThe text.\n"
)


def _read(data: bytes) -> Extracted:
    return MAIL.extract(data, TextLimits(), Budget(ArchiveLimits(), 1 << 20))


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        (b"Subject: two\n  lines", "two  lines"),
        (b"subject: =?utf-8?Q?sch=C3=B6n_und?=\n =?utf-8?B?IGd1dA==?=", "schön und gut"),
        (b"Subject: raw \xe4", "raw \N{REPLACEMENT CHARACTER}"),
        (b"Subject: first\nSubject: second", "first"),
        (b"Subject:", ""),
        (b"X-Subject: other", ""),
    ],
)
def test_the_subject(header: bytes, subject: str) -> None:
    assert _read(header + b"\n\nText\n").text == f"{subject}\n\nText\n".encode()


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b'filename="a b.txt"', "a b.txt"),
        (b'filename="=?utf-8?Q?=C3=A4?=.txt"', "ä.txt"),
        (b"filename*=utf-8''%e2%82%ac.txt", "€.txt"),
        (b'filename*0="one";\n filename*1=".txt"', "one.txt"),
        (b'filename="\xc3\xa4.txt"', "ä.txt"),
    ],
)
def test_the_name_of_an_attachment(header: bytes, name: str) -> None:
    found = _read(b"Content-Disposition: attachment; " + header + b"\n\nText\n")
    assert [(each.name, each.data) for each in found.members] == [(name, b"Text\n")]


def test_a_typical_message_takes_few_steps() -> None:
    _read(TYPICAL)  # what is loaded once does not count
    calls = 0

    def count(frame: object, event: str, given: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = _read(TYPICAL)
    finally:
        sys.setprofile(before)
    assert found.text == b"Re: a word\n\nThe text.\n"
    assert calls < 400  # 1,300 where each header is taken apart by its grammar


def test_a_mailbox_of_too_many_mails_is_named_and_the_first_are_read(tmp_path) -> None:
    (tmp_path / "many.mbox").write_bytes(samples.mailbox(*(TYPICAL for _ in range(30))))
    *documents, last = members(str(tmp_path / "many.mbox"), ArchiveLimits(members=20))
    assert [each.name for each in documents] == [f"{tmp_path}/many.mbox!{at}" for at in range(1, 21)]
    assert last == Skipped(
        f"{tmp_path}/many.mbox", "has more than 20 members; the rest of it was not read", LIMIT
    )
