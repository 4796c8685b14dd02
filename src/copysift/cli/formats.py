"""`copysift formats`: what is understood, plug-ins included."""

from __future__ import annotations

import click

from copysift.cli.options import SectionedCommand, options
from copysift.model.traits import kind_traits, scheme_traits
from copysift.report.format import format_of
from copysift.runtime import registry
from copysift.sources.source import source

MEASURES = {
    "similarity": "shared fingerprints, weighted by how rare they are in the collection",
    "resemblance": "shared fingerprints of all fingerprints of the two",
    "containment": "the larger of the two containments",
    "containment-left": "share of the left document, or the query, found in the right one",
    "containment-right": "share of the right document, or the document found, found in the left one",
    "sif": "share of the occurrences of fingerprints, as sif counts them",
    "shared": "number of shared fingerprints",
    "longest": "symbols of the longest shared passage",
}


@click.command("formats", cls=SectionedCommand)
@options("formats")
def command(**_: object) -> int:
    """List kinds, schemes, measures and formats."""
    click.echo("Kinds (--kind), with noise and guarantee threshold:")
    for name in registry.names(registry.KINDS):
        traits = kind_traits(name)
        noise, guarantee = traits.thresholds
        click.echo(f"  {name:<13} {noise:>3} / {guarantee:<4} {traits.description}")
    click.echo("\nSchemes (--scheme):")
    for name in registry.names(registry.SCHEMES):
        click.echo(f"  {name:<13} {scheme_traits(name).description}")
    click.echo("\nReports (--format):")
    for name in registry.names(registry.REPORTS):
        click.echo(f"  {name:<13} {format_of(name).description}")
    click.echo("\nMeasures (--measure):")
    for name in MEASURES:
        click.echo(f"  {name:<17} {MEASURES[name]}")
    click.echo("\nSources, recognized by content, then by name:")
    for name in registry.names(registry.SOURCES):
        given = source(name).traits
        extra = f"; needs pip install 'copysift[{given.extra}]'" if given.extra else ""
        click.echo(f"  {name:<13} {given.description}{extra}")
    return 0
