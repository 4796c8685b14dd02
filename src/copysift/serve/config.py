"""How a server is set up, checked as a whole before anything is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from copysift.errors import UsageError
from copysift.serve.access import (
    is_loopback,
    read_client_secret,
    read_metrics_token,
    read_moss_users,
    read_tokens,
)
from copysift.serve.limits import Limits
from copysift.serve.oidc import Provider
from copysift.serve.remote_files import check_hosts
from copysift.serve.users import Known
from copysift.settings.server import ServeOptions


@dataclass(frozen=True, slots=True)
class Config:
    """What `copysift serve` was given, with the files that it names read.

    `users` are those of the token file by digest; `guarded`: there are users, in that file or elsewhere.
    """

    data: Path
    guarded: bool = False
    host: str = ServeOptions.host
    port: int = ServeOptions.port
    moss_host: str = ""  # as `host`
    moss_port: int | None = ServeOptions.moss_port
    moss_url: str = ""  # as `public_url`
    moss_results: str = ServeOptions.moss_results
    public_url: str = ""
    users: Mapping[str, Known] = field(default_factory=dict)
    moss_users: Mapping[str, str] | None = None
    metrics_digest: str = ""
    keep_days: float = ServeOptions.keep_days
    workers: int = 2
    indexes: Mapping[str, Path] = field(default_factory=dict)
    runs: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    webhook: str = ""
    provider: Provider | None = None
    import_from: tuple[str, ...] = ()
    shared: bool = False  # whether workers on other machines can take jobs

    @classmethod
    def of(cls, settings: ServeOptions, *, guarded: bool) -> Config:
        """Make a configuration of the settings; `guarded`: the data folder has users."""
        users = read_tokens(Path(settings.token_file)) if settings.token_file else {}
        metrics = settings.metrics_token_file
        return cls(
            data=Path(settings.data).absolute(),
            guarded=guarded or bool(users) or bool(settings.oidc_issuer),
            host=settings.host,
            port=settings.port,
            moss_host=settings.moss_host,
            moss_port=None if settings.moss_port < 0 else settings.moss_port,
            moss_url=settings.moss_url,
            moss_results=settings.moss_results,
            public_url=settings.public_url,
            users=users,
            moss_users=read_moss_users(Path(settings.moss_users)) if settings.moss_users else None,
            metrics_digest=read_metrics_token(Path(metrics)) if metrics else "",
            keep_days=settings.keep_days,
            workers=max(0, settings.workers or max(2, os.cpu_count() or 1)),
            indexes=_named("indexes", settings.index),
            runs=_named("runs", settings.run),
            limits=Limits.of(settings),
            webhook=settings.webhook,
            shared=bool(settings.database),
            provider=_provider(settings) if settings.oidc_issuer else None,
            import_from=settings.import_from,
        )

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.guarded:
            raise UsageError(
                f"the server would listen on {self.host} for everyone",
                hint="add a user with copysift serve token add or --token-file, or leave --host at 127.0.0.1",
            )
        if not self.workers and not self.shared:
            raise UsageError("no worker could reach the jobs", hint="give --database, or --workers 1 or more")
        _check_address("--public-url", self.public_url)
        _check_address("--moss-url", self.moss_url)
        check_hosts(self.import_from)
        _check_address("--webhook", self.webhook, queries=True)
        if self.moss_host and not is_loopback(self.moss_host) and self.moss_users is None:
            raise UsageError(
                f"MOSS clients that connect to {self.moss_host} need to be known",
                hint="list their user IDs with --moss-users",
            )
        if self.moss_results == "private" and not self.guarded:
            raise UsageError(
                "--moss-results private needs users who can log in",
                hint="add one with copysift serve token add, or --token-file",
            )

    @property
    def hosts(self) -> frozenset[str]:
        """The host names to answer to as long as there are no users."""
        public = {urlsplit(self.public_url).hostname, urlsplit(self.moss_url).hostname} - {None}
        return frozenset({"localhost", "127.0.0.1", "::1", self.host.lower(), *map(str, public)})

    def address(self, port: int) -> str:
        """The address that clients are given, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{port}"


def _provider(settings: ServeOptions) -> Provider:
    path = settings.oidc_secret_file
    return Provider(
        settings.oidc_issuer, settings.oidc_client, read_client_secret(Path(path)) if path else "",
        settings.oidc_claim, settings.oidc_new_users,
    )  # fmt: skip


def _check_address(flag: str, given: str, *, queries: bool = False) -> None:
    try:
        parts = urlsplit(given)
        right = not given or (parts.scheme in ("http", "https") and parts.netloc)
    except ValueError:
        right = False
    if not right or (parts.query and not queries) or parts.fragment:
        raise UsageError(f"{flag} {given} is not an address", hint="write https://host/path")


def _named(what: str, paths: tuple[str, ...]) -> dict[str, Path]:
    named = {Path(path).absolute().stem: Path(path).absolute() for path in paths}
    if len(named) < len(paths):
        raise UsageError(f"two {what} have the same name", hint="rename the folder of one")
    return named
