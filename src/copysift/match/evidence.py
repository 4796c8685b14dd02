"""What may raise the similarity of programs: their statements word for word, and their strings.

Two more sorted lists beside the fingerprints. `similarity` is the largest of three shares, each weighed by
rarity within its own list: fingerprints of token classes; those together with strings; statements. The
other measures do not see them. Many small programs are the same but for their names: a fiftieth of the
similarity is left to what is the same word for word, so that those come first among them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.join.memory import Budget, Join
from copysift.join.rows import Postings
from copysift.kinds import Lexemes
from copysift.match.base_code import Base
from copysift.match.measures import Weigh
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s, UInt64s

VERBATIM = 0.02  # of the similarity depends on how much is the same word for word


class Evidence:
    """Collects the lexemes of groups; gives nothing where no group has any."""

    def __init__(self, memory: Budget, tmp_dir: Path | None, jobs: int, seed: int, base: Base) -> None:
        self._seed = np.uint64(seed)
        self._strings = Join(memory, tmp_dir, self.keyed(base.lexemes.strings), jobs)
        self._statements = Join(memory, tmp_dir, self.keyed(base.lexemes.statements), jobs)
        self.groups: set[int] = set()

    def close(self) -> None:
        """Drop the entries."""
        self._strings.close()
        self._statements.close()

    def add(self, group: int, lexemes: Lexemes) -> None:
        """Add what a file of a group says beside its fingerprints; starter code does not count."""
        self.groups.add(group)
        self._strings.add(group, self.keyed(lexemes.strings))
        self._statements.add(group, self.keyed(lexemes.statements))

    def lists(
        self, groups: int, max_shared: int, weigh: Weigh, fingerprints: Postings, labels: UInt32s
    ) -> tuple[Postings, Postings]:
        """Give the postings of strings and of statements, for as many groups as have fingerprints or not.

        All are weighed against the groups that have fingerprints; groups with the same label are one.
        """
        counted = len(distinct(labels[fingerprints.sizes > 0]))

        def as_fingerprints(degrees: NDArray[Any], _: int) -> NDArray[np.float64]:
            return weigh(degrees, counted)

        for join in (self._strings, self._statements):
            join.add(groups - 1, np.empty(0, np.uint64))
        strings, statements = (
            join.finish(max_shared, as_fingerprints).independent(labels, as_fingerprints)
            for join in (self._strings, self._statements)
        )
        return strings, statements

    def keyed(self, hashes: UInt64s) -> UInt64s:
        """Make hashes depend on the secret seed."""
        if not self._seed:
            return hashes
        mixed: UInt64s = (hashes ^ self._seed) * np.uint64(0x9E3779B97F4A7C15)
        return mixed ^ mixed >> np.uint64(31)
