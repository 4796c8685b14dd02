"""JSON: everything, with a version."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "json",
    "everything, schema version 1",
    {
        PAIRS: "copysift.report.json_report:parts",
        "query": "copysift.report.hits:records",
        "locate history changes copies": "copysift.report.sweeps:record",
        "index-list index-info recluster cluster-of collapse languages": "",
    },
    suffixes=(".json",),
    regions=True,
)
