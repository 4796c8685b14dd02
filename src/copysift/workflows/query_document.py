"""What is looked up in an index: a document or a submission, its fingerprints, and what was found."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.kind import CODE, family
from copysift.model.values import Fingerprints
from copysift.runtime.lazy_dataclass import dataclass
from copysift.store.entries import WHOLE
from copysift.store.segment import Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from copysift.model.values import UInt64s


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a question: its readable source and its kind."""

    name: str
    source: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class QueryDocument:
    """A document to look up: its readable source, its kind, and the checksum and size of its bytes.

    `alone`: the kind was wanted, so that a program is looked up by its tokens only, or as text only.
    `files` are those of a submission, which has no source itself.
    """

    name: str
    source: bytes
    kind: str
    checksum: bytes
    bytes: int
    alone: bool = False
    files: tuple[Part, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files of a submission, or the document."""
        return self.files or (Part(self.name, self.source, self.kind),)


@dataclass(frozen=True, slots=True)
class QueryFingerprints:
    """The fingerprints of a query: all that count, the part that each is of, and the distinct ones looked up.

    `selected` counts those of base code, too.
    """

    all: Fingerprints
    owners: NDArray[np.int64]
    distinct: int
    looked_up: UInt64s
    occurrences: int
    selected: int

    @property
    def only_base(self) -> bool:
        """Whether there is nothing but base code in it."""
        return self.selected > 0 and not len(self.all.hashes)


@dataclass(frozen=True, slots=True)
class Look:
    """A question in one channel, or by all k-grams, and what the index has of it.

    `common` counts the fingerprints that were left out because too many documents have them, `ignored` those
    of each document, by the number of its postings; of a `near_copy` of what is common none is.
    """

    channel: str
    parts: tuple[tuple[Part, str], ...]  # with the kind that each is read as
    asked: QueryFingerprints
    found: Found
    common: int = 0
    ignored: dict[int, int] = field(default_factory=dict)
    near_copy: bool = False

    @property
    def whole(self) -> bool:
        return self.channel.endswith(WHOLE)

    @property
    def name(self) -> str:
        """The channel as it is reported."""
        return CODE if self.channel.startswith(CODE) else family(self.parts[0][1])


def one_after_another(parts: Sequence[Fingerprints]) -> tuple[Fingerprints, NDArray[np.int64]]:
    """Give the fingerprints of the parts of a question together, and the part that each is of."""
    owners = np.repeat(np.arange(len(parts)), [len(each.hashes) for each in parts])
    if len(parts) == 1:
        return parts[0], owners
    together = Fingerprints(
        np.concatenate([each.hashes for each in parts]),
        np.concatenate([each.starts for each in parts]),
        np.concatenate([each.ends for each in parts]),
        sum(each.grams for each in parts),
    )
    return together, owners
