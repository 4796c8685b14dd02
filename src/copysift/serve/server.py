"""One process: HTTP and MOSS on one event loop, workers beside it, all from one data folder."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn
import uvloop
from starlette.concurrency import run_in_threadpool

from copysift.errors import StoreError, UsageError
from copysift.runtime import durable
from copysift.runtime.heap import give_memory_back
from copysift.serve.access import Access, secret
from copysift.serve.app import make_app
from copysift.serve.config import Config
from copysift.serve.courses import Courses
from copysift.serve.database import open_database
from copysift.serve.events import event
from copysift.serve.indexes import Indexes
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.marks import Marks
from copysift.serve.metrics import Metrics
from copysift.serve.moss_server import MossServer
from copysift.serve.oidc import OpenIdConnect
from copysift.serve.pages import prepare
from copysift.serve.shared_runs import Runs
from copysift.serve.state import State
from copysift.serve.store import Store
from copysift.serve.timeouts import TimedProtocol
from copysift.serve.users import LOCAL, Users
from copysift.serve.webhook import Webhook
from copysift.serve.workers import Workers
from copysift.settings.server import ServeOptions

log = logging.getLogger("copysift.serve")
SWITCH = 0.001  # seconds that a query may keep the event loop waiting; Python's own is five times that
GARBAGE = 10_000  # objects after which Python looks for cycles; a connection leaves some 40
HOUSEKEEPING = 60.0  # seconds between two looks at what has expired
STOP = 10.0  # seconds that a server which is told to stop has for what it is doing
Say = Callable[[str], None]


def lock(data: Path) -> int:
    """Take the data folder for this process; raise StoreError when another one has it."""
    durable.make_folder(data, 0o700)
    number = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        other = os.read(number, 32).decode("ascii", "replace").strip()
        os.close(number)
        raise StoreError(
            f"{data} is in use by another server (process {other})", hint="stop it, or use another --data"
        ) from None
    os.ftruncate(number, 0)
    os.write(number, f"{os.getpid()}\n".encode())
    return number


def listening(host: str, port: int) -> socket.socket:
    """Open the port for HTTP; raise UsageError when that cannot be done."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, for asyncio turns Nagle's delay off only for sockets that say what they are.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(1024)  # from here on clients wait instead of being refused
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host}, port {port}: {error.strerror}", hint="choose another"
        ) from None
    return made


def run(settings: ServeOptions, say: Say) -> None:
    """Serve until stopped."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(settings, say))


async def _run(settings: ServeOptions, say: Say) -> None:
    sys.setswitchinterval(SWITCH)
    give_memory_back()
    data = Path(settings.data).absolute()
    held = lock(data)
    try:
        store = Store(settings.store) if settings.store else None
        database = open_database(data, settings.database)
        jobs = Jobs(data, Limits.of(settings), settings.keep_days, database=database, store=store)
        try:
            await _serve(settings, jobs, say)
        finally:
            jobs.close()
    finally:
        os.close(held)


async def _serve(settings: ServeOptions, jobs: Jobs, say: Say) -> None:
    config = Config.of(settings, guarded=Users(jobs.database).any)
    web = listening(config.host, config.port)
    try:
        jobs.recover()
        workers = Workers(jobs, config.workers, database=settings.database, store=settings.store)
        state = _state(config, jobs, workers, web.getsockname()[1])
        webhook = _webhook(config, workers)
        workers.start()
        moss = await _moss(state, say)
        housekeeping = asyncio.create_task(_housekeeping(jobs))
        prepared = asyncio.create_task(run_in_threadpool(prepare))  # as routes are
        say(f"copysift serves {state.base}/ from {config.data}")
        event("started", address=state.base, data=config.data)
        try:
            await _web(state, web)
        finally:
            for task in (housekeeping, prepared, webhook):
                if task is not None:
                    task.cancel()
            if moss is not None:
                await moss.close()
            await workers.close()
            event("stopped")
    finally:
        web.close()


def _state(config: Config, jobs: Jobs, workers: Workers, port: int) -> State:
    users = Users(jobs.database, config.users, guarded=config.provider is not None)
    users.register()
    key = secret(config.data / "secret")
    access = Access(key, users, config.hosts, config.public_url, config.metrics_digest)
    base = config.address(port)
    oidc = None
    if config.provider is not None:
        oidc = OpenIdConnect(config.provider, users, access.sign, f"{base}/login/back")
    return State(
        config=config, jobs=jobs, workers=workers, access=access, metrics=Metrics(),
        indexes=Indexes(config.data, config.indexes, jobs.database, jobs.store), runs=Runs(config.runs),
        users=users, marks=Marks(jobs.database), courses=Courses(jobs.database, jobs.output),
        base=base, oidc=oidc,
    )  # fmt: skip


def _webhook(config: Config, workers: Workers) -> asyncio.Task[None] | None:
    if not config.webhook:
        return None
    webhook = Webhook(config.webhook)
    workers.ended = webhook.send
    return asyncio.create_task(webhook.run())


async def _moss(state: State, say: Say) -> MossServer | None:
    config = state.config
    if config.moss_port is None:
        return None
    users = None if config.moss_users is None else dict(config.moss_users)
    owner = None if config.guarded else LOCAL
    moss = MossServer(state.jobs, state.workers, state.result_address, users, state.metrics, owner)
    host = config.moss_host or config.host
    try:
        port = await moss.start(host, config.moss_port)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host}, port {config.moss_port}: {error.strerror}",
            hint="choose another with --moss-host and --moss-port, or turn it off with --moss-port -1",
        ) from None
    say(f"MOSS clients reach it at {host}, port {port}")
    return moss


async def _web(state: State, web: socket.socket) -> None:
    limits = state.config.limits
    TimedProtocol.idle, TimedProtocol.first = limits.idle, limits.first
    TimedProtocol.most = 0 if state.config.public_url else limits.peer_connections
    settings = uvicorn.Config(
        make_app(state), http=TimedProtocol, ws="none", lifespan="off", log_level="warning",
        access_log=False, proxy_headers=False, server_header=False, limit_concurrency=2000, backlog=1024,
        timeout_keep_alive=20, timeout_graceful_shutdown=5,
    )  # fmt: skip
    server = uvicorn.Server(settings)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, _stop, server)
    _collect_garbage()
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    await server._serve([web])


def _stop(server: uvicorn.Server) -> None:
    """End the server: what its threads still do after a while is left as in a crash, which loses no job.

    Python waits for every thread, and one may wait for a slow disk or a locked database for minutes.
    """
    if not server.should_exit:
        server.should_exit = True
        last = threading.Timer(STOP, _leave)
        last.daemon = True
        last.start()


def _leave() -> None:
    event("stopped", logging.WARNING, reason="requests did not end in time")
    os._exit(0)


def _collect_garbage() -> None:
    """Look for cycles often enough from now on: commands, which end soon, hardly ever do."""
    gc.collect()
    gc.freeze()  # what is there now stays: to look through it again and again would slow every request
    gc.collect()  # whole looks wait until a quarter of what this one found is new
    gc.set_threshold(GARBAGE, 10, 10)


async def _housekeeping(jobs: Jobs) -> None:
    while True:
        try:
            for job in await asyncio.to_thread(jobs.expire):
                event("job expired", job=job.id, user=job.owner)
        except Exception:
            log.exception("what has expired could not be deleted")
        await asyncio.sleep(HOUSEKEEPING)
