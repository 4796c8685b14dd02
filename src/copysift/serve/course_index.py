"""The index of what a course checked in earlier terms: made from those checks, and kept like them.

It is brought up to date when a check starts: what is new is added, what was deleted is removed. Only one
check of a course runs at a time, so that one process writes to it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runtime.progress import Progress
from copysift.serve.incoming import UploadedFile
from copysift.serve.indexes import documents_of
from copysift.serve.requests import allowed
from copysift.serve.staging import StagedScan, grouped, stage_earlier
from copysift.store.snapshot import exists
from copysift.workflows.index import Index

SOURCES = "sources.json"


def folder_name(course: int, term: str) -> str:
    """Give the name of the folder for the earlier terms of a term."""
    return f"course-{course}-before-{re.sub(r'[^A-Za-z0-9.-]', '_', term)}"


def one_submission_each(data: Path, course: Mapping[str, Any], submissions: Path) -> dict[str, Any]:
    """Give the course for a check whose submissions are folders: an earlier check of one folder is one, too.

    Alone, such a check was read by files, as its folder could as well be around everybody's files. It is a
    submission if it has one file, or a file that is called as one of the present submissions (`submissions`
    is the folder of their upload).
    """
    called: set[str] | None = None
    checks = []
    for each in course["checks"]:
        if each["by"] != "dir" and (data / "jobs" / each["id"] / "in").is_dir():
            names = _names(data / "jobs" / each["id"] / "in")
            if all("/" in name for name in names) and len(grouped(names)) == 1:
                called = called or {_leaf(name) for name in _names(submissions)}
                if len(names) == 1 or not called.isdisjoint(map(_leaf, names)):
                    each = {**each, "by": "dir"}
        checks.append(each)
    return {**course, "checks": checks}


def _names(folder: Path) -> list[str]:
    return [document.name.replace("\\", "/") for document in documents_of(folder, [])]


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]


def earlier_index(
    data: Path, course: Mapping[str, Any], asked: Mapping[str, Any], told: Progress
) -> Path | None:
    """Bring the index up to date and give its path; None if there is nothing in earlier terms.

    `course` names the folder and the checks: their ids, what their documents are called, and their units.
    An index has one way to read documents, so that there is one for each set of settings.
    """
    settings = {name: value for name, value in asked.items() if name in allowed("index")}
    key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]
    folder = data / "indexes" / course["folder"] / key
    path: Path = folder / "earlier.sift"
    sources = [each for each in course["checks"] if (data / "jobs" / each["id"] / "in").is_dir()]
    if not sources:
        shutil.rmtree(folder, ignore_errors=True)
        return None
    listed = folder / SOURCES
    wanted = json.dumps(sources, sort_keys=True)
    if exists(path) and listed.exists() and listed.read_text(encoding="utf-8") == wanted:
        return path
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    listed.unlink(missing_ok=True)
    with Index(path, keep_text=None if exists(path) else True, **settings) as index:
        met: set[str] = set()
        index.add(_documents(data, sources, met), progress=told)
        gone = [each.name for each in index.documents() if each.name not in met]
        if gone:
            index.remove(gone)
            index.compact()
    listed.write_text(wanted, encoding="utf-8")
    return path


def stage_terms(data: Path, course: Mapping[str, Any], folder: Path, staged: StagedScan) -> None:
    """Lay what a course checked in earlier terms out as files, for a scan that has another index.

    A scan reads one index, and so these are fingerprinted again. `folder` is an empty one for them.
    """
    for number, source in enumerate(course["checks"]):
        if not (data / "jobs" / source["id"] / "in").is_dir():
            continue
        place = folder / f"read-{number}"
        place.mkdir(mode=0o700, parents=True)
        files = []
        for at, document in enumerate(_documents(data, [source], set()), 1):
            (place / str(at)).write_bytes(b"".join(document.content.chunks()))
            files.append((UploadedFile(at, document.name, "earlier", 0), place / str(at)))
        if files:
            stage_earlier(files, folder / f"term-{number}", staged, source["by"])


def _documents(data: Path, sources: Sequence[Mapping[str, Any]], met: set[str]) -> Iterator[Document]:
    for each in sources:
        skipped: list[Skipped] = []  # the check that they are of has named them
        found = list(documents_of(data / "jobs" / each["id"] / "in", skipped))
        units = _units([document.name for document in found]) if each["by"] == "dir" else {}
        for document in found:
            name = f"{each['name']}/{document.name}"
            unit = units.get(document.name, "")
            if name not in met:
                met.add(name)
                yield replace(document, name=name, unit=f"{each['name']}/{unit}" if unit else "")


def _units(names: Sequence[str]) -> dict[str, str]:
    return {names[at]: group for group, members in grouped(names).items() for at in members}
