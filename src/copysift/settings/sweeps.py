"""The settings of sweeps and of questions about them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import ClassVar

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import CONTENTS, OUTPUT, REPORTED, SOURCES
from copysift.settings.contents import LookUp
from copysift.settings.declaration import alias, check_limits, declare
from copysift.settings.parsing import check_max_shared, count_or_share, flag, text
from copysift.settings.reading import SourceFormat
from copysift.settings.selection import CORPUS_FLOOR, REVIEW, SAME, Selection, check_threshold


def moment(name: str, value: object) -> int:
    """Take a date or a time in ISO form, in UTC unless it has a zone; give seconds since 1970."""
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
        raise UsageError(f"--{name} is {value}, but sweeps differ by whole seconds")
    return seconds


def spelled(at: int) -> str:
    """Spell a time: the date alone where it is midnight."""
    made = datetime.fromtimestamp(at, UTC)
    return made.strftime("%Y-%m-%d") if at % 86400 == 0 else made.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, kw_only=True)
class SweepOptions(SourceFormat):
    """Which sweep is added."""

    COMMANDS: ClassVar[str] = "sweep"

    date: int | None = declare(
        None, "--date", "Date of this state of the source: 2026-11-01, or with a time, in UTC.",
        SOURCES, moment, "DATE", commands="sweep", default_text="the commit's with --revision",
    )  # fmt: skip
    revision: str = declare(
        "", "--revision", "Read this revision of a git repository.",
        SOURCES, text, "REV", commands="sweep", default_text="none",
    )  # fmt: skip
    overwrite: bool = declare(
        False, "--overwrite", "Replace an existing sweep of the same date.", OUTPUT, flag, commands="sweep",
        aliases=(alias("--replace", values={True: True}),),
    )  # fmt: skip
    max_shared: int | float | None = declare(
        None, "--max-shared",
        "Ignore fingerprints found in more than N documents of one sweep (or a share such as 20%), such as "
        "navigation. Another N compares all sweeps again.",
        CONTENTS, count_or_share, "N", commands="sweep", default_text="10, or as before",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
        if self.max_shared is not None:
            check_max_shared(self.max_shared)


@dataclass(frozen=True, kw_only=True)
class TraceOptions(Selection, LookUp):
    """Which sweeps count, and when two documents are the same."""

    COMMANDS: ClassVar[str] = "locate history changes"

    since: int | None = declare(
        None, "--since", "First sweep to include.", REPORTED, moment, "DATE", commands="history changes",
        default_text="the oldest", aliases=(alias("--from", "changes", key="start"),),
    )  # fmt: skip
    until: int | None = declare(
        None, "--until", "Last sweep to include.", REPORTED, moment, "DATE", commands="history changes",
        default_text="the newest", aliases=(alias("--to", "changes", key="end"),),
    )  # fmt: skip
    diff: bool = declare(
        False, "--diff", "Show what changed between versions.", OUTPUT, flag, commands="history"
    )

    def __post_init__(self) -> None:
        check_limits(self)
        check_threshold("resemblance", self.threshold)

    @property
    def cut(self) -> float:
        """The threshold, or its default."""
        return SAME if self.threshold is None else self.threshold

    @property
    def kept(self) -> float:
        """The threshold of an answer from stored pairs: it cannot be below their floor."""
        if self.cut < CORPUS_FLOOR:
            raise UsageError(
                f"--threshold is {self.cut:.0%}, but the index stores only pairs of at least "
                f"{CORPUS_FLOOR:.0%}",
                hint="copysift locate --file and copysift query take lower thresholds",
            )
        return self.cut


@dataclass(frozen=True, kw_only=True)
class Copies(Selection, LookUp):
    """Which copies are reported, and how."""

    COMMANDS: ClassVar[str] = "copies"

    original: str = declare(
        "", "--original", "Compare the copies with the versions at this URI.",
        REPORTED, text, "URI", commands="copies", default_text="the first seen",
    )  # fmt: skip
    group_by: str = declare(
        "host", "--group-by", "Group copies by host, folder or none.",
        REPORTED, text, "WHAT", commands="copies", choices=("host", "folder", "none"),
        aliases=(alias("--by", key="grouping"),),
    )  # fmt: skip
    watch: bool = declare(
        False, "--watch", "Only what is new, changed or gone since the previous sweep.",
        REPORTED, flag, commands="copies",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
        check_threshold("containment", self.threshold)

    @property
    def cut(self) -> float:
        """The threshold, or its default."""
        return REVIEW if self.threshold is None else self.threshold
