"""Aligned text, for people."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "table",
    "aligned text for people",
    {
        PAIRS: "copysift.report.table:report",
        "query": "copysift.report.hits:table",
        "locate": "copysift.report.sweeps:located",
        "history": "copysift.report.sweeps:history",
        "changes": "copysift.report.changes:table",
        "copies": "copysift.report.copies:table",
        "index-list index-info recluster cluster-of collapse languages": "",
    },
    limit=1000,
)
