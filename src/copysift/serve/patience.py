"""HTTP/1.1 that loses patience: with clients who say nothing, take nothing, or talk on when all is said."""

from __future__ import annotations

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LINGER, DRAINED = 2.0, 64 << 20  # seconds and bytes that a refused upload may go on


class PatientProtocol(H11Protocol):
    """Looks at every connection now and then.

    One that is open and silent, or has begun a request and goes on with it no more, is closed. An answer
    of which nothing was taken between two looks is cut off. A client that was answered in the middle of
    its upload, because that is refused, is listened to for a moment, so that it gets to read the answer.
    """

    idle = 30.0

    def connection_made(self, transport: Any) -> None:
        """Begin to watch."""
        super().connection_made(transport)
        self.seen: object = None
        self.waiting = 0  # bytes of the answer that were still to be taken at the last look
        self.drained: int | None = None  # bytes that came after the answer
        self.timer = self.loop.call_later(self.idle, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch no more."""
        self.timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; what comes after an early answer is thrown away."""
        if self.drained is None:
            super().data_received(data)
            return
        self.drained += len(data)
        if self.drained > DRAINED:
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Go on with the next request, unless this one is not even whole."""
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
            self.transport.abort()  # close() would wait for the client to take the rest
            return
        if not busy and not waiting and self.cycle is self.seen:
            self.transport.close()
            return
        self.seen, self.waiting = self.cycle, waiting
        self.timer = self.loop.call_later(self.idle, self._look)
