"""`copysift worker`: runs jobs of a server, on its machine or on another one."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, declared, of_class, options, values_from
from copysift.cli.serve import merged
from copysift.errors import UsageError
from copysift.settings.output import Door
from copysift.settings.server import ServeOptions


@click.command("worker", cls=SectionedCommand)
@options("worker")
def command(**typed: Any) -> int:
    """Run jobs of a server on this machine.

    Takes jobs from --database until it is stopped. Files come from --store, or from the --data folder of the
    server on the same machine. Options can also be environment variables: COPYSIFT_SERVE_DATABASE.
    """
    takes = declared("worker")
    given = {name: value for name, value in merged(typed).items() if name in takes or name == "config"}
    values = values_from("worker", given)
    settings, door = of_class(ServeOptions, values, "worker"), of_class(Door, values, "worker")
    if not settings.database:
        raise UsageError(
            "a worker needs the database of its server", hint="give --database postgresql://user@host/name"
        )
    if not settings.store and not (Path(settings.data) / "jobs").is_dir():
        raise UsageError(
            f"{settings.data} is not the folder of a server",
            hint="give --store, or the --data of the server on this machine",
        )
    try:
        from copysift.serve.events import start_log
    except ImportError as error:
        raise UsageError(
            f"a worker needs a package that is not installed: {error.name}",
            hint="pip install 'copysift[serve,postgresql]'",
        ) from None
    start_log(settings.log_format, logging.WARNING if door.quiet else logging.INFO)
    with TemporaryDirectory(prefix="copysift-worker-") as temporary, asyncio.Runner() as runner:
        data = settings.data if "data" in values or not settings.store else temporary
        runner.run(_work(settings, Path(data).absolute()))
    return console.DONE


async def _work(settings: ServeOptions, data: Path) -> None:
    """Work until a signal comes; what runs then is given back."""
    from copysift.serve.database import open_database
    from copysift.serve.events import event
    from copysift.serve.jobs import Jobs
    from copysift.serve.limits import Limits
    from copysift.serve.store import Store
    from copysift.serve.workers import Workers

    store = Store(settings.store) if settings.store else None
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    jobs = Jobs(data, Limits.of(settings), database=open_database(data, settings.database), store=store)
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    count = max(1, settings.workers or os.cpu_count() or 1)
    workers = Workers(jobs, count, database=settings.database, store=settings.store, elsewhere=True)
    workers.start()
    event("worker started", database=jobs.database.name, workers=count)
    click.echo(f"copysift works for {jobs.database.name}")
    try:
        await stopped.wait()
    finally:
        await workers.close()
        jobs.close()
        event("worker stopped")
