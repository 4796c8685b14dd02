"""One process: HTTP and MOSS on one event loop, workers beside it, all from one data folder."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from copysift.errors import StoreError, UsageError
from copysift.runtime import durable
from copysift.serve.access import LOCAL, Access, secret
from copysift.serve.app import make_app
from copysift.serve.browsed import Runs
from copysift.serve.config import Config
from copysift.serve.indexes import Indexes
from copysift.serve.jobs import Jobs
from copysift.serve.metrics import Metrics
from copysift.serve.moss_server import MossServer
from copysift.serve.patience import PatientProtocol
from copysift.serve.state import State
from copysift.serve.workers import Workers

log = logging.getLogger("copysift.serve")
SWITCH = 0.001  # seconds that a question may keep the event loop waiting; Python's own is five times that
HOUSEKEEPING = 60.0  # seconds between two looks at what has expired
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


async def serve(config: Config, say: Say) -> None:
    """Serve until told to stop."""
    sys.setswitchinterval(SWITCH)
    held = lock(config.data)
    web = listening(config.host, config.port)
    jobs = Jobs(config.data, config.limits, config.keep_days)
    try:
        jobs.recover()
        workers = Workers(jobs, config.workers)
        state = _state(config, jobs, workers, web.getsockname()[1])
        workers.start()
        moss = await _moss(state, say)
        housekeeping = asyncio.create_task(_housekeeping(jobs))
        say(f"copysift serves {state.base}/ from {config.data}")
        try:
            await _web(state, web)
        finally:
            housekeeping.cancel()
            if moss is not None:
                await moss.close()
            await workers.close()
    finally:
        jobs.close()
        web.close()
        os.close(held)


def _state(config: Config, jobs: Jobs, workers: Workers, port: int) -> State:
    access = Access(secret(config.data / "secret"), config.tokens, config.hosts, config.public_url)
    indexes = Indexes(config.data, config.indexes)
    runs = Runs(config.runs)
    return State(config, jobs, workers, access, Metrics(), indexes, runs, config.address(port))


async def _moss(state: State, say: Say) -> MossServer | None:
    config = state.config
    if config.moss_port is None:
        return None
    users = None if config.moss_users is None else dict(config.moss_users)
    owner = LOCAL if config.tokens is None else None
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
    PatientProtocol.idle = state.config.limits.idle
    settings = uvicorn.Config(
        make_app(state), http=PatientProtocol, ws="none", lifespan="off", log_level="warning",
        access_log=False, proxy_headers=False, server_header=False, limit_concurrency=2000, backlog=1024,
        timeout_keep_alive=20, timeout_graceful_shutdown=5,
    )  # fmt: skip
    server = uvicorn.Server(settings)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    await server._serve([web])


async def _housekeeping(jobs: Jobs) -> None:
    while True:
        try:
            await asyncio.to_thread(jobs.expire)
        except Exception:
            log.exception("what has expired could not be deleted")
        await asyncio.sleep(HOUSEKEEPING)
