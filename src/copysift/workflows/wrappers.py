"""Two answers for files that are opened: whether their content is the same, and whether their bytes are.

A document that was packed again, or saved again by another program, has the same content in another wrapper.
"""

from __future__ import annotations

import filecmp
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from copysift.model.document import INSIDE
from copysift.model.folders import CHANGED, SAME, SAME_CONTENT, FolderChange
from copysift.model.values import Pair, Result
from copysift.sources.walk import is_index
from copysift.workflows.scan import Scan


def equal_on_disk(left: str | Path, right: str | Path) -> bool | None:
    """Say whether two files are equal byte for byte; None where one of them is not a file."""
    try:
        if not (Path(left).is_file() and Path(right).is_file()):
            return None
        return filecmp.cmp(left, right, shallow=False)
    except OSError:
        return None


def with_content(pair: Pair, result: Result, scan: Scan, left: str, right: str) -> Pair:
    """Add to a pair of files whether their content is the same, if one of them was opened."""
    if not any(group.read_as for group in result.documents):
        return pair
    if pair.equal:  # what was unpacked is; its wrappers may not be
        return replace(pair, equal=equal_on_disk(left, right) is not False, same_content=True)
    names = [group.name for group in result.documents]
    return replace(pair, same_content=len(names) == 2 and scan.same_content(*names))


def same_in_other_wrappers(
    changes: Iterable[FolderChange], scan: Scan, left: str, right: str
) -> Iterator[FolderChange]:
    """Find the changed files and archives that have the same content in another wrapper."""
    inside: dict[str, set[str]] = defaultdict(set)
    for change in changes:
        for path in {*change.left, *change.right}:
            if INSIDE in path:
                inside[path.partition(INSIDE)[0]].add(change.relation)
        if change.relation == CHANGED and change.resemblance == 1.0:
            names = [_joined(folder, change.place) for folder in (left, right)]
            if scan.same_content(*names, opened=True):
                yield replace(change, relation=SAME_CONTENT)
                continue
        yield change
    for outer, relations in sorted(inside.items()):
        if relations <= {SAME} and equal_on_disk(Path(left) / outer, Path(right) / outer) is False:
            yield FolderChange(SAME_CONTENT, (outer,), (outer,))


def _joined(folder: str, path: str) -> str:
    if folder.endswith("/"):
        return folder + path
    return f"{folder}/{path}" if Path(folder).is_dir() and not is_index(folder) else f"{folder}{INSIDE}{path}"
