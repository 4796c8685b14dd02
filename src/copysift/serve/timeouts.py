"""HTTP/1.1 with timeouts and a limit per address, for clients that do not send, read or stop."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LINGER, DRAINED = 2.0, 64 << 20  # seconds and bytes that a refused upload may continue
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 37\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\n\r\ntoo many connections of this address\n"
)


class TimedProtocol(H11Protocol):
    """Looks at every connection from time to time.

    One that is open and silent, or has started a request and does not continue, is closed. The headers of
    a request must be whole within `first` seconds. An answer of which nothing was read between two looks is
    aborted. A client that was answered in the middle of its upload, because that is refused, is listened to
    for a moment, so that it can read the answer.
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
        if self.drained is None:
            fresh = self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self.headers_due.cancel()
            elif fresh and self.cycle is not None:  # the next request of a kept connection has started
                self.headers_due.cancel()
                self.headers_due = self.loop.call_later(self.first, self.transport.abort)
            return
        self.drained += len(data)
        if self.drained > DRAINED:
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Continue with the next request, unless this one is not even whole."""
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            self.drained = 0
            self.flow.resume_reading()
            self.timer.cancel()
            self.timer = self.loop.call_later(LINGER, self.transport.abort)
            return
        super().on_response_complete()

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
