"""--filter GLOB=COMMAND: a program whose output is the text of some files (sif: "hooks to external filters").

The program reads the file from standard input, or from the path that `{}` becomes. It is run without a shell,
in a process group of its own that is ended when it takes too long or prints too much.
"""

from __future__ import annotations

import hashlib
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import IO

from copysift.errors import InputError, UsageError
from copysift.model.document import Document, Memory
from copysift.model.values import DAMAGED, LIMIT, Skipped
from copysift.sources.file_content import FileContent
from copysift.sources.globs import Globs
from copysift.sources.source import ITSELF, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

SECONDS = 60.0
_CHUNK = 1 << 16
_PLACE = "{}"
_COMPLAINT = 300  # characters of what a program complains about
_DIGEST = 16


class FilterSource(WholeSource):
    """The text that a program makes of a file."""

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        self.command, self.seconds = command, seconds
        self.words = _words(command)
        self.traits = SourceTraits("filter", f"Output of {command}", ITSELF)

    def claims(self, name: str, head: bytes) -> bool:
        """Say no: a glob says so."""
        return False

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Run the program; what goes wrong is said with the name of the file."""
        budget = reading.budget_of(outer)
        most = reading.limits.member_bytes
        try:
            data = b"".join(outer.content.chunks())
        except (InputError, OSError) as error:
            yield Skipped(outer.name, str(error), DAMAGED)
            return
        run = _Run(self.words, outer, data, reading.max_seconds or self.seconds, most)
        reason = run.reason or ("" if run.output or not data else "printed nothing")
        if reason:
            yield Skipped(
                outer.name,
                f"was not compared: the filter {self.command!r} {reason}",
                LIMIT if run.limit else DAMAGED,
            )
            return
        budget.unpack(len(run.output))
        original = outer.original or hashlib.blake2b(data, digest_size=_DIGEST).digest()
        yield replace(
            outer,
            content=Memory(run.output),
            read_as=f"output of the filter {self.command!r}",
            original=original,
        )


class _Run:
    """One run of a program; `reason` says what went wrong, `limit` whether it was ended."""

    def __init__(self, words: list[str], outer: Document, data: bytes, seconds: float, most: int) -> None:
        self.output, self.reason, self.limit = b"", "", False
        self._seconds, self._most = seconds, most
        with tempfile.TemporaryDirectory(prefix="copysift-") as folder:
            self._start(words, _path(outer, data, folder) if _PLACE in " ".join(words) else "", data)

    def _start(self, words: list[str], path: str, data: bytes) -> None:
        with tempfile.TemporaryFile(prefix="copysift-") as given, tempfile.TemporaryFile() as complaints:
            if not path:
                given.write(data)
                given.seek(0)
            try:
                running = subprocess.Popen(
                    [word.replace(_PLACE, path) for word in words], stdin=given, stdout=subprocess.PIPE,
                    stderr=complaints, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                self.reason = f"cannot be started: {error.strerror or error}"
                return
            try:
                with running:
                    self._read(running)
            finally:
                _end(running)
            if not self.reason and running.returncode:
                self.reason = _failure(running.returncode, complaints)

    def _read(self, running: subprocess.Popen[bytes]) -> None:
        assert running.stdout is not None
        parts, size, until = [], 0, time.monotonic() + self._seconds
        with selectors.DefaultSelector() as selector:
            selector.register(running.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, until - time.monotonic())):
                    return self._stop(running, self._too_slow())
                chunk = os.read(running.stdout.fileno(), _CHUNK)
                if not chunk:
                    break
                size += len(chunk)
                if size > self._most:
                    return self._stop(running, f"printed more than {self._most:,} bytes")
                parts.append(chunk)
        try:
            running.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return self._stop(running, self._too_slow())
        self.output = b"".join(parts)
        return None

    def _too_slow(self) -> str:
        return f"took more than {self._seconds:g} seconds (--max-seconds-per-file)"

    def _stop(self, running: subprocess.Popen[bytes], reason: str) -> None:
        self.reason, self.limit = reason, True
        _end(running)


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a program and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(running.pid, signal.SIGKILL)
        else:
            running.kill()


def _path(outer: Document, data: bytes, folder: str) -> str:
    """Give the path of a file, or of a copy of what is not a file."""
    if isinstance(outer.content, FileContent):
        return os.path.abspath(outer.content.path)
    path = os.path.join(folder, f"file{os.path.splitext(outer.file)[1]}"[:100])
    with open(path, "wb") as file:
        file.write(data)
    return path


def _failure(status: int, complaints: IO[bytes]) -> str:
    complaints.seek(0)
    said = complaints.read(_CHUNK).decode("utf-8", "replace").strip().splitlines()
    how = f"was ended by signal {-status}" if status < 0 else f"failed with status {status}"
    return how + (f": {said[0][:_COMPLAINT]}" if said else "")


class Filters:
    """The filters of a command; the first whose glob takes a file is run."""

    def __init__(self, given: Iterable[str]) -> None:
        self._chosen = [(Globs([glob]), FilterSource(command)) for glob, command in map(parse_filter, given)]

    def __bool__(self) -> bool:
        return bool(self._chosen)

    def source(self, file: str) -> FilterSource | None:
        """Give the filter of a file, by its path."""
        folder, slash, name = file.replace("\\", "/").rpartition("/")
        for globs, found in self._chosen:
            if globs.matches(folder + slash, name, folder=False):
                return found
        return None


@cache
def filters_of(given: tuple[str, ...]) -> Filters:
    """Give the filters of a command as values of --filter."""
    return Filters(given)


def parse_filter(given: str) -> tuple[str, str]:
    """Take GLOB=COMMAND apart, or raise UsageError."""
    glob, equals, command = given.partition("=")
    if not (glob.strip() and equals and command.strip()):
        raise UsageError(
            f"--filter {given!r} is not GLOB=COMMAND", hint="for example --filter '*.doc=antiword -'"
        )
    _words(command)
    return glob.strip(), command.strip()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--filter: the command {command!r} cannot be read: {error}") from None
    if not words:
        raise UsageError("--filter has no command", hint="write GLOB=COMMAND")
    return words
