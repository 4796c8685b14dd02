"""The HTML report: one file that opens offline and is safe with any source in it.

Names and sources stand in JSON, with every `<` escaped, and become text nodes; a content security
policy lets only the scripts run whose hashes it names, and lets nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from copysift._version import __version__
from copysift.report import charts
from copysift.report.payload import Payload
from copysift.report.units import labels_of
from copysift.report.view import View
from copysift.report.wording import percent, visible
from copysift.values import Result

SCRIPTS = (
    "dom.js", "store.js", "tables.js", "overview.js", "source.js", "compare.js", "sheet.js", "submission.js",
    "clusters.js", "main.js",
)  # fmt: skip


def report(result: Result, view: View) -> str:
    """Show a result as one HTML page."""
    payload = Payload(result, view)
    threshold = result.settings.get("threshold", 0.0)
    plots = {
        "histogram": charts.histogram([pair.similarity for pair in payload.pairs], _share(threshold)),
        "graph": charts.graph(payload.labels(), payload.edges()),
    }
    labels = labels_of(result)
    library, own = charts.script(), _own_script()
    template = _environment().get_template("page.html.j2")
    return template.render(
        version=__version__,
        policy=_policy(library, own),
        style=_static("page.css"),
        library=library,
        script=own,
        overview=embedded(payload.overview()),
        sources=embedded(payload.packed_sources()),
        charts=embedded(plots),
        rows=[
            (percent(pair.similarity), visible(labels[pair.left]), visible(labels[pair.right]), pair.lines)
            for pair in payload.pairs
        ],
    )


def embedded(content: object) -> str:
    """Encode as JSON that may stand inside a script element: no `<`, `>` or `&` is left in it."""
    written = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _share(value: object) -> float:
    return min(1.0, float(value)) if isinstance(value, int | float) else 0.0


def _static(name: str) -> str:
    return (files("copysift.report") / "static" / name).read_text(encoding="utf-8")


def _own_script() -> str:
    """Give the page's scripts as one, in a scope of their own."""
    parts = "\n".join(_static(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _policy(*scripts: str) -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    # Bokeh writes style elements of its own; styles can neither run nor fetch anything here.
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("copysift.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
