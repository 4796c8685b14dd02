"""The pairs of a run of `cluster` as a result, for the reports that list pairs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from copysift.model.values import Cluster, Result
from copysift.runs.scan_run import read_description
from copysift.runs.tables import floor_of, members
from copysift.settings.comparison import SHARES, Settings
from copysift.workflows import scan as local


def show(path: Path, settings: Settings, *, groups: bool = False) -> Result:
    """Give the pairs that reach a threshold, by default all that the run knows, and the run's own clusters.

    The settings are those of the run; `threshold` and `measure` say which pairs are listed.
    """
    if settings.threshold is None and settings.measure in SHARES:
        settings = dataclasses.replace(settings, threshold=floor_of(path))
    result = local.show(path, settings, groups=groups)
    chosen = {"threshold": result.settings["threshold"], "measure": result.settings["measure"]}
    return dataclasses.replace(
        result,
        settings=read_description(path)["settings"] | chosen,
        clusters=tuple(Cluster(tuple(each)) for each in members(path).values()),
    )
