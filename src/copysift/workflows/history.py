"""How one document changed: its versions, how much each resembles the others, and what was changed."""

from __future__ import annotations

import dataclasses
from difflib import SequenceMatcher
from itertools import pairwise

from copysift.errors import InputError
from copysift.model.sweeps import History, Passage, Version
from copysift.settings.sweeps import spelled
from copysift.workflows.trace import Trace

LONGEST = (
    5_000  # lines that are compared line by line; beyond, what lies between the equal ends is one change
)


def history(
    trace: Trace, uri: str, diff: bool = False, since: int | None = None, until: int | None = None
) -> History:
    """Give the versions of an address that sweeps from `since` to `until` saw, in seconds since 1970.

    With `diff` each has what changed, where texts are stored.
    """
    every = trace.timeline.versions_of(trace.number_of(uri))
    rows = [
        row
        for row in every
        if (until is None or row.first <= until) and (since is None or trace.last_of(row) >= since)
    ]
    if not rows:
        raise InputError(f"{uri} has no version between these dates")
    contents = trace.snapshot.contents([row.content for row in rows])
    versions = []
    for number, row in enumerate(rows, 1):
        content = contents[row.content]
        before = rows[number - 2].content if number > 1 else None
        versions.append(
            Version(
                number, spelled(row.first), spelled(trace.last_of(row)), content.bytes,
                content.checksum.hex(),
                None if before is None else _resemblance(trace, before, row.content),
                None if before is None else _resemblance(trace, rows[0].content, row.content),
                row.last is None,
            )
        )  # fmt: skip
    kept = trace.snapshot.text(rows[0].content, 0, 1) is not None
    if diff and not kept:
        raise InputError(
            f"{trace.snapshot.folder} stores no texts, so changes cannot be shown",
            hint="create the index with copysift sweep --keep-text",
        )
    if diff:
        texts = [_text(trace, row.content) for row in rows]
        for at, (one, other) in enumerate(pairwise(texts), 1):
            versions[at] = dataclasses.replace(versions[at], changes=passages(one, other))
    last = rows[-1]
    gone = None if last.last is None or last is not every[-1] else trace.after(last.last)
    return History(uri, tuple(versions), "" if gone is None else spelled(gone), kept)


def _resemblance(trace: Trace, one: int, other: int) -> float | None:
    found = trace.between(one, other)
    return None if found is None else found.resemblance


def _text(trace: Trace, content: int) -> str:
    return (trace.snapshot.text(content) or b"").decode("utf-8", "replace")


def passages(before: str, after: str) -> tuple[Passage, ...]:
    """Give the lines that changed from one text to another."""
    one, other = before.splitlines(), after.splitlines()
    first = 0
    while first < min(len(one), len(other)) and one[first] == other[first]:
        first += 1
    last = 0
    while last < min(len(one), len(other)) - first and one[-1 - last] == other[-1 - last]:
        last += 1
    left, right = one[first : len(one) - last], other[first : len(other) - last]
    if not left and not right:
        return ()
    if max(len(left), len(right)) > LONGEST:
        return (Passage(first + 1, first + 1, tuple(left), tuple(right)),)
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return tuple(
        Passage(first + a + 1, first + c + 1, tuple(left[a:b]), tuple(right[c:d]))
        for kind, a, b, c, d in steps
        if kind != "equal"
    )
