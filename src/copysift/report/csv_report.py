"""CSV: one row a pair, or one row a member of a group."""

from __future__ import annotations

import csv
import io

from copysift.model.values import Result
from copysift.report.units import bytes_of
from copysift.report.view import View

PAIR_COLUMNS = (
    "left", "right", "equal", "similarity", "resemblance", "containment_left", "containment_right",
    "shared", "longest", "lines", "bytes_left", "bytes_right",
)  # fmt: skip
GROUP_COLUMNS = ("group", "name", "reference", "share", "bytes")


def report(result: Result, view: View) -> str:
    """Show the pairs of a result, or its groups, as CSV with a header."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    if view.groups:
        writer.writerow(GROUP_COLUMNS)
        writer.writerows(_group_rows(result, view))
    else:
        writer.writerow(PAIR_COLUMNS)
        writer.writerows(_pair_rows(result, view))
    return written.getvalue()


def _pair_rows(result: Result, view: View) -> list[list[object]]:
    sizes = bytes_of(result)
    return [
        [
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
        ]
        for pair in result.pairs[: view.limit]
    ]


def _group_rows(result: Result, view: View) -> list[list[object]]:
    sizes = bytes_of(result)
    rows: list[list[object]] = []
    for number, listing in enumerate(result.listings[: view.limit], 1):
        rows.append([number, listing.reference, "true", f"{1:.6f}", sizes[listing.reference]])
        rows += [[number, name, "false", f"{share:.6f}", sizes[name]] for name, share in listing.members]
    return rows
