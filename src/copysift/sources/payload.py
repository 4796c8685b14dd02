"""The page inside an HTTP response of a WARC file: its headers read, its encodings taken off.

A body may be cut into chunks (Transfer-Encoding) and packed (Content-Encoding). A small body can hold
gigabytes, so no more than LARGEST bytes are unpacked. What cannot be unpacked is an error, never bytes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

LARGEST = 64 << 20  # bytes of an unpacked page
_STATUS = re.compile(rb"HTTP/[0-9.]+[ \t]+([0-9]{3})")
_END = re.compile(rb"\r?\n\r?\n")
_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")


class PayloadError(Exception):
    """A body that is not what its headers say; the message follows its address."""


class Response(NamedTuple):
    """An HTTP response: `body` as it was sent, header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def response(block: bytes) -> Response:
    """Part a response into status, headers and body; lines may end in a bare LF."""
    found = _STATUS.match(block)
    if found is None:
        raise PayloadError("does not start like an HTTP response")
    end = _END.search(block)
    head, body = (block, b"") if end is None else (block[: end.start()], block[end.end() :])
    headers: dict[str, str] = {}
    for line in head.decode("latin-1").splitlines()[1:]:
        name, _, value = line.partition(":")
        key = name.strip().lower()
        headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    return Response(int(found[1]), headers, body)


def unpacked(sent: Response) -> bytes:
    """Give the body of a response without its encodings; raises PayloadError."""
    body = sent.body
    for header in ("transfer-encoding", "content-encoding"):
        names = [each.strip().lower() for each in sent.headers.get(header, "").split(",")]
        for name in reversed(names):  # the one that was put on last stands last
            if name in ("", "identity", "none"):
                continue
            take_off = _DECODERS.get(name)
            if take_off is None:
                raise PayloadError(f"is packed by {name!r}, which is not known")
            if body:
                body = take_off(body)
    return body


def _chunked(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        head = _SIZE.match(body, at)
        if head is None:
            raise PayloadError("is said to come in chunks, but does not, or ends before its last")
        size, start = int(head[1], 16), head.end()
        if not size:
            return b"".join(parts)
        if start + size > len(body):
            raise PayloadError("ends inside a chunk")
        parts.append(body[start : start + size])
        at = start + size
        at += 2 if body.startswith(b"\r\n", at) else int(body.startswith(b"\n", at))


def _inflated(body: bytes, bits: int, name: str) -> bytes:
    """Unpack streams of zlib that follow each other."""
    made = bytearray()
    while True:
        decoder = zlib.decompressobj(bits)
        try:
            made += decoder.decompress(body, LARGEST + 1 - len(made))
        except zlib.error as error:
            raise PayloadError(f"cannot be unpacked by {name}: {error}") from None
        if len(made) > LARGEST:
            raise _too_large()
        if not decoder.eof:
            raise PayloadError(f"ends early: it is packed by {name}")
        body = decoder.unused_data
        if not body.startswith(b"\x1f\x8b"):  # another member; anything else is padding
            return bytes(made)


def _gzip(body: bytes) -> bytes:
    return _inflated(body, 16 + zlib.MAX_WBITS, "gzip")


def _deflate(body: bytes) -> bytes:
    """Unpack deflate: with the wrapping of zlib, as the standard says, or raw, as some servers send it."""
    wrapped = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _inflated(body, zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS, "deflate")


def _brotli(body: bytes) -> bytes:
    try:
        import brotli
    except ImportError:
        raise PayloadError("is packed by brotli: pip install 'copysift[warc]'") from None
    decoder, made = brotli.Decompressor(), bytearray()
    try:
        made += decoder.process(body, output_buffer_limit=LARGEST + 1)
        while len(made) <= LARGEST and not decoder.is_finished():
            more = decoder.process(b"", output_buffer_limit=LARGEST + 1)
            if not more:
                raise PayloadError("ends early: it is packed by brotli")
            made += more
    except brotli.error as error:
        raise PayloadError(f"cannot be unpacked by brotli: {error}") from None
    if len(made) > LARGEST:
        raise _too_large()
    return bytes(made)


def _too_large() -> PayloadError:
    return PayloadError(f"is larger than {LARGEST:,} bytes when it is unpacked")


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "chunked": _chunked,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
}
