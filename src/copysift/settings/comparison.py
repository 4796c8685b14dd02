"""The settings of scan, show, compare and index: what decides the answer, and what it may cost."""

from __future__ import annotations

from typing import ClassVar

from copysift.model.traits import Thresholds
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import INDEX, LOOK_UP
from copysift.settings.contents import Contents, check_contents, expand_shingle
from copysift.settings.declaration import check_limits
from copysift.settings.output import Door
from copysift.settings.reading import Machine, Reading, check_reading
from copysift.settings.selection import (
    COUNT_THRESHOLD,
    COUNTS,
    REVIEW,
    SCAN_FLOOR,
    SHARES,
    PairFilters,
    Selection,
    check_threshold,
    lower_floor,
)

__all__ = ["COUNTS", "SHARES", "Door", "Settings", "Thresholds"]


@dataclass(frozen=True, kw_only=True)
class Settings(Machine, Reading, PairFilters, Selection, Contents):
    """What decides the answer, and what it may cost."""

    COMMANDS: ClassVar[str] = f"scan show browse compare check order sweep {INDEX} {LOOK_UP} languages"
    SHARE: ClassVar[float] = REVIEW

    def __post_init__(self) -> None:
        check_limits(self)
        check_threshold(self.measure, self.threshold)
        check_contents(self)
        check_reading(self)

    @staticmethod
    def complete(values: dict[str, object]) -> dict[str, object]:
        """Add what given values imply."""
        return lower_floor(expand_shingle(values), SCAN_FLOOR)

    @property
    def cut(self) -> float:
        """The threshold, or its default for the measure."""
        if self.threshold is None:
            return COUNT_THRESHOLD.get(self.measure, self.SHARE)
        return self.threshold

    @property
    def has_submissions(self) -> bool:
        """Whether the settings themselves speak of submissions."""
        return self.reads_pages_as_programs or bool(self.earlier)

    @property
    def reads_pages_as_programs(self) -> bool:
        """Whether markup counts in pages, too; earlier documents never change how a page is read."""
        return self.by == "dir" or bool(self.base or self.metadata)

    @property
    def fewest(self) -> int:
        """The minimum number of shared fingerprints, or its default for measure and threshold."""
        if self.min_shared is None:
            return 2 if self.cut > 0 and self.measure not in COUNTS else 1
        return self.min_shared
