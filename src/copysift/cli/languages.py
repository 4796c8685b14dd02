"""`copysift languages`: the languages of --language, with their aliases and extensions."""

from __future__ import annotations

import json

import click

from copysift.kinds import languages


@click.command("languages")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="table or json."
)
@click.option(
    "--language-file", "files", multiple=True, metavar="FILE", help="List a language of your own too."
)
def command(form: str, files: tuple[str, ...]) -> int:
    """List the languages, plug-ins included; what else Pygments knows is understood by its extension."""
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
