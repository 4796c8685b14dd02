"""What is compared, for reports: groups with their files, sizes and what is known of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from copysift.model.document import INSIDE
from copysift.model.values import Group, Result, Submission
from copysift.runtime.plurals import plural

PART = re.compile(rf"/|\.\w{{1,5}}{INSIDE}")  # before a part of a path, or a member of an archive
RECORD = "record of "  # how what was read of a record begins


def files_of(result: Result) -> dict[str, list[Group]]:
    """Give the files of every group, groups and files in the order of input."""
    found: dict[str, list[Group]] = {each.name: [] for each in result.submissions}
    for document in result.documents:
        found.setdefault(document.group, []).append(document)
    return found


def unit_of(result: Result) -> str:
    """Give the word for what was compared."""
    if result.submissions:
        return "submission"
    records = result.documents and all(each.read_as.startswith(RECORD) for each in result.documents)
    return "record" if records else "file"


def similar_of(result: Result) -> int:
    """Count the pairs that are not equal; where there may be millions they count them themselves."""
    counted = getattr(result.pairs, "equal", None)
    equal = counted() if counted else sum(pair.equal for pair in result.pairs)
    return len(result.pairs) - int(equal)


class Totals(NamedTuple):
    """What every table, page and message counts of a result, and nothing else under the same word.

    `units` counts what was compared, `earlier` what of it is of earlier years; pairs of equal units are not
    `similar` ones. Clusters are those at the threshold of the result, sets of equal units among them.
    """

    unit: str
    units: int
    earlier: int
    equal: int
    similar: int
    clusters: int

    def found(self) -> str:
        """Give the sets of equal units and the similar pairs, in words."""
        return f"{plural(self.equal, 'equal set')}, {plural(self.similar, 'similar pair')}"


def totals_of(result: Result) -> Totals:
    """Count a result as all that show it do."""
    return Totals(
        unit_of(result),
        len({each.group for each in result.documents} | {each.name for each in result.submissions}),
        sum(each.earlier for each in result.submissions),
        len(result.equal),
        similar_of(result),
        len(result.clusters),
    )


def outside_folders(result: Result) -> list[tuple[str, ...]]:
    """Give the sets of equal files without what is in copies of equal folders."""
    copies = {folder for each in result.folder_sets for folder in each.members[1:]}
    if not copies:
        return list(result.equal)

    def is_copy(name: str) -> bool:
        while "/" in name:
            name = name.rpartition("/")[0]
            if name in copies:
                return True
        return False

    left = (tuple(name for name in names if not is_copy(name)) for names in result.equal)
    return [names for names in left if len(names) > 1]


def bytes_of(result: Result) -> dict[str, int]:
    """Give the bytes of every group, as files."""
    total: dict[str, int] = {}
    for document in result.documents:
        total[document.group] = total.get(document.group, 0) + document.size
    return total


def submissions_of(result: Result) -> tuple[Submission, ...]:
    """Give what is known of every group; groups of which nothing is known have their name alone."""
    known = {each.name: each for each in result.submissions}
    return tuple(known.get(name) or Submission(name) for name in files_of(result))


def known_of(result: Result) -> dict[str, str]:
    """Give the labels of the groups whose label or author is known."""
    labels = labels_of(result) if result.submissions else {}
    return {each.name: labels[each.name] for each in result.submissions if each.label or each.author}


def labels_of(result: Result) -> dict[str, str]:
    """Give a short name of every group that distinguishes it from all others.

    The label or the author it has, else the end of its path, as long as it must be to be unique.
    """
    submissions = submissions_of(result)
    told = Counter(each.label or each.author for each in submissions)
    labels = {
        each.name: each.label or each.author
        for each in submissions
        if told[each.label or each.author] == 1 and (each.label or each.author)
    }
    taken = set(labels.values())
    rest = {each.name: _ends(each.name) for each in submissions if each.name not in labels}
    for length in range(max(map(len, rest.values()), default=0)):
        ends = Counter(shown[min(length, len(shown) - 1)] for shown in rest.values())
        for name, shown in list(rest.items()):
            end = shown[min(length, len(shown) - 1)]
            if ends[end] == 1 and end not in taken:
                labels[name] = end
                taken.add(end)
                del rest[name]
    return {each.name: labels.get(each.name, each.name) for each in submissions}


def _ends(name: str) -> list[str]:
    """Give the ends of a path, the last part first, then longer ones; a member of an archive is a part."""
    whole = name.rstrip("/")
    starts = [0, *(found.end() for found in PART.finditer(whole) if found.end() < len(whole))]
    return [whole[start:] for start in reversed(starts)]
