"""Where a sweep comes from, and its date."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from copysift.errors import InputError, UsageError
from copysift.model.document import NO_HINT, Document, Memory
from copysift.model.values import Skipped
from copysift.settings.comparison import Settings
from copysift.settings.sweeps import SweepOptions
from copysift.sources.crawl import NAMES, Again, Record, crawl, revision
from copysift.sources.fields import Fields
from copysift.sources.git_revision import commit_of, tree
from copysift.sources.metadata import Metadata, read_metadata
from copysift.sources.roster import roster
from copysift.sources.source import Reading
from copysift.sources.swept_submissions import Enrolled, Submitted, submitted, submitted_documents
from copysift.sources.walk import walk_settings
from copysift.store.units import UnitRow
from copysift.workflows.python_input import document_of, rows_of
from copysift.workflows.submissions import reading_of

Found = tuple[str, bytes] | Record | Submitted | Again | Skipped


class Sources:
    """The sources of one sweep; `at` is its time in seconds since 1970."""

    def __init__(self, given: Any, sweeping: SweepOptions, settings: Settings, index: Path) -> None:
        self._sweeping, self._settings = sweeping, settings
        self._avoid = str(index.absolute()) + os.sep
        self._commit = ""
        self._known = Enrolled({}, {})
        paths = [given] if isinstance(given, str | os.PathLike) else given
        places = isinstance(paths, list | tuple) and all(
            isinstance(each, str | os.PathLike) for each in paths
        )
        fields = settings.id_field, settings.text_field
        self._unread: list[Skipped] = []  # rows of a frame
        rows = None if places else rows_of(given, *fields, self._unread, NAMES)
        self._given = given if rows is None else rows
        self._places = [os.fspath(each) for each in paths] if places else None
        if f"{index.absolute()}" in map(os.path.abspath, self._places or ()):
            raise UsageError(
                f"{index} is the index that the sweep goes into", hint="name what was crawled, or its files"
            )
        self.name = " ".join(self._places) if self._places is not None else "documents"
        at = sweeping.date
        if sweeping.revision:
            at = self._revision(sweeping.revision, at)
        if at is None:
            raise UsageError("a sweep needs a date", hint="add --date 2026-11-01")
        self.at = at

    def _revision(self, revision: str, at: int | None) -> int:
        if self._places is None or len(self._places) != 1:
            raise UsageError("--revision needs one repository", hint="name the folder of a git repository")
        if not Path(self._places[0]).is_dir():
            raise InputError(
                f"{self._places[0]} is not a folder", hint="--revision needs the folder of a git repository"
            )
        self._commit, made = commit_of(self._places[0], revision)
        self.name = f"{self._places[0]} at {revision}"
        return made if at is None else at

    def met(self) -> Iterator[Found]:
        """Give the addresses and contents, one source after the other."""
        if self._settings.by == "dir":
            return self._submissions()
        return self._noted(self._single()) if self._settings.metadata else self._single()

    def labels(self) -> tuple[list[UnitRow], list[Skipped]]:
        """Give what names and metadata say of the addresses that were met, and rows that are of none."""
        metadata = read_metadata(self._settings.metadata) if self._settings.metadata else Metadata()
        files, listed = self._known
        known = roster(list(files), files, [], metadata.rows, self._settings.metadata, listed)
        rows = [
            UnitRow(each.name, each.label, each.author, each.team, each.when, each.attempt, author, team)
            for each, author, team in zip(known.submissions, known.authors, known.teams, strict=True)
        ]
        return [row for row in rows if any(row[1:])], [*metadata.skipped, *known.unknown]

    def _noted(self, met: Iterator[Found]) -> Iterator[Found]:
        """Note the addresses, which metadata are about."""
        for each in met:
            if not isinstance(each, Skipped):
                self._known.files[each[0]] = []
            yield each

    def _submissions(self) -> Iterator[Found]:
        reading = reading_of(self._settings)
        if self._places is None:
            yield from submitted_documents(
                [*self._unread, *map(_document, self._given)], reading, self._known
            )
        elif self._commit:
            yield from submitted_documents(self._tree(self._places[0], reading), reading, self._known)
        else:
            for place in self._places:
                yield from submitted(place, reading, self._avoid, self._known)

    def _tree(self, place: str, reading: Reading) -> Iterator[Document | Skipped]:
        """Give the files of the revision, each with its bytes; containers are opened."""
        for each in revision(tree(place, self._commit, walk_settings(self._settings)), reading):
            if isinstance(each, Skipped):
                yield each
            elif not isinstance(each, Again):
                yield Document(each[0], Memory(each[1]), each.hint if isinstance(each, Record) else NO_HINT)

    def _single(self) -> Iterator[Found]:
        walking = walk_settings(self._settings)
        fields = Fields(self._settings.id_field, self._settings.text_field, names=NAMES, named=True)
        reading = reading_of(self._settings, fields)
        if self._places is None:
            yield from self._unread
            yield from _documents(self._given)
        elif self._commit:
            yield from revision(tree(self._places[0], self._commit, walking), reading)
        else:
            for place in self._places:
                yield from crawl(place, self._sweeping.input_format, reading, self._avoid)


def _documents(items: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    for document in map(_document, items):
        yield document.name, b"".join(document.content.chunks())


def _document(item: Any) -> Document:
    uri = next((item[key] for key in NAMES if key in item), None) if isinstance(item, Mapping) else None
    return document_of(item if uri is None else (uri, item["text"]))
