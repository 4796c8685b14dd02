"""Who may use the server: names, roles, quotas and tokens, of which only the digests are stored.

Users are in the database, where `copysift serve token` changes them while the server runs, and in the
token file, which is read at the start.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from copysift.errors import UsageError
from copysift.serve.database import Database

LOCAL = "local"
TEACHER, ASSISTANT, ADMIN = ROLES = ("teacher", "assistant", "admin")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
TOKEN_BYTES = 24


class Known(NamedTuple):
    """The user of a token."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class User:
    """A user as lists show it; a quota of None is that of the server."""

    name: str
    role: str
    tokens: int
    created: float | None
    max_jobs: int | None
    max_bytes: int | None


def digest_of(token: str) -> str:
    """Give what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class Users:
    """All users of a data folder; threads may share it."""

    def __init__(self, database: Database, filed: Mapping[str, Known] | None = None) -> None:
        """`filed` are the users of a token file by the digest of their token."""
        self._db, self._filed = database, dict(filed or {})
        self._stamp: object = None
        self._tokens: dict[str, Known] = {}
        self._roles: dict[str, str] = {}

    @property
    def any(self) -> bool:
        """Whether anyone is known; if not, the server is one person's, on loopback."""
        self._read()
        return bool(self._filed or self._roles)

    def by_digest(self, digest: str) -> str | None:
        """Give the name of the user that has a token now."""
        self._read()
        found = self._filed.get(digest) or self._tokens.get(digest)
        return found.name if found else None

    def role(self, name: str) -> str:
        """Give the role of a user; that of the only one on loopback is admin."""
        self._read()
        if name in self._roles:
            return self._roles[name]
        filed = {each.name: each.role for each in self._filed.values()}
        return filed.get(name, ADMIN if not self.any and name == LOCAL else ASSISTANT)

    def add(self, name: str, role: str = "") -> str:
        """Give a new token to a user, made if there is none of that name; the role stays unless given.

        The first user of a server is an admin unless another role is given.
        """
        if not NAME.fullmatch(name):
            raise UsageError(f"invalid user name {name[:80]!r}", hint="use letters, digits and - _ . @")
        if role and role not in ROLES:
            raise UsageError(f"there is no role {role!r}", hint=f"choose from {', '.join(ROLES)}")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now = time.time()
        with self._db.writing() as db:
            db.execute(
                "INSERT INTO users (name, role, created) VALUES (?, ?, ?) ON CONFLICT(name) DO UPDATE "
                "SET role = CASE WHEN ? = '' THEN role ELSE excluded.role END",
                (name, role or (TEACHER if self.any else ADMIN), now, role),
            )
            db.execute("INSERT INTO tokens VALUES (?, ?, ?)", (digest_of(token), name, now))
        self._stamp = None
        return token

    def revoke(self, name: str) -> int:
        """Take all tokens of a user back, which ends the sessions too; give how many there were."""
        if any(each.name == name for each in self._filed.values()):
            raise UsageError(f"{name} is in the token file", hint="remove the line and restart the server")
        with self._db.writing() as db:
            if db.execute("SELECT 1 FROM users WHERE name = ?", (name,)).fetchone() is None:
                raise UsageError(f"there is no user {name!r}", hint="see copysift serve token list")
            gone = db.execute("DELETE FROM tokens WHERE user = ?", (name,)).rowcount
        self._stamp = None
        return gone

    def allow(self, name: str, max_jobs: int | None, max_bytes: int | None) -> None:
        """Give a user quotas of their own; None is what the server gives everyone."""
        if name not in {each.name for each in self.listed()}:
            raise UsageError(f"there is no user {name!r}", hint="add one first")
        with self._db.writing() as db:
            db.execute(
                "INSERT INTO users VALUES (?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "
                "max_jobs = excluded.max_jobs, max_bytes = excluded.max_bytes",
                (name, self.role(name), time.time(), max_jobs, max_bytes),
            )
        self._stamp = None

    def forget(self, name: str) -> None:
        """Remove a user, all tokens and memberships."""
        with self._db.writing() as db:
            db.execute("DELETE FROM users WHERE name = ?", (name,))
            db.execute("DELETE FROM teams WHERE user = ?", (name,))
            db.execute("DELETE FROM turns WHERE owner = ?", (name,))
        self._stamp = None

    def listed(self) -> list[User]:
        """Give all users by name."""
        rows = self._db.all(
            "SELECT name, role, created, max_jobs, max_bytes,"
            " (SELECT count(*) FROM tokens WHERE user = name) AS tokens FROM users"
        )
        found = {row["name"]: User(**dict(row)) for row in rows}
        for each in self._filed.values():
            known = found.get(each.name)
            found[each.name] = User(
                each.name,
                known.role if known else each.role,
                (known.tokens if known else 0) + 1,
                known.created if known else None,
                known.max_jobs if known else None,
                known.max_bytes if known else None,
            )
        return [found[name] for name in sorted(found)]

    def quota(self, name: str) -> tuple[int | None, int | None]:
        """Give the jobs and bytes that a user may have, where that differs from all others."""
        row = self._db.one("SELECT max_jobs, max_bytes FROM users WHERE name = ?", (name,))
        return (row[0], row[1]) if row else (None, None)

    def _read(self) -> None:
        """Read the tokens again if another process, or this one, has changed them."""
        stamp = self._db.changed_elsewhere()
        if stamp == self._stamp:
            return
        roles = {row["name"]: row["role"] for row in self._db.all("SELECT name, role FROM users")}
        rows = self._db.all("SELECT digest, user FROM tokens")
        self._tokens = {row["digest"]: Known(row["user"], roles[row["user"]]) for row in rows}
        self._roles = roles
        self._stamp = stamp
