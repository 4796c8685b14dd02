"""Read files many at a time: handing one small file over costs more than working on it.

Between reading and fingerprints a batch enters the kernels three times, each without the GIL for all of
its files, so that threads do not wait for each other file by file. What is not an ordinary text (other
encodings, large files, other schemes) is read one by one, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from copysift import kernels
from copysift.errors import CopysiftError, InputError
from copysift.fingerprints import FingerprintSettings
from copysift.kinds import notebook
from copysift.model.document import Document
from copysift.model.traits import kind_traits
from copysift.model.values import Skipped
from copysift.runtime.encoding import known_utf8
from copysift.runtime.threads import Failed, attempt
from copysift.workflows.collection import Scanned, View

if TYPE_CHECKING:
    from copysift.model.values import UInt64s
    from copysift.workflows.reading import Reader

MOST = 64  # files in a batch: all of them are open at once
IN_FLIGHT = 64 << 20  # bytes of files that are read ahead
LARGEST = 1 << 20  # bytes of a text that is worked on whole

Read = Scanned | Skipped | Failed[Document]


def read_batch(reader: Reader, entries: Sequence[Document]) -> list[Read]:
    """Read and fingerprint files, as `Reader.read` does each of them."""
    loaded = reader.load_many(entries)
    texts = [_text(each) for each in loaded]
    sure = known_utf8([text for text in texts if text is not None])
    known = iter(sure)
    out: list[Read] = []
    batch: dict[str, list[tuple[int, Document, bytes]]] = {}
    ways: dict[str, tuple[str, bool]] = {}  # of a kind: what it is read as, and whether by the kernel
    for number, (each, text) in enumerate(zip(loaded, texts, strict=True)):
        if isinstance(each, Skipped):
            out.append(each)
            continue
        kind = reader.plain_kind(each.file, text) if text is not None and next(known) else ""
        if kind not in ways:
            plain = reader.readings(kind)[0] if kind not in ("", notebook.KIND) else ""
            ways[kind] = plain, _is_plain(reader, plain)
        plain, together = ways[kind]
        if text is None or not together:
            out.append(_one(reader, entries[number], each))
            continue
        out.append(Scanned(entries[number], kind, each.size, each.checksum))
        if reader.claims(each, kind):
            batch.setdefault(plain, []).append((number, each, text))
    for kind, texts_of_kind in batch.items():
        _fingerprint(reader, kind, texts_of_kind, out)
    return out


def _is_plain(reader: Reader, kind: str) -> bool:
    """Say whether the kernel can fingerprint texts of a kind by itself."""
    known = kind != "" and kind_traits(kind).markup is not None
    return known and reader.fingerprint_settings(kind).is_windowed


def sum_batch(reader: Reader, entries: Sequence[Document]) -> list[Read]:
    """Read files for their checksums alone; one of a size of its own is not read at all."""
    wanted = [entry for entry in entries if not reader.is_lonely(entry)]
    loaded = iter(reader.load_many(wanted))
    out: list[Read] = []
    for entry in entries:
        each = None if reader.is_lonely(entry) else next(loaded)
        if isinstance(each, Skipped):
            out.append(each)
        else:
            size, checksum = (entry.size, b"") if each is None else (each.size, each.checksum)
            out.append(Scanned(entry, "bytes", size, checksum))
    return out


def _text(loaded: Document | Skipped) -> bytes | None:
    """Give the bytes of a file that may be worked on with others."""
    if isinstance(loaded, Skipped) or loaded.content.data is None or loaded.size > LARGEST:
        return None
    return loaded.content.data


def _one(reader: Reader, entry: Document, loaded: Document) -> Read:
    made = attempt(partial(reader.read_loaded, entry), loaded)
    return Failed(entry, made.error) if isinstance(made, Failed) else made


def _fingerprint(reader: Reader, kind: str, batch: list[tuple[int, Document, bytes]], out: list[Any]) -> None:
    """Fingerprint the texts of a batch, and put their views into its results."""
    settings = reader.fingerprint_settings(kind)
    texts = [text for _, _, text in batch]
    found = _winnowed(texts, kind, settings)
    few = [number for number, hashes in enumerate(found) if reader.has_few(kind, hashes)]
    # A window of one k-gram chooses every one.
    every = dict(zip(few, _winnowed([texts[at] for at in few], kind, replace(settings, w=1)), strict=True))
    for at, ((number, _, text), hashes) in enumerate(zip(batch, found, strict=True)):
        views = [View(kind, [hashes], every.get(at))]
        views += [reader.view(each, [text]) for each in reader.readings(out[number].kind)[1:]]
        read = out[number]
        out[number] = Scanned(read.entry, read.kind, read.size, read.checksum, tuple(views))


def _winnowed(texts: list[bytes], kind: str, settings: FingerprintSettings) -> list[UInt64s]:
    if not texts:
        return []
    hashes, bounds = kernels.batch.winnow_texts(
        texts,
        [bool(kind_traits(kind).markup)] * len(texts),
        settings.k,
        settings.w,
        settings.seed,
        *settings.windowing,
    )
    hashes = settings.kept(hashes)
    return [hashes[start:end] for start, end in pairwise(bounds.tolist())]


def skipped(path: str, error: Exception) -> Skipped:
    """Turn the error of one file into a note; what is not the fault of the file is raised."""
    if isinstance(error, InputError):
        return Skipped(path, error.message.removeprefix(f"{path}: "))
    if isinstance(error, CopysiftError | MemoryError) or not isinstance(error, OSError):
        raise error
    return Skipped(path, (error.strerror or str(error)).lower())
