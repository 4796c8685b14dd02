"""The settings of `query`: what decides which documents it finds."""

from __future__ import annotations

from typing import ClassVar

from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import REPORTED
from copysift.settings.contents import Contents, LookUp
from copysift.settings.declaration import check_limits, declare, with_default
from copysift.settings.parsing import check_max_shared, count
from copysift.settings.selection import COUNT_THRESHOLD, REVIEW, Selection, check_threshold


@dataclass(frozen=True, kw_only=True)
class Query(Selection, LookUp):
    """Which documents answer a query."""

    COMMANDS: ClassVar[str] = "query"

    measure: str = with_default(Selection, "measure", "containment-left")
    by: str = with_default(Contents, "by", "file")
    max_shared: int | float = with_default(Contents, "max_shared", 1000)
    min_shared: int = with_default(Selection, "min_shared", 2)
    window: int | None = declare(
        None, "--window", "Use larger windows for the query: faster, finds fewer.",
        REPORTED, count, "W", limits=(1, 8192), commands="query", default_text="the index's",
    )  # fmt: skip
    quick: int | None = declare(
        None, "--quick", "Look up only the N smallest fingerprints, and estimate.",
        REPORTED, count, "N", limits=(1, None), commands="query", default_text="off",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
        check_threshold(self.measure, self.threshold)
        check_max_shared(self.max_shared)

    @property
    def cut(self) -> float:
        """The threshold, or its default for the measure."""
        return COUNT_THRESHOLD.get(self.measure, REVIEW) if self.threshold is None else self.threshold
