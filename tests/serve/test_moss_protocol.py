"""The MOSS conversation: what every sequence of bytes means, however it is split."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.serve.moss_protocol import (
    Conversation,
    Ended,
    Event,
    Failed,
    FileBegins,
    FileData,
    FileEnds,
    MossLimits,
    Options,
    Refused,
    Reply,
    Submitted,
)

HEAD = b"moss 987654321\ndirectory 1\nX 0\nmaxmatches 7\nshow 40\nlanguage python\n"
SMALL = MossLimits(line=80, lines=12, files=4, file_bytes=30, total_bytes=50)


def sent(name: bytes, body: bytes, number: int = 1) -> bytes:
    return b"file %d python %d %s\n" % (number, len(body), name) + body


def heard(pieces: list[bytes], limits: MossLimits = SMALL, users: str = "987654321") -> list[Event]:
    """Give the events of a whole conversation, pieces of one file joined; the query is answered at once."""
    talk = Conversation(limits, lambda language: language == "python", lambda user: user == users)
    events: list[Event] = []
    for piece in pieces:
        events += talk.receive(piece)
        if talk.waiting:
            events += talk.answer("http://here/1")
    events += talk.finish()
    joined: list[Event] = []
    for event in events:
        if isinstance(event, FileData) and joined and isinstance(joined[-1], FileData):
            joined[-1] = FileData(joined[-1].data + event.data)
        else:
            joined.append(event)
    return joined


def test_a_whole_conversation_gives_the_options_the_files_and_the_answer() -> None:
    stream = HEAD + sent(b"a/one file.py", b"x = 1\n") + sent(b"kit.py", b"\n\nfile 1", 0)
    assert heard([stream + b"query 0 homework 3\nend\n"]) == [
        Reply(b"yes\n"),
        FileBegins("a/one file.py", 6, False),
        FileData(b"x = 1\n"),
        FileEnds(),
        FileBegins("kit.py", 8, True),
        FileData(b"\n\nfile 1"),
        FileEnds(),
        Submitted(Options("987654321", True, False, 7, 40, "python"), "homework 3"),
        Reply(b"http://here/1\n"),
        Ended(),
    ]


STREAMS = {
    "whole": HEAD + sent(b"a b\xff.py", b"one\ntwo") + sent(b"e.py", b"", 2) + b"query 0 \nend\n",
    "crlf": HEAD.replace(b"\n", b"\r\n") + b"file 1 python 3 a\r\nxyzquery 0 c\r\nend\r\n",
    "no language": HEAD.replace(b"python", b"klingon") + sent(b"a", b"123") + b"query 0 c\nend\n",
    "no user": HEAD.replace(b"987654321", b"1") + sent(b"a", b"123") + b"query 0 c\n",
    "too large": HEAD + b"file 1 python 31 a\n" + b"x" * 31,
    "too many bytes": HEAD + sent(b"a", b"x" * 30) + sent(b"b", b"y" * 21),
    "too many files": HEAD + b"".join(sent(b"a", b"1", n) for n in range(1, 6)),
    "long line": HEAD + b"file 1 python 3 " + b"n" * 80 + b"\nxyz",
    "garbage": bytes(range(200)),
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "truncated": HEAD + b"file 1 python 10 a\nxyz",
    "cut before the query": HEAD + sent(b"a", b"xyz"),
    "nothing to compare": HEAD + sent(b"a", b"xyz", 0) + b"query 0 c\n",
    "lie": HEAD + b"file 1 python 2 a\nxyzquery 0 c\n",
    "negative": HEAD + b"file 1 python -5 a\n",
    "nameless": HEAD + b"file 1 python 5 \nabcde",
    "flood": b"moss 1\n" + b"X 0\n" * 40,
    "out of order": b"moss 987654321\nfile 1 python 1 a\nx",
    "after the query": HEAD + sent(b"a", b"xyz") + b"query 0 c\nfile 2 python 1 a\nxend\n",
    "early end": b"moss 987654321\nend\nmore",
}
ENDINGS = {
    "no language": "this server has no language `klingon`",
    "no user": "this server does not know the user `1`",
    "too large": "a file is larger than 30 bytes",
    "too many bytes": "the files together are larger than 50 bytes",
    "too many files": "more than 4 files",
    "long line": "a line is longer than 80 bytes",
    "garbage": "expected `moss USERID` as the first line",
    "http": "expected `moss USERID` as the first line",
    "truncated": "the connection ended 7 bytes before the end of a file",
    "cut before the query": "the connection ended before the query",
    "nothing to compare": "nothing to compare: no file was sent",
    "lie": "`zquery` is not expected here",
    "negative": "`file BYTES` needs a number, and got `-5`",
    "nameless": "a file needs ID, language, number of bytes and name",
    "flood": "more than 12 lines",
    "out of order": "`file` is not expected here",
    "after the query": "`file` is not expected here",
}


@pytest.mark.parametrize("name", STREAMS)
def test_every_conversation_ends_once_and_says_why(name: str) -> None:
    events = heard([STREAMS[name]])
    over = [event for event in events if isinstance(event, Failed | Ended)]
    assert events[-1:] == over
    if name in ENDINGS:
        reason = ENDINGS[name]
        assert over == [Failed(reason, f"Error: {reason}\n".encode())]
    else:
        assert over == [Ended()]


@pytest.mark.parametrize("name", STREAMS)
def test_any_one_or_two_cuts_of_the_stream_give_the_same_events(name: str) -> None:
    stream = STREAMS[name]
    whole = heard([stream])
    places = range(len(stream) + 1)
    cuts = itertools.combinations(places, 2) if len(stream) < 140 else ((at, at) for at in places)
    for first, second in cuts:
        assert heard([stream[:first], stream[first:second], stream[second:]]) == whole, (first, second)


@pytest.mark.parametrize("name", STREAMS)
def test_byte_by_byte_gives_the_same_events(name: str) -> None:
    stream = STREAMS[name]
    assert heard([stream[at : at + 1] for at in range(len(stream))]) == heard([stream])


@given(
    st.sampled_from(sorted(STREAMS)),
    st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=4)), max_size=3),
    st.lists(st.integers(0, 400), max_size=8),
)
def test_damaged_streams_never_raise_and_splits_never_matter(
    name: str, damage: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    stream = STREAMS[name]
    for at, insert in damage:
        stream = stream[:at] + insert + stream[at + 1 :]
    marks = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    events = heard([stream[a:b] for a, b in itertools.pairwise(marks)])
    assert events == heard([stream])
    assert sum(isinstance(event, Failed | Ended) for event in events) == 1


@given(
    st.lists(st.tuples(st.binary(min_size=1, max_size=12), st.binary(max_size=10)), min_size=1, max_size=4)
)
def test_files_come_out_as_they_went_in(files: list[tuple[bytes, bytes]]) -> None:
    files = [(name.replace(b"\n", b"").replace(b"\r", b""), body) for name, body in files]
    files = [(name, body) for name, body in files if name.decode("utf-8", "surrogateescape").strip()]
    stream = HEAD + b"".join(sent(name, body) for name, body in files)
    events = heard([stream])
    names = [event.name for event in events if isinstance(event, FileBegins)]
    assert names == [name.decode("utf-8", "surrogateescape").strip() for name, _ in files]
    held = b"".join(event.data for event in events if isinstance(event, FileData))
    assert held == b"".join(body for _, body in files)


@pytest.mark.parametrize(("name", "answer"), [("no language", b"no\n"), ("no user", b"yes\n")])
def test_what_a_refused_client_sends_is_drained_and_never_kept(name: str, answer: bytes) -> None:
    events = heard([STREAMS[name]])
    assert events[:2] == [Refused(ENDINGS[name]), Reply(answer)]
    assert not any(isinstance(event, FileBegins | FileData | FileEnds | Submitted) for event in events)


def test_a_refused_client_cannot_flood_either() -> None:
    refused = HEAD.replace(b"python", b"klingon") + sent(b"a", b"x" * 30) + sent(b"b", b"y" * 30)
    assert heard([refused])[-1] == Failed(
        "the files together are larger than 50 bytes", b"Error: the files together are larger than 50 bytes\n"
    )


def test_memory_stays_within_a_line_while_a_file_streams_through() -> None:
    talk = Conversation(MossLimits())
    talk.receive(HEAD + b"file 1 python 1000000 big.py\n")
    for _ in range(100):
        events = talk.receive(b"x" * 9999)
        assert sum(len(event.data) for event in events if isinstance(event, FileData)) == 9999
        assert not talk._buffer


def test_the_servers_own_reasons_end_the_conversation_too() -> None:
    talk = Conversation()
    talk.receive(HEAD)
    assert talk.fail("too slow") == [Failed("too slow", b"Error: too slow\n")]
    assert talk.over
    assert talk.receive(b"more") == talk.finish() == talk.fail("again") == []


def test_options_that_a_client_leaves_out_are_those_of_the_classic_client() -> None:
    events = heard([b"moss 987654321\nlanguage python\n" + sent(b"a", b"x") + b"query 0 c\nend\n"])
    assert [each for each in events if isinstance(each, Submitted)] == [
        Submitted(Options("987654321", False, False, 10, 250, "python"), "c")
    ]


def test_every_limit_may_be_reached_and_not_passed() -> None:
    files = sent(b"a", b"x" * 30) + sent(b"b", b"y" * 20) + sent(b"c", b"") + sent(b"d", b"")
    for head, taken in (
        (HEAD + files, True),
        (HEAD + sent(b"a", b"x" * 30) + sent(b"b", b"y" * 21), False),
        (HEAD + sent(b"a" * (80 - len(b"file 1 python 3 ")), b"xyz"), True),
        (HEAD + sent(b"a" * (81 - len(b"file 1 python 3 ")), b"xyz"), False),
        (b"moss 987654321\n" + b"X 0\n" * 8 + b"language python\n" + sent(b"a", b"x"), True),  # 12 lines
        (b"moss 987654321\n" + b"X 0\n" * 9 + b"language python\n" + sent(b"a", b"x"), False),
    ):
        events = heard([head + b"query 0 c\nend\n"])
        assert (events[-1] == Ended()) is taken, events[-1]


@pytest.mark.parametrize(
    ("digits", "number"), [("999999999999", 999_999_999_999), ("0", 0), ("1000000000000", None), ("", None)]
)
def test_numbers_have_up_to_twelve_digits(digits: str, number: int | None) -> None:
    head = f"moss 987654321\nshow {digits}\nlanguage python\n".encode()
    events = heard([head + sent(b"a", b"x") + b"query 0 c\nend\n"])
    shown = [each.options.show for each in events if isinstance(each, Submitted)]
    assert shown == ([] if number is None else [number])


def test_nothing_but_a_line_may_follow_a_query_before_its_answer() -> None:
    for extra, over in ((80, False), (81, True)):
        talk = Conversation(SMALL)
        talk.receive(HEAD + sent(b"a", b"x") + b"query 0 c\n")
        assert talk.waiting
        talk.receive(b"e" * extra)
        assert talk.over is over
