"""`copysift formats`: what is understood, plug-ins included."""

from __future__ import annotations

import click

from copysift.runtime import registry
from copysift.settings.comparison import THRESHOLDS

KINDS = {
    "text": "characters: letters, marks and digits of any script, case folded",
    "words": "shingles of words, as in the syntactic clustering of the Web",
    "code": "programs: tokens of their language; comments, layout and names do not count",
    "html": "text without tags, comments, scripts and styles",
    "html-words": "the same as shingles of words; --kind words takes it for HTML",
    "bytes": "any file, raw",
}
SCHEMES = {
    "robust": "robust winnowing: the smallest hash of every window, ties by history",
    "winnow": "winnowing: the smallest hash of every window, ties to the right",
    "mod": "hashes that are 0 modulo P",
    "safe-mod": "0 modulo P, and winnowing where a window has none",
    "min": "the S smallest hashes: a sketch of fixed size, for resemblance",
    "adaptive-mod": "0 modulo a power of two that grows with the document",
    "anchor": "k-grams that begin with fixed anchor strings",
    "open-closed": "winnowing with fewer fingerprints for the same guarantee",
    "all": "every k-gram: exact",
}
REPORTS = {
    "table": "aligned text for people",
    "json": "everything, schema version 1",
    "csv": "one row a pair",
    "sif": "groups, as the sif paper lists them",
    "html": "one page that opens offline: pairs, clusters, sources side by side",
    "moss": "a folder of pages as MOSS makes them",
}


@click.command("formats")
def command() -> int:
    """List the kinds of files, fingerprint schemes and report formats."""
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
    return 0
