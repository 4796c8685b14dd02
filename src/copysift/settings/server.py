"""The settings of `copysift serve` and `copysift worker`, each option declared once."""

from __future__ import annotations

from typing import ClassVar

from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import ADDRESSES, LIMITS, OUTPUT, SOURCES, USERS
from copysift.settings.declaration import alias, check_limits, declare
from copysift.settings.parsing import count, ratio, size, text, texts
from copysift.settings.reading import TimeLimit

_SECONDS = (0.001, 1e9)


@dataclass(frozen=True, kw_only=True)
class ServeOptions(TimeLimit):
    """How a server is set up."""

    COMMANDS: ClassVar[str] = "serve worker"

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
    oidc_issuer: str = declare(
        "", "--oidc-issuer", "Let users log in at this OpenID Connect provider.", USERS, text, "URL",
        commands="serve", default_text="none",
    )  # fmt: skip
    oidc_client: str = declare(
        "", "--oidc-client", "Client ID of this server at the provider.", USERS, text, "ID", commands="serve",
        default_text="none",
    )  # fmt: skip
    oidc_secret_file: str = declare(
        "", "--oidc-secret-file", "Read the client secret from FILE.", USERS, text, "FILE",
        commands="serve", default_text="none",
    )  # fmt: skip
    oidc_claim: str = declare(
        "preferred_username", "--oidc-claim",
        "What the provider calls the name of a user, such as email.", USERS, text, "NAME", commands="serve",
    )  # fmt: skip
    oidc_new_users: str = declare(
        "refuse", "--oidc-new-users",
        "Users of the provider who are not known here: refuse, or the role that they get.",
        USERS, text, "ROLE", choices=("refuse", "assistant", "teacher"), commands="serve",
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
        commands="serve worker",
        default_for={"worker": "that of the server; with --store a temporary folder"},
    )  # fmt: skip
    database: str = declare(
        "", "--database", "PostgreSQL database for jobs, marks and users: postgresql://user@host/name.",
        SOURCES, text, "URL", commands="serve worker", default_text="a file in --data",
    )  # fmt: skip
    store: str = declare(
        "", "--store", "Shared folder or bucket for files and indexes: /mnt/folder or s3://bucket/path.",
        SOURCES, text, "URI", commands="serve worker", default_text="--data",
    )  # fmt: skip
    import_from: tuple[str, ...] = declare(
        (), "--import-from", "Let users import files from this server (*.NAME: all below it). Repeatable.",
        SOURCES, texts, "HOST", commands="serve", default_text="none",
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
        0, "--workers", "Jobs to run at once (0: one per CPU, at least 2; -1: none, workers elsewhere).",
        LIMITS, count, "N", limits=(-1, 1024), commands="serve worker",
        help_for={"worker": "Jobs to run at once (0: one per CPU)."},
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
        900, "--job-seconds", "Time limit of a job.", LIMITS, count, "N", limits=(1, None),
        commands="serve worker",
    )  # fmt: skip
    job_memory: int = declare(
        4_000_000_000, "--job-memory", "Memory limit of a job.", LIMITS, size, "SIZE",
        limits=(1, None), commands="serve worker", default_text="4GB",
    )  # fmt: skip
    worker_seconds: float = declare(
        20.0, "--worker-seconds", "Give the job of a worker that is silent for N seconds to another one.",
        LIMITS, ratio, "N", limits=(1, 1e6), commands="serve worker", default_text="20",
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
        choices=("text", "json"), commands="serve worker",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
