"""`copysift recluster`: the last phase again, with another threshold or policy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from copysift.cli.corpora import corpus_settings
from copysift.cli.options import SectionedCommand, options
from copysift.cli.reporting import chosen


@click.command("recluster", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("recluster")
def command(run: str, **given: object) -> int:
    """Recompute the clusters of a run.

    With -o FILE.parquet the clusters of RUN stay as they are, so that you can compare several.
    """
    settings, door, _ = corpus_settings("recluster", given)
    form = chosen("recluster", door)
    from copysift.engines.cluster_run import recluster
    from copysift.report.wording import plural

    counts = recluster(Path(run), settings, Path(door.output) if door.output else None)
    if form == "json":
        sys.stdout.write(json.dumps(counts) + "\n")
    elif not door.quiet:
        sys.stdout.write(
            f"{plural(counts['clusters'], 'cluster')} with {plural(counts['clustered'], 'document')}\n"
        )
    return 0
