"""`copysift serve`: the web page, the REST interface and the MOSS port."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import Any

import click

from copysift.cli import console
from copysift.errors import UsageError
from copysift.report.wording import size as size_shown
from copysift.serve.limits import Limits
from copysift.settings.parsing import size

_LIMITS = (
    ("--max-jobs", "user_jobs", "N", "Waiting and running jobs per user."),
    ("--max-upload", "job_bytes", "SIZE", "Size of one upload."),
    ("--max-files", "job_files", "N", "Files of one upload."),
    ("--max-kept", "user_bytes", "SIZE", "Storage per user."),
    ("--job-seconds", "seconds", "N", "Time limit of a job."),
    ("--job-memory", "memory", "SIZE", "Memory limit of a job."),
    ("--idle-seconds", "idle", "N", "Close connections that send nothing for N seconds."),
    ("--upload-seconds", "upload", "N", "Time limit of an upload."),
)  # flag, field of Limits, metavar, help
_OLD = {"--max-bytes": "--max-upload", "--idle": "--idle-seconds"}


def _limits(function: Any) -> Any:
    for old, flag in _OLD.items():
        function = click.option(old, f"old_{flag[2:].replace('-', '_')}", hidden=True)(function)
    for flag, field, metavar, words in reversed(_LIMITS):
        standard = getattr(Limits(), field)
        shown = size_shown(standard) if metavar == "SIZE" else f"{standard:,.0f}"
        function = click.option(flag, field, metavar=metavar, help=f"{words}  [default: {shown}]")(function)
    return function


@click.command("serve")
@click.option("--data", metavar="DIR", help="Folder for jobs, results and indexes.  [default: copysift-data]")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", show_default=True,
    help="Address of the web page and REST.",
)  # fmt: skip
@click.option(
    "--port", default=8690, metavar="N", show_default=True,
    help="Port of the web page and REST (0: any free port).",
)  # fmt: skip
@click.option(
    "--moss-host", default="", metavar="ADDRESS", help="Address for MOSS clients.  [default: as --host]"
)
@click.option(
    "--moss-port", default=7690, metavar="N", show_default=True, help="Port for MOSS clients (-1: off)."
)
@click.option(
    "--moss-url", default="", metavar="URL",
    help="Address in links to MOSS results, such as http://moss.stanford.edu.  [default: as --public-url]",
)  # fmt: skip
@click.option(
    "--moss-results", default="public", metavar="WHO", show_default=True,
    help="Who may read MOSS results: public (anyone with the link) or private (after a login).",
)  # fmt: skip
@click.option("--public-url", default="", metavar="URL", help="Address to print in links, behind a proxy.")
@click.option(
    "--token-file", metavar="FILE", help="Users and tokens; required unless --host is a loopback address."
)
@click.option(
    "--moss-users", metavar="FILE", help="MOSS user IDs to accept.  [default: all, from this machine]"
)
@click.option("--keep-days", default=14.0, metavar="N", show_default=True, help="Delete jobs after N days.")
@click.option(
    "--workers", default=0, metavar="N", help="Jobs to run at once.  [default: one per CPU, at least 2]"
)
@click.option(
    "--index", "indexes", multiple=True, metavar="PATH", help="Share this index with all users. Repeatable."
)
@click.option(
    "--run", "runs", multiple=True, metavar="PATH", help="Share this run with all users. Repeatable."
)
@_limits
def command(data: str | None, **given: Any) -> int:
    """Run the web page, REST API and MOSS server.

    Data is stored in --data. Without --token-file there is one user, and only this machine can connect.
    """
    try:
        from copysift.serve.server import serve
    except ImportError as error:
        raise UsageError(
            f"the server needs a package that is not installed: {error.name}",
            hint="pip install 'copysift[serve]'",
        ) from None
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    with asyncio.Runner() as runner:
        runner.run(serve(_config(Path(data or "copysift-data"), given), lambda line: click.echo(line)))
    return 0


def _config(data: Path, given: dict[str, Any]) -> Any:
    from copysift.serve.access import read_moss_users, read_tokens
    from copysift.serve.config import Config

    limits: dict[str, Any] = {}
    for old, present in _OLD.items():
        value = given.pop(f"old_{present[2:].replace('-', '_')}")
        if value is not None:
            console.note(f"{old} is now {present}")
            field = next(name for flag, name, _, _ in _LIMITS if flag == present)
            given[field] = value if given[field] is None else given[field]
    for flag, field, _, _ in _LIMITS:
        if given[field] is not None:
            taken = _seconds if field in ("idle", "upload") else size
            limits[field] = taken(flag, given[field])
    return Config(
        data=data.absolute(),
        host=given["host"],
        port=given["port"],
        moss_host=given["moss_host"],
        moss_port=None if given["moss_port"] < 0 else given["moss_port"],
        moss_url=given["moss_url"],
        moss_results=given["moss_results"],
        public_url=given["public_url"],
        tokens=read_tokens(Path(given["token_file"])) if given["token_file"] else None,
        moss_users=read_moss_users(Path(given["moss_users"])) if given["moss_users"] else None,
        keep_days=given["keep_days"],
        workers=given["workers"] or max(2, os.cpu_count() or 1),
        indexes=_named("indexes", [Path(path) for path in given["indexes"]]),
        runs=_named("runs", [Path(path) for path in given["runs"]]),
        limits=Limits(**limits),
    )


def _seconds(flag: str, given: str) -> float:
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{flag} is {given}, but must be a number of seconds")
    return seconds


def _named(what: str, paths: list[Path]) -> dict[str, Path]:
    named = {path.absolute().stem: path.absolute() for path in paths}
    if len(named) < len(paths):
        raise UsageError(f"two {what} have the same name", hint="rename the folder of one")
    return named
