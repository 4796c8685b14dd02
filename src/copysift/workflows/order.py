"""List everything below some paths so that similar files are next to each other, for an archive."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from copysift.clusters.sequence import sequence
from copysift.errors import InputError, UsageError
from copysift.model.values import Result
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.places import is_uri
from copysift.sources.walk import STANDARD_INPUT
from copysift.workflows.scan import Scan

ENOUGH = 0.3  # of the smaller file; with less, leaving the order of paths costs more than it gains


def order(
    paths: Iterable[str], settings: Settings, progress: Progress | None = None
) -> tuple[list[str], Result]:
    """Give every path once: what is not a file that can be read first, then the files; and the scan.

    Nothing is left out, hidden files and links included, because an archive is to have it all.
    """
    places = list(paths)
    every = list(dict.fromkeys(each for place in places for each in _listed(place)))
    wanted = dataclasses.replace(
        settings, hidden=True, threshold=ENOUGH, measure="containment", min_shared=2, max_shared=1000
    )
    scan = Scan(wanted, opens=False)
    result = scan.run(places, progress=progress)
    files = _files(result)
    known = set(files)
    return [*(each for each in every if each not in known), *files], result


def _files(result: Result) -> list[str]:
    names = [group.name for group in result.documents]
    numbers = {name: number for number, name in enumerate(names)}
    similar = [(numbers[pair.left], numbers[pair.right], pair.shared) for pair in result.pairs]
    links = np.array(similar, np.int64).reshape(-1, 3)
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return [names[number] for number in sequence(rank.tolist(), links[:, 0], links[:, 1], links[:, 2])]


def _listed(place: str) -> Iterator[str]:
    """Give a path and all that is below it, folders before what is in them; links are not followed."""
    if is_uri(place):
        raise UsageError(
            f"{place} is a URI, and an archiver reads files of this machine", hint="copy it first"
        )
    if not os.path.lexists(place):
        reason = STANDARD_INPUT if place == "-" else "no such file or folder"
        raise InputError(f"{place}: {reason}")
    yield place
    if Path(place).is_symlink() or not Path(place).is_dir():
        return
    stack = [place]
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                found = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            continue  # the folder itself is listed; the archiver will say what it cannot read
        for entry in found:
            yield entry.path
        stack += [entry.path for entry in reversed(found) if entry.is_dir(follow_symlinks=False)]
