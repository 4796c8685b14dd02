"""Which files of an upload are of one student, and an upload without them."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from copysift.errors import UsageError
from copysift.model.document import INSIDE
from copysift.report.anonymise import read_key, written_key
from copysift.runtime import durable
from copysift.serve.cleared_passages import BEFORE, Before
from copysift.serve.courses import people, person
from copysift.serve.incoming import LIST, UploadedFile, uploaded
from copysift.serve.pseudonyms import KEY
from copysift.serve.staging import grouped
from copysift.sources.exports import GRADESCOPE_LIST, known_export
from copysift.sources.formats import is_archive
from copysift.sources.inputs import documents_in
from copysift.sources.metadata import COLUMNS, read_metadata

SHORTEST = 2  # letters of a name


class Student:
    """A student by the name in a class list, in the export of a platform, or of a file or folder."""

    def __init__(self, name: str) -> None:
        self.name = " ".join(name.split())
        if len(self.name) < SHORTEST:
            raise UsageError("a student needs a name", hint="write it as in the class list or in file names")
        self._key = _folded(self.name)
        self._word = re.compile(rf"(?<!\w){re.escape(self.name)}(?!\w)", re.IGNORECASE)

    def named(self, name: str) -> bool:
        """Say whether a name of a person is this one."""
        return _folded(name) == self._key

    def has(self, path: str) -> bool:
        """Say whether a file is the student's by its path: a folder, a file, or as a platform names it."""
        known = known_export(path)
        if known is not None and self.named(known.author):
            return True
        parts = re.split(rf"[/\\{INSIDE}]", path)
        return any(self.named(part) or self.named(person(part)) for part in parts if part)

    def of(self, paths: Iterable[str], listed: frozenset[str] = frozenset()) -> set[str]:
        """Give the paths that are the student's; `listed` are those that a class list says."""
        every = list(paths)
        groups = grouped(every)
        who = people(groups, {})
        found = {every[at] for group, members in groups.items() if self.named(who[group]) for at in members}
        return found | {path for path in every if self.has(path) or _ends(path) & listed}

    def without(self, text: str) -> str:
        """Give a text in which the name is left out."""
        return self._word.sub("…", text)

    def in_words(self, text: str) -> bool:
        """Say whether a text names the student."""
        return self._word.search(text) is not None


@dataclass(frozen=True, slots=True)
class Share:
    """What of an upload is a student's; `whole`: it cannot be taken out, so that all of it has to go."""

    files: tuple[str, ...] = ()
    whole: bool = False


def share_of(folder: Path, student: Student) -> Share:
    """Find what of an upload is a student's."""
    listed = _listed(folder, student)
    loose = [file.name for file, _ in uploaded(folder) if not _is_packed(file)]
    found, whole = sorted(student.of(loose, listed)), False
    for file, path in uploaded(folder):
        if _is_packed(file) and file.name not in found:
            data = path.read_bytes()
            members = [each.name[len(file.name) + 1 :] for each in documents_in(file.name, data)]
            mine = student.of(members, listed)
            found += [f"{file.name}/{name}" for name in sorted(mine)]
            whole = whole or not _can_leave(file, path, mine, student, listed)
    return Share(tuple(found), whole)


def take_out(folder: Path, student: Student) -> list[UploadedFile]:
    """Take a student's files out of an upload; give the files that are left."""
    listed = _listed(folder, student)
    every = list(uploaded(folder))
    gone = student.of([file.name for file, _ in every if not _is_packed(file)], listed)
    kept: list[UploadedFile] = []
    for file, path in every:
        if file.name in gone and file.role != "metadata":
            path.unlink()
            continue
        if _is_packed(file):
            _rewrite_zip(path, student, listed)
        elif file.role == "metadata":
            _rewrite_class_list(path, student)
        kept.append(UploadedFile(file.number, file.name, file.role, path.stat().st_size))
    durable.replace(folder / LIST, json.dumps([asdict(each) for each in kept]).encode())
    _rewrite_notes(folder, student)
    return kept


def clean(value: Any, student: Student) -> Any:
    """Give a JSON value without the name in any of its texts."""
    if isinstance(value, str):
        return student.without(value)
    if isinstance(value, Mapping):
        return {name: clean(each, student) for name, each in value.items()}
    return [clean(each, student) for each in value] if isinstance(value, list) else value


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _ends(path: str) -> set[str]:
    """Give what a class list may call a path: any part of it, the last one with its suffix or without."""
    parts = re.split(rf"[/\\{INSIDE}]", path.strip("/"))
    ends = {"/".join(parts[first:last]) for last in range(1, len(parts) + 1) for first in range(last)}
    return ends | {part.partition(".")[0] for part in parts if part}


def _is_packed(file: UploadedFile) -> bool:
    return file.role != "metadata" and is_archive(file.name)


def _can_leave(
    file: UploadedFile, path: Path, mine: set[str], student: Student, listed: frozenset[str]
) -> bool:
    """Say whether an archive can be written again without members: a zip, and no archive inside it."""
    if not zipfile.is_zipfile(path):
        return not mine
    with zipfile.ZipFile(path) as packed:
        names = packed.namelist()
        lists = [name for name in names if name.endswith(GRADESCOPE_LIST)]
        if any(student.in_words(packed.read(name).decode("utf-8", "replace")) for name in lists):
            return False
    top = student.of(names, listed)
    return all(name in top or name.split(INSIDE)[0].split("/!")[0] in top for name in mine)


def _rewrite_zip(path: Path, student: Student, listed: frozenset[str]) -> None:
    part = path.with_name(f".{path.name}")
    with zipfile.ZipFile(path) as packed:
        gone = student.of(packed.namelist(), listed)
        if not gone:
            return
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as out:
            for member in packed.infolist():
                if member.filename not in gone:
                    out.writestr(member, packed.read(member))
    durable.sync(part)
    part.replace(path)  # a repeated check has a link to the old file, and is changed itself


def _listed(folder: Path, student: Student) -> frozenset[str]:
    """Give what the class list of an upload calls the student's files."""
    found: set[str] = set()
    for file, path in uploaded(folder):
        if file.role == "metadata":
            rows = read_metadata(str(path)).rows
            mine = [row for row in rows if student.named(row.author) or student.named(row.label)]
            found |= {row.name.removeprefix("./").rstrip("/") for row in mine}
    return frozenset(found)


def _rewrite_class_list(path: Path, student: Student) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in read_metadata(str(path)).rows:
        cells = (row.name, row.label, row.author, row.team, row.time, row.attempt)
        if not any(student.named(cell) or student.has(cell) for cell in cells):
            writer.writerow(cells)
    durable.replace(path, out.getvalue().encode("utf-8", "surrogateescape"))


def _rewrite_notes(folder: Path, student: Student) -> None:
    """Leave the student out of what an upload knows of an earlier result: pseudonyms and sizes."""
    if (folder / KEY).exists():
        key = read_key((folder / KEY).read_text(encoding="utf-8"), KEY)
        kept = {alias: name for alias, name in key.items() if not student.has(name)}
        durable.replace(folder / KEY, written_key(kept).encode())
    if (folder / BEFORE).exists():
        before = Before.read(folder / BEFORE)
        sizes = {name: size for name, size in before.sizes.items() if not student.has(name)}
        pairs = {both: value for both, value in before.similarity.items() if not any(map(student.has, both))}
        durable.replace(folder / BEFORE, Before(sizes, pairs).written().encode())
