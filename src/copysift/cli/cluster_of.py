"""`copysift cluster-of`: who is in the cluster of a document."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import chosen
from copysift.errors import UsageError
from copysift.settings.output import Door


@click.command("cluster-of", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@click.argument("name", metavar="ID")
@options("cluster-of")
def command(run: str, name: str, **given: object) -> int:
    """List the near-duplicates of one document.

    Prints the documents in the cluster of document ID, one per line, each with how it joined.
    """
    form = chosen("cluster-of", of_class(Door, values_from("cluster-of", given)))
    from copysift.runs.tables import cluster_of

    found = cluster_of(Path(run), name)
    if found is None:
        raise UsageError(f"{run} has no document {name}")
    if form == "json":
        sys.stdout.write(json.dumps([{"document": each, "joined": how} for each, how in found]) + "\n")
    else:
        sys.stdout.write("".join(f"{document}\t{how}\n" for document, how in found))
    return 0 if len(found) > 1 else 1
