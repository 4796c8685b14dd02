"""A submission as one content: the text of its files one after the other, each read as what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from copysift.model.document import Document
from copysift.model.values import Fingerprints
from copysift.workflows.reading import Reader

MIXED = "mixed"  # the kind of a submission with files of several kinds
LINE = b"\n"


class SubmissionContent:
    """The kind, text and fingerprints of a submission; no fingerprint spans two of its files."""

    def __init__(self, reader: Reader, files: Sequence[Document]) -> None:
        self._reader = reader
        self._parts: list[tuple[str, bytes]] = []
        for file in files:
            kind, chunks = reader.opened(file)
            self._parts.append((kind, b"".join(chunks)))
        kinds = {kind for kind, _ in self._parts}
        self.kind = kinds.pop() if len(kinds) == 1 else MIXED

    def text(self) -> Iterable[bytes]:
        """Give the readable source; a file that ends without a new line gets one."""
        for at, (_, source) in enumerate(self._parts):
            yield source
            if at + 1 < len(self._parts) and not source.endswith(LINE):
                yield LINE

    def fingerprints(self) -> Fingerprints:
        """Fingerprint file by file, with spans of the whole text."""
        found, offset, grams = [], 0, 0
        for kind, source in self._parts:
            one = self._reader.fingerprints(kind, [source] if source else [])
            starts, ends = (each.astype(np.uint64) + offset for each in (one.starts, one.ends))
            found.append((one.hashes, starts, ends))
            grams += one.grams
            offset += len(source) + (not source.endswith(LINE))
        hashes, starts, ends = (np.concatenate(each) for each in zip(*found, strict=True))
        width = np.uint32 if offset < 2**32 else np.uint64
        return Fingerprints(hashes, starts.astype(width), ends.astype(width), grams)
