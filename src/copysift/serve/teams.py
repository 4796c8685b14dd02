"""Who may change a course, and how its team changes; for the pages and REST."""

from __future__ import annotations

from fastapi import HTTPException

from copysift.errors import UsageError
from copysift.serve.courses import Course
from copysift.serve.events import event
from copysift.serve.state import State
from copysift.serve.users import ASSISTANT, NAME


def teachers_only(state: State, user: str) -> None:
    """Refuse an assistant with 403."""
    if state.users.role(user) == ASSISTANT:
        raise HTTPException(403, "only teachers can change courses")


def change_team(state: State, user: str, course: Course, action: str, member: str) -> None:
    """Let a user `join` or `leave` the team of a course."""
    teachers_only(state, user)
    if not NAME.fullmatch(member) and member not in course.team:
        raise UsageError(f"invalid user name {member[:80]!r}", hint="use the name that the user logs in with")
    if action == "join":
        if not state.access.open and member not in {each.name for each in state.users.listed()}:
            raise UsageError(f"there is no user {member!r}", hint="an admin can add users")
        state.courses.join(course, member)
    elif action == "leave":
        state.courses.leave(course, member)
    else:
        raise HTTPException(404)
    event(f"team {action}", course=course.name, member=member, user=user)
