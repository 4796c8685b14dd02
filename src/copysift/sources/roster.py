"""Who handed what in: labels, authors, teams and attempts, and who is not compared with each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from copysift.model.document import INSIDE
from copysift.model.values import Skipped, Submission
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.exports import Export, known_export
from copysift.sources.metadata import Row

if TYPE_CHECKING:
    from copysift.model.values import UInt32s

MOST = 0.8  # of the groups must be named as a platform does before any name is believed


@dataclass(slots=True)
class Roster:
    """The groups by number; `authors` and `teams` say who belongs together, empty for nobody known."""

    submissions: list[Submission]
    authors: list[str]
    teams: list[str]
    unknown: list[Skipped]

    @property
    def side(self) -> UInt32s:
        """Give 1 for the groups of earlier years, which are never compared among themselves."""
        return np.array([each.earlier for each in self.submissions], dtype=np.uint32)

    @property
    def kin(self) -> UInt32s:
        """Give one label to attempts of one author and to members of one team, 0 to all others."""
        parent = list(range(len(self.submissions)))

        def root(number: int) -> int:
            while parent[number] != number:
                parent[number] = parent[parent[number]]
                number = parent[number]
            return number

        for column in (self.authors, self.teams):
            first: dict[str, int] = {}
            for number, key in enumerate(column):
                if key:
                    a, b = root(first.setdefault(key, number)), root(number)
                    parent[max(a, b)] = min(a, b)
        roots = [root(number) for number in range(len(parent))]
        alone = np.bincount(roots, minlength=len(parent)) < 2 if parent else np.zeros(0, np.bool_)
        return np.array([0 if alone[each] else each + 1 for each in roots], dtype=np.uint32)


def roster(
    groups: Sequence[str],
    files: Mapping[str, Sequence[str]],
    earlier: Iterable[str],
    rows: Sequence[Row],
    metadata: str,
    listed: Mapping[str, str] = MappingProxyType({}),
) -> Roster:
    """Put together what names and metadata say; `files` are the names of the files of each group.

    `listed` are authors by the keys that a platform has for them, from a list of its own.
    """
    past = set(earlier)
    # Each on its own: a platform that named this year's work need not have named that of years ago.
    exports: dict[str, Export] = {}
    for year in ([name for name in groups if name not in past], [name for name in groups if name in past]):
        exports |= _exports(year, files)
    found = Roster([], [], [], [])
    for name in groups:
        export = exports.get(name)
        found.submissions.append(
            Submission(
                name, author=(export.author or listed.get(export.key, "")) if export else "",
                attempt=export.attempt if export else "", earlier=name in past,
            )
        )  # fmt: skip
        found.authors.append(export.key if export else "")
        found.teams.append("")
    _apply(found, rows, files, metadata)
    return found


def exported(files: Sequence[str]) -> bool:
    """Say whether a platform has named these files, each a group of its own."""
    return bool(_exports(files, {}))


def _exports(groups: Sequence[str], files: Mapping[str, Sequence[str]]) -> dict[str, Export]:
    known: dict[str, Export] = {}
    others = 0
    for name in groups:
        export = _export(name, files.get(name, ()))
        if export is not None:
            known[name] = export
            continue
        others += 1
        if others > (1 - MOST) * len(groups) + 1:  # too many already: the rest need not be looked at
            return {}
    return known if len(known) >= 2 and len(known) >= MOST * len(groups) else {}


def _export(name: str, files: Sequence[str]) -> Export | None:
    """Know a group by its own name, or by those of its files, which a platform may have named."""
    found = known_export(name)
    for file in files if found is None else ():
        found = known_export(file)
        if found is not None:
            break
    return found


def _apply(found: Roster, rows: Sequence[Row], files: Mapping[str, Sequence[str]], metadata: str) -> None:
    number = {each.name: at for at, each in enumerate(found.submissions)}
    ends = _ends(number, files)
    for at, (each, key) in enumerate(zip(found.submissions, found.authors, strict=True)):
        for known in {each.author, key} - {""}:  # as the names of a platform tell them
            ends.setdefault(known, set()).add(at)
    keys = tuple(found.authors)
    for row in rows:
        wanted = row.name.removeprefix("./").rstrip("/").replace(INSIDE, "/")
        places = {number[wanted]} if wanted in number else ends.get(wanted, set())
        now = {at for at in places if not found.submissions[at].earlier}
        places = now if len(now) == 1 else places
        if len(places) != 1 and len({keys[at] or at for at in places}) != 1:
            reason = (
                "names no submission"
                if not places
                else f"names {len(places)} submissions: give more of the path"
            )
            found.unknown.append(Skipped(f"{metadata}, line {row.line}", f"{row.name!r} {reason}"))
            continue
        for at in places:  # several if one author handed in several
            _tell(found, at, row)


def _tell(found: Roster, at: int, row: Row) -> None:
    each = found.submissions[at]
    found.submissions[at] = dataclasses.replace(
        each,
        label=row.label or each.label,
        author=row.author or each.author,
        team=row.team,
        when=row.time,
        attempt=row.attempt or each.attempt,
    )
    found.authors[at] = row.author or found.authors[at]
    found.teams[at] = row.team


def _ends(number: Mapping[str, int], files: Mapping[str, Sequence[str]]) -> dict[str, set[int]]:
    """Give the groups by every end of their path and of their files' paths, with suffix and without."""
    ends: dict[str, set[int]] = {}
    for name, at in number.items():
        for path in {name, *files.get(name, ())}:
            parts = path.rstrip("/").replace(INSIDE, "/").split("/")
            for first in range(len(parts)):
                end = "/".join(parts[first:])
                ends.setdefault(end, set()).add(at)
        leaf = name.replace(INSIDE, "/").rpartition("/")[2]
        stem = leaf.partition(".")[0]
        if stem:
            ends.setdefault(stem, set()).add(at)
    return ends
