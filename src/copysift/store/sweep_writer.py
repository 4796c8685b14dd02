"""Files one sweep: which content is at which address, as of its date; the writer commits it.

The newest sweep is the usual one: a version that is seen again costs nothing, one that changed or
is not seen ends with the sweep before. A sweep that is older than the newest, or replaces one of
the same date, is put in its place: every address gets its runs of equal contents made again.
"""

from __future__ import annotations

import os
from bisect import insort
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from copysift.store.catalog import short
from copysift.store.timeline import Timeline, VersionRow, adopt
from copysift.store.units import forget_members
from copysift.store.writer import Writer

SLACK = 50  # addresses of the sweep before that a batch of the next may lack


class Known(NamedTuple):
    """An address, and what is there as of the sweep: content 0 if nothing is.

    `checksum` is that of its bytes, or one that no bytes have where the content lost fingerprints.
    """

    number: int
    uri: bytes
    content: int
    checksum: bytes
    bytes: int


class SweepCounts(NamedTuple):
    """What a sweep did, in addresses: new ones, those with another content, and those where nothing is."""

    new: int
    changed: int
    gone: int


class SweepWriter:
    """One sweep in the making, as of time `at`."""

    def __init__(self, writer: Writer, at: int) -> None:
        self._writer, self._catalog, self._at = writer, writer.catalog, at
        self.relates_all = False  # the sweeps that are there do not know their boilerplate
        if not self._catalog.has_table("boilerplate"):
            self.relates_all = adopt(self._catalog)
            writer.changed = True
        self.timeline = Timeline(self._catalog)
        self._times = [row.at for row in self.timeline.sweeps()]
        self.repeats = at in self._times
        self.appends = not self._times or at > self._times[-1]
        self._next = int(self._catalog.one("SELECT max(number) FROM uris") or 0) + 1
        self._old = self._next > 1
        self._expected = int(self._old)  # the number from which on the next addresses are looked for
        self._seen = bytearray(self._next)
        self._contents: dict[int, int] = {}  # what is seen where, unless the sweep is the newest
        self._new = self._changed = 0
        self.turned: list[int] = []  # addresses that have another content than before

    def known(self, uris: list[bytes]) -> list[Known | None]:
        """Give what is known of some addresses, each as the bytes that name it.

        A sweep mostly comes in the order of the one before: where the addresses that were wanted last
        have numbers that follow each other, the next numbers are read in one run. What is not among them is
        looked up one by one.
        """
        found: dict[bytes, Known] = {}
        if self._expected:
            upto = self._expected + len(uris) + SLACK
            found = self._chosen(f"u.number >= {self._expected} AND u.number < {upto}", ())
        others = [short(raw) for raw in uris if raw not in found]
        for at in range(0, len(others) if self._old else 0, 500):
            part = others[at : at + 500]
            found |= self._chosen(f"u.short IN ({','.join('?' * len(part))})", part)
        rows = [found.get(raw) for raw in uris]
        numbers = [row.number for row in rows if row is not None]
        close = bool(numbers) and max(numbers) - min(numbers) < 2 * len(numbers)
        self._expected = max(numbers) + 1 if close else 0
        return rows

    def _chosen(self, which: str, values: list[int] | tuple[()]) -> dict[bytes, Known]:
        latest = self._times[-1] if self._times else self._at
        held = f"v.first <= {self._at} AND {self._at} <= ifnull(v.last, {latest})"
        rows = self._catalog.run(
            "SELECT u.number, u.uri, ifnull(v.content, 0), ifnull(c.checksum, x''), ifnull(c.bytes, 0) "
            f"FROM uris u LEFT JOIN versions v ON v.uri = u.number "
            f"AND {'v.last IS NULL' if self.appends else held} "
            f"LEFT JOIN contents c ON c.number = v.content WHERE {which}",
            values,
        ).fetchall()
        return {row[1]: Known(*row) for row in rows}

    def again(self, known: Known) -> bool:
        """Note that the sweep met what it expected at an address; False where there is more to look at."""
        if self._seen[known.number] or not known.content:
            return False
        self._seen[known.number] = 1
        if not self.appends:
            self._contents[known.number] = known.content
        return True

    def meet(self, raw: bytes, known: Known | None) -> int:
        """Note that the sweep has met an address and give its number; 0 if it has met it before."""
        number = known.number if known is not None else self.timeline.number_of(os.fsdecode(raw))
        if number is None:
            number = self._next
            self._next += 1
            self._seen.append(0)
            self._catalog.run("INSERT INTO uris VALUES (?, ?, ?)", (number, short(raw), raw))
        if self._seen[number]:
            return 0
        self._seen[number] = 1
        return number

    def content_of(self, uri: str, when: int | None) -> int:
        """Give what an address has in this sweep, else had nearest to a time, else last; 0: unknown."""
        number = self.timeline.number_of(uri)
        rows = self.timeline.versions_of(number) if number is not None else []
        rows = [row for row in rows if row.first <= self._at]
        if number is None or number in self._contents or not rows:
            return 0 if number is None else self._contents.get(number, 0)
        if when is None or (self.appends and rows[-1].first == self._at):
            return rows[-1].content
        last = self._times[-1] if self._times else self._at

        def distance(row: VersionRow) -> tuple[int, int]:
            return max(row.first - when, when - (last if row.last is None else row.last), 0), -row.first

        return min(rows, key=distance).content

    def file(self, number: int, known: Known | None, content: int) -> None:
        """File what is at an address that was met; 0: it could not be read, and stays as it was."""
        was = 0 if known is None else known.content
        content = content or was
        if not content:
            self._seen[number] = 0
        elif not self.appends:
            self._contents[number] = content
        elif was != content:
            self._turn(number, was, content)

    def _turn(self, number: int, was: int, content: int) -> None:
        self._writer.changed = True
        if was:
            self._changed += 1
            self.turned.append(number)
            self._close([number])
        else:
            self._new += 1
        self._catalog.run("INSERT INTO versions VALUES (?, ?, NULL, ?)", (number, self._at, content))

    def _close(self, numbers: Iterable[int]) -> None:
        before = self._times[-1] if self._times else self._at
        self._catalog.run_many(
            "UPDATE versions SET last = ? WHERE uri = ? AND last IS NULL",
            ((before, each) for each in numbers),
        )

    def finish(self, source: str) -> SweepCounts:
        """End what was not seen, and file the sweep."""
        documents = sum(self._seen)
        if self.appends:
            gone = [
                number
                for (number,) in self._catalog.run("SELECT uri FROM versions WHERE last IS NULL").fetchall()
                if not self._seen[number]
            ]
            self._close(gone)
            done = SweepCounts(self._new, self._changed, len(gone))
        else:
            done = self._put_between()
        row = (self._at, source, documents)
        if self.timeline.catalog.one("SELECT 1 FROM sweeps WHERE at = ? AND documents = ?", row[::2]) is None:
            self._writer.changed = True
        self._catalog.run("INSERT OR REPLACE INTO sweeps VALUES (?, ?, ?)", row)
        return done

    # ---- a sweep that is not the newest

    def _put_between(self) -> SweepCounts:
        times = list(self._times)
        if not self.repeats:
            insort(times, self._at)
        before = self._at if self.repeats else max((time for time in times if time < self._at), default=0)
        new = changed = gone = 0
        for number, old in self._every():
            content = self._contents.get(number, 0)
            stood = {time: row.content for row in old for time in _covered(row, self._times)}
            was = stood.get(before, 0)
            stood[self._at] = content
            new += not was and bool(content)
            changed += bool(was) and bool(content) and was != content
            gone += bool(was) and not content
            runs = _runs(number, stood, times)
            if runs != old:
                self._writer.changed = True
                self._catalog.run("DELETE FROM versions WHERE uri = ?", (number,))
                self._catalog.run_many("INSERT INTO versions VALUES (?, ?, ?, ?)", runs)
                self.turned.append(number)
        if self.repeats:
            self._forget()
        return SweepCounts(new, changed, gone)

    def _every(self) -> Iterator[tuple[int, list[VersionRow]]]:
        """Give every address that has versions or is seen now, with its versions."""
        left = dict.fromkeys(self._contents)
        rows = list(self.timeline.versions())
        for number, versions in groupby(rows, key=lambda row: row.uri):
            left.pop(number, None)
            yield number, list(versions)
        for number in left:
            yield number, []

    def _forget(self) -> None:
        """Drop the contents that no version has."""
        dead = [
            number
            for (number,) in self._catalog.rows(
                "SELECT number FROM contents WHERE number NOT IN (SELECT content FROM versions)"
            )
        ]
        for number in dead:
            self._writer.drop(number)
            for other in self.timeline.alike(number):
                self._catalog.run("DELETE FROM alike WHERE content = ? AND other = ?", (other, number))
            self._catalog.run("DELETE FROM alike WHERE content = ?", (number,))
            self._catalog.run("DELETE FROM templated WHERE content = ?", (number,))
        self._catalog.run("DELETE FROM uris WHERE number NOT IN (SELECT uri FROM versions)")
        forget_members(self._catalog)


def _covered(row: VersionRow, times: list[int]) -> list[int]:
    return [time for time in times if row.first <= time and (row.last is None or time <= row.last)]


def _runs(uri: int, stood: dict[int, int], times: list[int]) -> list[VersionRow]:
    """Make versions of what was at an address at each time; 0: nothing."""
    made: list[VersionRow] = []
    before = 0
    for time in times:
        content = stood.get(time, 0)
        if content and content == before:
            made[-1] = made[-1]._replace(last=time)
        elif content:
            made.append(VersionRow(uri, time, time, content))
        before = content
    return [row._replace(last=None) if row.last == times[-1] else row for row in made]
