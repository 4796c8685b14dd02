"""Pages of the admin: users, quotas, the queue and the disk; erase a user and all that they sent."""

from __future__ import annotations

import asyncio
import shutil
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from copysift.errors import UsageError
from copysift.serve.events import event
from copysift.serve.pages import form_of
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.users import ADMIN, ROLES
from copysift.serve.views import root_of, show
from copysift.settings.parsing import count, size

router = APIRouter(prefix="/admin")
QUEUE = 50  # jobs that are shown


def _admin(state: State, user: str) -> None:
    if state.users.role(user) != ADMIN:
        raise HTTPException(403, "only an admin can see this page")


@router.get("")
def page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show users, queue and disk."""
    _admin(state, user)
    return show(request, "admin.html.j2", _values(state), user=user)


def _values(state: State, **more: Any) -> dict[str, Any]:
    rows = state.jobs.by_owner()
    disk = shutil.disk_usage(state.config.data)
    known = {each.name: each for each in state.users.listed()}
    names = sorted({*known, *rows})
    return {
        "users": [
            {
                "name": name,
                "known": known.get(name),
                "jobs": rows.get(name),
                "index_bytes": state.indexes.bytes(name),
            }
            for name in names
        ],
        "queue": state.jobs.queue(QUEUE),
        "counts": state.jobs.counts(),
        "disk": disk,
        "limits": state.config.limits,
        "roles": ROLES,
        "open": state.access.open,
        "token": "",
        "added": "",
        **more,
    }


@router.post("/{action}")
async def act(action: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Add a user or a token, revoke tokens, set quotas, cancel a job, or erase a user."""
    fields = await form_of(request, state, user)
    _admin(state, user)
    name = fields.get("user", "").strip()
    if action == "add":
        token = await asyncio.to_thread(state.users.add, name, fields.get("role", ""))
        event("token added", user=name, by=user)
        return show(request, "admin.html.j2", _values(state, token=token, added=name), user=user)
    if action == "revoke":
        await asyncio.to_thread(state.users.revoke, name)
    elif action == "quota":
        jobs, kept = fields.get("max_jobs", "").strip(), fields.get("max_bytes", "").strip()
        await asyncio.to_thread(
            state.users.allow,
            name,
            count("max-jobs", jobs) if jobs else None,
            size("max-kept", kept) if kept else None,
        )
    elif action == "cancel":
        job = state.jobs.get(fields.get("job", ""))
        await asyncio.to_thread(state.jobs.cancel, job)
    elif action == "erase":
        if name == user or fields.get("again", "").strip() != name:
            raise UsageError("to erase a user, write the name twice", hint="you cannot erase yourself")
        await asyncio.to_thread(erase, state, name)
    else:
        raise HTTPException(404)
    event(f"admin {action}", user=name, by=user)
    return RedirectResponse(f"{root_of(state)}/admin", 303)


def erase(state: State, name: str) -> None:
    """Remove a user with all jobs, marks, indexes and tokens, so that nothing stays in the database files.

    Copies of the database from before a migration or a move have the user too: they go as a whole.
    """
    for job in state.jobs.listed(name, None):
        state.jobs.cancel(job)
        state.jobs.delete(job)
    for held in state.indexes.listed(name):
        if held.own:
            state.indexes.drop(name, held)
    state.marks.forget(name)
    state.courses.forget(name)
    state.users.forget(name)
    state.jobs.database.vacuum()
    state.jobs.database.remove_copies(state.config.data)
