"""`copysift check`: fail where files copy too much, for pull requests and commit hooks."""

from __future__ import annotations

import dataclasses

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, given_settings, of_class, options, values_from
from copysift.cli.scan import listed_paths, report_format, show
from copysift.settings.comparison import Settings
from copysift.settings.output import Door
from copysift.settings.selection import SAME

COPIED = 1  # the exit status; 0 where nothing is copied


@click.command("check", cls=SectionedCommand)
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@options("check")
def command(paths: tuple[str, ...], **given: object) -> int:
    """Fail if files copy from others, for pull requests.

    Compares the files, as they are, with the rest of their git repository, or with --earlier. A file fails
    if --threshold of its lines are elsewhere, in passages of at least 96 tokens (programs) or 400 characters.
    With --since only new lines count.
    Exit status: 0 passed, 1 something is copied, 2 error, 3 passed but some input was skipped.
    """
    values = values_from("check", given)
    settings, door = of_class(Settings, values, "check"), of_class(Door, values, "check")
    chosen = report_format(door)
    console.check_output(door)
    from copysift.report.wording import percent, plural
    from copysift.workflows.check import PROJECT_TEXT, check

    stated = given_settings(values)
    stated |= {"records": "no", "no_containers": True}  # lines are those of files as they are
    settings = dataclasses.replace(settings, records="no", no_containers=True)
    if "max_shared" not in stated:
        stated["max_shared"] = PROJECT_TEXT
        settings = dataclasses.replace(settings, max_shared=PROJECT_TEXT)
    if settings.threshold is None:
        settings = dataclasses.replace(settings, threshold=SAME)
    with console.progress(door) as shown:
        done, scan = check(
            [*paths, *listed_paths(door)], settings, stated, since=door.since_commit, progress=shown
        )
    console.name_skipped(done.result.skipped, every=bool(door.verbose))
    console.name_notes(done.result.notes, door)
    if done.copied or (chosen != "table" and done.files):
        show(done.result, chosen, settings, door, scan)
    for name, share in done.copied.items():
        console.note(f"{name}: {percent(share)} of its {'new ' if door.since_commit else ''}lines are copied")
    if not door.quiet:
        console.note(f"{plural(done.files, 'file')} checked, {len(done.copied):,} copied")
    if done.copied:
        return COPIED
    return console.status(True, done.result.skipped)
