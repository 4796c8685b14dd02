"""`copysift formats`: what is understood, plug-ins included."""

from __future__ import annotations

import click

from copysift.cli.options import SectionedCommand, options
from copysift.runtime import registry
from copysift.settings.contents import THRESHOLDS
from copysift.sources.source import source

KINDS = {
    "text": "characters: letters, marks and digits of any script, case folded",
    "words": "shingles of words, as in the syntactic clustering of the Web",
    "code": "programs: tokens of their language; comments, layout and names are ignored",
    "html": "text without tags, comments, scripts and styles",
    "html-words": "the same as shingles of words; --kind words uses it for HTML",
    "bytes": "any file, raw",
}
SCHEMES = {
    "robust": "robust winnowing: the smallest hash of every window, ties by history",
    "winnow": "winnowing: the smallest hash of every window, ties to the right",
    "mod": "hashes that are 0 modulo P",
    "safe-mod": "0 modulo P, and winnowing where a window has none",
    "min": "the S smallest hashes: a sketch of fixed size, for resemblance",
    "adaptive-mod": "0 modulo a power of two that grows with the document",
    "anchor": "k-grams that start with fixed anchor strings",
    "open-closed": "winnowing with fewer fingerprints for the same guarantee",
    "all": "every k-gram: exact",
}
REPORTS = {
    "table": "aligned text for people",
    "json": "everything, schema version 1",
    "csv": "one row per pair",
    "sif": "groups, as the sif paper lists them",
    "html": "one page that opens offline: pairs, clusters, sources side by side",
    "moss": "a folder of pages as MOSS makes them",
}


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
def command(**given: object) -> int:
    """List kinds, schemes, measures and formats."""
    click.echo("Kinds (--kind), with noise and guarantee threshold:")
    for name in registry.names(registry.KINDS):
        limits = THRESHOLDS.get(name, THRESHOLDS["text"])
        click.echo(f"  {name:<13} {limits.noise:>3} / {limits.guarantee:<4} {KINDS.get(name, 'plug-in')}")
    for title, group, words in (
        ("Schemes (--scheme):", registry.SCHEMES, SCHEMES),
        ("Reports (--format):", registry.REPORTS, REPORTS),
    ):
        click.echo(f"\n{title}")
        for name in registry.names(group):
            click.echo(f"  {name:<13} {words.get(name, 'plug-in')}")
    click.echo("\nMeasures (--measure):")
    for name in MEASURES:
        click.echo(f"  {name:<17} {MEASURES[name]}")
    click.echo("\nSources, recognized by content, then by name:")
    for name in registry.names(registry.SOURCES):
        traits = source(name).traits
        extra = f"; needs pip install 'copysift[{traits.extra}]'" if traits.extra else ""
        click.echo(f"  {name:<13} {traits.description}{extra}")
    return 0
