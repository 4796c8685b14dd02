"""Gather what a scan reads: plain files, or submissions with base code, earlier ones and their authors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from copysift.errors import InputError, UsageError
from copysift.kinds.lexemes import together
from copysift.match.base_code import Base
from copysift.model.document import Document
from copysift.model.traits import is_raw, scheme_traits
from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.plurals import plural
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.comparison import Settings
from copysift.sources.fields import Fields
from copysift.sources.metadata import Metadata, read_metadata
from copysift.sources.places import exists
from copysift.sources.roster import exported
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.submission_files import authors_in, leave_out, submission_roster
from copysift.sources.submission_intake import Intake, Taken
from copysift.sources.walk import RUN, STANDARD_INPUT, is_run, walk_settings
from copysift.workflows.reading import Reader
from copysift.workflows.submission_units import SubmissionUnits

Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class SubmissionFiles:
    """Files to read; `submissions` is None when every file represents itself and equal ones collapse."""

    entries: list[Document]
    skipped: list[Skipped]
    submissions: SubmissionUnits | None
    notes: tuple[str, ...] = ()  # what could have been read in another way


def gather(
    paths: Iterable[Place],
    settings: Settings,
    spool: Spool,
    reader: Reader,
    jobs: int,
    archives: bool = True,
    grouped: bool = False,
    documents: Iterable[Document] = (),
    qualified: bool = False,
) -> SubmissionFiles:
    """Find the files of the paths, and put them into groups where the settings or their names say so.

    Documents in memory come after them, in the groups of their units.
    """
    metadata = read_metadata(settings.metadata) if settings.metadata else Metadata()
    intake = Intake(
        reading_of(settings), spool, settings.by == "dir", whole=not archives, qualified=qualified
    )
    # First: what was handed out is nobody's submission. But two sides are compared whatever they are.
    aside = Intake(reading_of(settings), spool, False) if qualified or not archives else intake
    handed_out = _required(aside, settings.base, "--base")
    new = intake.take(paths)
    for document in documents:
        new.files.append((document, document.unit or document.name))
        new.groups.setdefault(document.unit or document.name)
    past = _required(intake, settings.earlier, "--earlier")
    skipped = [*metadata.skipped, *handed_out.skipped, *new.skipped, *past.skipped]
    files = [*new.files, *past.files]
    entries = [entry for entry, _ in files]
    asked = grouped or settings.has_submissions
    if not asked and not archives:
        return SubmissionFiles(entries, skipped, None, intake.notes)
    if not asked and not exported([entry.file for entry in entries]):
        return SubmissionFiles(entries, skipped, None, intake.notes)
    notes = (*intake.notes, *handed_out.notes, *past.notes)
    listed = authors_in(entries)
    if not settings.include:  # patterns say which files are meant
        note = leave_out(new, past)
        notes = (*notes, note) if note else notes
        files = [*new.files, *past.files]
        entries = [entry for entry, _ in files]
    if settings.by == "dir" and len(new.groups) == 1 and len(new.files) > 1 and not past.groups:
        (only,) = new.groups
        raise UsageError(
            f"1 submission: {only}, with {plural(len(new.files), 'file')}",
            hint="did you mean one file per student? Then use --by file. Else name the folder above",
        )
    known = submission_roster(new, past, metadata, settings.metadata, listed)
    if scheme_traits(settings.scheme).sketch:
        raise UsageError(
            f"the scheme {settings.scheme} compares single files only",
            hint="choose another --scheme for submissions, base code and earlier years",
        )
    base, unread = _base([entry for entry, _ in handed_out.files], reader, jobs)
    group_of = {entry.path: group for entry, group in files}
    gathered = SubmissionUnits(known, group_of, base, bool(settings.include or settings.exclude))
    return SubmissionFiles(entries, [*skipped, *unread, *known.unknown], gathered, notes)


def base_code(settings: Settings, spool: Spool, reader: Reader, jobs: int) -> tuple[Base, list[Skipped]]:
    """Read the base code of the settings; give what could not be read, too."""
    intake = Intake(reading_of(settings), spool, False)
    handed_out = _required(intake, settings.base, "--base")
    base, unread = _base([entry for entry, _ in handed_out.files], reader, jobs)
    return base, [*handed_out.skipped, *unread]


def check_paths(paths: Sequence[Place]) -> None:
    """Raise unless there is something to scan: one path of several may be missing, or a run, but not all."""
    if not paths:
        raise UsageError("nothing to scan", hint="add files or folders")
    places = [os.fspath(path) for path in paths]
    if all(map(is_run, places)):
        raise InputError(f"{places[0]}: {RUN}")
    if not any(map(exists, places)):
        reason = STANDARD_INPUT if places[0] == "-" else "no such file or folder"
        raise InputError(f"{places[0]}: {reason}")


def reading_of(settings: Settings, fields: Fields | None = None) -> Reading:
    """Give the sources their part of the settings."""
    return Reading(
        fields=fields or Fields(settings.id_field, settings.text_field),
        walking=walk_settings(settings),
        containers=not (settings.no_containers or settings.equal_only),
        records="no" if settings.input_format == "folder" else settings.records,
        form=settings.input_format,
        max_bytes=settings.max_bytes_per_file,
        max_seconds=settings.max_seconds_per_file,
        binary=is_raw(settings.kind),
        filters=settings.filter,
    )


def _required(intake: Intake, paths: Iterable[str], flag: str) -> Taken:
    """Take paths in that must give something: without them the answer would be another."""
    every = Taken()
    for path in paths:
        taken = intake.take([path])
        if not taken.files and taken.skipped:
            first = taken.skipped[0]
            raise InputError(f"{flag} {first.name}: {first.reason}")
        if not taken.files:
            every.notes.append(f"{flag} {path} has no files of its own")
        every.files += taken.files
        every.groups |= taken.groups
        every.skipped += taken.skipped
    return every


def _base(entries: list[Document], reader: Reader, jobs: int) -> tuple[Base, list[Skipped]]:
    hashes, told, skipped = [], [], []
    for found in ordered_map(reader.grams, entries, jobs=jobs, weigh=lambda entry: entry.size):
        if isinstance(found, Failed):
            raise found.error
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            hashes.append(found[0])
            told.append(found[1])
    return Base(hashes, together(told)), skipped
