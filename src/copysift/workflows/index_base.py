"""What an index is to ignore: the base code that it knows, and that of a question."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import InputError
from copysift.kinds import Lexemes
from copysift.match.base_code import Base
from copysift.model.values import Fingerprints
from copysift.runtime.arrays import distinct
from copysift.settings.comparison import Settings
from copysift.sources.spool import Spool
from copysift.store.base_code import base_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.reading import Reader
from copysift.workflows.submissions import base_code

if TYPE_CHECKING:
    from copysift.model.values import UInt64s


def stored_base(snapshot: Snapshot) -> Base:
    """Give the base code that an index knows."""
    grams, statements, strings = base_of(snapshot.catalog)
    return Base([grams], Lexemes(statements, strings)) if len(grams) else Base()


def base_of_question(paths: tuple[str, ...], settings: Settings, reader: Reader) -> Base:
    """Read the base code of a question; raises InputError where some of it cannot be read."""
    if not paths:
        return Base()
    spool = Spool(Path(settings.tmp_dir) if settings.tmp_dir else None)
    base, unread = base_code(dataclasses.replace(settings, base=paths), spool, reader, settings.jobs or 1)
    if unread:
        raise InputError(f"--base {unread[0].name}: {unread[0].reason}")
    return base


class IndexBase:
    """Leaves base code out of questions and of the documents of an index."""

    def __init__(self, snapshot: Snapshot, given: Base | None = None) -> None:
        self._snapshot, self._known, self._given = snapshot, stored_base(snapshot), given or Base()
        self.base = Base([self._known.hashes, self._given.hashes])

    def __bool__(self) -> bool:
        return bool(self.base)

    def without(self, found: Fingerprints) -> Fingerprints:
        """Give the fingerprints that are not of base code."""
        if not self.base:
            return found
        own = ~self.base.holds(found.hashes)
        return dataclasses.replace(
            found, hashes=found.hashes[own], starts=found.starts[own], ends=found.ends[own]
        )

    def given_counts(self) -> dict[int, int]:
        """Count as `counts` does, without what the index knows itself."""
        return self._counts(self._given.hashes[~self._known.holds(self._given.hashes)])

    @cached_property
    def counts(self) -> dict[int, int]:
        """How many distinct fingerprints of each content or view are base code, by the number of it."""
        return self._counts(self.base.hashes)

    def _counts(self, hashes: UInt64s) -> dict[int, int]:
        if not len(hashes):
            return {}
        found = self._snapshot.find(hashes)
        pairs = distinct(found.documents.astype(np.int64) << 32 | found.which)
        numbers, counts = np.unique(pairs >> 32, return_counts=True)
        return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
