"""What a job needs from the store, and what it leaves there; without a store everything is in place."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from copysift.errors import InputError
from copysift.serve.claims import NewVersion
from copysift.serve.job import Job
from copysift.serve.jobs import SCRATCH, Jobs
from copysift.serve.tables import indexes


def data_of(folder: Path) -> Path:
    """Give where a job finds indexes and other jobs: beside it, or what was brought for it."""
    brought = folder / SCRATCH
    return brought if brought.is_dir() else folder.parent.parent


def bring(jobs: Jobs, job: Job) -> NewVersion | None:
    """Bring the files of a job, of its index and of the earlier checks that it names."""
    store = jobs.store
    if store is None:
        return None
    jobs.inputs(job.id)
    scratch = jobs.folder(job.id) / SCRATCH
    for name in ("jobs", "indexes"):
        (scratch / name).mkdir(mode=0o700, parents=True)
    for check in job.request.get("course", {}).get("checks", ()):
        if jobs.exists(check["id"]):  # else it was deleted meanwhile
            jobs.inputs(check["id"], scratch)
    named = job.request if job.kind == "index" else job.request.get("earlier_index", {})
    folder = named.get("folder", "")
    if not folder:
        return None
    row = jobs.database.one(select(indexes.c.version).where(indexes.c.folder == folder))
    if row is None:
        raise InputError(f"the index {named['name']} was deleted")
    if row.version:
        store.get_index(folder, row.version, scratch / "indexes" / folder)
    if job.kind != "index":
        return None
    return NewVersion(folder, row.version, f"{job.id}-{job.claim}")


def leave(jobs: Jobs, job: Job, out: Path, index: NewVersion | None) -> None:
    """Keep the results of a job in the store, and the index that it changed."""
    if jobs.store is None:
        return
    jobs.store.put_folder(f"jobs/{job.id}/{out.name}.tar", out)
    if index is not None:
        path = jobs.folder(job.id) / SCRATCH / "indexes" / index.folder
        jobs.store.put_index(index.folder, path, index.after, index.before)
