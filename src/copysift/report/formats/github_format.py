"""Annotations of GitHub Actions: each passage is an error at its lines."""

from __future__ import annotations

from copysift.report.format import PAIRS, Format

FORMAT = Format(
    "github",
    "annotations for GitHub Actions",
    {PAIRS: "copysift.report.annotations:report"},
    regions=True,
)
