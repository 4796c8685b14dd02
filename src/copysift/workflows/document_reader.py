"""Documents as they are read for an index, in threads: each content is fingerprinted once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from functools import partial

from copysift.errors import InputError
from copysift.model.document import Document
from copysift.model.traits import is_raw
from copysift.model.values import Skipped
from copysift.runtime.encoding import to_utf8
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.threads import Failed, attempt
from copysift.sources.files import DIGEST, load_many
from copysift.store import writer as store
from copysift.store.entries import LARGEST, TOO_LARGE
from copysift.workflows.reading import Reader

RACY = 2_000_000_000  # nanoseconds: a file this young may change again without a change of its time


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the index has of a file: to be compared with the file."""

    size: int
    mtime: int
    checksum: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class WantedDocument:
    """A document that must be read: its name in the index, what that has of it, and the time of its file."""

    document: Document
    name: str
    known: KnownFile | None
    mtime_ns: int = 0  # of the container or file of records; 0: it is a file itself
    file: bool = True  # no text that another index kept


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read; `found` is None where another document of the same bytes brings it."""

    entry: store.Entry
    found: store.Views | None
    text: Callable[[], Iterable[bytes]] | None
    again: Callable[[], store.Views]


class DocumentReader:
    """Reads documents with a reader; their texts come along if they are kept."""

    def __init__(self, reader: Reader, keep_text: bool) -> None:
        self._reader, self._keep_text = reader, keep_text
        self._claimed: dict[tuple[int, bytes, str], str] = {}

    def files(self, items: list[WantedDocument]) -> list[ReadDocument | Skipped | Failed[WantedDocument]]:
        """Read documents together: one small file by itself takes longer to open than to read."""
        fitting = [item.document for item in items if item.document.content.size <= LARGEST]
        loaded = iter(load_many(fitting))
        out: list[ReadDocument | Skipped | Failed[WantedDocument]] = []
        for item in items:
            if item.document.content.size > LARGEST:
                out.append(Skipped(item.document.name, TOO_LARGE))
                continue
            each = next(loaded)
            if not isinstance(each, Skipped):
                made = attempt(partial(self._file, item), each)
                out.append(Failed(item, made.error) if isinstance(made, Failed) else made)
            else:
                out.append(each)
        return out

    def _file(self, item: WantedDocument, loaded: Document) -> ReadDocument:
        known = item.known
        kind, chunks = self._reader.opened(loaded)
        mtime_ns = item.mtime_ns or settled(getattr(loaded.content, "mtime_ns", 0))
        filed = store.Entry(item.name, loaded.checksum, kind, loaded.size, item.file, mtime_ns)
        source = partial(self._reader.chunks, loaded, kind)
        again = partial(self._reader.views, kind, (lambda: chunks) if isinstance(chunks, list) else source)
        same = known is not None and (known.size, known.checksum, known.kind) == (
            loaded.size,
            loaded.checksum,
            kind,
        )
        found = None
        if not same and self._claim(filed):
            found = again()
        return ReadDocument(filed, found, source if self._keep_text else None, again)

    def document(self, document: Document) -> ReadDocument:
        """Read a document that is in memory."""
        data = b"".join(document.content.chunks())
        if len(data) > LARGEST:
            raise InputError(f"{document.name}: {TOO_LARGE}")
        kind = document.hint.kind
        source = data if is_raw(kind) else to_utf8(data)[0]
        if not kind or kind == "auto":
            kind = self._reader.kind_of(source, document.file)
        checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
        filed = store.Entry(document.name, checksum, kind, len(data))
        again = partial(self._reader.views, kind, lambda: [source])
        found = again() if self._claim(filed) else None
        return ReadDocument(filed, found, (lambda: [source]) if self._keep_text else None, again)

    def _claim(self, entry: store.Entry) -> bool:
        """Be the one who fingerprints a content; of equal documents, only one thread does."""
        key = (entry.bytes, entry.checksum, entry.kind)
        return self._claimed.setdefault(key, entry.name) is entry.name


def settled(mtime_ns: int) -> int:
    """Give the time of a file, or 0 for one so young that it may change again without a change of it."""
    return mtime_ns if mtime_ns < time.time_ns() - RACY else 0
