"""Plots of the experiments, as SVG files that are the same each time for the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes

COLOURS = ("#1f6f8b", "#d1495b", "#66a182", "#edae49", "#6f4a8e", "#2e4057", "#8d96a3", "#b5651d")
STYLE = {
    "svg.hashsalt": "copysift",
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "legend.frameon": False,
}


@contextmanager
def figure(
    path: Path, title: str, across: str, up: str, size: tuple[float, float] = (6.4, 4)
) -> Iterator[Axes]:
    """Give axes to draw on, and write them to a file at the end."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = pyplot.subplots(figsize=size, layout="constrained")
        axes.set(title=title, xlabel=across, ylabel=up)
        yield axes
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        drawn.savefig(path, metadata={"Date": None})
        pyplot.close(drawn)
