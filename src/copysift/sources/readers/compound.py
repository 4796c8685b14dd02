"""Office files from before 2007 (.doc, .xls, .ppt, .msg): known, and said not to be read."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition


class CompoundReader(TextReader):
    """No reader of them is kept well enough to trust it with hostile files; encrypted DOCX are such files."""

    traits = definition("compound", "Office files from before 2007, and encrypted ones")
    says = "binary office file"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Say why there is no text."""
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnreadableError("is protected by a password")
        raise UnreadableError(
            "was not compared: it is a binary office file, whose text is not read; "
            "use --filter, for example '*.doc=antiword -'"
        )


COMPOUND = CompoundReader()
