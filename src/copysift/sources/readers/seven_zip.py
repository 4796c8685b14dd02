"""7z archives by py7zr, in a separate process: its decoders are written in C."""

from __future__ import annotations

import io
from typing import Any

from copysift.sources.container_limits import Budget, LimitReachedError
from copysift.sources.readers.reader import Extracted, Member, TextLimits, TextReader, UnreadableError
from copysift.sources.readers.xml_parts import plural
from copysift.sources.source import MEMBERS, SourceTraits

MAGIC = b"7z\xbc\xaf\x27\x1c"


class SevenZipReader(TextReader):
    """The files of a 7z archive."""

    traits = SourceTraits("7z", "7z archives", MEMBERS, (MAGIC,), extra="7z", raw=False)
    says = "7z archive (py7zr)"
    library = "py7zr"
    separate = True

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is a 7z archive."""
        return head.startswith(MAGIC)

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the members; sizes are counted while they are unpacked."""
        import py7zr
        from py7zr.io import WriterFactory

        class Factory(WriterFactory):
            def __init__(self) -> None:
                self.made: dict[str, Any] = {}

            def create(self, filename: str, mode: str = "r") -> Any:
                self.made[filename] = _writer(limits, budget)
                return self.made[filename]

        try:
            with py7zr.SevenZipFile(io.BytesIO(data)) as archive:
                if archive.needs_password():
                    raise UnreadableError("is protected by a password")
                names = [each.filename for each in archive.list() if not each.is_directory]
                budget.member(len(names))
                factory = Factory()
                archive.extract(targets=names, factory=factory)
        except py7zr.PasswordRequired:  # even its names are encrypted
            raise UnreadableError("is protected by a password") from None
        except (py7zr.Bad7zFile, py7zr.exceptions.ArchiveError) as error:
            raise UnreadableError(f"is damaged: {error}") from None
        members = tuple(
            Member(name, made.data(), "member of a 7z archive") for name, made in factory.made.items()
        )
        return Extracted(None, plural(len(members), "member"), members)


def _writer(limits: TextLimits, budget: Budget) -> Any:
    from py7zr.io import Py7zIO

    class Writer(Py7zIO):
        """Keeps a member in memory, up to the limits."""

        def __init__(self) -> None:
            self._bytes = bytearray()

        def write(self, data: bytes | bytearray) -> int:
            budget.unpack(len(data))
            if len(self._bytes) + len(data) > limits.text_bytes:
                raise LimitReachedError(f"has a member of more than {limits.text_bytes:,} bytes")
            self._bytes += data
            return len(data)

        def read(self, size: int | None = None) -> bytes:
            return b""

        def seek(self, offset: int, whence: int = 0) -> int:
            return 0

        def flush(self) -> None:
            """Have nothing to do."""

        def size(self) -> int:
            return len(self._bytes)

        def data(self) -> bytes:
            return bytes(self._bytes)

    return Writer()


SEVEN_ZIP = SevenZipReader()
