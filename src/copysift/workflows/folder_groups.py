"""Which folders of a scan are the same or similar, without comparing all pairs of them.

A folder is the set of the files below it. Equal files are one element, and so are versions of a file. Folders
are joined like documents: only those that share elements become candidates. Trees that are the same under
the same names are found by a digest of each folder, made from those of its folders.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.linkage import assign
from copysift.errors import UsageError
from copysift.join.memory import Join
from copysift.join.rows import candidates
from copysift.model.document import INSIDE
from copysift.model.folder_groups import FolderPair, FolderSet
from copysift.model.values import Group, Result
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.comparison import Settings
from copysift.settings.selection import COUNTS, REVIEW

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSIONS = 0.5  # resemblance from which two files are versions of one
MOST_FOLDERS = 1000  # that may have a file before it says nothing about them
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")  # versions in the names of folders
PAGE = 12  # bits: a file of twice as many pages counts one more when candidates are looked for


@dataclass(slots=True)
class _Folder:
    path: str
    parent: int
    files: list[int] = field(default_factory=list)  # numbers of documents directly in it
    folders: list[int] = field(default_factory=list)
    first: int = 0  # its documents, in the order of the tree
    last: int = 0
    digest: bytes = b""


class _Tree:
    """The folders of the documents of a scan; a folder comes before those in it."""

    def __init__(self, result: Result) -> None:
        self.folders: list[_Folder] = [_Folder("", -1)]
        self._numbers = {"": 0}
        self.names: list[str] = []  # of the documents, in their folder
        packed = Counter(_container(document) for document in result.documents)
        for number, document in enumerate(result.documents):
            outer = _container(document)
            # A file that is compressed, or an archive of one file, is no folder.
            alone = outer and packed[outer] == 1
            folder, name = _place(outer, False) if alone else _place(document.name, bool(outer))
            self.names.append(name)
            self.folders[self._number(folder)].files.append(number)
        self.order: list[int] = []  # documents in the order of the tree
        self._walk()

    def _number(self, path: str) -> int:
        """Give the number of a folder; new ones come after the folder that they are in."""
        missing = []
        while path not in self._numbers:
            missing.append(path)
            path = _place(path, INSIDE in path)[0]
        above = self._numbers[path]
        for each in reversed(missing):
            self._numbers[each] = len(self.folders)
            self.folders[above].folders.append(len(self.folders))
            self.folders.append(_Folder(each, above))
            above = self._numbers[each]
        return above

    def _walk(self) -> None:
        stack = [(0, False)]
        while stack:
            number, done = stack.pop()
            folder = self.folders[number]
            if done:
                folder.last = len(self.order)
                continue
            folder.first = len(self.order)
            self.order += folder.files
            stack.append((number, True))
            stack += [(each, False) for each in reversed(folder.folders)]

    def digest(self, contents: list[int]) -> None:
        """Give every folder the digest of the names and contents below it."""
        for folder in reversed(self.folders):  # those in a folder come after it
            parts = [(self.names[number], b"f%d" % contents[number]) for number in folder.files]
            below = [self.folders[each] for each in folder.folders]
            parts += [(_place(each.path, INSIDE in each.path)[1], b"d" + each.digest) for each in below]
            made = blake2b(digest_size=16)
            for name, part in sorted(parts):
                made.update(name.encode("utf-8", "surrogateescape") + b"\0" + part + b"\0")
            folder.digest = made.digest()

    def counterparts(self, one: int, other: int) -> bool:
        """Say whether two folders have one name, or two that differ in a version and come once each."""
        names = [self._name(each) for each in (one, other)]
        if names[0] == names[1]:
            return True
        if _NUMBERS.sub("", names[0]) != _NUMBERS.sub("", names[1]):
            return False
        theirs, ours = (self.folders[self.folders[each].parent].folders for each in (other, one))
        return names[0] not in map(self._name, theirs) and names[1] not in map(self._name, ours)

    def _name(self, number: int) -> str:
        return _place(self.folders[number].path, True)[1]

    def above(self, number: int) -> Iterator[int]:
        """Give a folder and those that it is in."""
        while number >= 0:
            yield number
            number = self.folders[number].parent

    def is_core(self, number: int) -> bool:
        """Say whether a folder is more than a wrapper of one other folder."""
        folder = self.folders[number]
        return bool(folder.files) or len(folder.folders) > 1


def _container(document: Group) -> str:
    """Give the innermost container of a document, or nothing."""
    return document.name.rpartition(INSIDE)[0] if document.read_as else ""


def _place(name: str, inside: bool) -> tuple[str, str]:
    """Give the folder of a name, and the rest; that of a member of an archive may be the archive."""
    at = max(name.rfind("/"), name.rfind(INSIDE) if inside else -1)
    if at < 0:
        return "", name
    return name[:at] or ("/" if name != "/" else ""), name[at + 1 :]


def with_folders(result: Result, settings: Settings) -> Result:
    """Add the folders that are the same or similar."""
    if result.submissions:
        raise UsageError("--folders is about files, not submissions", hint="leave out --by")
    threshold = REVIEW if settings.measure in COUNTS else settings.cut
    sets, pairs = folder_groups(result, threshold)
    return replace(result, folder_sets=sets, folder_pairs=pairs)


def folder_groups(result: Result, threshold: float) -> tuple[tuple[FolderSet, ...], tuple[FolderPair, ...]]:
    """Give the sets of folders that are the same, largest first, and the pairs that are similar, best first.

    A set is given once, by the highest folders: not again for what is in them.
    """
    tree = _Tree(result)
    contents = _contents(result)
    tree.digest(contents)
    groups, further = _same(tree, np.array([group.bytes for group in result.documents], np.int64))
    return groups, _similar(tree, result, contents, further, threshold)


def duplicate_folders(result: Result) -> tuple[FolderSet, ...]:
    """Give the sets of folders that are the same, largest first."""
    tree = _Tree(result)
    tree.digest(_contents(result))
    return _same(tree, np.array([group.bytes for group in result.documents], np.int64))[0]


def _contents(result: Result) -> list[int]:
    """Give the number of the content of every document: that of the first with it; -1 for nothing."""
    numbers = {group.name: number for number, group in enumerate(result.documents)}
    first = {name: numbers[names[0]] for names in result.equal for name in names if names[0] in numbers}
    return [
        first.get(group.name, number) if group.bytes else -1 for number, group in enumerate(result.documents)
    ]


def _same(tree: _Tree, sizes: NDArray[np.int64]) -> tuple[tuple[FolderSet, ...], set[int]]:
    """Give the sets of equal folders, and the folders in them that are not the first."""
    by_digest = defaultdict(list)
    for number, folder in enumerate(tree.folders):
        if number and folder.last > folder.first:
            by_digest[folder.digest].append(number)
    ordered = sizes[np.array(tree.order, np.int64)]
    sets, further = [], set()
    for members in by_digest.values():
        folder = tree.folders[members[0]]
        total = int(ordered[folder.first : folder.last].sum())
        if len(members) < 2 or not total:
            continue
        further.update(members[1:])
        parents = {tree.folders[each].parent for each in members}
        together = {tree.folders[parent].digest for parent in parents}
        if len(parents) == len(members) and len(together) == 1 and 0 not in parents:
            continue  # their folders are the same, too
        paths = tuple(tree.folders[each].path for each in members)
        sets.append(FolderSet(paths, folder.last - folder.first, total))
    return tuple(sorted(sets, key=lambda each: (-each.wasted, each.members))), further


def _similar(
    tree: _Tree, result: Result, contents: list[int], further: set[int], threshold: float
) -> tuple[FolderPair, ...]:
    elements, likeness = _elements(result, contents)
    order = np.array(tree.order, np.int64)
    files = _Files(
        elements[order],
        np.array(contents, np.int64)[order],
        likeness[order],
        np.array([group.bytes for group in result.documents], np.int64)[order],
    )
    chosen = [
        number
        for number in range(1, len(tree.folders))
        if tree.is_core(number) and not further.intersection(tree.above(number))
    ]
    with Join() as join:
        for at, number in enumerate(chosen):
            join.add(at, files.hashes(tree.folders[number]))
        joined = join.finish(MOST_FOLDERS, lambda degrees, groups: np.ones(len(degrees)))
    found = {}
    pairs = candidates(joined, "resemblance", threshold / 2, 1) if chosen else ()
    for pair in pairs:
        one, other = chosen[pair.left], chosen[pair.right]
        if one in tree.above(other) or other in tree.above(one):
            continue
        measured = files.compared(tree.folders[one], tree.folders[other])
        if measured.similarity >= threshold - 1e-12:
            found[one, other] = measured
    better = _Better(tree, found)
    kept = [pair for key, pair in found.items() if not _implied(tree, key, found) and not better.than(*key)]
    return tuple(sorted(kept, key=lambda each: (-each.similarity, -each.bytes_left, each.left, each.right)))


def _implied(tree: _Tree, pair: tuple[int, int], found: dict[tuple[int, int], FolderPair]) -> bool:
    """Say whether the folders above are a pair that has these two under one name, versions left aside."""
    one, other = pair
    while True:
        same = tree.counterparts(one, other)
        one, other = tree.folders[one].parent, tree.folders[other].parent
        if not same or min(one, other) <= 0 or one == other:
            return False
        if (one, other) in found or (other, one) in found:
            return True


class _Better:
    """Whether a folder is more similar to one above or below its partner."""

    def __init__(self, tree: _Tree, found: dict[tuple[int, int], FolderPair]) -> None:
        self._tree, self._found = tree, found
        self._partners: defaultdict[int, set[int]] = defaultdict(set)
        for one, other in found:
            self._partners[one].add(other)
            self._partners[other].add(one)

    def _similarity(self, one: int, other: int) -> float:
        return self._found[(one, other) if (one, other) in self._found else (other, one)].similarity

    def than(self, one: int, other: int) -> bool:
        """Say whether there is a better pair of one of the two."""
        return self._one_side(one, other) or self._one_side(other, one)

    def _one_side(self, kept: int, partner: int) -> bool:
        above = set(self._tree.above(partner))
        own = self._similarity(kept, partner)
        for each in self._partners[kept] - {partner}:
            if each in above or partner in self._tree.above(each):
                similarity = self._similarity(kept, each)
                if similarity > own or (similarity == own and each in above):
                    return True
        return False


def _elements(result: Result, contents: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give for every document the first version of it, and its resemblance to that; -1 for empty ones."""
    numbers = {group.name: number for number, group in enumerate(result.documents)}
    known = np.array(contents, np.int64)
    alike: dict[tuple[int, int], float] = {}
    for pair in result.pairs:
        if not pair.equal and pair.resemblance >= VERSIONS and pair.left in numbers and pair.right in numbers:
            one, other = sorted((contents[numbers[pair.left]], contents[numbers[pair.right]]))
            alike[one, other] = pair.resemblance
    rows = np.array(list(alike), np.int64).reshape(-1, 2)
    root = assign(len(known), rows[:, 0], rows[:, 1], "representative")
    likeness = np.ones(len(known))
    for number, content in enumerate(contents):
        if content >= 0 and root[content] != content:
            likeness[number] = alike.get((int(root[content]), content), VERSIONS)
    return np.where(known >= 0, root[np.maximum(known, 0)], -1), likeness


