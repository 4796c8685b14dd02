"""MOSS clients over TCP: a conversation a connection, files straight to disk, everything within limits."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from copysift.errors import CopysiftError, UsageError
from copysift.kinds import code
from copysift.serve.access import is_loopback
from copysift.serve.events import event as note
from copysift.serve.incoming import IncomingFolder
from copysift.serve.job import FAILED, Job
from copysift.serve.jobs import Jobs
from copysift.serve.limits import LimitError
from copysift.serve.metrics import Metrics
from copysift.serve.moss_protocol import (
    Conversation,
    Ended,
    Event,
    Failed,
    FileBegins,
    FileData,
    FileEnds,
    Options,
    Refused,
    Reply,
    Submitted,
)
from copysift.serve.requests import MOST_PAIRS, allowed
from copysift.serve.state import note_accepted
from copysift.serve.workers import Workers

log = logging.getLogger("copysift.serve")
CHUNK = 1 << 16
LINGER, DRAINED = 2.0, 64 << 20  # seconds and bytes that a refused client may continue
LONGEST_WAIT = 3600.0  # seconds after which a client gets the address of a result that is still being made


class MossServer:
    """The listening side; `users` maps a MOSS user to an owner, None: everyone from this machine."""

    def __init__(
        self, jobs: Jobs, workers: Workers, address: Callable[[Job], str], users: dict[str, str] | None,
        metrics: Metrics, local_owner: str | None,
    ) -> None:  # fmt: skip
        self._jobs, self._workers, self._address = jobs, workers, address
        self._users, self._metrics, self._local_owner = users, metrics, local_owner
        self._server: asyncio.Server | None = None
        self._open = 0
        self._peers: Counter[str] = Counter()
        self._file_turn = asyncio.Lock()

    async def start(self, host: str, port: int) -> int:
        """Listen; give the port, which is a free one when 0 was given."""
        self._server = await asyncio.start_server(self._serve, host, port, backlog=256, limit=2 * CHUNK)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def close(self) -> None:
        """Stop listening; connections of clients that wait for a result are closed."""
        if self._server is not None:
            self._server.close()

    def owner(self, user: str, peer: str) -> str | None:
        """Give the owner of what a user sends, or None if the user is not known."""
        if self._users is not None and user in self._users:
            return self._users[user]
        if self._users is None and is_loopback(peer):
            return self._local_owner or f"moss:{user}"
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        limits, peer = self._jobs.limits, peer_of(writer)
        self._open += 1
        self._peers[peer] += 1
        try:
            if self._peers[peer] > limits.peer_connections:
                note("MOSS client refused", logging.WARNING, peer=peer, reason="too many connections")
                writer.write(b"Error: too many connections from your address; try again later\n")
            elif self._open > limits.moss_connections:
                writer.write(b"Error: too many connections; try again later\n")
            else:
                await _Talk(self, reader, writer).run()
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            note(
                "MOSS client disconnected", peer=peer, reason="the server stops"
            )  # it asks again for its result
        except Exception:
            log.exception("a MOSS conversation failed")
        finally:
            self._open -= 1
            self._peers[peer] -= 1
            if not self._peers[peer]:
                del self._peers[peer]
            with suppress(ConnectionError, TimeoutError):
                await asyncio.wait_for(writer.drain(), 5)
            writer.close()
            with suppress(Exception):
                await asyncio.wait_for(writer.wait_closed(), 5)


class _Talk:
    """One connection."""

    def __init__(
        self, server: MossServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._server, self._reader, self._writer = server, reader, writer
        self._peer = peer_of(writer)
        self._upload: IncomingFolder | None = None
        self._talk = Conversation(server._jobs.limits.moss(), knows_language, self._knows_user)

    def _knows_user(self, user: str) -> bool:
        return self._server.owner(user, self._peer) is not None

    async def run(self) -> None:
        limits = self._server._jobs.limits
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._server._metrics.count("moss_conversations")
        try:
            while not self._talk.over:
                try:
                    # A client that has not named a known user gets little time, however slow its bytes are.
                    known = bool(self._talk.user) and self._knows_user(self._talk.user)
                    allowed = limits.upload if known else limits.first
                    wait = min(limits.idle, begun + allowed - loop.time())
                    data = await asyncio.wait_for(self._reader.read(CHUNK), max(0.0, wait))
                except TimeoutError:
                    await self._take(self._talk.fail("the client was silent or slow for too long"))
                    break
                await self._take(self._talk.receive(data) if data else self._talk.finish())
                if not data:
                    break
        finally:
            if self._upload is not None and not self._upload.sealed:
                self._upload.discard()

    async def _take(self, events: list[Event]) -> None:
        for event in events:
            try:
                await self._one(event)
            except LimitError as error:
                await self._take(self._talk.fail(error.message))
                return
            except OSError as error:
                log.error("a MOSS upload could not be written: %s", error)
                await self._take(self._talk.fail("the server cannot store the files"))
                return

    async def _one(self, event: Event) -> None:
        if isinstance(event, Reply):
            self._writer.write(event.data)
            await self._writer.drain()
        elif isinstance(event, Refused):
            note("MOSS client refused", logging.WARNING, peer=self._peer, reason=event.reason)
        elif isinstance(event, FileBegins):
            if self._upload is None:
                owner = self._server.owner(self._talk.user, self._peer)
                assert owner is not None, "the files of a refused client are thrown away"
                self._upload = await asyncio.to_thread(self._server._jobs.incoming, owner)
            # One file of all clients, then everything else has its turn: making many takes a disk long.
            async with self._server._file_turn:
                self._upload.begin(event.name, "base" if event.base else "file")
                await asyncio.sleep(0)
        elif isinstance(event, FileData):
            assert self._upload is not None
            self._upload.write(event.data)
        elif isinstance(event, FileEnds):
            assert self._upload is not None
            self._upload.end()
        elif isinstance(event, Submitted):
            await self._submit(event)
        elif isinstance(event, Failed):
            self._server._metrics.count("moss_errors")
            note("MOSS client failed", peer=self._peer, reason=event.reason)
            self._writer.write(event.reply)
            await self._linger()
        else:
            assert isinstance(event, Ended)

    async def _linger(self) -> None:
        """Let a client that is still sending read why it was refused: closed at once, it would lose that."""
        drained = 0
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(LINGER):
                await self._writer.drain()
                self._writer.write_eof()
                while drained < DRAINED and (data := await self._reader.read(CHUNK)):
                    drained += len(data)

    async def _submit(self, query: Submitted) -> None:
        server, upload = self._server, self._upload
        owner = server.owner(query.options.user, self._peer)
        assert upload is not None
        assert owner is not None
        try:
            await asyncio.to_thread(upload.check_archives)
            job = await asyncio.to_thread(
                server._jobs.accept, upload, owner, "scan",
                {"settings": settings_of_options(query.options), "moss": asked(query)}, origin="moss",
                title=shown(query.comment) or f"MOSS: {query.options.language}, {len(upload.files)} files",
                shared=True,
            )  # fmt: skip
        except CopysiftError as error:
            await self._take(self._talk.fail(error.message))
            return
        note_accepted(job, server._metrics, server._workers)
        with suppress(KeyError):  # deleted before it ended
            job = await server._workers.wait(job, LONGEST_WAIT)
        if job.state == FAILED:  # clients print what they are told, and nobody need look it up
            await self._take(self._talk.fail(f"the check failed: {job.error}"))
            return
        await self._take(self._talk.answer(server._address(job)))


def peer_of(writer: asyncio.StreamWriter) -> str:
    """Give the address of a client."""
    peer = writer.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def knows_language(name: str) -> bool:
    """Say whether a language can be read, under MOSS's name or ours."""
    try:
        code(name)
    except UsageError:
        return False
    return bool(name)


