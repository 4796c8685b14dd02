"""`copysift languages`: the languages of --language, with their aliases and extensions."""

from __future__ import annotations

import json

import click

from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import chosen
from copysift.kinds import languages
from copysift.settings.comparison import Settings
from copysift.settings.output import Door


@click.command("languages", cls=SectionedCommand)
@options("languages")
def command(**given: object) -> int:
    """List supported languages.

    Other languages that Pygments knows are recognised by their file extensions.
    """
    values = values_from("languages", given)
    form = chosen("languages", of_class(Door, values, "languages"))
    files = of_class(Settings, values, "languages").language_file
    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "aliases": list(entry.aliases),
            "extensions": list(entry.extensions),
        }
        for entry in languages().with_files(files).entries
    ]
    if form == "json":
        click.echo(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        aliases = ", ".join(row["aliases"])
        click.echo(f"{row['name']:<12} {' '.join(row['extensions']):<44} {aliases}".rstrip())
    return 0
