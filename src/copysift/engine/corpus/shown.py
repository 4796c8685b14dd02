"""The pairs of a run of `cluster` as a result, for the reports that list pairs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from copysift.engine import local
from copysift.engine.corpus.run import members
from copysift.engine.corpus.tables import floor_of
from copysift.engine.run import _read_description
from copysift.settings import SHARES, Settings
from copysift.values import Cluster, Result


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
        settings=_read_description(path)["settings"] | chosen,
        clusters=tuple(Cluster(tuple(each)) for each in members(path).values()),
    )
