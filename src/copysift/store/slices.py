"""What a merge takes: the postings of a segment in a range of keys, without those of removed contents."""

from __future__ import annotations

import numpy as np

from copysift.errors import StoreError
from copysift.runtime import durable as disk
from copysift.store.catalog import FOLDER, Catalog
from copysift.store.catalog_rows import SegmentRow
from copysift.store.segment import SUFFIX, Columns, Segment
from copysift.store.sums import NAME as SUMS

REPAIR = "run copysift index check --repair"


class DamagedError(StoreError):
    """Raised when a merge meets a segment that is not as it was written."""


def part_of(catalog: Catalog, row: SegmentRow, low: int, high: int) -> tuple[int, Columns]:
    """Give the first content of a segment and its postings in a range of keys."""
    path = catalog.segment_path(row.number)
    try:
        segment = Segment(path, row.low, row.high)
        columns, damages = segment.between(low, high)
    except FileNotFoundError:
        raise DamagedError(f"{path.parent.name}/{path.name} is missing", hint=REPAIR) from None
    except StoreError as error:
        raise DamagedError(error.message, hint=REPAIR) from error
    if damages:
        raise DamagedError(f"{damages[0].where} is damaged: {damages[0].what}", hint=REPAIR)
    return segment.first, columns


def without_removed(catalog: Catalog, columns: Columns) -> Columns:
    """Leave the postings of removed contents out, and note that they are gone."""
    numbers = [row[0] for row in catalog.rows("SELECT content FROM removed ORDER BY 1")]
    removed = np.array(numbers, np.uint32)
    if not len(removed):
        return columns
    at = np.minimum(np.searchsorted(removed, columns.documents), len(removed) - 1)
    dead = removed[at] == columns.documents
    gone, counts = np.unique(columns.documents[dead], return_counts=True)
    rows = zip(counts.tolist(), gone.tolist(), strict=True)
    catalog.run_many("UPDATE removed SET postings = postings - ? WHERE content = ?", rows)
    catalog.run("DELETE FROM removed WHERE postings <= 0")
    return columns.take(~dead)


def remove_leftovers(catalog: Catalog) -> None:
    """Remove files that no commit refers to: what a crash, a full disk or a merge left behind."""
    live = {catalog.segment_path(row.number).name for row in catalog.segments()}
    for path in (catalog.folder / FOLDER).iterdir():
        if path.name not in live and path.suffix == SUFFIX:
            disk.remove(path)
    for path in catalog.folder.glob(f".{SUMS}.*.part"):
        disk.remove(path)
