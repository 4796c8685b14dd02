"""A submission as one content: the text of its files one after the other, each read as what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from copysift.kinds.kind import channel_of
from copysift.model.document import Document
from copysift.model.values import Fingerprints
from copysift.store.entries import Views
from copysift.workflows.reading import Reader

MIXED = "mixed"  # the kind of a submission with files of several kinds
LINE = b"\n"


class SubmissionContent:
    """The kind, text and views of a submission; no fingerprint spans two of its files."""

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

    def views(self) -> Views:
        """Fingerprint file by file in the channels of each, with spans of the whole text."""
        found: dict[str, list[Fingerprints]] = {}
        offset = 0
        for kind, source in self._parts:
            for at, each in enumerate(self._reader.readings(kind)):
                channel = channel_of(each) if at else ""
                one = self._reader.fingerprints(each, [source] if source else [])
                found.setdefault(channel, []).append(_moved(one, offset))
            offset += len(source) + (not source.endswith(LINE))
        width = np.uint32 if offset < 2**32 else np.uint64
        joined = {channel: _joined(parts, width) for channel, parts in found.items()}
        return Views(joined.pop(""), joined)


def _moved(found: Fingerprints, by: int) -> Fingerprints:
    """Give the fingerprints of a file by their places in the whole text."""
    starts, ends = (each.astype(np.uint64) + by for each in (found.starts, found.ends))
    return replace(found, starts=starts, ends=ends)


def _joined(parts: Sequence[Fingerprints], width: type[np.uint32] | type[np.uint64]) -> Fingerprints:
    hashes, starts, ends = (
        np.concatenate(each)
        for each in zip(*((part.hashes, part.starts, part.ends) for part in parts), strict=True)
    )
    return Fingerprints(hashes, starts.astype(width), ends.astype(width), sum(part.grams for part in parts))
