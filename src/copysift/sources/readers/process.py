"""Run readers in a separate process: what hangs, crashes or grows there is one document that is skipped.

One process serves many documents, for starting one takes longer than reading most of them. After a failure
that leaves it in doubt it is ended, and the next document gets a new one.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from typing import Any, BinaryIO, cast

from copysift.sources.container_limits import Budget, LimitReachedError
from copysift.sources.readers.reader import Extracted, Member, TextLimits, UnreadableError

_CHUNK = 1 << 16
_HEADER = 1 << 26  # bytes of the line in front of an answer, which names members
COMMAND = [sys.executable, "-m", "copysift.sources.readers.worker"]
CRASHED = "broke its reader, which may be an attack; its text was not read"


def extract_apart(reader: str, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
    """Give the text of a document as `TextReader.extract` does, from the separate process."""
    with _LOCK:
        return _PROCESS.extract(reader, data, limits, budget)


def end() -> None:
    """End the separate process, if there is one; the next document starts another."""
    with _LOCK:
        _PROCESS.end()


class _TooLongError(Exception):
    """The process has not answered in time."""


class _Process:
    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None

    def extract(self, reader: str, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        about = {
            "reader": reader, "size": len(data), "text_bytes": limits.text_bytes, "memory": limits.memory,
            "seconds": limits.seconds, "total_bytes": budget.limits.total_bytes,
            "members": budget.limits.members,
        }  # fmt: skip
        until = time.monotonic() + limits.seconds
        try:
            running = self._started()
            talk = _Talk(running, json.dumps(about).encode() + b"\n" + data, until)
            answer = json.loads(talk.line())
            if "failed" in answer:
                raise UnreadableError(answer["failed"])
            if "limited" in answer:
                raise LimitReachedError(answer["limited"])
            return self._extracted(talk, answer, limits, budget)
        except _TooLongError:
            self.end()
            raise LimitReachedError(f"takes more than {limits.seconds:g} seconds to read") from None
        except (EOFError, BrokenPipeError, ValueError):
            self.end()
            raise UnreadableError(CRASHED) from None
        except LimitReachedError:
            self.end()  # the rest of an answer may still be on its way
            raise

    @staticmethod
    def _extracted(talk: _Talk, answer: dict[str, Any], limits: TextLimits, budget: Budget) -> Extracted:
        size = answer["text"]
        if max(size or 0, *(length for _, length, _ in answer["members"]), 0) > limits.text_bytes:
            raise LimitReachedError(f"has more than {limits.text_bytes:,} bytes of text")
        text = talk.bytes(size or 0)
        members = [Member(name, talk.bytes(length), as_) for name, length, as_ in answer["members"]]
        return Extracted(None if size is None else text, answer["detail"], tuple(members))

    def _started(self) -> subprocess.Popen[bytes]:
        running = self._running
        if running is None or running.poll() is not None:
            running = self._running = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=_environment(), start_new_session=True,
            )  # fmt: skip
        return running

    def end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.kill()
            for pipe in (running.stdin, running.stdout):
                assert pipe is not None
                pipe.close()
            running.wait()


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
            raise _TooLongError
        for key, _ in ready:
            if key.fileobj is self._in:
                sent = os.write(self._in.fileno(), self._request[:_CHUNK])
                self._request = self._request[sent:]
            else:
                data = os.read(self._out.fileno(), _CHUNK)
                if not data:
                    raise EOFError
                self._answer += data


_LOCK = threading.Lock()
_PROCESS = _Process()
atexit.register(_PROCESS.end)
os.register_at_fork(after_in_child=lambda: setattr(_PROCESS, "_running", None))
