"""How many submissions have a passage: "only these two", or "38 of 59".

A submission has a passage if it has most of the fingerprints inside it. Winnowing chooses the same ones in
every copy, but for those near the ends, whose windows reach beyond the passage.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from copysift.join.rows import Postings
from copysift.kinds.kind import CODE, TEXT
from copysift.model.values import Fingerprints
from copysift.runtime.arrays import distinct
from copysift.workflows.collection import Collection
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

MOST = 0.75  # of the fingerprints of a passage
KEPT = 64  # documents whose fingerprints are kept


class PassageHolders:
    """Counts the submissions that have a passage of one of them."""

    def __init__(self, reader: Reader, collection: Collection, postings: Mapping[str, Postings]) -> None:
        self._reader, self._collection = reader, collection
        self._postings = {name: _sorted(each) for name, each in postings.items()}
        self._read: OrderedDict[tuple[str, str], Fingerprints] = OrderedDict()

    def count(self, file: str, channel: str, start: int, end: int) -> int:
        """Count who has the passage at half-open byte offsets of a file's source; 0 if that is not known."""
        name = CODE if channel == CODE else TEXT
        chosen = self._of(file, name)
        inside = chosen.hashes[(chosen.starts >= start) & (chosen.ends <= end)]
        hashes, rows, postings = self._postings[name]
        if not len(hashes) or not len(inside):
            return 0
        at = np.minimum(np.searchsorted(hashes, inside), len(hashes) - 1)
        found = distinct(rows[at[hashes[at] == inside]])
        if not len(found):
            return 0
        spans = [postings.groups[postings.offsets[row] : postings.offsets[row + 1]] for row in found.tolist()]
        held = np.bincount(np.concatenate(spans))
        return int(np.count_nonzero(held >= max(1, round(MOST * len(found)))))

    def _of(self, file: str, channel: str) -> Fingerprints:
        """Give the fingerprints of a file with their places."""
        key = (file, channel)
        if key not in self._read:
            filed = self._collection.by_name(file)
            kind = filed.kind_in(channel)
            self._read[key] = self._reader.placed_fingerprints(filed.entry, kind, filed.source_kind(kind))
            if len(self._read) > KEPT:
                self._read.popitem(last=False)
        return self._read[key]


def _sorted(postings: Postings) -> tuple[UInt64s, NDArray[np.int64], Postings]:
    order = np.argsort(postings.hashes)
    return postings.hashes[order], order, postings
