"""The settings of sweeps and of what is asked about them, declared as those of settings.py are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from copysift.errors import UsageError
from copysift.settings.declaration import check_limits, declare
from copysift.settings.parsing import check_max_shared, count_or_share, flag, fraction, text

_SWEEP = "Which sweep"
_ASKING = "What is asked"
FLOOR = 0.3  # the index keeps no pairs below
TRACING = "locate history changes holders"


def moment(name: str, value: object) -> int:
    """Take a date or a time in ISO form and give its seconds since 1970; without a zone it is UTC."""
    if isinstance(value, datetime):
        made = value
    else:
        written = str(value).strip()
        try:
            if not re.match(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}", written):
                raise ValueError
            made = datetime.fromisoformat(written)
        except ValueError:
            raise UsageError(
                f"--{name} needs a date, not {str(value)!r}", hint="write 2026-11-01, or 2026-11-01T18:30"
            ) from None
    if made.tzinfo is None:
        made = made.replace(tzinfo=UTC)
    seconds = int(made.timestamp())
    if seconds != made.timestamp():
        raise UsageError(f"--{name} is {value}, but sweeps are told apart by whole seconds")
    return seconds


def spelled(at: int) -> str:
    """Spell a time: the date alone where it is midnight."""
    made = datetime.fromtimestamp(at, UTC)
    return made.strftime("%Y-%m-%d") if at % 86400 == 0 else made.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeping:
    """Which sweep is added."""

    date: int | None = declare(
        None, "--date", "When the source was as it is: 2026-11-01, or with a time, in UTC.",
        _SWEEP, moment, "DATE", commands="sweep", shown="with --revision that of the commit",
    )  # fmt: skip
    revision: str = declare(
        "", "--revision", "The tree of this revision of the git repository SOURCE.",
        _SWEEP, text, "REV", commands="sweep", shown="the files of a folder",
    )  # fmt: skip
    input: str = declare(
        "auto", "--input", "Format of the sources.", _SWEEP, text, "FORMAT", commands="sweep",
        choices=("auto", "folder", "jsonl", "parquet", "csv", "tsv", "warc", "lines", "arrow"),
    )  # fmt: skip
    replace: bool = declare(
        False, "--replace", "Put this sweep in the place of another one of the same date.", _SWEEP, flag,
        commands="sweep",
    )  # fmt: skip

    max_shared: int | float | None = declare(
        None, "--max-shared", "Ignore fingerprints that more documents of one sweep than this have, a number "
        "or a share (20%): navigation and other boilerplate. Lower than for scan, because pages of a small "
        "site share most of what they have. Another number relates all sweeps again.",
        _SWEEP, count_or_share, "N", commands="sweep", shown="10, or as before",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
        if self.max_shared is not None:
            check_max_shared(self.max_shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """What is asked about sweeps."""

    threshold: float = declare(
        0.5, "--threshold", "The least resemblance or share that counts as the same document: 50% or .5.",
        _ASKING, fraction, "X", limits=(0, 1), commands="locate changes",
    )  # fmt: skip
    share: float = declare(
        0.2, "--threshold", "The least share of the file that a document must hold: 20% or .2.",
        _ASKING, fraction, "X", limits=(0, 1), commands="holders",
    )  # fmt: skip
    original: str = declare(
        "", "--original", "The address of the original, whose versions the holders are compared with.",
        _ASKING, text, "URI", commands="holders", shown="the first that had these bytes",
    )  # fmt: skip
    grouping: str = declare(
        "host", "--by", "What holders are grouped by: host (of a path its first folder), folder, or none.",
        _ASKING, text, "WHAT", commands="holders", choices=("host", "folder", "none"),
    )  # fmt: skip
    watch: bool = declare(
        False, "--watch", "Only what is new or changed since the sweep before, and who holds it no more.",
        _ASKING, flag, commands="holders",
    )  # fmt: skip
    start: int | None = declare(
        None, "--from", "The first sweep that counts.", _ASKING, moment, "DATE", commands="changes",
        shown="the oldest",
    )  # fmt: skip
    end: int | None = declare(
        None, "--to", "The last sweep that counts.", _ASKING, moment, "DATE", commands="changes",
        shown="the newest",
    )  # fmt: skip
    diff: bool = declare(
        False, "--diff", "Show what changed between each version and the one before.", _ASKING, flag,
        commands="history",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def kept(self) -> float:
        """The threshold, for an answer from the pairs that an index keeps: it can be no lower than these."""
        if self.threshold < FLOOR:
            raise UsageError(
                f"--threshold is {self.threshold:.0%}, but the index keeps only pairs of contents that share "
                f"at least {FLOOR:.0%}: below, nearly everything is a little like everything else",
                hint="ask with the document as a file: copysift locate --file, or copysift query, takes less",
            )
        return self.threshold
