"""The listing of sif: groups around a reference file."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "sif",
    "groups, as the sif paper lists them",
    {PAIRS: "copysift.report.listing:report", "query": "copysift.report.hits:listing"},
    suffixes=(".sif",),
    groups=True,
)
