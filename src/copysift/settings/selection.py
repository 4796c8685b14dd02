"""What to report: measures, thresholds and limits, each option declared once."""

from __future__ import annotations

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import MAKE_RUN, REPORTED
from copysift.settings.declaration import alias, declare
from copysift.settings.parsing import count, flag, fraction, multiple, ratio, text

# Measures are named like the fields of JSON. Left is the query, right the document found.
SHARES = ("similarity", "resemblance", "containment")  # that rank pairs without an order
ONE_SIDED = ("containment-left", "containment-right", "sif")
COUNTS = ("shared", "longest")
MEASURES = SHARES + ONE_SIDED + COUNTS
MADE_LATER = ("similarity", "sif", "longest")  # that pairs of a corpus do not have, but a run can make

REVIEW = 0.25  # the default threshold where a person reviews a list
SAME = 0.5  # the default threshold where copysift decides that two documents are the same
COUNT_THRESHOLD = {"shared": 10.0, "longest": 100.0}
SCAN_FLOOR = 0.05
CORPUS_FLOOR = 0.3  # pairs between 5 and 30 % outnumber all others in a corpus

DECIDING = f"{MAKE_RUN} recluster locate changes"
_COUNTED = "10 for shared"


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which results are reported, and in what order."""

    measure: str = declare(
        "similarity", "--measure",
        "What to select and rank by: similarity, resemblance, containment (the larger of the two), "
        "containment-left, containment-right, sif, shared or longest.",
        REPORTED, text, "NAME", choices=MEASURES, commands=f"scan show compare query {MAKE_RUN} recluster",
        help_for={
            "scan show": "What to select and rank by: similarity, resemblance, containment (the larger of "
            "the two), containment-left (share of the document listed first), containment-right, "
            "shared (fingerprints) or longest (passage).",
            "compare": "What --threshold is about: similarity, resemblance, containment (the larger of the "
            "two), containment-left (share of A found in B), containment-right, shared or longest.",
            "query": "What to select and rank by: containment-left (share of the query found in the "
            "document), containment-right (share of the document found in the query), containment (the "
            "larger), resemblance, sif, similarity (reads the whole index), shared (fingerprints) or longest "
            "(passage).",
            f"{MAKE_RUN} recluster": "What makes two documents near-duplicates: resemblance, containment "
            "(the larger of the two), containment-left (share of the earlier document), containment-right, "
            "or, of pairs at --floor or above, similarity (by rare shingles), sif (occurrences), shared "
            "(shingles) or longest (common run of words).",
        },
        default_for={"query": "containment-left", f"{MAKE_RUN} recluster": "resemblance"},
        aliases=(alias("--contained", f"{MAKE_RUN} recluster", values={True: "containment"}),),
        old_values={"query": {"reverse": "containment-right", "either": "containment"}},
    )  # fmt: skip
    threshold: float | None = declare(
        None, "--threshold", "Report results whose measure is at least X: 25% or .25.",
        REPORTED, multiple, "X", commands=f"scan show browse compare check query copies {DECIDING}",
        default_text=f"25%; {_COUNTED}, 100 for longest",
        help_for={
            "compare": "Exit with status 1 if the measure is below X: 25% or .25. For two folders: files of "
            "at least X are versions of each other, whatever their names.",
            f"{MAKE_RUN} recluster": "Documents whose measure is at least X are near-duplicates: 50% or .5.",
            "locate changes": "Documents of at least this resemblance or share are the same: 50% or .5.",
            "check": "Fail if at least this share of the lines of a file is elsewhere: 50% or .5.",
            "copies": "Report documents that contain at least this share: 25% or .25.",
        },
        default_for={
            f"{DECIDING} check": "50%", "copies": "25%", "compare": "0; for folders by names and content",
        },
        aliases=(
            alias("--resemblance", f"{MAKE_RUN} recluster"), alias("", "copies", key="share"),
            alias("--floor", "query"),
        ),
    )  # fmt: skip
    min_shared: int | None = declare(
        None, "--min-shared", "Minimum number of shared fingerprints.",
        REPORTED, count, "N", limits=(1, None), commands="scan show query",
        default_text="2; 1 for shared, longest or --threshold 0", default_for={"query": "2"},
    )  # fmt: skip
    limit: int | None = declare(
        None, "--limit", "List at most N results, best first (0: all).",
        REPORTED, count, "N", limits=(0, None), commands="scan show query",
        default_text="1,000 in a table, 500 in HTML, else all", default_for={"query": "all"},
        help_for={"query": "List at most N results per query, best first (0: all)."},
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PairFilters:
    """Which pairs are reported or stored, whatever their measure."""

    floor: float = declare(
        SCAN_FLOOR, "--floor",
        "Lowest measure to store with --save. Later commands can use any --threshold down to this.",
        REPORTED, fraction, "X", limits=(0, 1), commands=f"scan {MAKE_RUN}",
        help_for={
            MAKE_RUN: "Lowest measure to store. Later commands can use any --threshold down to this. Lower "
            "values need much more disk.",
        },
        default_for={MAKE_RUN: "30%"},
    )  # fmt: skip
    min_match: int | None = declare(
        None, "--min-match", "Also report pairs with a common passage of N symbols, whatever their measure.",
        REPORTED, count, "N", limits=(1, None), commands="scan show", default_text="off",
    )  # fmt: skip
    equal_only: bool = declare(
        False, "--equal-only",
        "Only find files that are equal byte for byte, without looking into archives. Much faster.",
        REPORTED, flag, commands="scan show",
        help_for={"show": "Only report files that are equal byte for byte."},
    )  # fmt: skip
    same_suffix: bool = declare(
        False, "--same-suffix", "Only compare files with the same extension.", REPORTED, flag,
        commands="scan show",
    )  # fmt: skip
    size_ratio: float | None = declare(
        None, "--size-ratio", "Only pairs whose larger file is at most X times the smaller.",
        REPORTED, ratio, "X", limits=(1, None), commands="scan show", default_text="off",
    )  # fmt: skip


def check_threshold(measure: str, value: float | None) -> None:
    """Raise UsageError unless the threshold fits the measure."""
    if value is None:
        return
    if measure in COUNTS:
        if value < 0 or value != int(value):
            raise UsageError(
                f"--threshold is {value:g}, but --measure {measure} needs a whole number",
                hint="for example --threshold 100",
            )
    elif not 0 <= value <= (1 if measure != "sif" else 100):
        raise UsageError(
            f"--threshold is {value:g}, but must be between 0 and 1, or 0% and 100%",
            hint=f"{value:g} is {value:.0%}; for {value:g} percent write {value:g}% or {value / 100:g}"
            if 1 < value <= 100 and value == int(value)
            else "write 25% or .25",
        )


def lower_floor(values: dict[str, object], floor: float) -> dict[str, object]:
    """Let a threshold below the default floor lower the floor; two given values must not contradict."""
    threshold, given = values.get("threshold"), values.get("floor")
    if not isinstance(threshold, float) or threshold < 0 or values.get("measure") in COUNTS:
        return values
    if isinstance(given, float):
        if threshold < given - 1e-12:
            raise UsageError(
                f"--threshold {threshold:g} is below --floor {given:g}", hint="lower --floor, or leave it out"
            )
        return values
    return {**values, "floor": min(floor, threshold)} if threshold < floor else values
