"""Read files many at a time: handing one small file over costs more than working on it.

Between reading and fingerprints a batch enters the kernels a few times, each without the GIL for all of
its files, so that threads do not wait for each other file by file: once for all texts, and once for the
programs of each language. What is neither an ordinary text nor a program in a known language (other
encodings, large files, other schemes) is read one by one, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from copysift import kernels
from copysift.errors import CopysiftError, InputError
from copysift.fingerprints import FingerprintSettings
from copysift.kinds import header, notebook
from copysift.kinds.kind import CHANNELS, channel_of
from copysift.model.document import Document
from copysift.model.traits import kind_traits
from copysift.model.values import Skipped
from copysift.runtime.encoding import known_utf8
from copysift.runtime.threads import Failed, attempt
from copysift.workflows.collection import ScannedFile, View

if TYPE_CHECKING:
    from copysift.kinds import Lexemes
    from copysift.model.values import UInt64s
    from copysift.workflows.reading import Reader

MOST = 64  # files in a batch: all of them are open at once
IN_FLIGHT = 64 << 20  # bytes of files that are read ahead
LARGEST = 1 << 20  # bytes of a text that is worked on whole

Read = ScannedFile | Skipped | Failed[Document]


def read_batch(reader: Reader, entries: Sequence[Document]) -> list[Read]:
    """Read and fingerprint files, as `Reader.read` does each of them."""
    loaded = reader.load_many(entries)
    texts = [_text(each) for each in loaded]
    sure = known_utf8([text for text in texts if text is not None])
    known = iter(sure)
    out: list[Read] = []
    batch: dict[str, list[tuple[int, bytes]]] = {}  # by what they are read as
    ways: dict[str, tuple[str, ...]] = {}  # of a kind: what it is read as, if the kernels can do that
    for number, (each, text) in enumerate(zip(loaded, texts, strict=True)):
        if isinstance(each, Skipped):
            out.append(each)
            continue
        kind = reader.plain_kind(each.file, text) if text is not None and next(known) else ""
        if kind not in ways:
            ways[kind] = _readings(reader, kind)
        if text is None or not ways[kind]:
            out.append(_one(reader, entries[number], each))
            continue
        out.append(ScannedFile(entries[number], kind, each.size, each.checksum))
        if reader.claims(each, kind):
            for reading in ways[kind]:
                batch.setdefault(reading, []).append((number, text))
    _fingerprint(reader, batch, out)
    return out


def _readings(reader: Reader, kind: str) -> tuple[str, ...]:
    """Give what a kind is read as, or nothing if the kernels cannot fingerprint all of it by themselves."""
    if kind in ("", notebook.KIND):
        return ()
    readings = reader.readings(kind)
    return readings if all(_is_plain(reader, each) for each in readings) else ()


def _is_plain(reader: Reader, kind: str) -> bool:
    """Say whether the kernels can fingerprint sources of a kind by themselves."""
    if kind == header.KIND and not reader.is_brief(kind):  # only its first tokens count
        return False
    known = kind_traits(kind).markup is not None or reader.lexer(kind) is not None
    return known and reader.fingerprint_settings(kind).is_windowed


def hashes_again(reader: Reader, asked: Sequence[tuple[Document, str, str]]) -> Iterator[UInt64s | None]:
    """Give the fingerprints of documents again, each as a kind, from its readable source as another one.

    None is for one that is gone.
    """
    for first in range(0, len(asked), MOST):
        some = asked[first : first + MOST]
        texts = [
            None if isinstance(each, Skipped) else _text(each)
            for each in reader.load_many([each for each, *_ in some])
        ]
        known = iter(known_utf8([text for text in texts if text is not None]))
        batch: dict[str, list[tuple[int, bytes]]] = {}
        for number, ((_, kind, source), text) in enumerate(zip(some, texts, strict=True)):
            if text is not None and next(known) and source != notebook.KIND and _is_plain(reader, kind):
                batch.setdefault(kind, []).append((number, text))
        made: dict[int, UInt64s] = {}
        for kind, sources in batch.items():
            found, _ = _winnowed(
                reader, kind, [text for _, text in sources], reader.fingerprint_settings(kind)
            )
            made.update(zip((number for number, _ in sources), found, strict=True))
        for number, each in enumerate(some):
            yield made[number] if number in made else _hashes_of(reader, *each)


def _hashes_of(reader: Reader, entry: Document, kind: str, source: str) -> UInt64s | None:
    try:
        return reader.hashes_of(entry, kind, source)
    except (InputError, OSError):  # it is gone
        return None


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
            out.append(ScannedFile(entry, "bytes", size, checksum))
    return out


def _text(loaded: Document | Skipped) -> bytes | None:
    """Give the bytes of a file that may be worked on with others."""
    if isinstance(loaded, Skipped) or loaded.content.data is None or loaded.size > LARGEST:
        return None
    return loaded.content.data


def _one(reader: Reader, entry: Document, loaded: Document) -> Read:
    made = attempt(partial(reader.read_loaded, entry), loaded)
    return Failed(entry, made.error) if isinstance(made, Failed) else made


def _fingerprint(reader: Reader, batch: dict[str, list[tuple[int, bytes]]], out: list[Any]) -> None:
    """Fingerprint the sources of a batch, and put their views into its results."""
    made: dict[int, list[View]] = {}
    for kind in sorted(batch, key=_place):
        sources = batch[kind]
        views = _views(reader, kind, [text for _, text in sources])
        for (number, _), view in zip(sources, views, strict=True):
            if view is not None:
                made.setdefault(number, []).append(view)
    for number, views_of in made.items():
        read = out[number]
        out[number] = ScannedFile(read.entry, read.kind, read.size, read.checksum, tuple(views_of))


def _place(kind: str) -> int:
    """Give the place of a kind among those that a document is read as."""
    return CHANNELS.index(channel_of(kind))


def _views(reader: Reader, kind: str, sources: list[bytes]) -> Sequence[View | None]:
    """Fingerprint sources as one kind, as `Reader.view` does each of them; None: too few fingerprints."""
    settings = reader.fingerprint_settings(kind)
    found, told = _winnowed(reader, kind, sources, settings)
    if reader.is_brief(kind):
        return [View(kind, [hashes]) if len(hashes) >= reader.brief else None for hashes in found]
    few = [number for number, hashes in enumerate(found) if reader.has_few(kind, hashes)]
    # A window of one k-gram chooses every one.
    grams, _ = _winnowed(reader, kind, [sources[at] for at in few], replace(settings, w=1))
    every = dict(zip(few, grams, strict=True))
    return [
        View(kind, [hashes], every.get(at), lexemes)
        for at, (hashes, lexemes) in enumerate(zip(found, told, strict=True))
    ]


def _winnowed(
    reader: Reader, kind: str, sources: list[bytes], settings: FingerprintSettings
) -> tuple[list[UInt64s], Sequence[Lexemes | None]]:
    """Give the hashes of sources of one kind, and what the lexemes of programs say."""
    if not sources:
        return [], []
    rule = (settings.k, settings.w, settings.seed, *settings.windowing)
    if lexer := reader.lexer(kind):
        if reader.is_brief(kind):
            return [settings.kept(hashes) for hashes in lexer.distinct(sources, rule, header.MOST)], ()
        found, told = lexer.winnowed(sources, rule)
        return [settings.kept(hashes) for hashes in found], told
    marked = [bool(kind_traits(kind).markup)] * len(sources)
    hashes, bounds = kernels.batch.winnow_texts(sources, marked, *rule)
    hashes = settings.kept(hashes)
    return [hashes[start:end] for start, end in pairwise(bounds.tolist())], [None] * len(sources)


def skipped(path: str, error: Exception) -> Skipped:
    """Turn the error of one file into a note; what is not the fault of the file is raised."""
    if isinstance(error, InputError):
        return Skipped(path, error.message.removeprefix(f"{path}: "))
    if isinstance(error, CopysiftError | MemoryError) or not isinstance(error, OSError):
        raise error
    return Skipped(path, (error.strerror or str(error)).lower())
