"""`copysift index`: build an index of a collection and maintain it."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, given_settings, of_class, options, values_from
from copysift.cli.reporting import chosen, must_exist
from copysift.errors import UsageError
from copysift.runtime.plurals import plural
from copysift.settings.config import read_secret
from copysift.settings.output import Door
from copysift.settings.selection import Selection

if TYPE_CHECKING:
    from copysift.workflows.index import Index
    from copysift.workflows.index_additions import Addition

DAMAGED = 2


class OrderedGroup(click.Group):
    """A group that lists its commands in the order in which they are defined."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group("index", cls=OrderedGroup)
def command() -> None:
    """Build and maintain an index of fingerprints.

    INDEX is a folder, usually NAME.sift. The first 'add' creates it, with the options you give. Search it
    with 'copysift query'.
    """


def opened(values: dict[str, object], question: type[Any] = Selection) -> Index:
    """Open the index that a command names, with the settings that were given and no others.

    Those of `question` are about what is looked up, not about the index.
    """
    asked = {field.name for field in dataclasses.fields(question)}
    from copysift.workflows.index import Index

    settings: dict[str, Any] = {
        name: value for name, value in given_settings(values).items() if name not in asked
    }
    return Index(str(values["index"]), keep_text=bool(values.get("keep_text")) or None, **settings)


def _values(given: dict[str, object], tag: str = "index") -> tuple[dict[str, object], Door]:
    values = values_from(tag, given)
    return {**values, "index": given["index"]}, of_class(Door, values, tag)


@command.command("add", cls=SectionedCommand, short_help="Add documents, or update changed ones.")
@click.argument("index", metavar="INDEX")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@options("index")
def add(paths: tuple[str, ...], **given: object) -> int:
    """Add documents, or update changed ones.

    Known files are read again only if their size or time changed. The options of the first add are those of
    the index. With --kind auto, programs are compared both as text and by their tokens.
    """
    from copysift.workflows.submissions import check_paths

    values, door = _values(given)
    check_paths(paths)  # before an index of nothing is made
    with opened(values) as index, console.progress(door) as shown:
        done = index.add(list(paths), progress=shown)
    return _report(done, door, values)


@command.command("update", cls=SectionedCommand, short_help="Add new and changed files, remove deleted ones.")
@click.argument("index", metavar="INDEX")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@options("index")
def update(paths: tuple[str, ...], **given: object) -> int:
    """Add new and changed files, remove deleted ones.

    Without PATH all files of the index are checked.
    """
    values, door = _values(given)
    must_exist(str(values["index"]))
    with opened(values) as index, console.progress(door) as shown:
        done = index.update(list(paths) or None, progress=shown)
    return _report(done, door, values)


@command.command("remove", cls=SectionedCommand, short_help="Remove documents.")
@click.argument("index", metavar="INDEX")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@options("index-care")
def remove(names: tuple[str, ...], **given: object) -> int:
    """Remove documents.

    NAME is the name of a document, or a folder whose documents are removed.
    """
    values, door = _values(given, "index-care")
    must_exist(str(values["index"]))
    missing = []
    removed = 0
    with opened(values) as index:
        for name in names:
            found = index.remove(name)
            removed += found
            if not found:
                missing.append(name)
    for name in missing:
        console.note(f"skipped {name}: not in the index")
    if not door.quiet:
        click.echo(f"{removed:,} removed")
    return console.SOME_SKIPPED if missing and removed else console.NOTHING_FOUND if missing else console.DONE


@command.command("list", cls=SectionedCommand, short_help="List the documents.")
@click.argument("index", metavar="INDEX")
@options("index-list")
def list_documents(**given: object) -> int:
    """List the documents.

    Columns: bytes, fingerprints, kind and name.
    """
    values, door = _values(given, "index-list")
    must_exist(str(values["index"]))
    form = chosen("index-list", door) if door.format or not door.null else "names"
    from copysift.report.documents import lines

    any_document = False
    with opened(values) as index:
        for line in lines(index.documents(), form):
            any_document = True
            sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    return console.DONE if any_document else console.NOTHING_FOUND


