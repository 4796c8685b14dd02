"""`copysift index`: make an index of a collection, keep it current, look after it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.errors import InputError, UsageError
from copysift.settings.comparison import Door, Settings
from copysift.settings.declaration import settings_of
from copysift.settings.index import Keep

if TYPE_CHECKING:
    from copysift.workflows.index import Index
    from copysift.workflows.index_adding import Added

DAMAGED = 2


@click.group("index")
def command() -> None:
    """Fingerprint a collection once, then ask it with 'copysift query'.

    INDEX is a folder, by custom NAME.sift; 'add' makes it on first use with the settings given.
    """


def opened(values: dict[str, object]) -> Index:
    """Open the index that a command names, with the settings that were given and no others."""
    from copysift.workflows.index import Index

    keep = of_class(Keep, values)
    settings = {name: value for name, value in values.items() if name in settings_of(Settings)}
    if keep.seed_file:
        settings["seed"] = secret_of(keep.seed_file)
    return Index(str(values["index"]), keep_text=keep.keep_text or None, **settings)


def secret_of(path: str) -> str:
    """Read a secret: the first line of a file."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the seed file {path}: {error.strerror}") from None
    if not lines or not lines[0].strip():
        raise UsageError(f"the seed file {path} is empty")
    return lines[0].strip()


def _values(given: dict[str, object], tag: str = "index") -> tuple[dict[str, object], Door]:
    values = values_from(tag, given)
    return {**values, "index": given["index"]}, of_class(Door, values)


@command.command("add", cls=SectionedCommand, short_help="Add files and folders, or what changed of them.")
@click.argument("index", metavar="INDEX")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@options("index")
def add(paths: tuple[str, ...], **given: object) -> int:
    """Add files and folders; files that the index knows are read again only if size or time changed.

    The settings of the first add are those of the index. With --kind auto, programs are compared both as
    text and by their tokens, as in 'copysift scan'.
    """
    values, door = _values(given)
    with opened(values) as index, console.progress(door) as shown:
        done = index.add(list(paths), progress=shown)
    return _told(done, door, values)


@command.command("update", cls=SectionedCommand, short_help="Read what changed, remove what vanished.")
@click.argument("index", metavar="INDEX")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@options("index")
def update(paths: tuple[str, ...], **given: object) -> int:
    """Add what is new or changed below PATH and remove what has vanished; all known files without PATH."""
    values, door = _values(given)
    _must_exist(values)
    with opened(values) as index, console.progress(door) as shown:
        done = index.update(list(paths) or None, progress=shown)
    return _told(done, door, values)


@command.command("remove", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@options("index-care")
def remove(names: tuple[str, ...], **given: object) -> int:
    """Remove documents by name, or all below a folder."""
    values, door = _values(given, "index-care")
    _must_exist(values)
    missing = []
    removed = 0
    with opened(values) as index:
        for name in names:
            found = index.remove(name)
            removed += found
            if not found:
                missing.append(name)
    for name in missing:
        console.note(f"skipped {name}: the index has no such document")
    if not door.quiet:
        click.echo(f"{removed:,} removed")
    return console.SOME_SKIPPED if missing and removed else console.NOTHING_FOUND if missing else console.DONE


@command.command("list", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@options("index-list")
def list_documents(**given: object) -> int:
    """List the documents: bytes, fingerprints, kind and name."""
    values, door = _values(given, "index-list")
    _must_exist(values)
    from copysift.report.documents import lines

    any_document = False
    with opened(values) as index:
        for line in lines(index.documents(), door.format or ("names" if door.null else "table")):
            any_document = True
            sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    return console.DONE if any_document else console.NOTHING_FOUND


@command.command("info", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@options("index-list")
def info(**given: object) -> int:
    """Tell how large the index is and with which settings it was made."""
    values, door = _values(given, "index-list")
    _must_exist(values)
    from copysift.report.documents import described

    with opened(values) as index:
        numbers = index.info()
        click.echo(json.dumps(numbers, indent=1) if door.format == "json" else described(numbers))
        for damage in index.damages:
            console.note(f"{damage.where} {damage.what}")
        return console.SOME_SKIPPED if index.damages else console.DONE


@command.command("compact", cls=SectionedCommand, short_help="Merge all segments, free what was removed.")
@click.argument("index", metavar="INDEX")
@options("index-care")
def compact(**given: object) -> int:
    """Merge all segments into one run and give the room of removed documents free."""
    values, door = _values(given, "index-care")
    _must_exist(values)
    with opened(values) as index:
        before = index.info()
        index.compact()
        after = index.info()
    if not door.quiet:
        from copysift.report.documents import compacted

        click.echo(compacted(before, after))
    return console.DONE


@command.command("resample", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.option(
    "--resample", "new_seed_file", required=True, metavar="FILE", help="Read the new secret seed from a file."
)
@options("index-care")
def resample(new_seed_file: str, **given: object) -> int:
    """Draw another sample of fingerprints from the kept texts, with another secret."""
    values, door = _values(given, "index-care")
    _must_exist(values)
    seed = secret_of(new_seed_file)
    with opened(values) as index:
        done = index.resample(seed)
    if not door.quiet:
        click.echo(f"{done:,} contents sampled anew")
    return console.DONE


@command.command("check", cls=SectionedCommand, short_help="Verify every checksum, name what is damaged.")
@click.argument("index", metavar="INDEX")
@click.option("--repair", is_flag=True, help="Mend: read the documents again that lost fingerprints.")
@options("index-check")
def check(repair: bool, **given: object) -> int:
    """Verify every checksum and reference and name what is damaged (exit status 2)."""
    from copysift.store.check import INCOMPLETE

    values, door = _values(given, "index-check")
    _must_exist(values)
    with opened(values) as index:
        damages, lost = index.check(repair=repair)
        left = index.check()[0] if repair else damages
        worse = [each for each in left if each.what != INCOMPLETE]
    for damage in damages:
        console.note(f"{damage.where} {damage.what}")
    if not damages and not door.quiet:
        click.echo(f"{values['index']} is sound")
    if not repair:
        return DAMAGED if damages else console.DONE
    for each in [*lost]:
        console.note(f"{each.name} {each.reason}")
    if damages and not door.quiet:
        state = "still damaged" if worse else "repaired as far as it could be" if left else "repaired"
        click.echo(f"{values['index']} is {state}")
    return DAMAGED if worse else console.SOME_SKIPPED if lost else console.DONE


def _must_exist(values: dict[str, object]) -> None:
    from copysift.store.snapshot import Snapshot, exists

    if not exists(Path(str(values["index"]))):
        Snapshot(Path(str(values["index"])))


def _told(done: Added, door: Door, values: dict[str, object]) -> int:
    console.name_skipped(done.skipped)
    if not door.quiet:
        parts = [f"{done.added:,} added", f"{done.changed:,} changed", f"{done.unchanged:,} unchanged"]
        if done.removed:
            parts.append(f"{done.removed:,} removed")
        if done.skipped:
            parts.append(f"{len(done.skipped):,} skipped")
        click.echo(", ".join(parts))
    return console.status(done.found > 0 or done.removed > 0, done.skipped)
