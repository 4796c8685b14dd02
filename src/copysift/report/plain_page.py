"""Pages without scripts: a template, the style of the report, and a policy that lets nothing run."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from copysift._version import __version__

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def plain_page(template: str, **values: object) -> str:
    """Fill a template; every value is escaped."""
    environment = Environment(
        loader=PackageLoader("copysift.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (files("copysift.report") / "static" / "page.css").read_text(encoding="utf-8")
    return environment.get_template(template).render(
        version=__version__, policy=POLICY, style=style, **values
    )
