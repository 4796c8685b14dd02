"""Which file of one folder is which of another, by content; names only break ties (sif, §6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from copysift.model.document import INSIDE
from copysift.model.values import Folders, Pair, Result

# A file with the same relative path is preferred, then one of the same name, then any.
_SAME_PATH, _SAME_NAME, _OTHER = range(3)


def match_folders(result: Result, left: str, right: str, links: Mapping[str, str] | None = None) -> Folders:
    """Pair the files of two folders from one scan of both.

    Files are paired one to one, those that resemble each other most first, because a small part of a
    file is contained in it but is no version of it. A file whose partners are all taken is named with
    the best of them, so that what stands alone has nothing like it on the other side. `links` are
    further names of files that the scan has under one; the folders may overlap, or be the same.
    """
    documents = {group.name for group in result.documents}
    known = {name: name for name in documents} | {
        name: first for name, first in (links or {}).items() if first in documents
    }
    for name, first in (links or {}).items():
        if first not in documents:  # a container, whose members have its further name, too
            known |= {
                name + each[len(first) :]: each for each in documents if each.startswith(first + INSIDE)
            }
    lefts = {name: _inside(name, left) for name in known if _within(name, left)}
    rights = {name: _inside(name, right) for name in known if _within(name, right)}
    alike_to = _classes(result, known)
    alike = [*_equal(alike_to.values(), lefts, rights), *_empty(result, known, lefts, rights)]
    for pair in result.pairs:
        if pair.equal:
            continue
        # Equal files stand once in the pairs, by the first of them: all of them are alike to the other.
        for one in alike_to.get(pair.left, ()):
            for other in alike_to.get(pair.right, ()):
                if one in lefts and other in rights:
                    alike.append((pair.resemblance, False, one, other, pair))
                if other in lefts and one in rights:
                    alike.append((pair.resemblance, False, other, one, _turned(pair)))
    chosen = _ranked(_assign(_ranked(alike, lefts, rights)), lefts, rights)
    left_taken, right_taken = {row[2] for row in chosen}, {row[3] for row in chosen}
    similar = tuple(
        dataclasses.replace(pair, left=lefts[one], right=rights[other])
        for _, _, one, other, pair in chosen
        if pair is not None
    )
    return Folders(
        left=left,
        right=right,
        equal=tuple(sorted((lefts[one], rights[other]) for _, equal, one, other, _ in chosen if equal)),
        similar=tuple((pair.left, pair.right, pair.similarity) for pair in similar),
        only_left=tuple(sorted(path for name, path in lefts.items() if name not in left_taken)),
        only_right=tuple(sorted(path for name, path in rights.items() if name not in right_taken)),
        pairs=similar,
        settings=result.settings,
        skipped=result.skipped,
    )


Alike = tuple[float, bool, str, str, Pair | None]  # resemblance, equal, left name, right name, their pair


def _classes(result: Result, known: Mapping[str, str]) -> dict[str, list[str]]:
    """Give the names of every content that is not empty, by the name that stands in the pairs."""
    first_of = {name: names[0] for names in result.equal for name in names}
    empty = {group.name for group in result.documents if not group.bytes}
    found: dict[str, list[str]] = {}
    for name, document in sorted(known.items()):
        if document not in empty:
            found.setdefault(first_of.get(document, document), []).append(name)
    return found


def _turned(pair: Pair) -> Pair:
    return dataclasses.replace(
        pair, containment_left=pair.containment_right, containment_right=pair.containment_left
    )


def _empty(
    result: Result, known: Mapping[str, str], lefts: dict[str, str], rights: dict[str, str]
) -> Iterable[Alike]:
    """Pair empty files at the same place: their content tells nothing, so only the path can."""
    empty = {group.name for group in result.documents if not group.bytes}
    at = {path: name for name, path in rights.items() if known[name] in empty}
    for name, path in sorted(lefts.items()):
        if known[name] in empty and path in at:
            yield 1.0, True, name, at[path], None


def _equal(classes: Iterable[list[str]], lefts: dict[str, str], rights: dict[str, str]) -> Iterable[Alike]:
    for names in classes:
        ours = [name for name in names if name in lefts]
        theirs = [name for name in names if name in rights]
        if len(ours) * len(theirs) <= 10_000:
            yield from ((1.0, True, one, other, None) for one in ours for other in theirs)
            continue
        # Very many equal files: the same path, and one partner for the rest, in linear work.
        at = {rights[name]: name for name in theirs}
        yield from ((1.0, True, one, at.get(lefts[one], theirs[0]), None) for one in ours)
        here = {lefts[name]: name for name in ours}
        yield from ((1.0, True, here.get(rights[other], ours[0]), other, None) for other in theirs)


def _ranked(alike: list[Alike], lefts: dict[str, str], rights: dict[str, str]) -> list[Alike]:
    return sorted(
        alike,
        key=lambda row: (not row[1], -row[0], _tie(lefts[row[2]], rights[row[3]]), row[2], row[3]),
    )


def _assign(ranked: list[Alike]) -> list[Alike]:
    left_taken: set[str] = set()
    right_taken: set[str] = set()
    chosen: list[Alike] = []
    for enough in (False, True):  # first one to one, then whatever still stands alone
        for row in ranked:
            free = row[2] not in left_taken, row[3] not in right_taken
            if any(free) if enough else all(free):
                chosen.append(row)
                left_taken.add(row[2])
                right_taken.add(row[3])
    return chosen


def _tie(left: str, right: str) -> int:
    if left == right:
        return _SAME_PATH
    return _SAME_NAME if PurePath(left).name == PurePath(right).name else _OTHER


def _within(name: str, folder: str) -> bool:
    return name.startswith(folder if folder.endswith("/") else (f"{folder}/", f"{folder}{INSIDE}"))


def _inside(name: str, folder: str) -> str:
    """Give a name below a folder or container, which may be written with separators at its end."""
    return name[len(folder) + (not folder.endswith("/")) :]
