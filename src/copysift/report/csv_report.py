"""CSV: one row a pair, or one row a member of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from copysift.model.values import Result
from copysift.report.csv_cells import csv_lines
from copysift.report.units import bytes_of
from copysift.report.view import View

PAIR_COLUMNS = (
    "left", "right", "equal", "similarity", "resemblance", "containment_left", "containment_right",
    "shared", "longest", "lines", "bytes_left", "bytes_right",
)  # fmt: skip
AT_ONCE = 1024  # rows of a part
GROUP_COLUMNS = ("group", "name", "reference", "share", "bytes")


def report(result: Result, view: View) -> str:
    """Show the pairs of a result, or its groups, as CSV with a header."""
    return "".join(parts(result, view))


def parts(result: Result, view: View) -> Iterator[str]:
    """Show a result as CSV, in parts of some rows: there may be millions."""
    rows = _group_rows(result, view) if view.groups else _pair_rows(result, view)
    pair_columns = (*PAIR_COLUMNS, "sif") if _occurring(result) else PAIR_COLUMNS
    every = chain([GROUP_COLUMNS if view.groups else pair_columns], rows)
    while some := list(islice(every, AT_ONCE)):
        yield csv_lines(some)


def _pair_rows(result: Result, view: View) -> Iterator[Sequence[object]]:
    sizes, occurring = bytes_of(result), _occurring(result)
    for pair in islice(result.pairs, view.limit):
        yield [
            pair.left,
            pair.right,
            str(pair.equal).lower(),
            f"{pair.similarity:.6f}",
            f"{pair.resemblance:.6f}",
            f"{pair.containment_left:.6f}",
            f"{pair.containment_right:.6f}",
            pair.shared,
            "" if pair.longest is None else pair.longest,
            "" if pair.lines is None else pair.lines,
            sizes[pair.left],
            sizes[pair.right],
            *(["" if pair.sif is None else f"{pair.sif:.6f}"] if occurring else []),
        ]


def _occurring(result: Result) -> bool:
    """Say whether occurrences were counted, as --measure sif does."""
    return result.settings.get("measure") == "sif"


def _group_rows(result: Result, view: View) -> Iterator[Sequence[object]]:
    sizes = bytes_of(result)
    for number, listing in enumerate(result.listings[: view.limit], 1):
        yield [number, listing.reference, "true", f"{1:.6f}", sizes[listing.reference]]
        for name, share in listing.members:
            yield [number, name, "false", f"{share:.6f}", sizes[name]]
