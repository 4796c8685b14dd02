"""HTML: one page that opens offline."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "html",
    "one page that opens offline: pairs, clusters, sources side by side",
    {PAIRS: "copysift.report.page:report", "changes": "copysift.report.changes:page"},
    suffixes=(".html", ".htm"),
    limit=500,
    regions=True,
    groups=True,
    sources=True,
)