@command.command("info", cls=SectionedCommand, short_help="Show size and settings.")
@click.argument("index", metavar="INDEX")
@options("index-info")
def info(**given: object) -> int:
    """Show size and settings."""
    values, door = _values(given, "index-info")
    must_exist(str(values["index"]))
    form = chosen("index-info", door)
    from copysift.report.documents import described
    from copysift.report.json_report import index_settings

    with opened(values) as index:
        numbers = index.info()
        if form == "json":
            click.echo(json.dumps({**numbers, "settings": index_settings(index.stored())}, indent=1))
        else:
            click.echo(described(numbers))
        for damage in index.damages:
            console.note(f"{damage.where} {damage.what}")
        return console.SOME_SKIPPED if index.damages else console.DONE


@command.command("compact", cls=SectionedCommand, short_help="Merge segments and free disk space.")
@click.argument("index", metavar="INDEX")
@options("index-care")
def compact(**given: object) -> int:
    """Merge segments and free disk space."""
    values, door = _values(given, "index-care")
    must_exist(str(values["index"]))
    with opened(values) as index:
        before = index.info()
        index.compact()
        after = index.info()
    if not door.quiet:
        from copysift.report.documents import compacted

        click.echo(compacted(before, after))
    return console.DONE


@command.command(
    "resample", cls=SectionedCommand, short_help="Rebuild the fingerprints with a new secret seed."
)
@click.argument("index", metavar="INDEX")
@options("index-resample")
def resample(**given: object) -> int:
    """Rebuild the fingerprints with a new secret seed.

    This needs stored texts (--keep-text).
    """
    values, door = _values(given, "index-resample")
    if not door.new_seed_file:
        raise UsageError("no new seed given", hint="add --new-seed-file FILE")
    must_exist(str(values["index"]))
    seed = read_secret(door.new_seed_file)
    with opened(values) as index:
        done = index.resample(seed)
    if not door.quiet:
        click.echo(f"{plural(done, 'document')} resampled")
    return console.DONE


@command.command("check", cls=SectionedCommand, short_help="Check for damage.")
@click.argument("index", metavar="INDEX")
@options("index-check")
def check(**given: object) -> int:
    """Check for damage.

    Verifies every checksum and reference. The exit status is 2 if something is damaged.
    """
    from copysift.store.check import INCOMPLETE

    values, door = _values(given, "index-check")
    repair = door.repair
    must_exist(str(values["index"]))
    with opened(values) as index:
        damages, lost = index.check(repair=repair)
        left = index.check()[0] if repair else damages
        worse = [each for each in left if each.what != INCOMPLETE]
    for damage in damages:
        console.note(f"{damage.where} {damage.what}")
    if not damages and not door.quiet:
        click.echo(f"{values['index']}: no damage found")
    if not repair:
        return DAMAGED if damages else console.DONE
    for each in [*lost]:
        console.note(f"{each.name} {each.reason}")
    if damages and not door.quiet:
        state = "still damaged" if worse else "partly repaired" if left else "repaired"
        click.echo(f"{values['index']} is {state}")
    return DAMAGED if worse else console.SOME_SKIPPED if lost else console.DONE


def _report(done: Addition, door: Door, values: dict[str, object]) -> int:
    from copysift.report.wording import spelled

    console.name_skipped(done.skipped, every=bool(door.verbose))
    if not door.quiet:
        for note in done.notes:
            console.note(note)
        parts = [f"{done.added:,} added", f"{done.changed:,} changed", f"{done.unchanged:,} unchanged"]
        if done.moved:
            parts.append(f"{len(done.moved):,} moved")
        if done.removed:
            parts.append(f"{done.removed:,} removed")
        if done.skipped:
            parts.append(f"{len(done.skipped):,} skipped")
        click.echo(", ".join(parts))
        for old, new in done.moved if door.verbose else ():
            console.note(f"moved {spelled(old)} to {spelled(new)}")
    return console.status(done.found > 0 or done.removed > 0, done.skipped)
