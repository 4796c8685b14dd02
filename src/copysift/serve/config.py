"""How a server is set up, checked as a whole before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.serve.limits import Limits
from copysift.serve.moss_server import is_loopback

MOSS_RESULTS = ("public", "private")


@dataclass(frozen=True, slots=True)
class Config:
    """What `copysift serve` was told; `tokens` are names by digest, None on loopback without a file."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8690
    moss_host: str = ""  # as `host`
    moss_port: int | None = 7690
    moss_url: str = ""  # as `public_url`
    moss_results: str = "public"
    public_url: str = ""
    tokens: Mapping[str, str] | None = None
    moss_users: Mapping[str, str] | None = None
    keep_days: float = 14.0
    workers: int = 2
    indexes: Mapping[str, Path] = field(default_factory=dict)
    runs: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.tokens is None:
            raise UsageError(
                f"the server would listen on {self.host} for everyone",
                hint="add --token-file, or leave --host at 127.0.0.1",
            )
        _check_address("--public-url", self.public_url)
        _check_address("--moss-url", self.moss_url)
        self._check_moss()
        if self.keep_days <= 0 or self.workers < 1:
            raise UsageError("--keep-days and --workers must be above 0")

    def _check_moss(self) -> None:
        if self.moss_host and not is_loopback(self.moss_host) and self.moss_users is None:
            raise UsageError(
                f"MOSS clients that connect to {self.moss_host} need to be known",
                hint="list their user IDs with --moss-users",
            )
        if self.moss_results not in MOSS_RESULTS:
            raise UsageError(
                f"--moss-results is {self.moss_results}", hint=f"choose {' or '.join(MOSS_RESULTS)}"
            )
        if self.moss_results == "private" and self.tokens is None:
            raise UsageError("--moss-results private needs users who can log in", hint="add --token-file")

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that are answered to; empty for all, behind tokens."""
        if self.tokens is not None:
            return frozenset()
        public = {urlsplit(self.public_url).hostname, urlsplit(self.moss_url).hostname} - {None}
        return frozenset({"localhost", "127.0.0.1", "::1", self.host.lower(), *map(str, public)})

    def address(self, port: int) -> str:
        """The address that clients are given, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{port}"


def _check_address(flag: str, given: str) -> None:
    parts = urlsplit(given)
    if given and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment):
        raise UsageError(f"{flag} {given} is not an address", hint="write https://host/path")
