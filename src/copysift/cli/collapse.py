"""`copysift collapse`: list near-duplicates under the first of them in a ranked list (section 6.3)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import chosen
from copysift.errors import UsageError
from copysift.settings.output import Door
from copysift.sources.replacement import mended


@click.command("collapse", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("collapse")
def command(run: str, **given: object) -> int:
    """Remove near-duplicates from a ranked list.

    Reads ranked IDs or URIs from standard input, one per line or as JSON. Prints the first document of each
    cluster, followed by its near-duplicates in the list.
    """
    form = chosen("collapse", of_class(Door, values_from("collapse", given)))
    from copysift.report.wording import plural
    from copysift.runs.ranked import named
    from copysift.runs.tables import collapse

    content = sys.stdin.buffer.read().decode("utf-8", "replace")
    ranked, as_json = _ranked(content)
    collapse(Path(run), [])  # a folder that is not a run is refused before its tables are read
    names, unknown = named(Path(run), ranked)
    folded = collapse(Path(run), names)
    if unknown:
        console.note(
            f"{unknown:,} of {plural(len(names), 'ID')} {'is' if unknown == 1 else 'are'} not in {run}"
        )
    if form == "json" or as_json:
        sys.stdout.write(
            json.dumps([{"document": name, "copies": copies} for name, copies in folded], ensure_ascii=False)
            + "\n"
        )
    else:
        sys.stdout.write("".join("\t".join([name, *copies]) + "\n" for name, copies in folded))
    return 0


def _ranked(content: str) -> tuple[list[str], bool]:
    """Take lines, or a JSON list of strings or of objects with an id, uri or url."""
    if not content.lstrip().startswith("["):
        return [line.strip() for line in content.splitlines() if line.strip()], False
    try:
        listed = mended(json.loads(content))  # Arrow takes no half of a surrogate pair
    except ValueError as error:
        raise UsageError(f"standard input is not JSON: {error}") from None
    except RecursionError:
        raise UsageError("standard input has too many lists in one another") from None
    ranked = []
    for each in listed:
        name = (
            each
            if isinstance(each, str)
            else next(
                (each[key] for key in ("id", "uri", "url") if isinstance(each, dict) and key in each), None
            )
        )
        if name is None:
            raise UsageError(
                "a result has no id, uri or url", hint="use strings, or objects with one of these"
            )
        ranked.append(str(name))
    return ranked, True
