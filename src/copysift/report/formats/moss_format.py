"""The pages of MOSS."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "moss",
    "a folder of pages as MOSS makes them",
    {PAIRS: "copysift.report.moss:report"},
    limit=500,
    regions=True,
    groups=True,
    sources=True,
    folder=True,
)
