"""What is told about sweeps: frozen values. Dates are ISO, UTC; a share is between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

from copysift.values import Skipped


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep: its date, its source and how many documents it met."""

    date: str
    source: str
    documents: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What adding a sweep did, in addresses; `sketched` contents were new to the index.

    `repeated` addresses came twice in the source, and the first counts. `same`: the sweep was there
    already, and nothing was changed.
    """

    date: str
    documents: int
    new: int
    changed: int
    unchanged: int
    gone: int
    sketched: int
    repeated: int = 0
    same: bool = False
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Stay:
    """A content at an address from one date to another, both included; `alive`: the newest sweep has it."""

    uri: str
    first: str
    last: str
    alive: bool


@dataclass(frozen=True, slots=True)
class Place:
    """An address of the newest sweep that has what was asked for.

    `relation` is here (the address itself), same (identical), resembles, within (what was asked for stands
    in it, among other things) or part (it stands in what was asked for). `confidence` is 1 for here and
    same, the resemblance for resembles, the share that stands there for within and part; found over
    other versions in between, the product of the steps.
    """

    uri: str
    relation: str
    confidence: float
    since: str
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Located:
    """Where something is now: `status` is here, moved, gone or unseen.

    `addresses` is where it stood and stands, by date; `copies` are further addresses of the newest sweep.
    """

    uri: str
    status: str
    now: Place | None
    gone_since: str
    addresses: tuple[Stay, ...]
    copies: tuple[Place, ...]
    cluster: int = 0
    seen: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that changed between two versions: first line 1; `before` went, `after` came."""

    first_before: int
    first_after: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """What stood at an address over a run of sweeps; resemblance to the version before and to the first.

    `changes` is None where they were not asked for or cannot be had.
    """

    number: int
    first: str
    last: str
    bytes: int
    checksum: str
    to_previous: float | None
    to_first: float | None
    changes: tuple[Passage, ...] | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Every version of an address, oldest first; `gone_since` is empty while it is there."""

    uri: str
    versions: tuple[Version, ...]
    gone_since: str
    kept: bool
