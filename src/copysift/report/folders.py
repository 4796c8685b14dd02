"""Two folders compared by content: equal, similar, only left, only right."""

from __future__ import annotations

from collections.abc import Callable

from copysift.model.values import Folders
from copysift.report.csv_cells import csv_lines
from copysift.report.json_report import encoded
from copysift.report.wording import cells, pad, percent, plural, shorten, spelled, styled

Row = tuple[str, str, str, str]  # relation, similarity, left name, right name
_MEASURES = ("similarity", "resemblance", "containment_left", "containment_right")


def _rows(found: Folders) -> list[Row]:
    rows = [("equal", "", left, right) for left, right in found.equal]
    rows += [("similar", percent(share), left, right) for left, right, share in found.similar]
    rows += [("only left", "", name, "") for name in found.only_left]
    return rows + [("only right", "", "", name) for name in found.only_right]


def table(found: Folders, width: int | None, color: bool, quiet: bool) -> str:
    """Show the comparison as aligned text."""
    styles = {"equal": "dim", "similar": "yellow", "only left": "red", "only right": "green"}
    rows = _rows(found)
    widest = max((cells(spelled(left)) for _, _, left, _ in rows), default=0)
    room = widest if width is None else min(widest, max(12, (width - 20) // 2))
    lines = []
    for relation, share, left, right in rows:
        names = f"{pad(shorten(spelled(left), room), room)}  {shorten(spelled(right), width and room)}"
        label = styled(f"{relation:<10}", styles[relation], color)
        lines.append(f"{label}  {share:>4}  {names}".rstrip())
    if not quiet:
        counts = [
            f"{len(found.equal):,} equal",
            f"{len(found.similar):,} similar",
            f"{len(found.only_left):,} only in {spelled(found.left)}",
            f"{len(found.only_right):,} only in {spelled(found.right)}",
        ]
        total = plural(len(rows), "row")
        lines += ["", styled(f"{total}: {', '.join(counts)}", "bold", color)]
    return "\n".join([*lines, ""])


def json(found: Folders, width: int | None, color: bool, quiet: bool) -> str:
    """Show the comparison as JSON, schema version 1."""
    return encoded(
        {
            "version": 1,
            "left": found.left,
            "right": found.right,
            "settings": found.settings,
            "equal": [{"left": left, "right": right} for left, right in found.equal],
            "similar": [
                {"left": pair.left, "right": pair.right}
                | {name: round(getattr(pair, name), 6) for name in _MEASURES}
                | {"shared": pair.shared}
                for pair in found.pairs
            ],
            "only_left": list(found.only_left),
            "only_right": list(found.only_right),
            "skipped": [{"name": each.name, "reason": each.reason} for each in found.skipped],
        }
    ) + "\n"  # fmt: skip


def rows(found: Folders, width: int | None, color: bool, quiet: bool) -> str:
    """Show the comparison as CSV."""
    return csv_lines(
        [
            ("relation", "similarity", "left", "right"),
            *(("equal", "1.000000", left, right) for left, right in found.equal),
            *(("similar", f"{share:.6f}", left, right) for left, right, share in found.similar),
            *(("only-left", "", name, "") for name in found.only_left),
            *(("only-right", "", "", name) for name in found.only_right),
        ]
    )


REPORTS: dict[str, Callable[[Folders, int | None, bool, bool], str]] = {
    "table": table,
    "json": json,
    "csv": rows,
}
