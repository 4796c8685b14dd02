"""Documents that are not compared with each other: earlier ones (--earlier), and works of one author.

Labels are kept with the run, so that clusters which are formed again follow them too. Documents that are the
same are one for every measure, whoever wrote them; a cluster needs a member besides such ones.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.classes import Membership
from copysift.engines.submissions import FILES
from copysift.model.values import Skipped
from copysift.runs.sets import Sets
from copysift.runs.sketches import SUM, read_array, write_sum
from copysift.runtime import durable
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.corpus import CorpusSettings
from copysift.sources.metadata import Metadata, read_metadata
from copysift.sources.roster import roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]

NAME = "company.labels"  # beside the sketches of a run


@dataclass(frozen=True, slots=True)
class Company:
    """The first `earlier` documents are earlier ones; those with the same label in `kin` but 0 are kin."""

    earlier: int
    kin: UInt32s

    def __bool__(self) -> bool:
        return bool(self.earlier or len(self.kin))

    def compared(self, left: Int64s, right: Int64s) -> Bools:
        """Say which pairs are compared; the left document is before the right one."""
        found = np.maximum(left, right) >= self.earlier
        if len(self.kin):
            found &= (self.kin[left] == 0) | (self.kin[left] != self.kin[right])
        return np.asarray(found)

    def parted(self, found: Membership) -> Membership:
        """Undo clusters of nothing but earlier documents, or of works of one author."""
        if not self:
            return found
        root, count = found.root, len(found.root)
        alone = np.ones(count, np.bool_)  # by the first of a cluster
        alone[root[self.earlier :]] = False
        if len(self.kin):
            one = np.ones(count, np.bool_)
            one[root[(self.kin == 0) | (self.kin != self.kin[root])]] = False
            alone |= one
        undone = alone[root]
        return Membership(
            np.where(undone, np.arange(count), root), np.where(undone, 0, found.joined).astype(np.uint8)
        )

    def stays(self, kept: Int64s) -> Int64s:
        """Give who is kept for each document; work does not go because of other work of its author."""
        own = np.arange(len(kept))
        return np.where(self.compared(own, kept) | (own < self.earlier), kept, own)


def company_of(sets: Sets, settings: CorpusSettings, earlier: int) -> tuple[Company, list[Skipped]]:
    """Find who is not compared, and keep it with the sketches; give what metadata says of nobody, too."""
    kin, unknown = np.zeros(0, np.uint32), list[Skipped]()
    if settings.metadata or settings.by == "dir":
        metadata = read_metadata(settings.metadata) if settings.metadata else Metadata()
        names, files = _names(sets)
        found = roster(names, files, names[:earlier], metadata.rows, settings.metadata)
        kin, unknown = found.kin, [*metadata.skipped, *found.unknown]
        kin = kin if kin.any() else kin[:0]
    made = Company(earlier, kin)
    path = sets.folder / NAME
    for stale in (path, path.with_suffix(SUM)):
        stale.unlink(missing_ok=True)
    if made:
        data = np.concatenate([np.array([earlier], np.uint64), kin]).astype("<u8").tobytes()
        write_sum(path, zlib.crc32(data))
        durable.replace(path, data)
    return made, unknown


def read_company(folder: Path) -> Company:
    """Read who is not compared from the sketches of a run."""
    loaded = read_array(folder / NAME, np.uint64)
    if not len(loaded):
        return Company(0, np.zeros(0, np.uint32))
    return Company(int(loaded[0]), loaded[1:].astype(np.uint32))


def _names(sets: Sets) -> tuple[list[str], dict[str, list[str]]]:
    """Give the documents in order, and the files of those that are submissions."""
    names: list[str] = []
    files: dict[str, list[str]] = {}
    for table in sets.tables(["id", "other"]):
        for name, other in zip(table["id"].to_pylist(), table["other"].to_pylist(), strict=True):
            names.append(name)
            known = json.loads(other).get(FILES) if other else None
            if isinstance(known, list):
                files[name] = [each for each in known if isinstance(each, str)]
    return names, files
