"""`copysift recluster`: the last phase again, with another threshold or policy."""

from __future__ import annotations

import json
from pathlib import Path

import click

from copysift.cli.corpus_options import options, settings_from, told
from copysift.cli.options import SectionedCommand


@click.command("recluster", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("recluster")
def command(run: str, **given: object) -> int:
    """Form the clusters of RUN anew; with -o FILE.parquet beside its own, so that several can be compared."""
    settings, door = settings_from(given)
    from copysift.report.wording import plural
    from copysift.runs.cluster_run import recluster

    counts = recluster(Path(run), settings, Path(door.output) if door.output else None)
    if door.json:
        told(json.dumps(counts) + "\n")
    elif not door.quiet:
        told(f"{plural(counts['clusters'], 'cluster')} with {plural(counts['clustered'], 'document')}\n")
    return 0
