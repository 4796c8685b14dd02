"""Who may use the server: names, roles, quotas and tokens, of which only the digests are stored.

Users are in the database, where `copysift serve token` changes them while the server runs, and in the
token file, which is read at the start. Names and roles of the file are written into the database then, so
that other processes know them; its tokens are not.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, case, delete, func, literal, select
from sqlalchemy.exc import OperationalError

from copysift.errors import UsageError
from copysift.serve.database import Database, repeated
from copysift.serve.tables import stamps, teams, tokens, turns, users

LOCAL = "local"
TEACHER, ASSISTANT, ADMIN = ROLES = ("teacher", "assistant", "admin")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
TOKEN_BYTES = 24
STAMP = "users"
SESSION_MARK = "login:"  # begins what is stored for a session without a token: no token has such a digest
SESSION_SECONDS = 12 * 3600  # that a browser stays known
WAIT = 1.0  # seconds until a database that did not answer is asked again
FRESH = 0.1  # seconds for which the tokens are known; a change in this process shows at once


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
    filed: bool = False  # has a token in the token file


def digest_of(token: str) -> str:
    """Give what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class Users:
    """All users of a data folder; threads may share it."""

    def __init__(
        self, database: Database, filed: Mapping[str, Known] | None = None, *, guarded: bool = False
    ) -> None:
        """`filed` are the users of a token file by the digest of their token.

        `guarded`: users come from elsewhere, and there may be none yet.
        """
        self._guarded = guarded
        self._db, self._filed = database, dict(filed or {})
        self._stamp: object = None
        self._looked = float("-inf")
        self._tokens: dict[str, Known] = {}
        self._roles: dict[str, str] = {}

    @property
    def any(self) -> bool:
        """Whether anyone is known; if not, the server is one person's, on loopback."""
        self._read()
        return bool(self._guarded or self._filed or self._roles)

    def by_digest(self, digest: str) -> str | None:
        """Give the name of the user that has a token now."""
        self._read()
        found = self._filed.get(digest) or self._tokens.get(digest)
        return found.name if found else None

    def register(self) -> None:
        """Write the names of the token file into the database, with the roles that they have in the file."""
        for each in dict.fromkeys(self._filed.values()):
            self._store(each.name, each.role, True, "")

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
        filed = {each.role for each in self._filed.values() if each.name == name}
        if role and filed and role not in filed:
            raise UsageError(
                f"the role of {name} is in the token file", hint="change it there and restart the server"
            )
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._store(name, role or (TEACHER if self.any else ADMIN), bool(role), digest_of(token))
        return token

    def enter(self, name: str, role: str) -> str | None:
        """Start a session of a user who has logged in elsewhere, and give its digest.

        One who is not known gets a role, or None if there is none to get.
        """
        self._read()
        known = name in self._roles or any(each.name == name for each in self._filed.values())
        if not known and not role:
            return None
        digest = f"{SESSION_MARK}{secrets.token_hex(32)}"
        self._store(name, self.role(name) if known else role, False, digest)
        return digest

    @repeated
    def leave(self, digest: str) -> None:
        """End a session of `enter`."""
        if digest.startswith(SESSION_MARK):
            with self._writing() as db:
                db.execute(delete(tokens).where(tokens.c.digest == digest))

    @repeated
    def _store(self, name: str, role: str, change: bool, digest: str) -> None:
        """Write a user with a token down; the role of a known one stays unless it is to change."""
        now = time.time()
        with self._writing() as db:
            new = self._db.insert(users).values(name=name, role=role, created=now)
            kept = case((literal(change), new.excluded.role), else_=users.c.role)
            db.execute(new.on_conflict_do_update(index_elements=["name"], set_={"role": kept}))
            old = (tokens.c.digest.startswith(SESSION_MARK), tokens.c.created < now - SESSION_SECONDS)
            db.execute(delete(tokens).where(*old))
            if digest:
                token = self._db.insert(tokens).values(digest=digest, user=name, created=now)
                db.execute(token.on_conflict_do_nothing())

    def revoke(self, name: str) -> int:
        """Take all tokens of a user back, which ends the sessions too; give how many there were."""
        if any(each.name == name for each in self._filed.values()):
            raise UsageError(f"{name} is in the token file", hint="remove the line and restart the server")
        if name not in {each.name for each in self.listed()}:
            raise UsageError(f"there is no user {name!r}", hint="see copysift serve token list")
        return self._remove_tokens(name)

    @repeated
    def _remove_tokens(self, name: str) -> int:
        with self._writing() as db:
            return db.execute(delete(tokens).where(tokens.c.user == name)).rowcount

    @repeated
    def allow(self, name: str, max_jobs: int | None, max_bytes: int | None) -> None:
        """Give a user quotas of their own; None is what the server gives everyone."""
        if name not in {each.name for each in self.listed()}:
            raise UsageError(f"there is no user {name!r}", hint="add one first")
        role = self.role(name)
        with self._writing() as db:
            new = self._db.insert(users).values(
                name=name, role=role, created=time.time(), max_jobs=max_jobs, max_bytes=max_bytes
            )
            quotas = {"max_jobs": new.excluded.max_jobs, "max_bytes": new.excluded.max_bytes}
            db.execute(new.on_conflict_do_update(index_elements=["name"], set_=quotas))

    @repeated
    def forget(self, name: str) -> None:
        """Remove a user, all tokens and memberships."""
        with self._writing() as db:
            db.execute(delete(users).where(users.c.name == name))
            db.execute(delete(teams).where(teams.c.user == name))
            db.execute(delete(turns).where(turns.c.owner == name))

    def listed(self) -> list[User]:
        """Give all users by name."""
        permanent = ~tokens.c.digest.startswith(SESSION_MARK)
        had = select(func.count()).where(tokens.c.user == users.c.name, permanent).scalar_subquery()
        rows = self._db.all(select(users, had.label("tokens")))
        found = {row.name: User(**row._mapping) for row in rows}
        for each in self._filed.values():
            known = found.get(each.name)
            found[each.name] = User(
                each.name,
                known.role if known else each.role,
                (known.tokens if known else 0) + 1,
                known.created if known else None,
                known.max_jobs if known else None,
                known.max_bytes if known else None,
                filed=True,
            )
        return [found[name] for name in sorted(found)]

    def quota(self, name: str) -> tuple[int | None, int | None]:
        """Give the jobs and bytes that a user may have, where that differs from all others."""
        row = self._db.one(select(users.c.max_jobs, users.c.max_bytes).where(users.c.name == name))
        return (row[0], row[1]) if row else (None, None)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Change something about users, and let all processes notice."""
        with self._db.writing() as db:
            stamp = self._db.insert(stamps).values(name=STAMP, value=1)
            grown = {"value": stamps.c.value + 1}
            db.execute(stamp.on_conflict_do_update(index_elements=["name"], set_=grown))
            yield db
        self._looked = float("-inf")

    def _read(self) -> None:
        """Read the tokens again if another process, or this one, has changed them."""
        now = time.monotonic()
        if now - self._looked < FRESH:
            return
        try:
            row = self._db.one_now(select(stamps.c.value).where(stamps.c.name == STAMP))
        except OperationalError:
            if self._stamp is None:
                raise
            self._looked = now + WAIT  # what is known is enough until the database is back
            return
        stamp = 0 if row is None else row.value
        if stamp != self._stamp:
            roles = {row.name: row.role for row in self._db.all(select(users.c.name, users.c.role))}
            rows = self._db.all(select(tokens.c.digest, tokens.c.user))
            self._tokens = {row.digest: Known(row.user, roles[row.user]) for row in rows if row.user in roles}
            self._roles = roles
            self._stamp = stamp
        self._looked = now
