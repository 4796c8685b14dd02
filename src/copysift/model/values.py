"""The values that pass between the stages: frozen leaves that know no stage.

All offsets are half-open byte offsets of the readable source (UTF-8): 32 bits wide up to 4 GiB, 64 beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from copysift.model.folder_groups import FolderPair, FolderSet
from copysift.model.intervals import Intervals
from copysift.model.tables import (
    CLUSTERS,
    DOCUMENTS,
    OCCURRENCES,
    PAIRS,
    Table,
    Tabular,
    arrow_table,
    html_table,
    known_table,
)
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.plurals import plural

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from copysift.model.distribution import Distribution

    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]
    Offsets = NDArray[np.integer[Any]]  # uint32, or uint64 in a document of over 4 GiB
    Symbols = NDArray[np.uint8] | NDArray[np.uint32] | NDArray[np.uint64]


RENAMED = "has the id of an earlier record; told apart by a number"
REPLACED = "invalid UTF-8, taken with replacement characters"
DUPLICATE = "duplicate id"  # as the former are counted in run.json
REVISIT = "is a revisit: its content was fetched before"
ERROR_PAGE = "is an error page or a redirect, not a document"
# reasons to take note of a record that is not left out, or is no document
TAKEN = (RENAMED, REPLACED, REVISIT, ERROR_PAGE)

# Codes of `Skipped`
LINK = "link"  # a symbolic link that is not followed
DAMAGED = "damaged"  # a container or file of records that cannot be read, or a member of it
CUT = "cut"  # it ends before it should: what it would have had is not known
LIMIT = "limit"  # a container that unpacks to too much, has too many members, or is too deep


@dataclass(frozen=True, slots=True)
class Skipped:
    """An input that was left out, and why, in words for the user; `code` says it to programs.

    >>> copysift.scan([("a", "some text"), {"id": "b"}]).skipped
    (Skipped(name=':1', reason="has no field 'text'", code=''),)
    """

    name: str
    reason: str
    code: str = field(default="", compare=False)


class SpanMap(Protocol):
    """Where runs of symbols are in the source."""

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[Offsets, Offsets]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""


class PositionMap(SpanMap, Protocol):
    """Where the symbols of a `Canonical` are in the source."""

    @property
    def starts(self) -> Offsets:
        """First byte of every symbol."""

    @property
    def ends(self) -> Offsets:
        """One past the last byte of every symbol."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """What counts in a document: integer symbols and where each is in the source.

    `symbols` is uint8 (bytes, ASCII text), uint32 (code points, token classes) or uint64 (word
    hashes); the width never matters to a hash, only the values do.
    """

    symbols: Symbols
    positions: PositionMap

    @property
    def starts(self) -> Offsets:
        return self.positions.starts

    @property
    def ends(self) -> Offsets:
        return self.positions.ends


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The hashes that represent a document, in order of position.

    `starts[i]:ends[i]` is the source span of the k-gram behind `hashes[i]`; `grams` counts all
    k-grams of the document, selected or not.

    >>> found = copysift.fingerprint("It was the best of times, it was the worst of times.")
    >>> len(found.hashes), found.grams
    (1, 15)
    >>> found
    <Fingerprints: 1 of 15 k-grams>
    """

    hashes: UInt64s
    starts: Offsets
    ends: Offsets
    grams: int

    def __repr__(self) -> str:
        return f"<Fingerprints: {len(self.hashes):,} of {self.grams:,} k-grams>"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a region: half-open span of a file and its lines, first line 1, both included.

    The span counts bytes of the file, or, where its encoding is another than UTF-8, of its text in UTF-8.

    >>> pair = copysift.compare("essays/bees.txt", "essays/bees-rearranged.txt")
    >>> pair.regions[0].left
    Side(file='essays/bees.txt', start=0, end=625, first_line=1, last_line=8)
    """

    file: str
    start: int
    end: int
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Region:
    """A maximal run of `length` canonical symbols that two groups share.

    >>> pair = copysift.compare("essays/bees.txt", "essays/bees-rearranged.txt")
    >>> [region.length for region in pair.regions]
    [486, 208]
    """

    length: int
    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two groups (by number) that share fingerprints, and what they share.

    `shared` counts distinct shared hashes; `similarity` weighs them by their rarity.
    """

    left: int
    right: int
    shared: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two groups that share enough to be reported.

    `containment_left` is the share of the left one that is in the right one. `regions` is None
    where the exact matches were not wanted; then `longest` and `lines` are None too. `equal` is about the
    bytes of files, `same_content` about what counts in files that were opened (None: not looked at).
    `intervals` say how far resemblance and containment may be from those of all k-grams; None where they
    are exact.

    >>> pair = copysift.compare("essays/market.txt", "essays/reader.txt")
    >>> pair.equal, pair.containment_left, pair.containment_right < 0.4
    (False, 1.0, True)
    """

    left: str
    right: str
    equal: bool
    similarity: float
    resemblance: float
    containment_left: float
    containment_right: float
    shared: int
    longest: int | None = None
    lines: int | None = None
    regions: tuple[Region, ...] | None = None
    channel: str = ""  # what decided: text, words, bytes or code (tokens); none for equal bytes
    same_content: bool | None = None
    intervals: Intervals | None = field(default=None, compare=False, repr=False)
    sif: float | None = None  # sif's measure, where occurrences were counted (measure="sif")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Groups that belong together, in input order.

    >>> copysift.scan("essays/b*.txt").clusters
    (Cluster(members=('essays/bees-rearranged.txt', 'essays/bees.txt')),)
    """

    members: tuple[str, ...]
    strength: float | None = field(default=None, compare=False, repr=False)  # average similarity of two


