"""The settings of `index` and `query`, declared as those of settings.py are."""

from __future__ import annotations

from dataclasses import dataclass

from copysift.errors import UsageError
from copysift.settings.declaration import check_limits, declare
from copysift.settings.parsing import count, flag, multiple, text

QUERY_SHARES = ("containment", "reverse", "either", "resemblance", "sif")
QUERY_COUNTS = ("shared",)
DEFAULT_SHARE = 0.5  # sif's
DEFAULT_COUNT = 5.0  # sif: fewer are no strong evidence

_ASKING = "What is asked"
_KEEPING = "What is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What decides which documents answer a query."""

    threshold: float | None = declare(
        None, "--threshold", "Report documents whose measure reaches this: 50% or .5; a number for shared.",
        _ASKING, multiple, "X", commands="query", shown="50%; 5 fingerprints for shared",
    )  # fmt: skip
    measure: str = declare(
        "containment", "--measure",
        "What ranks and selects: containment (share of the query that stands in the document), reverse "
        "(share of the document that stands in the query), either (the larger), resemblance, sif, shared.",
        _ASKING, text, "NAME", choices=QUERY_SHARES + QUERY_COUNTS, commands="query",
    )  # fmt: skip
    min_shared: int = declare(
        2, "--min-shared", "Fewer shared fingerprints than this are no evidence, unless the query has fewer.",
        _ASKING, count, "N", limits=(1, None), commands="query",
    )  # fmt: skip
    limit: int | None = declare(
        None, "--limit", "List at most N documents for each query, the best first.",
        _ASKING, count, "N", limits=(1, None), commands="query", shown="all",
    )  # fmt: skip
    window: int | None = declare(
        None, "--window", "Ask more coarsely: choose the query's fingerprints in windows of W k-grams.",
        _ASKING, count, "W", limits=(1, 8192), commands="query", shown="the index's",
    )  # fmt: skip
    quick: int | None = declare(
        None, "--quick", "Look up the N smallest fingerprints only, and estimate from those.",
        _ASKING, count, "N", limits=(1, None), commands="query", shown="all",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
        if self.threshold is None:
            return
        if self.measure in QUERY_COUNTS:
            if self.threshold < 0 or self.threshold != int(self.threshold):
                raise UsageError(
                    f"--threshold is {self.threshold:g}, but --measure {self.measure} needs a whole number",
                    hint="for example --threshold 5",
                )
        elif not 0 <= self.threshold <= (1 if self.measure != "sif" else 100):
            raise UsageError(
                f"--threshold is {self.threshold:g}, but must be between 0 and 1, or 0% and 100%",
                hint="write 50% or .5",
            )

    @property
    def cut(self) -> float:
        """The threshold of the measure, filled in where it was not set."""
        if self.threshold is None:
            return DEFAULT_COUNT if self.measure in QUERY_COUNTS else DEFAULT_SHARE
        return self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What an index keeps besides fingerprints, and where its secret comes from."""

    keep_text: bool = declare(
        False, "--keep-text",
        "Keep the readable source, compressed, so that passages can be shown when the files are gone.",
        _KEEPING, flag, commands="index sweep",
    )  # fmt: skip
    seed_file: str = declare(
        "", "--seed-file", "Read the secret seed from a file; the index keeps a check of it only.",
        _KEEPING, text, "FILE", commands="index index-check query scan sweep locate holders",
        shown="none",
    )  # fmt: skip
    against: str = declare(
        "", "--against", "Compare with the documents of an index too, but not those with each other.",
        _KEEPING, text, "INDEX", commands="scan", shown="none",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
