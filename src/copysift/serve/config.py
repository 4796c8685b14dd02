"""How a server is set up, checked as a whole before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.serve.limits import Limits
from copysift.serve.moss_server import is_loopback


@dataclass(frozen=True, slots=True)
class Config:
    """What `copysift serve` was told; `tokens` are names by digest, None on loopback without a file."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8690
    moss_port: int | None = 7690
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
                hint="give --token-file, or leave --host at 127.0.0.1",
            )
        if self.public_url:
            parts = urlsplit(self.public_url)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
                raise UsageError(
                    f"--public-url {self.public_url} is no address", hint="write https://host/path"
                )
        if self.keep_days <= 0 or self.workers < 1:
            raise UsageError("--keep-days and --workers must be above 0")

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that are answered to; empty for all, behind tokens."""
        if self.tokens is not None:
            return frozenset()
        public = urlsplit(self.public_url).hostname
        return frozenset({"localhost", "127.0.0.1", "::1", self.host.lower(), *([public] if public else [])})

    def address(self, port: int) -> str:
        """The address that clients are given, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{port}"
