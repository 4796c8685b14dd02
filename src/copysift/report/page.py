"""The HTML report: one file that opens offline and is safe with any source in it.

Names and sources are in JSON, with every `<` escaped, and become text nodes; a content security
policy lets only the scripts run whose hashes it names, and lets nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from copysift._version import __version__
from copysift.model.values import Result
from copysift.report import charts
from copysift.report.payload import Payload
from copysift.report.units import labels_of, unit_of
from copysift.report.view import View
from copysift.report.wording import percent, visible

SCRIPTS = (
    "dom.js", "store.js", "distribution.js", "decisions.js", "hints.js", "tables.js", "overview.js",
    "source.js", "walk.js", "reasons.js", "compare.js", "sheet.js", "dossier.js", "submission.js",
    "clusters.js", "heatmap.js", "timeline.js", "together.js", "equal.js", "main.js",
)  # fmt: skip


class Contents(NamedTuple):
    """What a page shows: JSON that may be inside a script element, and the pairs as rows of words."""

    overview: str
    sources: str
    charts: str
    rows: list[tuple[str, str, str, int | None]]
    unit: str = "submission"  # older jobs of a server do not say


class ServedPage(NamedTuple):
    """A page that a server gives: where it has the library of charts, and scripts of its own."""

    library: str
    scripts: tuple[str, ...]


def report(result: Result, view: View) -> str:
    """Show a result as one HTML page."""
    return rendered(contents(result, view))


def contents(result: Result, view: View) -> Contents:
    """Give what the page of a result shows."""
    payload = Payload(result, view)
    threshold = result.settings.get("threshold", 0.0)
    plots = {
        "histogram": charts.histogram([pair.similarity for pair in payload.pairs], _share(threshold)),
        "graph": charts.graph(payload.labels(), payload.edges()),
    }
    labels = labels_of(result)
    return Contents(
        embedded(payload.overview()),
        embedded(payload.packed_sources()),
        embedded(plots),
        [
            (percent(pair.similarity), visible(labels[pair.left]), visible(labels[pair.right]), pair.lines)
            for pair in payload.pairs
        ],
        unit_of(result),
    )


def rendered(shown: Contents, served: ServedPage | None = None) -> str:
    """Make the page: one file for itself, or one that a server gives."""
    library = charts.script() if served is None else ""
    own = _own_script(() if served is None else served.scripts)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            version=__version__,
            policy=_policy(own, library) if served is None else policy(served),
            style=_static("page.css"),
            library=library,
            library_at="" if served is None else served.library,
            script=own,
            overview=shown.overview,
            sources=shown.sources,
            charts=shown.charts,
            rows=shown.rows,
            unit=shown.unit,
        )
    )


def policy(served: ServedPage) -> str:
    """Give the content security policy of a page that a server gives: it may talk to that server alone."""
    return _policy(_own_script(served.scripts), more="'self' ") + "; connect-src 'self'"


def embedded(content: object) -> str:
    """Encode as JSON that may be inside a script element: no `<`, `>` or `&` is left in it."""
    written = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _share(value: object) -> float:
    return min(1.0, float(value)) if isinstance(value, int | float) else 0.0


def _static(name: str) -> str:
    return (files("copysift.report") / "static" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=4)
def _own_script(more: tuple[str, ...] = ()) -> str:
    """Give the page's scripts as one, in a scope of their own."""
    parts = "\n".join((*map(_static, SCRIPTS), *more))
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _policy(*scripts: str, more: str = "") -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    # Bokeh writes style elements of its own; styles can neither run nor fetch anything here.
    return (
        f"default-src 'none'; script-src {more}{hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("copysift.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
