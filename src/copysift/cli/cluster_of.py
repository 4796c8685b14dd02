"""`copysift cluster-of`: who is in the cluster of a document."""

from __future__ import annotations

import json
from pathlib import Path

import click

from copysift.cli.corpus_options import options, settings_from, told
from copysift.cli.options import SectionedCommand
from copysift.errors import UsageError


@click.command("cluster-of", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@click.argument("name", metavar="ID")
@options("cluster-of")
def command(run: str, name: str, **given: object) -> int:
    """List the documents in the cluster of the document ID, one a line, with how each joined."""
    _, door = settings_from(given)
    from copysift.runs.cluster_run import cluster_of

    found = cluster_of(Path(run), name)
    if found is None:
        raise UsageError(f"{run} has no document {name}")
    if door.json:
        told(json.dumps([{"document": document, "joined": how} for document, how in found]) + "\n")
    else:
        told("".join(f"{document}\t{how}\n" for document, how in found))
    return 0 if len(found) > 1 else 1
