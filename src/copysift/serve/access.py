"""Who may do what: tokens, sessions of browsers, and requests that a foreign page made a browser send.

Without any users the server is one person's on loopback, `local`. With users, every request needs a token:
as `Authorization: Bearer`, or as the cookie that the login page sets for it. A session ends with its token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.runtime import durable
from copysift.serve.users import LOCAL, ROLES, SESSION_SECONDS, TEACHER, Known, digest_of

COOKIE = "copysift"
SECRET = 32  # bytes that sign sessions
SAFE = ("GET", "HEAD", "OPTIONS")
_HASHED = re.compile(r"sha256:([0-9a-f]{64})")


class Directory(Protocol):
    """The users, as access needs them."""

    @property
    def any(self) -> bool:
        """Whether anyone is known."""

    def by_digest(self, digest: str) -> str | None:
        """Give the name of the user that has a token now."""


class Refusal(NamedTuple):
    """Why a request is refused whoever sent it, and HTTP's status."""

    reason: str
    status: int


def read_tokens(path: Path) -> dict[str, Known]:
    """Read a token file: a name, a token and optionally a role per line; give users by digest.

    A token may be written as `sha256:` and its digest.
    """
    found: dict[str, Known] = {}
    for number, words in _lines(path, "token file", 3):
        name, token, role = (*words, "", "")[:3]
        if len(token) < 16:
            raise UsageError(f"{path}, line {number}: a token needs 16 characters or more")
        if role and role not in ROLES:
            raise UsageError(f"{path}, line {number}: no role {role!r}", hint=f"roles: {', '.join(ROLES)}")
        hashed = _HASHED.fullmatch(token)
        found[hashed[1] if hashed else digest_of(token)] = Known(name, role or TEACHER)
    if not found:
        raise UsageError(
            f"{path} has no token", hint="write one name and token per line, separated by a space"
        )
    return found


def read_metrics_token(path: Path) -> str:
    """Read the token for the metrics, the first word of a file; give its digest."""
    lines = _lines(path, "token file", 1)
    if not lines or len(lines[0][1][0]) < 16:
        raise UsageError(f"{path} has no token of 16 characters or more")
    return digest_of(lines[0][1][0])


def read_client_secret(path: Path) -> str:
    """Read the secret of this server at an identity provider, the first word of a file."""
    lines = _lines(path, "secret file", 1)
    if not lines:
        raise UsageError(f"{path} has no secret")
    return lines[0][1][0]


def read_moss_users(path: Path) -> dict[str, str]:
    """Read the users of the MOSS port: a user number per line, and the name of the owner if it differs."""
    found = [(*words, "")[:2] for _, words in _lines(path, "list of MOSS users", 2)]
    return {user: owner or f"moss:{user}" for user, owner in found}


