"""HTTP/1.1 with timeouts and a limit per address, for clients that do not send, read or stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LINGER, DRAINED = 2.0, 64 << 20  # seconds and bytes that a refused upload may continue
HEAD = 1 << 16  # bytes of the first line and the headers of a request, and of what follows a chunked body
_CLOSED = b"Connection: close\r\nContent-Type: text/plain\r\n\r\n"
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 37\r\n"
    + _CLOSED
    + b"too many connections of this address\n"
)
_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 25\r\n"
    + _CLOSED
    + b"the headers are too long\n"
)


class _Answering:
    """What an answer is written to: a connection that does not end before its client can read the answer."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, protocol: TimedProtocol) -> None:
        self.write, self.is_closing = protocol.transport.write, protocol.transport.is_closing
        self.close = protocol.close


class TimedProtocol(HttpToolsProtocol):
    """Looks at every connection from time to time.

    One that is open and silent, or has started a request and does not continue, is closed. The headers of
    a request must be whole within `first` seconds, and short. An answer of which nothing was read between
    two looks is aborted. A client that was answered in the middle of its upload, because that is refused, is
    listened to for a moment, so that it can read the answer.
    """

    idle: ClassVar[float] = 30.0
    first: ClassVar[float] = 10.0
    most: ClassVar[int] = 0  # connections of one address; 0: any number, for a proxy is one address
    peers: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: Any) -> None:
        """Start to watch."""
        super().connection_made(transport)
        self.seen: object = None
        self.waiting = 0  # bytes of the answer that were still to be read at the last look
        self.drained: int | None = None  # bytes that came after the answer
        self.in_head, self.head_bytes = True, 0  # whether headers are awaited; bytes since the last of a body
        self.timer = self.loop.call_later(self.idle, self._look)
        self.headers_due = self.loop.call_later(self.first, self.transport.abort)
        self.peer = str((transport.get_extra_info("peername") or ("",))[0])
        self.peers[self.peer] += 1
        if self.most and self.peers[self.peer] > self.most:
            transport.write(_BUSY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self.timer.cancel()
        self.headers_due.cancel()
        self.peers[self.peer] -= 1
        if not self.peers[self.peer]:
            del self.peers[self.peer]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; what comes after an early answer is thrown away."""
        if self.drained is not None:
            self.drained += len(data)
            if self.drained > DRAINED:
                self.transport.abort()
            return
        if self.transport.is_closing():
            return
        before, self.moved = self.in_head, False
        super().data_received(data)
        if not self.in_head:
            self.headers_due.cancel()
        elif not before:  # the next request of a kept connection has started
            self.headers_due.cancel()
            self.headers_due = self.loop.call_later(self.first, self.transport.abort)
        if not self.moved:  # of a line that is not whole the parser says nothing
            self._count_head(len(data))

    def on_message_begin(self) -> None:
        """Start a request."""
        super().on_message_begin()
        self.in_head, self.head_bytes = True, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a line after a chunked body."""
        self._count_head(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to answer, unless the headers were refused."""
        self.in_head, self.moved = False, True
        if not self.transport.is_closing():
            super().on_headers_complete()
            self.cycle.transport = cast(asyncio.Transport, _Answering(self))

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body, unless its headers were refused."""
        self.moved, self.head_bytes = True, 0
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request, unless its headers were refused."""
        if not self.transport.is_closing():
            super().on_message_complete()

    def _count_head(self, count: int) -> None:
        """Count bytes of headers and of lines around chunks; refuse a client that does not end them."""
        self.head_bytes += count
        if self.head_bytes > HEAD and not self.transport.is_closing():
            if self.cycle is None or self.cycle.response_complete:  # else this is no answer to that request
                self.transport.write(_LONG)
            self.transport.close()

    def on_response_complete(self) -> None:
        """Continue with the next request, unless this one is not even whole."""
        if not self._linger():
            super().on_response_complete()

    def close(self) -> None:
        """Close the connection after the last answer: later, if that came in the middle of an upload."""
        if not self._linger():
            self.transport.close()

    def _linger(self) -> bool:
        if not self.cycle.more_body or self.pipeline or self.transport.is_closing():
            return False
        self.drained = self.drained or 0
        self.flow.resume_reading()
        self.timer.cancel()
        self.timer = self.loop.call_later(LINGER, self.transport.abort)
        return True

    def _look(self) -> None:
        busy = self.cycle is not None and not self.cycle.response_complete
        waiting = self.transport.get_write_buffer_size()
        if waiting and waiting == self.waiting:
            self.transport.abort()  # close() would wait for the client to read the rest
            return
        if not busy and not waiting and self.cycle is self.seen:
            self.transport.close()
            return
        self.seen, self.waiting = self.cycle, waiting
        self.timer = self.loop.call_later(self.idle, self._look)
