"""Who may do what: tokens, sessions of browsers, and requests that a foreign page made a browser send.

Without a token file the server is one person's on loopback, `local`. With one, every request needs a
token of it: as `Authorization: Bearer`, or as the cookie that the login page sets for it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.runtime import durable

LOCAL = "local"
COOKIE = "copysift"
SECRET = 32  # bytes that sign sessions
SESSION = 12 * 3600  # seconds that a browser stays known
SAFE = ("GET", "HEAD", "OPTIONS")


def read_tokens(path: Path) -> dict[str, str]:
    """Read a token file: a name and a token a line; give names by the digest of their token."""
    found: dict[str, str] = {}
    for number, (name, token) in _pairs(path, "token file"):
        if len(token) < 16:
            raise UsageError(f"{path}, line {number}: a token needs 16 characters or more")
        found[_digest(token)] = name
    if not found:
        raise UsageError(
            f"{path} has no token", hint="write one name and token per line, separated by a space"
        )
    return found


def read_moss_users(path: Path) -> dict[str, str]:
    """Read the users of the MOSS port: a user number a line, and the name of the owner if that is another."""
    return {user: owner or f"moss:{user}" for _, (user, owner) in _pairs(path, "list of MOSS users")}


def _pairs(path: Path, what: str) -> list[tuple[int, tuple[str, str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the {what} {path}: {error}") from None
    words = [(number, line.split("#")[0].split()) for number, line in enumerate(lines, 1)]
    for number, each in words:
        if len(each) > 2:
            raise UsageError(f"{path}, line {number}: more than two words")
    return [(number, (each[0], each[1] if len(each) > 1 else "")) for number, each in words if each]


def secret(path: Path) -> bytes:
    """Give the secret of a data folder, made on first use; only the holder of the folder's lock may ask.

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
        self, key: bytes, tokens: Mapping[str, str] | None, hosts: frozenset[str], public_url: str = ""
    ) -> None:
        if len(key) != SECRET:
            raise ValueError(f"sessions are signed with {SECRET} bytes, not {len(key)}")
        self._key, self._tokens, self._hosts = key, tokens, hosts
        self._public = urlsplit(public_url).netloc.lower()  # what browsers call us behind a proxy
        self.secure = public_url.startswith("https://")

    @property
    def open(self) -> bool:
        """Whether everyone who gets here is the one user."""
        return self._tokens is None

    def by_token(self, token: str) -> str | None:
        """Give the name of the user that has a token."""
        return None if self._tokens is None else self._tokens.get(_digest(token))

    def user(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str | None:
        """Give the user of a request, or None."""
        if self._tokens is None:
            return LOCAL
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.by_token(token.strip())
        return self._by_session(cookies.get(COOKIE, ""))

    def session(self, user: str) -> str:
        """Make the cookie of a user."""
        until = f"{int(time.time()) + SESSION}"
        return f"{user.encode().hex()}.{until}.{self._sign('session', user, until)}"

    def _by_session(self, cookie: str) -> str | None:
        parts = cookie.split(".")
        if len(parts) != 3 or not parts[1].isdigit():
            return None
        try:
            user = bytes.fromhex(parts[0]).decode()
        except ValueError:
            return None
        genuine = hmac.compare_digest(parts[2].encode(), self._sign("session", user, parts[1]).encode())
        known = self._tokens is not None and user in self._tokens.values()
        return user if genuine and known and int(parts[1]) > time.time() else None

    def form_token(self, user: str) -> str:
        """Give what every form of a user must carry."""
        return self._sign("form", user)

    def form_is_genuine(self, user: str, token: str) -> bool:
        """Tell whether a form came from a page that this server made for the user."""
        return hmac.compare_digest(token.encode(), self.form_token(user).encode())

    def refusal(self, method: str, headers: Mapping[str, str]) -> str:
        """Say why a request is refused whoever sent it, or nothing: foreign names, foreign pages."""
        host = headers.get("host", "")
        if self._hosts and _hostname(host) not in self._hosts:
            return "this server does not answer to that host name"
        if method in SAFE:
            return ""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "requests of other pages are refused"
        origin = headers.get("origin")
        named = "" if origin is None else urlsplit(origin).netloc.lower()  # of `null` nothing
        if origin is not None and (not named or named not in (host.lower(), self._public)):
            return "requests of other pages are refused"
        return ""

    def _sign(self, *words: str) -> str:
        return hmac.new(self._key, "\0".join(words).encode(), hashlib.sha256).hexdigest()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _hostname(host: str) -> str:
    return (urlsplit(f"//{host}").hostname or "").lower()