def _lines(path: Path, what: str, most: int) -> list[tuple[int, list[str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the {what} {path}: {error}") from None
    words = [(number, line.split("#")[0].split()) for number, line in enumerate(lines, 1)]
    for number, each in words:
        if len(each) > most:
            raise UsageError(f"{path}, line {number}: more than {most} words")
    return [(number, each) for number, each in words if each]


def secret(path: Path) -> bytes:
    """Give the secret of a data folder, made on first use; the caller must hold the folder's lock.

    It appears under its name when it is whole and on disk. A file of any other size is the rest of a
    crash, with which anyone could sign a session: it is replaced, which ends the sessions it signed.
    """
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        found = b""
    if len(found) == SECRET:
        path.chmod(0o600)
        return found
    made = secrets.token_bytes(SECRET)
    durable.replace(path, made, private=True)
    return made


class Access:
    """Decides for every request; knows nothing of HTTP but headers."""

    def __init__(
        self, key: bytes, users: Directory, hosts: frozenset[str], public_url: str = "", metrics: str = ""
    ) -> None:
        """`hosts` are the names to answer to while there are no users; `metrics` is a digest."""
        if len(key) != SECRET:
            raise ValueError(f"sessions are signed with {SECRET} bytes, not {len(key)}")
        self._key, self._users, self._hosts, self._metrics = key, users, hosts, metrics
        self._public = urlsplit(public_url).netloc.lower()  # what browsers call us behind a proxy
        self.secure = public_url.startswith("https://")

    @property
    def open(self) -> bool:
        """Whether everyone who gets here is the one user."""
        return not self._users.any

    def by_token(self, token: str) -> str | None:
        """Give the name of the user that has a token."""
        return None if self.open else self._users.by_digest(digest_of(token))

    def user(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str | None:
        """Give the user of a request, or None."""
        if self.open:
            return LOCAL
        token = bearer(headers)
        return self._by_session(cookies.get(COOKIE, "")) if token is None else self.by_token(token)

    def may_measure(self, headers: Mapping[str, str], peer: str) -> bool:
        """Say whether a request may read the metrics.

        Any user may, the token for it, and this machine; behind a proxy everyone seems to be this machine.
        """
        token = bearer(headers)
        if token is not None:
            given = digest_of(token)
            return hmac.compare_digest(given, self._metrics) or self.by_token(token) is not None
        return self.open or (not self._public and is_loopback(peer))

    def session(self, token: str) -> str:
        """Make the cookie for a token."""
        return self.session_of(digest_of(token))

    def session_of(self, digest: str) -> str:
        """Make the cookie for what is stored of a token or a login."""
        user = self._users.by_digest(digest) or ""
        until = f"{int(time.time()) + SESSION_SECONDS}"
        return f"{user.encode().hex()}.{until}.{digest}.{self.sign('session', user, until, digest)}"

    def _by_session(self, cookie: str) -> str | None:
        parts = cookie.split(".")
        if len(parts) != 4 or not parts[1].isdigit():
            return None
        try:
            user = bytes.fromhex(parts[0]).decode()
        except ValueError:
            return None
        signed = self.sign("session", user, parts[1], parts[2])
        if not hmac.compare_digest(parts[3].encode(), signed.encode()) or int(parts[1]) <= time.time():
            return None
        return user if self._users.by_digest(parts[2]) == user else None

    def digest_of_session(self, cookie: str) -> str:
        """Give what is stored of the session of a cookie, if it is a valid one."""
        return cookie.split(".")[2] if self._by_session(cookie) is not None else ""

    def form_token(self, user: str) -> str:
        """Give what every form of a user must carry."""
        return self.sign("form", user)

    def form_is_genuine(self, user: str, token: str) -> bool:
        """Say whether a form came from a page that this server made for the user."""
        return hmac.compare_digest(token.encode(), self.form_token(user).encode())

    def refusal(self, method: str, headers: Mapping[str, str]) -> Refusal | None:
        """Say why a request is refused whoever sent it, or None: foreign names, foreign pages."""
        host = headers.get("host", "")
        try:
            address = urlsplit(f"//{host}")
            name, _ = (address.hostname or "").lower(), address.port  # a port that is none raises too
            origin = headers.get("origin")
            named = "" if origin is None else urlsplit(origin).netloc.lower()  # of `null` nothing
        except ValueError:
            return Refusal("Host or Origin is not an address", 400)
        if self.open and self._hosts and name not in self._hosts:
            return Refusal("this server does not answer to that host name", 403)
        if method in SAFE:
            return None
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if foreign or (origin is not None and (not named or named not in (host.lower(), self._public))):
            return Refusal("requests of other pages are refused", 403)
        return None

    def sign(self, *words: str) -> str:
        """Sign words, so that only this server can have written them."""
        return hmac.new(self._key, "\0".join(words).encode(), hashlib.sha256).hexdigest()


def bearer(headers: Mapping[str, str]) -> str | None:
    """Give the token of a request's header, or None if it has none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def is_loopback(address: str) -> bool:
    """Say whether an address is of this machine."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address == "localhost"
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback
