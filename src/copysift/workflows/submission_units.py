"""What a scan of submissions has read so far: files by name, groups of files by number.

Here equal files do not collapse: copies of one author are no finding, copies of two authors are, and
what is base code in them counts for neither.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.join.rows import Postings
from copysift.kinds.kind import CODE, TEXT
from copysift.match.base_code import Base
from copysift.model.document import INSIDE
from copysift.model.values import Group, Submission
from copysift.sources.roster import Roster
from copysift.workflows.collection import Collection, FiledDocument, ScannedFile, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s, UInt64s

EMPTY = "empty"
ONLY_BASE = "with nothing but base code"
COMMON = "with nothing but common code"  # all that it has is in more submissions than --max-shared
TOO_SHORT = "too short to compare"
UNREADABLE = "without a readable file"
NOT_SELECTED = "without a file that --include and --exclude select"


_ENDS = re.compile(f"/|{re.escape(INSIDE)}")  # of the name of a group in that of what is inside it


class SubmissionUnits(Collection):
    """Files in their groups; the number of a group is its place in the roster."""

    def __init__(
        self, roster: Roster, group_of: Mapping[str, str], base: Base, patterns: bool = False
    ) -> None:
        super().__init__()
        self.roster = roster
        self.base = base
        self._patterns = patterns  # of files to read or to leave out were given
        self.numbers = {each.name: number for number, each in enumerate(roster.submissions)}
        self._group_of = group_of
        self._members: list[list[FiledDocument]] = [[] for _ in roster.submissions]
        self._checksums: list[list[bytes]] = [[] for _ in roster.submissions]
        self._based: set[int] = set()  # groups that have base code

    def enrol(
        self,
        submissions: Sequence[Submission],
        authors: Sequence[str],
        teams: Sequence[str],
        group_of: Mapping[str, str],
    ) -> None:
        """Take in further groups, as an index has them; one that is there already stays as it is."""
        self._group_of = {**group_of, **self._group_of}
        for submission, author, team in zip(submissions, authors, teams, strict=True):
            if submission.name in self.numbers:
                continue
            self.numbers[submission.name] = len(self.roster.submissions)
            self.roster.submissions.append(submission)
            self.roster.authors.append(author)
            self.roster.teams.append(team)
            self._members.append([])
            self._checksums.append([])

    def ignore(self, filed: FiledDocument, group: int, count: int) -> None:
        """Take off a file of a group the fingerprints that are base code."""
        filed.fingerprints -= count
        self._based.add(group)

    def add(self, scanned: ScannedFile) -> tuple[int, tuple[View, ...]]:
        """File a document; give the number of its group, and its views."""
        group = self.numbers[self._group_of[scanned.entry.path]]
        filed = FiledDocument(scanned.entry, scanned.kind, scanned.size)
        self._names[scanned.entry.path] = len(self.filed)
        self.filed.append(filed)
        self._members[group].append(filed)
        self._checksums[group].append(scanned.checksum)
        filed.kinds = {view.channel: view.kind for view in scanned.views}
        return group, scanned.views

    def count(self, number: int, view: View, hashes: UInt64s) -> None:
        """Count hashes of the file of a group that was added last: those of its first view, without base."""
        filed = self._members[number][-1]
        own = int(np.count_nonzero(~self.base.holds(hashes)))
        if view.channel == next(iter(filed.kinds)):
            filed.fingerprints += own
        if own < len(hashes):
            self._based.add(number)

    def groups(self) -> Iterator[Group]:
        """Give the groups."""
        for submission, members in zip(self.roster.submissions, self._members, strict=True):
            kinds = sorted({each.plain_kind for each in members})
            yield Group(
                submission.name,
                submission.name,
                kinds[0] if len(kinds) == 1 else "mixed" if kinds else "",
                sum(each.size for each in members),
                sum(each.fingerprints for each in members),
            )

    def files(self) -> Iterator[Group]:
        """Give the files, each with its group."""
        for submission, members in zip(self.roster.submissions, self._members, strict=True):
            for each in members:
                yield Group(
                    each.entry.name, submission.name, each.plain_kind, each.size, each.fingerprints,
                    each.read_as, each.entry.file_size,
                )  # fmt: skip

    def group_of(self, name: str) -> int:
        """Give the number of the group of a file."""
        return self.numbers[self._group_of[name]]

    def holders(self, number: int) -> Sequence[FiledDocument]:
        """Give the files of a group by its number."""
        return self._members[number]

    def twins(self) -> tuple[int, ...]:
        """Give the same number to groups whose files are equal byte for byte, whatever their names.

        A group of which something could not be read is equal to none: the rest may differ.
        """
        classes: dict[Any, int] = {}
        partial = self._partly_read()
        return tuple(
            classes.setdefault(
                tuple(sorted(checksums)) if checksums and number not in partial else number, number
            )
            for number, checksums in enumerate(self._checksums)
        )

    def _partly_read(self) -> set[int]:
        """Give the groups of which something was skipped, and not compared byte for byte instead."""
        found = set()
        for each in self.skipped:
            if each.name in self._names:
                continue
            ends = [at.start() for at in _ENDS.finditer(each.name)]
            names = (each.name[:end] for end in (*ends, len(each.name)))
            found |= {self.numbers[name] for name in names if name in self.numbers}
        return found

    def submissions(self, postings: Mapping[str, Postings]) -> tuple[Submission, ...]:
        """Give what is known of every group, with how much of it others have, and why it has no score.

        Of one that has programs it is how much of their tokens others have.
        """
        text, code = postings[TEXT], postings[CODE]
        shares = [covered_shares(each, self.roster.side, self.roster.kin) for each in (text, code)]
        covered = np.where(code.sizes > 0, shares[1], shares[0])
        sizes = text.sizes + code.sizes
        return tuple(
            dataclasses.replace(
                each,
                covered=float(covered[number]) if sizes[number] else None,
                note=self._note(number) if not sizes[number] else "",
            )
            for number, each in enumerate(self.roster.submissions)
        )

    def _note(self, number: int) -> str:
        members = self._members[number]
        if any(each.fingerprints for each in members):
            return COMMON
        if number in self._based:
            return ONLY_BASE
        if any(each.size for each in members):
            return TOO_SHORT
        if number in self._partly_read():
            return UNREADABLE
        return NOT_SELECTED if self._patterns and not members else EMPTY


def covered_shares(postings: Postings, side: UInt32s, kin: UInt32s) -> NDArray[np.float64]:
    """Give the share of each group's weight in hashes that another group has, of those it is compared with.

    Every program has idiom in common with others, which weighs little: without weights nearly all of an
    innocent submission is in some other one.
    """
    degrees = np.diff(postings.offsets)
    groups = postings.groups.astype(np.int64)
    entry = np.repeat(np.arange(len(degrees)), degrees)
    labels = [np.where(each[groups] == 0, -1 - groups, each[groups].astype(np.int64)) for each in (side, kin)]
    alike = sum(_times(entry, label) for label in labels) - _times(entry, labels[0] << 32 ^ labels[1])
    weights, count = postings.weights[entry], len(postings.sizes)
    elsewhere = degrees[entry] > alike
    shared = np.bincount(groups[elsewhere], weights[elsewhere], minlength=count)
    alone = postings.sizes - np.bincount(groups, minlength=count)
    whole = np.bincount(groups, weights, minlength=count) + alone
    out = np.zeros(count)
    np.divide(shared, whole, out=out, where=whole > 0)
    return out


def _times(entry: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count, for each posting, the postings of its hash that carry its label."""
    if not len(entry):
        return np.zeros(0, np.int64)
    order = np.lexsort((label, entry))
    changed = np.ones(len(order), np.bool_)
    changed[1:] = (np.diff(entry[order]) != 0) | (np.diff(label[order]) != 0)
    runs = np.cumsum(changed) - 1
    out = np.empty(len(order), np.int64)
    out[order] = np.bincount(runs)[runs]
    return out
