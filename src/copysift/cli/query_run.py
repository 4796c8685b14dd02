"""`copysift query RUN`: one document against all of a run (section 6.1)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from copysift.cli.corpus_options import options, settings_from, told
from copysift.cli.options import SectionedCommand


@click.command("query", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@click.argument("name", metavar="FILE|ID")
@options("query")
def command(run: str, name: str, **given: object) -> int:
    """List the documents of RUN that resemble a file, or the document ID of RUN, or share much with it."""
    settings, door = settings_from(given)
    from copysift.engine.corpus.query import query

    file = Path(name)
    text = file.read_bytes() if file.is_file() else None
    found = query(Path(run), text, name, settings.floor, settings.seed, door.limit)
    if door.json:
        told(json.dumps([asdict(pair) for pair in found], ensure_ascii=False) + "\n")
    else:
        told(
            "".join(
                f"{pair.resemblance:7.1%} {pair.containment_left:7.1%} {pair.containment_right:7.1%}"
                f"  {pair.right}\n"
                for pair in found
            )
        )
    return 0 if found else 1
