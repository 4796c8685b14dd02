"""Archives and compressed files that are known, and said not to be unpacked: RAR, LZW and others."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.known import PACKED
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition


class PackedReader(TextReader):
    """Their bytes are compared, which finds equal files; the same content packed again has other bytes."""

    traits = definition("packed", "Archives and compressed files that are not unpacked (RAR, LZW, RPM …)")
    says = "compressed data"
    or_raw = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Say why there is no text."""
        what = next(name for magic, name in PACKED.items() if data.startswith(magic))
        raise UnreadableError(f"{what} is not unpacked; use --filter to read it")


PACKED_READER = PackedReader()