def asked(query: Submitted) -> dict[str, str]:
    """Give what a client requested as the index of its result repeats it, and the date as MOSS writes it."""
    options = query.options
    parts = [f"-l {shown(options.language)}", "-d" * options.directory, f"-m {options.maxmatches}"]
    parts += [f"-n {options.show}" * (options.show != Options().show), "-x" * options.experimental]
    return {
        "options": " ".join(filter(None, parts)),
        "comment": shown(query.comment),
        "date": time.strftime("%a %b %e %H:%M:%S %Z %Y"),
    }


def settings_of_options(options: Options) -> dict[str, Any]:
    """Give our settings for those of a MOSS client: pairs that share anything, the `show` that share most."""
    settings: dict[str, Any] = {
        "by": "dir" if options.directory else "file",
        "measure": "shared",
        "threshold": 0.0,
        "limit": min(max(1, options.show), MOST_PAIRS),
        "max_shared": max(2, options.maxmatches),
    }
    if options.language == "ascii":
        return settings | {"kind": "text"}
    return settings | ({"language": options.language} if "language" in allowed() else {})


def shown(comment: str) -> str:
    """Give a comment as a title: without quotes around it and controls, not too long."""
    quoted = len(comment) > 1 and comment[0] == comment[-1] == '"'
    return "".join(c if c.isprintable() else "?" for c in (comment[1:-1] if quoted else comment))[:200]
