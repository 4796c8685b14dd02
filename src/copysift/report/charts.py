"""The charts of the HTML report, as Bokeh documents: a histogram of the pairs and the graph of the clusters.

Bokeh, because its wheel carries its script: a report opens offline. Colours are neutral ones that
read on both light and dark grounds; the page's script changes data and colours by model name.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
from bokeh.embed import json_item
from bokeh.models import BasicTicker, ColumnDataSource, HoverTool, NumeralTickFormatter, TapTool
from bokeh.models.annotations import Span
from bokeh.plotting import figure

from copysift.report.layout import placed, sides

BINS = 20
NAMED = 60  # nodes at most whose names stand beside them; the others tell theirs to the pointer
NAME = 26  # characters of such a name
ALIGN = {-1: "right", 0: "center", 1: "left"}  # of a name: away from the middle of its cluster
INK = "#7c8594"
ACCENT = "#4c78d0"


def script() -> str:
    """Give Bokeh's own script from its wheel."""
    return (files("bokeh") / "server" / "static" / "js" / "bokeh.min.js").read_text(encoding="utf-8")


def histogram(values: list[float], threshold: float) -> dict[str, Any]:
    """Draw how many pairs have which similarity."""
    counts, edges = np.histogram(values, bins=BINS, range=(0.0, 1.0))
    source = ColumnDataSource(
        {"left": edges[:-1].tolist(), "right": edges[1:].tolist(), "count": counts.tolist()}, name="histogram"
    )
    plot = _figure(height=220, x_range=(-0.01, 1.01), tools="")
    bars = plot.quad(
        left="left", right="right", top="count", bottom=0, source=source, fill_color=ACCENT, fill_alpha=0.85,
        line_color="white", line_alpha=0.5,
    )  # fmt: skip
    plot.add_tools(
        HoverTool(renderers=[bars], tooltips=[("pairs", "@count"), ("similarity", "@left{0%} – @right{0%}")]),
        TapTool(renderers=[bars]),
    )
    plot.add_layout(
        Span(location=threshold, dimension="height", line_color="#d0582f", line_dash="dashed", name="cut")
    )
    plot.xaxis.formatter = NumeralTickFormatter(format="0%")
    plot.xaxis.axis_label = "similarity"
    plot.yaxis.axis_label = "pairs"
    plot.yaxis.ticker = BasicTicker(min_interval=1)
    plot.y_range.start = 0
    return _item(plot, "histogram-chart")


def graph(labels: list[str], edges: list[tuple[int, int, float]]) -> dict[str, Any] | None:
    """Draw the groups that have a pair, with their pairs as edges; None if there is no pair."""
    nodes = sorted({end for a, b, _ in edges for end in (a, b)})
    if not nodes:
        return None
    index = {node: at for at, node in enumerate(nodes)}
    inner = [(index[a], index[b], strength) for a, b, strength in edges]
    places = placed(len(nodes), inner, names=len(nodes) <= NAMED)
    beside = sides(len(nodes), inner, places).tolist()
    x, y = places[:, 0].round(3).tolist(), places[:, 1].round(3).tolist()
    lines = ColumnDataSource(
        {
            "xs": [[x[a], x[b]] for a, b, _ in inner],
            "ys": [[y[a], y[b]] for a, b, _ in inner],
            "width": [0.6 + 4 * strength**2 for *_, strength in inner],
            "alpha": [0.25 + 0.5 * strength for *_, strength in inner],
            "label": [f"{labels[a]} — {labels[b]}" for a, b, _ in edges],
            "similarity": [strength for *_, strength in edges],
        },
        name="edges",
    )
    dots = ColumnDataSource(
        {
            "x": x, "y": y, "node": nodes, "label": [labels[node] for node in nodes],
            "short": [_clipped(labels[node]) for node in nodes],
            "align": [ALIGN[across] for across, _ in beside],
            "x_offset": [9 * across for across, _ in beside],
            "y_offset": [6 if across else 22 if up < 0 else -10 for across, up in beside],
            "color": [ACCENT] * len(nodes), "alpha": [0.95] * len(nodes),
        },
        name="nodes",
    )  # fmt: skip
    return _item(_graph_figure(lines, dots, len(nodes)), "graph-chart")


def _graph_figure(lines: ColumnDataSource, dots: ColumnDataSource, count: int) -> Any:
    plot = _figure(height=460, tools="pan,wheel_zoom,reset", toolbar_location="right", match_aspect=True)
    drawn = plot.multi_line(
        xs="xs", ys="ys", source=lines, line_width="width", line_alpha="alpha", line_color=INK,
        hover_line_color="#d0582f",
    )  # fmt: skip
    spots = plot.scatter(
        x="x", y="y", source=dots, size=14 if count <= 150 else 9, fill_color="color", fill_alpha="alpha",
        line_color="white", line_alpha=0.8,
    )  # fmt: skip
    if count <= NAMED:
        plot.text(
            x="x", y="y", text="short", source=dots, x_offset="x_offset", y_offset="y_offset",
            text_align="align", text_font_size="12px", text_font_style="bold", text_color=INK,
            text_alpha="alpha", name="names",
        )  # fmt: skip
    plot.add_tools(
        HoverTool(renderers=[spots], tooltips="@label"),
        HoverTool(renderers=[drawn], tooltips="@label: @similarity{0%}", line_policy="interp"),
        TapTool(renderers=[spots, drawn]),
    )
    plot.x_range.range_padding = 0.3  # room for the names, which stand beside their dots
    plot.y_range.range_padding = 0.15
    plot.axis.visible = False
    plot.grid.visible = False
    plot.toolbar.logo = None
    return plot


def _clipped(label: str) -> str:
    return label if len(label) <= NAME else f"…{label[1 - NAME :]}"


def _figure(**settings: Any) -> Any:
    settings.setdefault("toolbar_location", None)
    plot = figure(
        sizing_mode="stretch_width",
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        **settings,
    )
    plot.axis.axis_line_color = INK
    plot.axis.major_tick_line_color = INK
    plot.axis.minor_tick_line_color = None
    plot.axis.major_label_text_color = INK
    plot.axis.axis_label_text_color = INK
    plot.axis.axis_label_text_font_style = "normal"
    plot.grid.grid_line_color = INK
    plot.grid.grid_line_alpha = 0.15
    return plot


def _item(plot: Any, target: str) -> dict[str, Any]:
    return dict(json_item(plot, target))  # type: ignore[arg-type]  # an ID is a string