@dataclass(frozen=True, slots=True)
class _Files:
    """Facts about the documents in the order of the tree: a folder is a range of them."""

    elements: NDArray[np.int64]
    contents: NDArray[np.int64]
    likeness: NDArray[np.float64]
    sizes: NDArray[np.int64]

    def hashes(self, folder: _Folder) -> NDArray[np.uint64]:
        """Give the elements of a folder, larger files several times, so that they count for more."""
        run = slice(folder.first, folder.last)
        elements, at = np.unique(self.elements[run], return_index=True)
        sizes = self.sizes[run][at][elements >= 0] >> PAGE
        elements = elements[elements >= 0]
        times = 1 + np.ceil(np.log2(sizes + 1)).astype(np.int64)
        repeated = np.repeat(elements, times)
        which = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
        hashes: NDArray[np.uint64] = repeated.astype(np.uint64) << np.uint64(6) | which.astype(np.uint64)
        return hashes

    def compared(self, left: _Folder, right: _Folder) -> FolderPair:
        """Measure two folders by bytes."""
        sides = [_sums(self, slice(each.first, each.last)) for each in (left, right)]
        (ours, our_bytes, our_like), (theirs, their_bytes, their_like) = sides
        both = np.intersect1d(ours, theirs, assume_unique=True)
        one, other = np.searchsorted(ours, both), np.searchsorted(theirs, both)
        runs = [self.contents[each.first : each.last] for each in (left, right)]
        equal = np.intersect1d(runs[0], runs[1])
        exact = {int(self.elements[left.first + at]) for at in np.flatnonzero(np.isin(runs[0], equal))}
        factor = np.where([int(each) in exact for each in both], 1.0, our_like[one] * their_like[other])
        shared = float((np.minimum(our_bytes[one], their_bytes[other]) * factor).sum())
        a, b = int(our_bytes.sum()), int(their_bytes.sum())
        counts = left.last - left.first, right.last - right.first
        return FolderPair(
            left.path, right.path, shared / max(a + b - shared, 1.0), shared / max(a, 1), shared / max(b, 1),
            len(both), *counts, a, b,
        )  # fmt: skip


def _sums(files: _Files, run: slice) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Give the elements of a range, their bytes, and how similar the first file is to the element."""
    elements, first, at = np.unique(files.elements[run], return_index=True, return_inverse=True)
    sizes = np.bincount(at, files.sizes[run], minlength=len(elements)).astype(np.int64)
    kept = elements >= 0
    return elements[kept], sizes[kept], files.likeness[run][first][kept]
