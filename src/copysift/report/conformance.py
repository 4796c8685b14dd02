"""The kit that every output format must pass, built-in or added: call `check` with its definition.

    from copysift.report.conformance import check
    check(FORMAT)

It raises AssertionError with the law that is broken.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from itertools import chain

from copysift.model.values import Cluster, Group, Listing, Pair, Region, Result, Side, Skipped
from copysift.report.format import PAIRS, Format, Written
from copysift.report.view import View

_ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # what a terminal obeys
HOSTILE = "b\x1b[31m<script>\u202e.txt"  # a name that colours a terminal, runs in a page, and reads backwards
_BYTES = "caf\udce9.txt"  # a name that is not UTF-8
_TEXT = b"<b>shared & quoted</b>\n" * 9

EMPTY = Result(
    settings={"measure": "similarity", "threshold": 0.25},
    documents=(), pairs=(), clusters=(), ignored=(), skipped=(), equal=(), listings=(),
)  # fmt: skip
SAMPLE = dataclasses.replace(
    EMPTY,
    documents=tuple(
        Group(name, name, kind, size, 70)
        for name, kind, size in (
            ("a.txt", "text", 200), ("copy.txt", "text", 200), (HOSTILE, "text", 207), (_BYTES, "bytes", 207)
        )
    ),
    pairs=(
        Pair("a.txt", "copy.txt", True, 1.0, 1.0, 1.0, 1.0, 70),
        Pair(
            "a.txt", HOSTILE, False, 0.9951, 0.5, 0.97, 0.52, 68, 60, 3,
            (Region(60, Side("a.txt", 0, 46, 1, 2), Side(HOSTILE, 23, 69, 2, 3)),),
        ),
        Pair(HOSTILE, _BYTES, False, 0.41, 0.2, 0.4, 0.3, 20),
    ),
    clusters=(Cluster(("a.txt", "copy.txt", HOSTILE, _BYTES)),),
    skipped=(Skipped("pipe", "is a named pipe (FIFO), not a file"),),
    equal=(("a.txt", "copy.txt"),),
    listings=(Listing("a.txt", ((HOSTILE, 0.97),)), Listing(HOSTILE, ((_BYTES, 0.4),))),
)  # fmt: skip
VIEW = View(limit=100, title="A title", date="1 May 2026", source=lambda _, start, end: _TEXT[start:end])


def check(format_: Format) -> None:
    """Check every law of a format that shows pairs."""
    has_a_definition(format_)
    shows_pairs(format_)
    shows_nothing(format_)
    repeats_itself(format_)
    keeps_the_limit(format_)
    is_safe_to_print(format_)


def has_a_definition(format_: Format) -> None:
    """It says what it is, what it shows, and which files are of it."""
    assert re.fullmatch(r"[a-z][a-z0-9-]*", format_.name), f"{format_.name!r} is not a name"
    assert format_.description, f"{format_.name} needs a description"
    assert format_.shows(PAIRS.split()[0]), f"{format_.name} does not show pairs"
    for suffix in format_.suffixes:
        assert re.fullmatch(r"\.[a-z0-9]+", suffix), f"{format_.name}: {suffix!r} is not a suffix"
    for commands in format_.writers:
        for command in commands.split():
            if format_.writers[commands]:
                assert callable(format_.writer(command)), f"{format_.name} cannot write {command}"


def shows_pairs(format_: Format) -> None:
    """It names the files of pairs, and writes what it says: one text, or the files of a folder."""
    made = _made(format_, SAMPLE)
    assert isinstance(made, Mapping) == format_.folder, f"{format_.name}: a folder, or not?"
    text = _text(made)
    for name in ("a.txt", "copy.txt"):
        assert name.lower() in text.lower(), f"{format_.name} does not show {name}"
    assert "<script>.txt" not in text


def shows_nothing(format_: Format) -> None:
    """A result without pairs is shown too."""
    _text(_made(format_, EMPTY))


def repeats_itself(format_: Format) -> None:
    """The same result always gives the same text, but for numbers that count on within a program."""
    first, second = (re.sub(r"\d+", "0", _text(_made(format_, SAMPLE))) for _ in range(2))
    assert first == second, f"{format_.name} writes something else the second time"


def keeps_the_limit(format_: Format) -> None:
    """A limit of one shows less than all."""
    one = _text(format_.writer("scan")(SAMPLE, dataclasses.replace(VIEW, limit=1)))
    assert len(one) < len(_text(_made(format_, SAMPLE))), f"{format_.name} shows more than the limit"


def is_safe_to_print(format_: Format) -> None:
    """Names of files cannot command a terminal or run in a page, and names that are not UTF-8 are written."""
    text = _text(_made(format_, SAMPLE))
    text.encode("utf-8", "surrogateescape")
    if text.lstrip().lower().startswith(("<!doctype", "<html", "<head")):
        assert "<script>\u202e" not in text, f"{format_.name}: a name is markup"
    else:
        assert not _ESCAPES.search(text), f"{format_.name}: a name commands the terminal"


def _made(format_: Format, result: Result) -> Written:
    return format_.writer("scan")(result, VIEW)


def _text(made: Written) -> str:
    if isinstance(made, str):
        return made
    if isinstance(made, Mapping):
        return "\n".join(chain.from_iterable(made.items()))
    return "".join(made)
