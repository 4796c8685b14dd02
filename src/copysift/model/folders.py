"""Two folders compared: what became of every file."""

from __future__ import annotations

from collections import Counter
from dataclasses import field

from copysift.model.values import Pair, Skipped
from copysift.runtime.lazy_dataclass import dataclass

SAME, CHANGED, MOVED, RENAMED = "same", "changed", "moved", "renamed"
SPLIT, MERGED, NEW, GONE = "split", "merged", "new", "gone"
SAME_CONTENT = "same content"
RELATIONS = (SAME, SAME_CONTENT, CHANGED, MOVED, RENAMED, SPLIT, MERGED, NEW, GONE)


@dataclass(frozen=True, slots=True)
class FolderChange:
    """What became of a file: names are relative to their folder.

    `same` and `changed` files have one path in both folders; those of the `same content` were packed or
    saved again: what counts in them is the same, their bytes are not; `moved` ones have another folder,
    `renamed` ones another name; a `split` file has several names on the right, a `merged` one several on the
    left. `pairs` has the measures, one for each pair of names; `equal` says that the bytes are the
    same. `like` names a file of the other folder that a `new` or `gone` file is equal to or like, but that
    has another partner.

    >>> for change in copysift.compare_folders("essays/drafts", "essays/web").changes:
    ...     print(change.relation, change.place)
    new index.html
    gone tides-1.txt
    renamed tides-2.txt
    gone tides-final.txt
    """

    relation: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    equal: bool = False
    pairs: tuple[Pair, ...] = ()
    like: str = ""

    @property
    def place(self) -> str:
        """The path under which it is listed.

        >>> [each.place for each in folders.changes]
        ['index.html', 'tides-1.txt', 'tides-2.txt', 'tides-final.txt']
        """
        return (self.right if self.relation in (NEW, MERGED) or not self.left else self.left)[0]

    @property
    def resemblance(self) -> float | None:
        """How similar the two versions of a file are; None where there are not just two.

        >>> [round(each.resemblance or 0, 2) for each in folders.changes]
        [0, 0.86, 0.97, 0.66]
        """
        if self.equal:
            return 1.0
        return self.pairs[0].resemblance if len(self.pairs) == 1 else None


@dataclass(frozen=True, slots=True)
class Folders:
    """Two folders compared by content and names.

    >>> found = copysift.compare_folders("essays/drafts", "essays/web")
    >>> found.counts["moved"] + found.counts["renamed"], found.only_right
    (1, ('index.html',))
    """

    left: str
    right: str
    changes: tuple[FolderChange, ...]
    settings: dict[str, object] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    equal_wrappers: bool | None = None  # of two archives: they are equal byte for byte; None for folders

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes by relation.

        >>> folders.counts["new"], folders.counts["gone"]
        (1, 2)
        """
        found = Counter(change.relation for change in self.changes)
        return {relation: found[relation] for relation in RELATIONS}

    @property
    def equal(self) -> tuple[tuple[str, str], ...]:
        """Pairs of equal files, left and right.

        >>> folders.equal
        ()
        """
        return tuple(
            (each.left[0], each.right[0]) for each in self.changes if each.equal and each.left and each.right
        )

    @property
    def similar(self) -> tuple[Pair, ...]:
        """The pairs of files that changed, moved with changes, split or merged.

        >>> [(pair.left, pair.right) for pair in folders.similar]
        [('tides-1.txt', 'tides.html'), ('tides-2.txt', 'tides.html'), ('tides-final.txt', 'tides.html')]
        """
        return tuple(pair for each in self.changes for pair in each.pairs)

    @property
    def only_left(self) -> tuple[str, ...]:
        """Files that nothing on the right comes from or is like.

        >>> folders.only_left
        ()
        """
        return tuple(each.left[0] for each in self.changes if each.relation == GONE and not each.like)

    @property
    def only_right(self) -> tuple[str, ...]:
        """Files that come from nothing on the left and are like nothing there.

        >>> folders.only_right
        ('index.html',)
        """
        return tuple(each.right[0] for each in self.changes if each.relation == NEW and not each.like)


MOVE, COPY, MERGE, REMOVE = "move", "copy", "merge", "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `move` within the left folder, `copy` or `merge` from the right one, or `remove`.

    Checksums are SHA-256; that of a target is "-" where there must be none.
    """

    action: str
    source: str
    target: str
    source_sum: str
    target_sum: str
    why: str


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """The steps, and the files that could not be read or are not plain files."""

    left: str
    right: str
    steps: tuple[Step, ...]
    skipped: tuple[Skipped, ...]
