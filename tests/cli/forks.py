"""Runs the program in forks of a process that has imported it: a start is paid once, not in each test.

A fork has its own folder, environment, streams and exit status, as a process that is started. What it shares
with its siblings is the imported modules and the seed of `hash`; tests that depend on those start a process.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import io
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What most commands load; commands load the rest themselves.
PRELOADED = (
    "copysift.cli.main", "numpy", "pyarrow", "pyarrow.parquet", "pyarrow.compute", "pyarrow.csv",
    "rich.console", "rich.table", "rich.progress", "orjson", "jinja2", "pygments.lexers", "sqlite3",
    "copysift.cli.scan", "copysift.cli.index", "copysift.cli.query", "copysift.cli.cluster",
    "copysift.cli.dedup", "copysift.cli.sweep", "copysift.cli.compare", "copysift.cli.show",
    "copysift.workflows.scan", "copysift.workflows.index", "copysift.workflows.query",
    "copysift.workflows.compare", "copysift.workflows.sweep", "copysift.workflows.corpora",
    "copysift.engines.local", "copysift.engines.dedup_job", "copysift.report.page", "copysift.report.table",
)  # fmt: skip
LENGTH = 8  # bytes that say how long a message is


class Forks:
    """A process that runs commands in forks of itself."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.forks", str(theirs.fileno())],
                cwd=ROOT, env=dict(environment), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self.socket.close()
        self.process.wait()

    def run(
        self,
        arguments: Sequence[str | bytes],
        folder: Path,
        environment: Mapping[str, str],
        stdin: bytes,
        timeout: float,
    ) -> tuple[int, bytes, bytes]:
        """Run `copysift` in a folder; give its status, as `subprocess` does, and what it wrote."""
        request = {
            "arguments": [os.fsdecode(each) for each in arguments],
            "folder": str(folder),
            "environment": dict(environment),
        }
        message = json.dumps(request).encode()
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", theirs))]
        self.socket.sendmsg([len(message).to_bytes(LENGTH, "big")], sent)
        for each in theirs:
            os.close(each)
        self.socket.sendall(message)
        process = int.from_bytes(_received(self.socket, LENGTH), "big")
        try:
            out, err = _exchanged(ours, stdin, time.monotonic() + timeout)
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            _received(self.socket, LENGTH)
            raise subprocess.TimeoutExpired(["copysift", *request["arguments"]], timeout) from None
        status = int.from_bytes(_received(self.socket, LENGTH), "big", signed=True)
        return status, out, err


def _received(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise EOFError("the process that forks has ended")
        found += part
    return found


def _exchanged(ends: Sequence[int], stdin: bytes, until: float) -> tuple[bytes, bytes]:
    """Write to the first end and read the two others until they are closed."""
    into, *outs = ends
    found = dict.fromkeys(outs, b"")
    os.set_blocking(into, False)
    with selectors.DefaultSelector() as waiting:
        for each in outs:
            waiting.register(each, selectors.EVENT_READ)
        waiting.register(into, selectors.EVENT_WRITE)
        try:
            while waiting.get_map():
                ready = waiting.select(until - time.monotonic())
                if not ready and time.monotonic() >= until:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fd == into:
                        try:
                            stdin = stdin[os.write(into, stdin[:65536]) :]
                        except BrokenPipeError:
                            stdin = b""
                        if not stdin:
                            waiting.unregister(into)
                            os.close(into)
                    elif part := os.read(key.fd, 1 << 20):
                        found[key.fd] += part
                    else:
                        waiting.unregister(key.fd)
                        os.close(key.fd)
        finally:
            for left in list(waiting.get_map().values()):
                os.close(left.fd)
    return found[outs[0]], found[outs[1]]


def _serve(connection: socket.socket) -> None:
    """Fork for each request; tell the number of the process, then how it ended."""
    while True:
        head, given, _, _ = connection.recvmsg(LENGTH, socket.CMSG_SPACE(3 * array.array("i").itemsize))
        if not head:
            return
        streams = array.array("i")
        streams.frombytes(given[0][2])
        head += _received(connection, LENGTH - len(head))
        request = json.loads(_received(connection, int.from_bytes(head, "big")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads: NumPy and Arrow know how to fork
            process = os.fork()
        if not process:
            connection.close()
            _run(request, streams)
        for each in streams:
            os.close(each)
        connection.sendall(process.to_bytes(LENGTH, "big"))
        _, ended = os.waitpid(process, 0)
        connection.sendall(os.waitstatus_to_exitcode(ended).to_bytes(LENGTH, "big", signed=True))


def _run(request: Mapping[str, object], streams: Sequence[int]) -> None:
    """Be the command: in its folder, with its environment and streams; never return."""
    status = 1
    try:
        for number, each in enumerate(streams):
            os.dup2(each, number)
            os.close(each)
        os.chdir(str(request["folder"]))
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        _open_streams()
        sys.path[0] = str(Path.cwd())
        sys.argv = ["copysift", *request["arguments"]]
        status = _status()
        threading._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BrokenPipeError, ValueError):
                stream.flush()
    finally:
        os._exit(status)


def _status() -> int:
    from copysift.cli.main import run

    try:
        run()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _open_streams() -> None:
    """Open the standard streams as Python does at its start."""
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r")), encoding, errors)
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), encoding, errors)
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w")), encoding, "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


if __name__ == "__main__":
    import importlib

    for module in PRELOADED:
        importlib.import_module(module)
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        _serve(connection)
