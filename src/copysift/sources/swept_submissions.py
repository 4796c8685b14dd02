"""What a sweep meets where an address is a submission (--by dir): all its files together.

The address of a submission is its path below the folder that was named, as that of a file is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from copysift import kernels
from copysift.errors import InputError
from copysift.model.document import Document, Memory
from copysift.model.values import Skipped
from copysift.sources.files import DIGEST, load
from copysift.sources.places import exists, top_of
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.submission_files import authors_in, leave_out
from copysift.sources.submission_intake import Grouping, Intake, Taken
from copysift.sources.walk import is_index

NOTHING = "has no file that can be read"


class Submitted(NamedTuple):
    """A submission: its address, and its files, which are in memory, in the order of their names."""

    uri: str
    files: tuple[Document, ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(each.size for each in self.files)

    def checksum(self) -> bytes:
        """Sum the files in any order: submissions with the same files are equal, whatever their names."""
        sums = sorted(kernels.checksum.checksums([_bytes(each) for each in self.files], DIGEST))
        return sums[0] if len(sums) == 1 else kernels.checksum.checksums([b"".join(sums)], DIGEST)[0]


class Enrolled(NamedTuple):
    """What is known of the submissions of a sweep, for the roster."""

    files: dict[str, list[str]]  # names of files by address
    authors: dict[str, str]  # from the list of a platform, by its keys


Met = Iterator[Submitted | Skipped]


def submitted(place: str, reading: Reading, avoid: str, known: Enrolled) -> Met:
    """Give the submissions of a place; files below `avoid`, the index itself, are left out."""
    if not exists(place):
        raise InputError(f"{place}: no such file or folder")
    intake = Intake(reading, Spool(), by_dir=True, qualified=True)
    taken = intake.take([place])
    taken.files = [each for each in taken.files if not os.path.abspath(each[0].name).startswith(avoid)]
    if not reading.walking.include:
        leave_out(taken)
    top = "" if is_index(place) else top_of(place)  # whose documents have the names that it shows
    prefix = len(top.rstrip(os.sep)) + 1 if top else 0
    known.authors.update(authors_in(document for document, _ in taken.files))
    yield from _loaded(taken, lambda path: path[prefix:].replace(os.sep, "/") or path, reading, known)


def submitted_documents(documents: Iterable[Document | Skipped], reading: Reading, known: Enrolled) -> Met:
    """Group documents by the first folder of their addresses, or by their units where they have one."""
    found = list(documents)
    names = [f"/{each.name}" for each in found]
    grouping = Grouping("/", names, container=False)
    taken = Taken()
    for each, name in zip(found, names, strict=True):
        if isinstance(each, Skipped):
            taken.skipped.append(each)
            continue
        group = each.unit or (each.name if "://" in each.name else grouping.group(name)[1:])
        taken.files.append((each, group))
        taken.groups.setdefault(group)
    if not reading.walking.include:
        leave_out(taken)
    yield from _loaded(taken, str, reading, known)


def _loaded(taken: Taken, address: Callable[[str], str], reading: Reading, known: Enrolled) -> Met:
    """Read one submission after the other; of one that has nothing, say so."""
    yield from (Skipped(address(each.name), each.reason, each.code) for each in taken.skipped)
    members: dict[str, list[Document]] = {group: [] for group in taken.groups}
    for document, group in taken.files:
        members[group].append(document)
    for group, documents in members.items():
        files = []
        for document in sorted(documents, key=lambda each: each.name):
            loaded = _read(document, reading)
            if isinstance(loaded, Skipped):
                yield Skipped(address(document.name), loaded.reason, loaded.code)
            else:
                files.append(loaded)
        if files:
            known.files[address(group)] = [each.name for each in documents]
            yield Submitted(address(group), tuple(files))
        else:
            yield Skipped(address(group), NOTHING)


def _read(document: Document, reading: Reading) -> Document | Skipped:
    """Read a file of a submission into memory."""
    too_large = reading.refuse(document.name, document.size)
    loaded = too_large or load(document, reading.max_seconds)
    if isinstance(loaded, Skipped) or loaded.content.data is not None:
        return loaded
    try:
        return Document(loaded.name, Memory(b"".join(loaded.content.chunks())), loaded.hint)
    except InputError as error:
        return Skipped(document.name, error.message.removeprefix(f"{document.name}: "))


def _bytes(document: Document) -> bytes:
    return document.content.data or b""
