"""Look into a tar archive, packed or not, in one pass from its beginning."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, Self, cast

from copysift.sources.compressed import unpacked_stream
from copysift.sources.container_limits import BROKEN, Budget, DamagedError, Item

CHUNK = 1 << 16

_LARGEST_HEADER = 1 << 20  # bytes of long names and pax records, which tarfile reads at once
_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_SHORT = "is truncated or damaged: what came before was kept"


def tar_items(file: BinaryIO, packing: str, budget: Budget) -> Iterator[Item]:
    """Give the members of a tar in their order; `packing` is as `compressed.packing` gives it."""
    stream = CountingStream(unpacked_stream(file, packing), budget)
    try:
        archive = tarfile.open(  # noqa: SIM115  # it owns nothing to close
            mode="r|", fileobj=cast("IO[bytes]", stream), tarinfo=_CheckedTarInfo, bufsize=CHUNK
        )
        with archive:
            for info in archive:
                if not info.isdir():
                    yield Item(info.name, _time(info), _reason(info), _Member(archive, info))
                _pass_over(archive)
    except BROKEN as error:
        raise DamagedError(_SHORT) from error
    except DamagedError as error:
        raise DamagedError(_SHORT if stream.error else str(error)) from error
    if stream.error is not None:
        raise DamagedError(_SHORT) from stream.error


def _pass_over(archive: tarfile.TarFile) -> None:
    """Go to the next header, or to the end: tarfile itself continues for as many bytes as a header claims."""
    stream = cast("IO[bytes]", archive.fileobj)
    while (ahead := archive.offset - stream.tell()) > 0:
        if not stream.read(min(ahead, CHUNK)):
            raise DamagedError(_SHORT)


class CountingStream:
    """A stream that counts what it gives; where it breaks, what came before is still given."""

    def __init__(self, stream: BinaryIO, budget: Budget) -> None:
        self._read1: Any = stream.read1  # type: ignore[attr-defined]  # every stream above has it
        self._budget = budget
        self.error: Exception | None = None

    def read(self, size: int) -> bytes:
        parts = []
        while size > 0 and self.error is None:
            try:
                part = self._read1(size)
            except BROKEN as error:
                self.error = error
                break
            if not part:
                break
            self._budget.unpack(len(part))
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class _CheckedTarInfo(tarfile.TarInfo):
    """tarfile ends quietly at a header that makes no sense; this says so, and reads none that is huge."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        info = super().frombuf(buf, encoding, errors)
        if info.size < 0 or (info.type in _HEADERS and info.size > _LARGEST_HEADER):
            raise DamagedError(_SHORT)
        return info

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except _END_MARK:
            raise
        except _BAD_HEADER as error:
            raise DamagedError(_SHORT if tarfile.offset else "is not a tar archive") from error


_END_MARK = tarfile.EOFHeaderError  # type: ignore[attr-defined]  # typeshed does not list it
_BAD_HEADER = tarfile.HeaderError


def _reason(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "is a link inside an archive"
    if info.isdev():
        return "is a device or a pipe inside an archive"
    if info.issparse():
        return "is a sparse file inside an archive"
    return "" if info.isreg() else "is no file inside an archive"


def _time(info: tarfile.TarInfo) -> int:
    try:
        return int(info.mtime) * 10**9
    except (OverflowError, ValueError):  # pax times may be inf or nan
        return 0


class _Member:
    def __init__(self, archive: tarfile.TarFile, info: tarfile.TarInfo) -> None:
        self._archive = archive
        self._info = info

    def __call__(self) -> Iterator[bytes]:
        member = self._archive.extractfile(self._info)
        if member is None:
            return
        with member:
            while chunk := member.read(CHUNK):
                yield chunk
