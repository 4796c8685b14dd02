"""The settings of `copysift serve`: addresses, users, limits and logs, each option declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from copysift.settings.commands import ADDRESSES, LIMITS, OUTPUT, SOURCES, USERS
from copysift.settings.declaration import alias, check_limits, declare
from copysift.settings.parsing import count, ratio, size, text, texts

_SECONDS = (0.001, 1e9)


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a server is set up."""

    COMMANDS: ClassVar[str] = "serve"

    host: str = declare(
        "127.0.0.1", "--host", "Address of the web page and REST.", ADDRESSES, text, "ADDRESS",
        commands="serve",
    )  # fmt: skip
    port: int = declare(
        8690, "--port", "Port of the web page and REST (0: any free port).", ADDRESSES, count, "N",
        limits=(0, 65_535), commands="serve",
    )  # fmt: skip
    public_url: str = declare(
        "", "--public-url", "Address to print in links, behind a proxy.", ADDRESSES, text, "URL",
        commands="serve", default_text="none",
    )  # fmt: skip
    moss_host: str = declare(
        "", "--moss-host", "Address for MOSS clients.", ADDRESSES, text, "ADDRESS", commands="serve",
        default_text="as --host",
    )  # fmt: skip
    moss_port: int = declare(
        7690, "--moss-port", "Port for MOSS clients (-1: off).", ADDRESSES, count, "N", limits=(-1, 65_535),
        commands="serve",
    )  # fmt: skip
    moss_url: str = declare(
        "", "--moss-url", "Address in links to MOSS results, such as http://moss.stanford.edu.",
        ADDRESSES, text, "URL", commands="serve", default_text="as --public-url",
    )  # fmt: skip
    token_file: str = declare(
        "", "--token-file",
        "Users and tokens, besides those of `serve token`. Without users only this machine can connect.",
        USERS, text, "FILE", commands="serve", default_text="none",
    )  # fmt: skip
    metrics_token_file: str = declare(
        "", "--metrics-token-file", "Read the token that may read the metrics from FILE.",
        USERS, text, "FILE", commands="serve", default_text="none",
    )  # fmt: skip
    moss_users: str = declare(
        "", "--moss-users", "MOSS user IDs to accept.", USERS, text, "FILE", commands="serve",
        default_text="all, from this machine",
    )  # fmt: skip
    moss_results: str = declare(
        "public", "--moss-results",
        "Who may read MOSS results: public (anyone with the link) or private (after a login).",
        USERS, text, "WHO", choices=("public", "private"), commands="serve",
    )  # fmt: skip
    data: str = declare(
        "copysift-data", "--data", "Folder for jobs, results and indexes.", SOURCES, text, "DIR",
        commands="serve",
    )  # fmt: skip
    index: tuple[str, ...] = declare(
        (), "--index", "Share this index with all users. Repeatable.", SOURCES, texts, "PATH",
        commands="serve", default_text="none",
    )  # fmt: skip
    run: tuple[str, ...] = declare(
        (), "--run", "Share this run with all users. Repeatable.", SOURCES, texts, "PATH", commands="serve",
        default_text="none",
    )  # fmt: skip
    workers: int = declare(
        0, "--workers", "Jobs to run at once (0: one per CPU, at least 2).", LIMITS, count, "N",
        limits=(0, 1024), commands="serve",
    )  # fmt: skip
    max_jobs: int = declare(
        200, "--max-jobs", "Waiting and running jobs per user.", LIMITS, count, "N", limits=(1, None),
        commands="serve",
    )  # fmt: skip
    max_upload: int = declare(
        200_000_000, "--max-upload", "Size of one upload.", LIMITS, size, "SIZE", limits=(1, None),
        commands="serve", default_text="200MB", aliases=(alias("--max-bytes"),),
    )  # fmt: skip
    max_files: int = declare(
        20_000, "--max-files", "Files of one upload.", LIMITS, count, "N", limits=(1, None),
        commands="serve",
    )  # fmt: skip
    max_kept: int = declare(
        5_000_000_000, "--max-kept", "Storage per user.", LIMITS, size, "SIZE", limits=(1, None),
        commands="serve", default_text="5GB",
    )  # fmt: skip
    max_connections: int = declare(
        128, "--max-connections",
        "Connections per address, for the web page and MOSS each. Behind a proxy: for MOSS only.",
        LIMITS, count, "N", limits=(1, None), commands="serve",
    )  # fmt: skip
    job_seconds: int = declare(
        900, "--job-seconds", "Time limit of a job.", LIMITS, count, "N", limits=(1, None), commands="serve"
    )
    job_memory: int = declare(
        4_000_000_000, "--job-memory", "Memory limit of a job.", LIMITS, size, "SIZE",
        limits=(1, None), commands="serve", default_text="4GB",
    )  # fmt: skip
    first_seconds: float = declare(
        10.0, "--first-seconds",
        "Time for the first line of a MOSS client and the headers of a request.",
        LIMITS, ratio, "N", limits=_SECONDS, commands="serve", default_text="10",
    )  # fmt: skip
    idle_seconds: float = declare(
        30.0, "--idle-seconds", "Close connections that send nothing for N seconds.",
        LIMITS, ratio, "N", limits=_SECONDS, commands="serve", default_text="30", aliases=(alias("--idle"),),
    )  # fmt: skip
    upload_seconds: float = declare(
        1800.0, "--upload-seconds", "Time limit of an upload.", LIMITS, ratio, "N", limits=_SECONDS,
        commands="serve", default_text="1,800",
    )  # fmt: skip
    keep_days: float = declare(
        14.0, "--keep-days", "Delete jobs after N days.", LIMITS, ratio, "N", limits=(0.0001, 100_000),
        commands="serve", default_text="14",
    )  # fmt: skip
    webhook: str = declare(
        "", "--webhook", "Send a JSON message to URL when a job has ended.", OUTPUT, text, "URL",
        commands="serve", default_text="none",
    )  # fmt: skip
    log_format: str = declare(
        "text", "--log-format", "Format of the log on standard error: text or json.", OUTPUT, text, "NAME",
        choices=("text", "json"), commands="serve",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