@dataclass(frozen=True, slots=True)
class Listing:
    """sif's group: a file R, and the files similar to it, each with the share of R that is in it.

    >>> copysift.scan("essays", groups=True).listings[0]
    Listing(reference='essays/bread.txt', members=(('essays/shouting.txt', 1.0),))
    """

    reference: str
    members: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class SharedSet:
    """sif's interesting set: files that all share `shared` fingerprints, and no other file does.

    `texts` shows some of what they share.
    """

    members: tuple[str, ...]
    shared: int
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ignored:
    """A fingerprint that too many groups share to be evidence, with its text.

    >>> [ignored.groups for ignored in copysift.scan("essays", max_shared=2).ignored[:2]]
    [5, 5]
    """

    hash: int
    groups: int
    text: str


# How files that no reader opens are read, by kind; a kind of a plug-in has its name.
WAYS = {
    "text": "plain text",
    "words": "plain text, by words",
    "html": "HTML without its markup",
    "html-words": "HTML without its markup, by words",
    "code": "a program: text, and tokens",
    "bytes": "raw bytes",
    "executable": "instructions and strings",
}


@dataclass(frozen=True, slots=True)
class Group:
    """One unit of comparison as it is reported: its size and how much of it was sampled.

    `bytes` counts the text that offsets are in; where that was read from a file of another format,
    `file_bytes` is the size of the file.

    >>> document = copysift.scan("essays").documents[0]
    >>> document.name, document.kind, document.bytes
    ('essays/bees-rearranged.txt', 'text', 898)
    """

    name: str
    group: str
    kind: str
    bytes: int
    fingerprints: int
    read_as: str = ""  # "" for a file as it is
    file_bytes: int | None = None

    @property
    def how_read(self) -> str:
        """How it was read, in words, also where it is a file as it is.

        >>> copysift.scan("essays").documents[0].how_read
        'plain text'
        """
        return self.read_as or WAYS.get(self.kind, self.kind)

    @property
    def size(self) -> int:
        """The size to show: that of the file.

        >>> copysift.scan("essays").documents[0].size
        898
        """
        return self.bytes if self.file_bytes is None else self.file_bytes


@dataclass(frozen=True, slots=True)
class Submission:
    """What is known of a group as somebody's work; `name` is the name of the group.

    `covered` is the share of its fingerprints, weighed by rarity, that any group compared with it has too.
    `note` says why it scores nothing: it is empty, or has nothing but base code.
    """

    name: str
    label: str = ""
    author: str = ""
    team: str = ""
    when: str = ""
    attempt: str = ""
    earlier: bool = False
    covered: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Result(Tabular):
    """The whole answer of a scan: what every report is made from.

    Equal files appear once among the other pairs, by the first of them; `equal` has every set of them.
    `ignored` has the commonest ignored fingerprints only, `ignored_count` counts them all; `notes` say what
    the answer may lack for it. `folder_sets` and `folder_pairs` are those of --folders, `sets` of --sets.
    `pairs` may be millions: they are made when they are wanted.

    >>> copysift.scan("essays")
    <Result: 15 documents, 15 pairs (1 identical), 5 clusters>
    >>> copysift.scan("essays").to_arrow().num_rows
    15
    """

    settings: dict[str, object]
    documents: tuple[Group, ...]
    pairs: Sequence[Pair]
    clusters: tuple[Cluster, ...]
    ignored: tuple[Ignored, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    equal: tuple[tuple[str, ...], ...] = ()
    listings: tuple[Listing, ...] = ()
    ignored_count: int = 0
    submissions: tuple[Submission, ...] = ()
    notes: tuple[str, ...] = ()
    folder_sets: tuple[FolderSet, ...] = ()
    folder_pairs: tuple[FolderPair, ...] = ()
    sets: tuple[SharedSet, ...] = ()
    distribution: Distribution | None = None  # of a class whose pairs were all looked at

    def to_arrow(self, table: Table = "pairs") -> pa.Table:
        """Give the pairs (without their regions), the documents or the clusters as an Arrow table.

        >>> copysift.scan("essays").to_arrow("documents").num_rows
        15
        """
        if known_table(table) == "pairs":
            columns = PAIRS | (OCCURRENCES if self.settings.get("measure") == "sif" else {})
            return arrow_table(([getattr(pair, name) for name in columns] for pair in self.pairs), columns)
        if table == "documents":
            listed = ([getattr(group, name) for name in DOCUMENTS] for group in self.documents)
            return arrow_table(listed, DOCUMENTS)
        members = ((at, name) for at, found in enumerate(self.clusters) for name in found.members)
        return arrow_table(members, CLUSTERS)

    def __repr__(self) -> str:
        return f"<Result: {self._summary()}>"

    def _repr_html_(self) -> str:
        heads = ("left", "right", "similarity", "resemblance", "shared")
        return html_table(
            self._summary(), heads, ([getattr(pair, name) for name in heads] for pair in self.pairs)
        )

    def _summary(self) -> str:
        counts = {"document": self.documents, "pair": self.pairs, "cluster": self.clusters}
        said = [plural(len(values), what) for what, values in counts.items()]
        counted = getattr(self.pairs, "equal", None)  # where there may be millions they count themselves
        equal = counted() if counted else sum(pair.equal for pair in self.pairs)
        said[1] += f" ({equal:,} identical)" if equal else ""
        return ", ".join([*said, f"{len(self.skipped):,} skipped"] if self.skipped else said)
