"""A process that is watched while it works: what hangs, crashes or grows there costs one document.

One process answers many requests, because starting one takes longer than most of them. After a failure that
leaves it in doubt it is ended, and the next request gets a new one. A request is a line of JSON and bytes; an
answer is a line of JSON and the bytes that it counts.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, cast

MEMORY = 2 << 30  # bytes of address space of a watched process
_CHUNK = 1 << 16
_HEADER = 1 << 26  # bytes of the line in front of an answer
_GRACE = 5  # seconds that a process lives longer than its caller would wait

About = dict[str, Any]
Answer = tuple[About, Sequence[bytes]]


class TooSlowError(Exception):
    """The process has not answered in time."""


class CrashedError(Exception):
    """The process has ended, or answered nonsense."""


class WatchedProcess:
    """A process that runs a module which calls `answer_requests`; threads share it."""

    def __init__(self, module: str) -> None:
        self.command = [sys.executable, "-m", module]
        self._running: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        _EVERY.add(self)

    def ask(self, about: About, data: bytes, seconds: float, most: int, memory: int = MEMORY) -> Answer:
        """Give the answer, of no more than `most` bytes in each part, or raise what went wrong.

        Waiting for another thread's request does not count.
        """
        with self._lock:
            return self._ask({**about, "seconds": seconds, "memory": memory, "size": len(data)}, data, most)

    def end(self) -> None:
        """End the process, if there is one; the next request starts another."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """Leave the process to the parent that this process was forked from."""
        self._running, self._lock = None, threading.Lock()

    def _ask(self, about: About, data: bytes, most: int) -> Answer:
        until = time.monotonic() + about["seconds"]
        try:
            talk = _Talk(self._started(), json.dumps(about).encode() + b"\n" + data, until)
            answer: About = json.loads(talk.line())
            sizes = answer["sizes"]
            if max(sizes, default=0) > most:
                raise CrashedError
            return answer, [talk.bytes(size) for size in sizes]
        except TooSlowError:
            self._end()
            raise
        except (EOFError, BrokenPipeError, ValueError, KeyError, TypeError, CrashedError):
            self._end()
            raise CrashedError from None

    def _started(self) -> subprocess.Popen[bytes]:
        running = self._running
        if running is None or running.poll() is not None:
            running = self._running = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=_environment(), start_new_session=True,
            )  # fmt: skip
        return running

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.kill()
            for pipe in (running.stdin, running.stdout):
                assert pipe is not None
                with suppress(BrokenPipeError):  # closing may send what is left
                    pipe.close()
            running.wait()


_EVERY: weakref.WeakSet[WatchedProcess] = weakref.WeakSet()


def _end_all() -> None:
    for each in _EVERY:
        each.end()


def _forget_all() -> None:
    for each in _EVERY:
        each.forget()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _environment() -> dict[str, str]:
    """Let the process find what this one has found, and use few threads: each takes address space."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}


class _Talk:
    """One request and its answer, with a time by which all of it must be done."""

    def __init__(self, running: subprocess.Popen[bytes], request: bytes, until: float) -> None:
        self._in, self._out = cast("BinaryIO", running.stdin), cast("BinaryIO", running.stdout)
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)
        self._request = memoryview(request)
        self._answer = bytearray()
        self._until = until

    def line(self) -> bytes:
        """Give the first line of the answer."""
        while (end := self._answer.find(b"\n")) < 0:
            if len(self._answer) > _HEADER:
                raise EOFError
            self._go()
        line = bytes(self._answer[:end])
        del self._answer[: end + 1]
        return line

    def bytes(self, size: int) -> bytes:
        """Give the next bytes of the answer."""
        while len(self._answer) < size:
            self._go()
        data = bytes(self._answer[:size])
        del self._answer[:size]
        return data

    def _go(self) -> None:
        """Send or receive something."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            if self._request:
                selector.register(self._in, selectors.EVENT_WRITE)
            ready = selector.select(max(0.0, self._until - time.monotonic()))
        if not ready:
            raise TooSlowError
        for key, _ in ready:
            if key.fileobj is self._in:
                sent = os.write(self._in.fileno(), self._request[:_CHUNK])
                self._request = self._request[sent:]
            else:
                data = os.read(self._out.fileno(), _CHUNK)
                if not data:
                    raise EOFError
                self._answer += data


def answer_requests(answer: Callable[[About, bytes], Answer]) -> None:
    """Be the watched process: answer requests from standard input until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    requests = sys.stdin.buffer
    while line := requests.readline():
        asked: About = json.loads(line)
        data = requests.read(asked["size"])
        _limit_memory(asked["memory"])
        _limit_time(asked["seconds"])
        about, parts = answer(asked, data)
        about["sizes"] = [len(part) for part in parts]
        answers.write(json.dumps(about).encode() + b"\n")
        for part in parts:
            answers.write(part)
        answers.flush()
        _limit_time(-_GRACE)  # there is no limit on waiting


def _limit_time(seconds: float) -> None:
    """End by itself a while after the caller would have ended it, if the caller is gone."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(seconds) + _GRACE)


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
