"""What is shown of sweeps: frozen values. Dates are ISO, UTC; a share is between 0 and 1."""

from __future__ import annotations

from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep: its date, its source and how many documents it met."""

    date: str
    source: str
    documents: int


@dataclass(frozen=True, slots=True)
class IgnoredInSweep:
    """Boilerplate: `fingerprints` that more than `limit` documents of one sweep have.

    They are ignored in `documents` of the newest sweep, where they are the mean `share` of all fingerprints.
    `bare` documents have nothing else: they are compared with each other by all they have. `texts` are
    examples, where texts are kept. `base` counts the k-grams of base code, which are ignored, too.
    """

    limit: int
    fingerprints: int
    documents: int
    bare: int
    share: float
    texts: tuple[str, ...] = ()
    base: int = 0


@dataclass(frozen=True, slots=True)
class Swept:
    """What adding a sweep did, in addresses; `sketched` contents were new to the index.

    `repeated` addresses came twice in the source, and the first counts. `same`: the sweep was there
    already, and nothing was changed. `ignored`: boilerplate, None if there is none.
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
    ignored: IgnoredInSweep | None = None


@dataclass(frozen=True, slots=True)
class Stay:
    """A content at an address from one date to another, both included; `alive`: the newest sweep has it."""

    uri: str
    first: str
    last: str
    alive: bool


@dataclass(frozen=True, slots=True)
class Place:
    """An address of the newest sweep that has what was wanted.

    `relation` is here (the address itself), same (identical), resembles, within (what was wanted is
    in it, among other things) or part (it is in what was wanted). `confidence` is 1 for here and
    same, the resemblance for resembles, the share that is there for within and part; found over
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

    `addresses` is where it was and is, by date, moves followed both ways; `copies` are further
    addresses of the newest sweep. Of a document that is gone, `gone_since` and `seen` are
    dated by the document, and `seen_at` is the address where it was last seen, if that is another one.
    `ignored` is the share of its fingerprints that is boilerplate and was not compared. `skipped` names
    damaged parts of the index, which were not looked at.
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
    seen_at: str = ""
    ignored: float = 0.0
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that changed between two versions: first line 1; `before` went, `after` came."""

    first_before: int
    first_after: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """What was at an address over a run of sweeps; resemblance to the version before and to the first.

    `alive`: the newest sweep has it, and `last` is that sweep's date. `changes` is None where
    they were not wanted or cannot be had.
    """

    number: int
    first: str
    last: str
    bytes: int
    checksum: str
    to_previous: float | None
    to_first: float | None
    alive: bool = False
    changes: tuple[Passage, ...] | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Every version of an address, oldest first; `gone_since` is empty while it is there."""

    uri: str
    versions: tuple[Version, ...]
    gone_since: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened from one sweep to the next, in addresses.

    A document that went from one address and came at another counts as moved, not as gone and
    new: `between_hosts`, `between_folders` of one host, or `renamed` in its folder.
    """

    before: str
    after: str
    documents: int
    appeared: int
    died: int
    between_hosts: int
    between_folders: int
    renamed: int
    changed: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class Move:
    """A document that moved: `resemblance` of what came to what went; `kind` is hosts, folders or name."""

    date: str
    uri: str
    to: str
    kind: str
    resemblance: float


@dataclass(frozen=True, slots=True)
class Lives:
    """Documents seen in this many sweeps in a row, moves included: those gone, those present."""

    sweeps: int
    died: int
    alive: int


@dataclass(frozen=True, slots=True)
class Changes:
    """How a collection changed (Broder et al. 1997, section 6.5).

    `resemblances[i]` counts the consecutive versions of an address whose resemblance lies in
    i / 10 .. (i + 1) / 10; those of 1 are not the same bytes, but share all fingerprints, and are last.
    """

    turns: tuple[Turn, ...]
    resemblances: tuple[int, ...]
    lives: tuple[Lives, ...]
    days_lived: float | None
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Alteration:
    """Where a holder differs from the original: lines of the original, first line 1, both included."""

    first_line: int
    last_line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Holder:
    """A document that holds all or part of another one.

    `state` is identical, whole (all of it is there unchanged), altered (all of it, changed in places),
    part (some of it, unchanged), altered part, rearranged (in another order) or, where texts are not kept,
    part or altered. `alterations` is None where the texts are not kept. `version` is the version of the
    original that it resembles most, by number from 1, 0 for the file itself; `closeness` its resemblance.
    `new`: it held nothing of it in the sweep before; `changed`: it held it otherwise.
    """

    uri: str
    group: str
    state: str
    share: float
    resemblance: float
    since: str
    version: int
    version_date: str
    closeness: float
    alterations: tuple[Alteration, ...] | None = None
    new: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """An address that holds a document no more: the first sweep that lacked it, and the last that had it."""

    uri: str
    group: str
    gone_since: str
    last_seen: str


@dataclass(frozen=True, slots=True)
class Holders:
    """Who holds a document, in groups; `lost` held it in the sweep before.

    `skipped` names damaged parts of the index, which were not looked at.
    """

    name: str
    as_of: str
    before: str
    original: str
    holders: tuple[Holder, ...]
    lost: tuple[Lost, ...]
    watched: bool = False
    kept: bool = True
    skipped: tuple[Skipped, ...] = ()
