"""Which file of one folder is which of another, by content; names only break ties (sif, §6)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from copysift.values import Folders, Result

# A file with the same relative path is preferred, then one of the same name, then any.
_SAME_PATH, _SAME_NAME, _OTHER = range(3)


def match_folders(result: Result, left: str, right: str) -> Folders:
    """Pair the files of two folders from one scan of both.

    Files are paired one to one, those that resemble each other most first, because a small part of a
    file is contained in it but is no version of it. A file whose partners are all taken is named with
    the best of them, so that what stands alone has nothing like it on the other side.
    """
    lefts = {group.name: _inside(group.name, left) for group in result.documents if _within(group.name, left)}
    rights = {
        group.name: _inside(group.name, right)
        for group in result.documents
        if _within(group.name, right) and group.name not in lefts
    }
    alike = list(_equal(result, lefts, rights))
    equal_to = {name: names for names in result.equal for name in names}
    for pair in result.pairs:
        if pair.equal:
            continue
        # Equal files stand once in the pairs, by the first of them: all of them are alike to the other.
        for one in equal_to.get(pair.left, (pair.left,)):
            for other in equal_to.get(pair.right, (pair.right,)):
                if one in lefts and other in rights:
                    alike.append((pair.resemblance, False, one, other, pair.similarity))
                elif other in lefts and one in rights:
                    alike.append((pair.resemblance, False, other, one, pair.similarity))
    chosen = _assign(_ranked(alike, lefts, rights))
    taken = {row[2] for row in chosen} | {row[3] for row in chosen}
    return Folders(
        left=left,
        right=right,
        equal=tuple(sorted((lefts[one], rights[other]) for _, equal, one, other, _ in chosen if equal)),
        similar=tuple(
            (lefts[one], rights[other], share)
            for _, equal, one, other, share in _ranked(chosen, lefts, rights)
            if not equal
        ),
        only_left=tuple(sorted(path for name, path in lefts.items() if name not in taken)),
        only_right=tuple(sorted(path for name, path in rights.items() if name not in taken)),
    )


Alike = tuple[float, bool, str, str, float]  # resemblance, equal, left name, right name, similarity


def _equal(result: Result, lefts: dict[str, str], rights: dict[str, str]) -> Iterable[Alike]:
    for names in result.equal:
        ours = [name for name in names if name in lefts]
        theirs = [name for name in names if name in rights]
        if len(ours) * len(theirs) <= 10_000:
            yield from ((1.0, True, one, other, 1.0) for one in ours for other in theirs)
            continue
        # Very many equal files: the same path, and one partner for the rest, in linear work.
        at = {rights[name]: name for name in theirs}
        yield from ((1.0, True, one, at.get(lefts[one], theirs[0]), 1.0) for one in ours)
        here = {lefts[name]: name for name in ours}
        yield from ((1.0, True, here.get(rights[other], ours[0]), other, 1.0) for other in theirs)


def _ranked(alike: list[Alike], lefts: dict[str, str], rights: dict[str, str]) -> list[Alike]:
    return sorted(
        alike,
        key=lambda row: (not row[1], -row[0], _tie(lefts[row[2]], rights[row[3]]), row[2], row[3]),
    )


def _assign(ranked: list[Alike]) -> list[Alike]:
    taken: set[str] = set()
    chosen: list[Alike] = []
    for row in ranked:
        if row[2] not in taken and row[3] not in taken:
            chosen.append(row)
            taken |= {row[2], row[3]}
    for row in ranked:
        if row[2] not in taken or row[3] not in taken:
            chosen.append(row)
            taken |= {row[2], row[3]}
    return chosen


def _tie(left: str, right: str) -> int:
    if left == right:
        return _SAME_PATH
    return _SAME_NAME if PurePath(left).name == PurePath(right).name else _OTHER


def _within(name: str, folder: str) -> bool:
    return name.startswith(_ended(folder))


def _inside(name: str, folder: str) -> str:
    return name[len(_ended(folder)) :]


def _ended(folder: str) -> str:
    """Give a folder as names in it begin: as it was written, with one separator at its end at least."""
    return folder if folder.endswith("/") else f"{folder}/"
