"""Compare two files, or two folders by content."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copysift.engine.folders import match_folders
from copysift.engine.local import Scan
from copysift.engine.progress import Progress
from copysift.errors import InputError
from copysift.settings import Settings
from copysift.values import Folders, Result, Skipped


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
    return result, scan


def compare_folders(
    left: str, right: str, settings: Settings, progress: Progress | None = None
) -> tuple[Folders, tuple[Skipped, ...]]:
    """Compare two folders by content; give what was skipped, too."""
    for folder in (left, right):
        if not Path(folder).is_dir():
            raise InputError(f"{folder} is not a folder")
    result = Scan(settings, weigh=alike_weights).run([left, right], progress=progress)
    return match_folders(result, left, right), result.skipped


def alike_weights(degrees: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Weigh all hashes 1: that many versions of a file lie around makes two of them no less alike."""
    return np.ones(len(degrees))
