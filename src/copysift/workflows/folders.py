"""What became of every file of a folder in another: by path, then by content and name (sif, section 6).

A path that both folders have is the same file, changed or not. What is left is gone or new: equal files
moved; others are versions of each other if what they share, without what many files share, is enough for
how similar their names are. A new file made of a part of another was split off it, a gone file that is in
another was merged into it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import PurePath

from copysift.match.names import line_likeness, name_likeness
from copysift.model.document import INSIDE
from copysift.model.folders import (
    CHANGED,
    GONE,
    MERGED,
    MOVED,
    NEW,
    RENAMED,
    SAME,
    SPLIT,
    FolderChange,
    Folders,
)
from copysift.model.values import Pair, Result
from copysift.runtime.lazy_dataclass import dataclass
from copysift.workflows.folder_evidence import FolderEvidence, Shares

# Chosen on the headers of Linux 6.1 and 6.12: true renames with alike names share 20 % of their weight or
# more, strangers with the same name (asm/sparsemem.h of two machines) less. With unlike names it takes 40 %,
# and in between as much less as the names are alike. On headers of Boost and LLVM, which nothing was chosen
# on, this finds renames that a step between the two does not, and no strangers.
UNLIKE_NAME = 0.4  # what two words have in common by chance
ALIKE_NAME = 0.6
ENOUGH_WITH_NAME = 0.2
ENOUGH = 0.4
PART = 0.5  # of a new file that came from another one, or of a gone file that is in another one
SMALL = 1024  # bytes of files that are also compared by lines, if their names are the same
MOST_EQUAL = 10_000  # pairs of equal files that are ranked by name

Accept = Callable[[Pair], bool]


@dataclass(slots=True)
class _Entry:
    """Versions of one file: paths on the left and on the right."""

    lefts: list[str]
    rights: list[str]
    equal: bool = False
    pairs: list[Pair] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sides:
    """The documents of two folders: paths to numbers of contents; links to their targets."""

    left: Mapping[str, int]
    right: Mapping[str, int]
    empty: frozenset[int]
    left_links: Mapping[str, str] = field(default_factory=dict)
    right_links: Mapping[str, str] = field(default_factory=dict)


def sides_of(
    result: Result, left: str, right: str, further: Mapping[str, str], links: Mapping[str, str]
) -> Sides:
    """Give the documents of each folder; equal ones have one number.

    `further` has names of files that the scan has under another, `links` the targets of symbolic links.
    """
    numbers = {group.name: number for number, group in enumerate(result.documents)}
    firsts = {name: numbers[names[0]] for names in result.equal for name in names}
    known = {**numbers, **firsts}
    for name, first in further.items():
        if first in known:
            known[name] = known[first]
        else:  # a container, whose members have its further name, too
            inside = [each for each in numbers if each.startswith(first + INSIDE)]
            known |= {name + each[len(first) :]: known[each] for each in inside}

    def below(folder: str, names: Mapping[str, object]) -> list[tuple[str, str]]:
        return [(_inside(name, folder), name) for name in names if _within(name, folder)]

    return Sides(
        {path: known[name] for path, name in below(left, known)},
        {path: known[name] for path, name in below(right, known)},
        frozenset(number for number, group in enumerate(result.documents) if not group.bytes),
        {path: links[name] for path, name in below(left, links)},
        {path: links[name] for path, name in below(right, links)},
    )


def least_share(name: float) -> float:
    """Give the resemblance from which on files are versions of each other, by how similar their names are."""
    known = (name - UNLIKE_NAME) / (ALIKE_NAME - UNLIKE_NAME)
    return ENOUGH - (ENOUGH - ENOUGH_WITH_NAME) * min(1.0, max(0.0, known))


class _Matching:
    """Files of two folders while they are matched: `gone` and `new` shrink."""

    def __init__(
        self, sides: Sides, evidence: FolderEvidence, read: Callable[[int], bytes], accept: Accept | None
    ) -> None:
        self.sides, self.evidence, self.read, self.accept = sides, evidence, read, accept
        self.like: dict[str, str] = {}  # gone → a file that it is like, which has another partner
        self.like_new: dict[str, str] = {}  # new → such a file
        self.by_lines: set[tuple[str, str]] = set()  # small files that were measured by their lines
        both = sides.left.keys() & sides.right.keys()
        self.gone = {path for path in sides.left if path not in both}
        self.new = {path for path in sides.right if path not in both}
        self.entries = [self._versions(path, path) for path in sorted(both)]

    def _versions(self, left: str, right: str) -> _Entry:
        one, other = self.sides.left[left], self.sides.right[right]
        if one == other or (one in self.sides.empty and other in self.sides.empty):
            return _Entry([left], [right], equal=True)
        return _Entry([left], [right], pairs=[self._pair(left, right)])

    def _pair(self, left: str, right: str) -> Pair:
        one, other = self.sides.left[left], self.sides.right[right]
        if (left, right) not in self.by_lines and self.evidence.measurable(one, other):
            return self.evidence.pair(one, other, left, right)
        likeness = line_likeness(self.read(one), self.read(other))
        return Pair(left, right, False, likeness, likeness, likeness, likeness, 0)

    def _take(self, left: str, right: str) -> None:
        self.entries.append(self._versions(left, right))
        self.gone.discard(left)
        self.new.discard(right)

    def equal(self) -> None:
        """Match gone and new files of the same bytes, those with the most similar names first."""
        lefts, rights = (
            self._by_content(self.gone, self.sides.left),
            self._by_content(self.new, self.sides.right),
        )
        for number in sorted(lefts.keys() & rights.keys() - self.sides.empty):
            for one, other in _best_named(lefts[number], rights[number]):
                self._take(one, other)

    def alike(self) -> None:
        """Match gone and new files that share enough, the most similar first."""
        lefts, rights = (
            self._by_content(self.gone, self.sides.left),
            self._by_content(self.new, self.sides.right),
        )
        least = ENOUGH_WITH_NAME if self.accept is None else 0.05
        found = self.evidence.between(
            lefts.keys() - self.sides.empty, rights.keys() - self.sides.empty, least
        )
        ranked: list[tuple[float, str, str]] = []
        for (one, other), shares in found.items():
            for left, right in _best_named(lefts[one], rights[other]):
                name = name_likeness(left, right)
                if self._enough(left, right, shares, name):
                    ranked.append((-shares.resemblance - 0.2 * name, left, right))
        ranked += self._small()
        for _, left, right in sorted(ranked):
            if left in self.gone and right in self.new:
                self._take(left, right)
            elif left in self.gone:
                self.like.setdefault(left, right)
            elif right in self.new:
                self.like_new.setdefault(right, left)

    def empty(self) -> None:
        """Match empty files of one name in folders of which another file moved from one to the other."""
        lefts = {path for path in self.gone if self.sides.left[path] in self.sides.empty}
        rights = {path for path in self.new if self.sides.right[path] in self.sides.empty}
        partners = {(_folder(each.lefts[0]), _folder(each.rights[0])) for each in self.entries}
        targets: dict[str, list[str]] = defaultdict(list)
        for left, right in sorted(partners):
            targets[left].append(right)
        for left in sorted(lefts):
            name = PurePath(left).name
            found = [str(PurePath(folder) / name) for folder in targets.get(_folder(left), ())]
            right = next((each for each in found if each in rights), "")
            if right:
                self._take(left, right)
                rights.discard(right)

    def resembling(self) -> None:
        """Name a file that each gone or new file is like, though it has another partner."""
        gone = self._by_content(self.gone - self.like.keys(), self.sides.left)
        new = self._by_content(self.new - self.like_new.keys(), self.sides.right)
        here = self._by_content(self.sides.left, self.sides.left)
        there = self._by_content(self.sides.right, self.sides.right)
        for left, right in self._likest(gone, there):
            self.like.setdefault(left, right)
        for left, right in self._likest(here, new):
            self.like_new.setdefault(right, left)

    def _likest(
        self, lefts: Mapping[int, list[str]], rights: Mapping[int, list[str]]
    ) -> Iterable[tuple[str, str]]:
        """Give the pairs of files that share enough, the most similar first."""
        least = ENOUGH_WITH_NAME if self.accept is None else 0.05
        empty = self.sides.empty
        found = self.evidence.between(lefts.keys() - empty, rights.keys() - empty, least)
        ranked = []
        for (one, other), shares in found.items():
            for left in lefts[one]:
                name, right = max((name_likeness(left, each), each) for each in rights[other])
                if self._enough(left, right, shares, name):
                    ranked.append((-shares.resemblance - 0.2 * name, left, right))
        return [(left, right) for _, left, right in sorted(ranked)]

    def _enough(self, left: str, right: str, shares: Shares, name: float) -> bool:
        if self.accept is not None:
            return self.accept(self._pair(left, right))
        return shares.resemblance >= least_share(name)

    def _small(self) -> Iterable[tuple[float, str, str]]:
        """Give small gone and new files of one name that have half their lines in common."""
        lefts, rights = _by_name(self.gone), _by_name(self.new)
        for name in sorted(lefts.keys() & rights.keys()):
            if len(lefts[name]) * len(rights[name]) > MOST_EQUAL:
                continue
            for left in lefts[name]:
                for right in rights[name]:
                    one, other = (self.read(self.sides.left[left]), self.read(self.sides.right[right]))
                    if max(len(one), len(other)) <= SMALL and self.accept is None:
                        likeness = line_likeness(one, other)
                        if likeness >= PART:
                            self.by_lines.add((left, right))
                            yield -likeness, left, right

    def parts(self) -> None:
        """Find what new files were split off from, and what gone files were merged into."""
        changed = [entry for entry in self.entries if not entry.equal]
        of_left = {entry.lefts[0]: entry for entry in changed}
        of_right = {entry.rights[0]: entry for entry in changed}
        lefts = self._by_content({*self.gone, *of_left}, self.sides.left)
        rights = self._by_content({*self.new, *of_right}, self.sides.right)
        found = self.evidence.between(lefts.keys() - self.sides.empty, rights.keys() - self.sides.empty, PART)
        splits: dict[str, tuple[float, str]] = {}  # new path → share of it, and where it was
        merges: dict[str, tuple[float, str]] = {}  # gone path → share of it, and where it is
        for one, other in found:
            left, right = min(lefts[one]), min(rights[other])
            ours, theirs = of_left.get(left), of_right.get(right)
            if ours is theirs and ours is not None:
                continue
            kept = [self.sides.right[ours.rights[0]]] if ours else []
            kept += [self.sides.left[theirs.lefts[0]]] if theirs else []
            share_left, share_right = self.evidence.moved(one, other, kept)
            if right in self.new and share_right >= PART:
                splits[right] = max(splits.get(right, (0.0, "")), (share_right, left))
            if left in self.gone and theirs is not None and share_left >= PART:
                merges[left] = max(merges.get(left, (0.0, "")), (share_left, right))
        self._split(splits, of_left)
        self._merge(merges, of_right)

    def _split(self, splits: Mapping[str, tuple[float, str]], of_left: Mapping[str, _Entry]) -> None:
        pieces = defaultdict(list)
        for right, (_, left) in sorted(splits.items()):
            pieces[left].append(right)
        for left, rights in sorted(pieces.items()):
            entry = of_left.get(left)
            if entry is None:
                if len(rights) < 2:
                    continue  # a piece of a file that is gone is no version of it
                entry = _Entry([left], [])
                self.entries.append(entry)
                self.gone.discard(left)
            entry.rights += rights
            entry.pairs += [self._pair(left, right) for right in rights]
            self.new.difference_update(rights)

    def _merge(self, merges: Mapping[str, tuple[float, str]], of_right: Mapping[str, _Entry]) -> None:
        for left, (_, right) in sorted(merges.items()):
            entry = of_right[right]
            if left in self.gone and len(entry.rights) == 1:
                entry.lefts.append(left)
                entry.pairs.append(self._pair(left, right))
                self.gone.discard(left)

    def _by_content(self, paths: Iterable[str], numbers: Mapping[str, int]) -> dict[int, list[str]]:
        found = defaultdict(list)
        for path in sorted(paths):
            found[numbers[path]].append(path)
        return found

    def changes(self) -> Iterable[FolderChange]:
        """Give what became of every file."""
        for entry in self.entries:
            yield FolderChange(
                _relation(entry), tuple(entry.lefts), tuple(entry.rights), entry.equal, tuple(entry.pairs)
            )
        here = _one_path(self.sides.left, self.sides.empty)
        there = _one_path(self.sides.right, self.sides.empty)
        for path in self.gone:
            same, like = there.get(self.sides.left[path], ""), self.like.get(path, "")
            pairs = (self._pair(path, like),) if like and not same else ()
            yield FolderChange(GONE, (path,), (), bool(same), pairs, same or like)
        for path in self.new:
            same, like = here.get(self.sides.right[path], ""), self.like_new.get(path, "")
            pairs = (self._pair(like, path),) if like and not same else ()
            yield FolderChange(NEW, (), (path,), bool(same), pairs, same or like)


def match_folders(
    result: Result,
    left: str,
    right: str,
    sides: Sides,
    evidence: FolderEvidence,
    read: Callable[[int], bytes],
    accept: Accept | None = None,
) -> Folders:
    """Say what became of every file; `read` gives the bytes of a document.

    With `accept` the measures of a pair alone decide whether two files are versions, whatever their names.
    """
    matching = _Matching(sides, evidence, read, accept)
    matching.equal()
    matching.alike()
    matching.empty()
    matching.parts()
    matching.resembling()
    changes = [*matching.changes(), *_link_changes(sides)]
    changes.sort(key=lambda change: (change.place, change.left, change.right))
    return Folders(left, right, tuple(changes), result.settings, result.skipped)


def _link_changes(sides: Sides) -> Iterable[FolderChange]:
    """Compare symbolic links by where they lead; a link is not a version of a file elsewhere."""
    left, right = sides.left_links, sides.right_links
    for path in left.keys() | right.keys():
        if path in left and path in right:
            equal = left[path] == right[path]
            yield FolderChange(SAME if equal else CHANGED, (path,), (path,), equal)
        elif path in left:
            yield FolderChange(GONE, (path,), ())
        else:
            yield FolderChange(NEW, (), (path,))


def _relation(entry: _Entry) -> str:
    if len(entry.rights) > 1:
        return SPLIT
    if len(entry.lefts) > 1:
        return MERGED
    left, right = entry.lefts[0], entry.rights[0]
    if left == right:
        return SAME if entry.equal else CHANGED
    return MOVED if PurePath(left).name == PurePath(right).name else RENAMED


def _one_path(numbers: Mapping[str, int], empty: frozenset[int]) -> dict[int, str]:
    """Give the first path of every content that is not empty."""
    ordered = sorted(numbers.items(), reverse=True)
    return {number: path for path, number in ordered if number not in empty}


def _folder(path: str) -> str:
    return str(PurePath(path).parent)


def _by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in sorted(paths):
        found[PurePath(path).name].append(path)
    return found


def _best_named(lefts: list[str], rights: list[str]) -> list[tuple[str, str]]:
    """Pair names one to one, the most similar first; very many only by their order."""
    if len(lefts) == len(rights) == 1:
        return [(lefts[0], rights[0])]
    if len(lefts) * len(rights) > MOST_EQUAL:
        key = lambda path: (PurePath(path).name, path)  # noqa: E731 - used twice, here only
        return list(zip(sorted(lefts, key=key), sorted(rights, key=key), strict=False))
    ranked = sorted((-name_likeness(left, right), left, right) for left in lefts for right in rights)
    free_left, free_right, chosen = set(lefts), set(rights), []
    for _, left, right in ranked:
        if left in free_left and right in free_right:
            chosen.append((left, right))
            free_left.discard(left)
            free_right.discard(right)
    return chosen


def _within(name: str, folder: str) -> bool:
    return name.startswith(folder if folder.endswith("/") else (f"{folder}/", f"{folder}{INSIDE}"))


def _inside(name: str, folder: str) -> str:
    """Give a name below a folder or container, which may be written with separators at its end."""
    return name[len(folder) + (not folder.endswith("/")) :]
