"""CSV: one row per pair or document."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "csv",
    "one row per pair",
    {
        PAIRS: "copysift.report.csv_report:parts",
        "query": "copysift.report.hits:rows",
        "copies": "copysift.report.copies:rows",
        "index-list": "",
    },
    suffixes=(".csv",),
)
