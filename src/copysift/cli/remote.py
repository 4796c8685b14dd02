"""`--server URL`: the same commands, done by a server."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from copysift.cli import console
from copysift.cli.scan import NAMES, show
from copysift.errors import InputError, UsageError
from copysift.model.answers import Answer
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.report.format import format_of
from copysift.runtime.encoding import to_utf8
from copysift.serve.client import INDEX_NAME, Client
from copysift.serve.requests import MOST_PAIRS, allowed
from copysift.settings.comparison import Settings
from copysift.settings.declaration import settings_of
from copysift.settings.index import Query
from copysift.settings.output import Door
from copysift.sources.inputs import documents_in
from copysift.sources.source import Reading
from copysift.sources.walk import WalkSettings, walk
from copysift.workflows.stored_settings import Members

_ROLES = ("base", "earlier")


def _client(door: Door) -> Client:
    return Client(door.server, os.environ.get("COPYSIFT_TOKEN", ""))


def scan_there(
    places: list[str], values: Mapping[str, object], settings: Settings, door: Door, chosen: str
) -> int:
    """Send the files to a server and show what it finds."""
    if (chosen != NAMES and format_of(chosen).sources) or door.save:
        raise UsageError(
            f"a server cannot return {'a run' if door.save else chosen}",
            hint="choose json or csv, or upload the files on its web page",
        )
    known = settings_of(Settings)
    given = {name: value for name, value in values.items() if name in known}
    sendable = {*allowed(), "by"}
    fit = {*sendable, "jobs", "metadata", *_ROLES}
    refused = [known[name].flags[-1] for name in given if name not in fit]
    if refused:
        message = f"{', '.join(refused)} cannot be sent to a server"
        raise UsageError(message, hint="leave it out, or scan here")
    skipped: list[Skipped] = []
    sent = [*_files("files", places, settings, skipped)]
    if skipped and not sent:
        raise InputError(f"{skipped[0].name}: {skipped[0].reason}")
    named = [place for place in settings.earlier if INDEX_NAME.fullmatch(place) and not Path(place).exists()]
    if len(named) > 1:
        message = f"{named[0]} and {named[1]} are indexes of the server, and --earlier takes only one"
        raise UsageError(message, hint="add all earlier documents to one index")
    sent += _files("base", list(settings.base), settings, skipped)
    sent += _files("earlier", [each for each in settings.earlier if each not in named], settings, skipped)
    if settings.metadata:
        sent.append(("metadata", settings.metadata, settings.metadata))
    asked = {name: value for name, value in given.items() if name in sendable}
    asked.setdefault("by", settings.by)
    asked["limit"] = MOST_PAIRS  # how many are listed is decided here, so that others are counted
    with console.progress(door) as shown:
        shown.phase("waiting for the server", None)
        result = _client(door).scan(sent, asked, earlier_index="".join(named))
    result = dataclasses.replace(result, skipped=(*skipped, *result.skipped))
    console.name_skipped(result.skipped, every=bool(door.verbose))
    console.name_notes(result.notes, door)
    show(result, chosen, settings, door, _Here())
    return console.status(bool(result.pairs or result.equal), result.skipped)


class _Here:
    """Gives the sources of what was sent: they are the files of this machine."""

    def __init__(self) -> None:
        self._members = Members(Reading(records="no"))
        self._last = ("", b"")

    def source(self, name: str, start: int, end: int) -> bytes:
        """Give a piece of a file as a report reads it."""
        if self._last[0] != name:
            loaded = self._members.load(name)
            data = b"" if isinstance(loaded, Skipped) else b"".join(loaded.content.chunks())
            self._last = (name, to_utf8(data)[0])
        return self._last[1][start:end]


def _files(
    role: str, places: list[str], settings: Settings, skipped: list[Skipped]
) -> Iterator[tuple[str, str, str]]:
    wanted = WalkSettings(
        hidden=settings.hidden, gitignore=settings.gitignore, include=settings.include,
        exclude=settings.exclude, follow=settings.follow, one_file_system=settings.one_file_system,
    )  # fmt: skip
    for found in walk(places, wanted):
        if isinstance(found, Skipped):
            skipped.append(found)
        elif isinstance(found, Document) and not found.same_as:
            yield role, found.path, found.path


def query_there(
    index: str,
    files: tuple[str, ...],
    values: Mapping[str, object],
    query: Query,
    door: Door,
    chosen: str,
) -> tuple[Answer, dict[str, bytes]]:
    """Query an index of a server; give its answer and the sources of the questions."""
    sent = [name for name in settings_of(Query) if name not in ("base", "by")]  # which are about files here
    refused = [name for name in values if name in settings_of(Settings) and name not in sent]
    if refused:
        named = ", ".join(settings_of(Settings)[name].flags[-1] for name in refused)
        raise UsageError(f"{named} cannot be sent to a server", hint="leave it out, or query here")
    asked = {name: getattr(query, name) for name in sent if getattr(query, name) is not None}
    client = _client(door)
    sources: dict[str, bytes] = {}
    skipped = []
    for name in files:
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            skipped.append(Skipped(name, (error.strerror or "cannot be read").lower()))
            continue
        for found in [Document.of(name, data)] if name == "-" else documents_in(name, data):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                sources[found.name] = to_utf8(b"".join(found.content.chunks()))[0]
    for number, text in enumerate(door.query_text, 1):
        sources[f"text {number}"] = text.encode("utf-8", "surrogatepass")
    passages = (chosen == "json" and not door.no_regions) or bool(door.passages)
    parts = [
        client.query(index, source.decode("utf-8", "replace"), name, asked, passages)
        for name, source in sources.items()
    ]
    settings = parts[0].settings if parts else {}
    queries = tuple(group for part in parts for group in part.queries)
    hits = tuple(hit for part in parts for hit in part.hits)
    return Answer(settings, queries, hits, tuple(skipped)), sources
