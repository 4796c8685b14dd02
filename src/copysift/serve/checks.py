"""A check: what is compared how, and where it belongs; accepted from the page and from REST."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.report.wording import plural
from copysift.serve.course_index import folder_name
from copysift.serve.courses import NOWHERE, Course, Place
from copysift.serve.events import event
from copysift.serve.incoming import IncomingFolder, UploadedFile
from copysift.serve.job import Job
from copysift.serve.remote_files import import_file
from copysift.serve.state import State


@dataclass(frozen=True, slots=True)
class Check:
    """What is to be compared how: checked settings, a title, and the name of an index or none."""

    settings: dict[str, Any]
    title: str = ""
    earlier_index: str = ""
    place: Place = NOWHERE


async def bring(state: State, upload: IncomingFolder, url: str) -> None:
    """Add the file of an address to an upload, where the operator allows it."""
    if not url.strip():
        return
    hosts = state.config.import_from
    if not hosts:
        raise UsageError(
            "this server imports no files", hint="upload them; the operator can set --import-from"
        )
    await asyncio.to_thread(import_file, url.strip(), upload, hosts, state.config.limits)
    event("file imported", host=urlsplit(url.strip()).hostname or "", bytes=upload.files[-1].bytes)


async def accept(state: State, user: str, upload: IncomingFolder, check: Check, origin: str) -> Job:
    """Accept a check of what was uploaded."""
    if not any(each.role == "file" for each in upload.files):
        raise UsageError("nothing to compare", hint="choose or send at least one file")
    await asyncio.to_thread(upload.check_archives)
    request: dict[str, Any] = {"settings": check.settings}
    place, course = check.place, check.place.course
    about: dict[str, Any] = {}
    if course is not None:
        request["course"] = await asyncio.to_thread(_terms_before, state, course, place.term)
        folder = request["course"]["folder"]
        about = {"course": course.id, "term": place.term, "exercise": place.exercise, "target": folder}
    if check.earlier_index:
        request["earlier_index"] = await asyncio.to_thread(_earlier, state, user, check.earlier_index)
    title = title_of(check.title, upload.files, named=not check.settings.get("anonymise"))
    job = await asyncio.to_thread(
        state.jobs.accept, upload, user, "scan", request, origin=origin, title=title, **about
    )
    state.accepted(job)
    return job


def _terms_before(state: State, course: Course, term: str) -> dict[str, Any]:
    """Name the checks of earlier terms for the worker."""
    checks = [
        {"id": job.id, "name": f"{job.term}/{job.exercise}", "by": job.summary.get("by", "file")}
        for job in state.courses.earlier(course, term)
    ]
    return {"name": course.name, "folder": folder_name(course.id, term), "checks": checks}


def _earlier(state: State, user: str, name: str) -> dict[str, str]:
    """Find the index of earlier years; raise UsageError if there is none, or an empty one."""
    try:
        found = state.indexes.get(user, name)
    except KeyError:
        raise UsageError(f"there is no index {name[:80]!r}", hint="see the page Indexes") from None
    if not found.made:
        raise UsageError(f"the index {name} is empty", hint="add documents first")
    where = {"folder": found.folder} if found.own else {"path": str(found.path)}
    return {"name": found.name, **where}


def title_of(given: str, files: list[UploadedFile], *, named: bool = True) -> str:
    """Give the title of a job: as given, or after its first file if that may be named."""
    shown = "".join(c for c in given if c.isprintable()).strip()[:200]
    if not named:
        return shown or plural(len(files), "file")
    first = files[0].name.rpartition("/")[2][:80]
    return shown or (first if len(files) == 1 else f"{first} and {len(files) - 1} more")
