"""Compare two files, or two folders by content."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copysift.errors import InputError
from copysift.kinds.kind import family
from copysift.model.values import Folders, Listing, Result
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.walk import Entry, Linked, walk
from copysift.workflows.folders import match_folders
from copysift.workflows.scan import Scan
from copysift.workflows.submissions import walk_settings


def compare_files(left: str, right: str, settings: Settings) -> tuple[Result, Scan]:
    """Compare two files whatever they share: the result always has their one pair, with its regions.

    The scan that comes with it gives pieces of their source.
    """
    settings = dataclasses.replace(
        settings, threshold=0.0, measure="containment", min_shared=1, min_match=None, same_suffix=False,
        size_ratio=None,
    )  # fmt: skip
    scan = Scan(settings)
    result = scan.compare(left, right)
    if result.skipped:
        each = result.skipped[0]
        raise InputError(f"{each.name}: {each.reason}")
    kinds = {family(group.kind) for group in result.documents}
    if len(kinds) > 1:  # what was understood in two ways shares no symbols: read both in the plainer one
        scan = Scan(dataclasses.replace(settings, kind="bytes" if "bytes" in kinds else "text", language=""))
        result = scan.compare(left, right)
    (pair,) = result.pairs
    if pair.equal:
        return dataclasses.replace(result, equal=((left, right),), listings=()), scan
    listing = Listing(pair.left, ((pair.right, pair.containment_left),))
    return dataclasses.replace(result, listings=(listing,) if pair.shared else ()), scan


def compare_folders(
    left: str, right: str, settings: Settings, progress: Progress | None = None
) -> tuple[Folders, Result]:
    """Compare two folders by content; give the scan's result, with what was skipped, too."""
    for folder in (left, right):
        if not Path(folder).is_dir():
            raise InputError(f"{folder} is not a folder")
    result = Scan(settings, weigh=alike_weights).run([left, right], progress=progress)
    return match_folders(result, left, right, _links(left, right, settings)), result


def _links(left: str, right: str, settings: Settings) -> dict[str, str]:
    """Give every further name of a file in the folders, with the one that a scan of both keeps."""
    first: dict[tuple[int, int], str] = {}
    further: dict[str, str] = {}
    for folder in (left, right):
        for found in walk([folder], walk_settings(settings)):
            if isinstance(found, Linked):
                further[found.path] = further.get(found.first, found.first)
            elif isinstance(found, Entry) and found.inode:
                kept = first.setdefault((found.device, found.inode), found.path)
                if kept != found.path:
                    further[found.path] = kept
    return further


def alike_weights(degrees: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Weigh all hashes 1: that many versions of a file lie around makes two of them no less alike."""
    return np.ones(len(degrees))
