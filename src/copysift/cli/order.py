"""`copysift order`: names of files, similar ones next to each other, for a compressor."""

from __future__ import annotations

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, options, settings_from
from copysift.cli.scan import listed_paths
from copysift.errors import UsageError


@click.command("order", cls=SectionedCommand)
@click.argument("paths", nargs=-1, metavar="PATH...")
@options("order")
def command(paths: tuple[str, ...], **given: object) -> int:
    """List files so that similar ones are next to each other.

    Everything below PATH is listed, folders and hidden files too:
    copysift order -0 FOLDER | tar --null --no-recursion -T - -c | zstd --long -o FOLDER.tar.zst
    """
    settings, door = settings_from("order", given)
    console.check_output(door)
    places = [*paths, *listed_paths(door)]
    if not places:
        raise UsageError("nothing to order", hint="name files or folders, or use --files-from")
    from copysift.workflows.order import order

    with console.progress(door) as shown:
        names, result = order(places, settings, shown)
    if not door.null and any("\n" in name for name in names):
        raise UsageError("a name has a line break in it", hint="use -0 (and tar --null)")
    console.name_skipped(result.skipped, every=bool(door.verbose))
    end = "\0" if door.null else "\n"
    console.write((f"{name}{end}" for name in names), door)
    return console.status(bool(names), result.skipped)
