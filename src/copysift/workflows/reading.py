"""Make documents of files: their kind, their readable source, their symbols and fingerprints."""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import InputError, UsageError
from copysift.fingerprints import Fingerprinter, FingerprintSettings, fingerprinter, learn_anchors
from copysift.fingerprints.anchors import anchor_symbols
from copysift.fingerprints.stream import mostly_distinct
from copysift.join.alike import HEADERS
from copysift.kinds import Canonicaliser, Code, Lexemes, canonicaliser, header, notebook
from copysift.kinds.kind import BLOCK, CODE, CodeCanonicaliser, channel_of
from copysift.kinds.lexemes import PlacedLexemes, together
from copysift.kinds.pygments_code import Foreign
from copysift.model.document import Document
from copysift.model.traits import is_raw, kind_traits, scheme_traits
from copysift.model.values import Canonical, Fingerprints, Skipped
from copysift.runtime.arrays import firsts
from copysift.runtime.encoding import SAMPLE, detect_encoding, to_utf8, transcode
from copysift.runtime.timing import timed
from copysift.settings.comparison import Settings
from copysift.sources import files
from copysift.store.entries import WHOLE, Views
from copysift.workflows.collection import ScannedFile, View
from copysift.workflows.document_kinds import DocumentKinds

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

Load = Callable[[Document], Document | Skipped]
LoadMany = Callable[[Sequence[Document], Container[int]], list[Document | Skipped]]
ANCHOR_SAMPLE = 400  # files that anchors are learned from
Chunks = Iterator[bytes] | list[bytes]
FEW = 8  # fingerprints: a document with no more is compared by all its k-grams with others like it


class Reader(DocumentKinds):
    """Reads files as documents of their kind; threads share it."""

    def __init__(
        self, settings: Settings, load: Load | None = None, collapse: bool = True,
        load_many: LoadMany | None = None, programs: str = "both", bits: int = 64,
    ) -> None:  # fmt: skip
        super().__init__(settings, programs)
        self._bits = bits  # of a hash that are kept
        self._lonely: frozenset[int] = frozenset()  # sizes that one file alone has
        self._seconds = settings.max_seconds_per_file
        self._load: Load = load or partial(files.load, seconds=self._seconds)
        self._load_many: LoadMany = load_many or partial(files.load_many, seconds=self._seconds)
        self.collapse = collapse
        self.brief = 0  # distinct fingerprints that a header needs, if nothing else of it counts
        self._anchors = tuple(anchor_symbols(anchor) for anchor in settings.anchor)
        self._learning = bool(scheme_traits(settings.scheme).learned) and not self._anchors
        self._canonicalisers: dict[str, Canonicaliser] = {}
        self._fingerprinters: dict[str, Fingerprinter] = {}
        self._claimed: dict[tuple[int, bytes, str], str] = {}
        self._lock = threading.Lock()
        self._last: tuple[str, bytes] = ("", b"")
        if not self._learning:  # settings that make no sense are refused before anything is read
            self._fingerprinter("text" if settings.kind == "auto" else settings.kind)

    def learn(self, entries: Sequence[Document]) -> None:
        """Learn the anchors from the files unless they are given.

        Of files that collapse when they are equal, those of a size of their own need no checksum.
        """
        if self.collapse:
            sizes = Counter(entry.size for entry in entries)
            self._lonely = frozenset(size for size, count in sizes.items() if count == 1)
        if not self._learning:
            return
        sample = [entry for _, entry in zip(range(ANCHOR_SAMPLE), entries, strict=False)]
        loaded = (each for each in map(self._load, sample) if isinstance(each, Document))
        opened = (self._opened(each) for each in loaded)
        self._anchors = learn_anchors(chain.from_iterable(self._blocks(*each) for each in opened))
        if not self._anchors:
            raise UsageError("too little text to learn anchors from", hint="use --anchor")
        self._learning = False
        self._fingerprinter("text" if self._settings.kind == "auto" else self._settings.kind)

    def read(self, entry: Document) -> ScannedFile | Skipped:
        """Read and fingerprint a file; of equal files only one, whichever thread comes first."""
        loaded = self._load(entry)
        return loaded if isinstance(loaded, Skipped) else self.read_loaded(entry, loaded)

    def is_lonely(self, entry: Document) -> bool:
        """Say whether no other file has the size of this one."""
        return entry.size in self._lonely

    def load_many(self, entries: Sequence[Document]) -> list[Document | Skipped]:
        """Read files together, without the checksums that nobody needs."""
        return self._load_many(entries, self._lonely)

    def read_loaded(self, entry: Document, loaded: Document) -> ScannedFile:
        """Fingerprint a file that was listed and read, unless an equal one is claimed."""
        kind, chunks = self._opened(loaded)
        views: tuple[View, ...] = ()
        if self.claims(loaded, kind):
            if loaded.content.data is None:
                views = tuple(self._large_view(each, loaded, kind) for each in self.readings(kind))
            else:
                views = tuple(self.view(each, list(chunks)) for each in self.readings(kind))
        return ScannedFile(entry, kind, loaded.size, loaded.checksum, views)

    def view(self, kind: str, chunks: list[bytes]) -> View:
        """Fingerprint a readable source that is in memory as one kind."""
        told: list[Lexemes] = []
        hashes = self._fingerprinter(kind).fingerprint(self._blocks(kind, chunks, told), spans=False).hashes
        whole = self.whole(kind, chunks) if self.has_few(kind, hashes) else None
        return View(kind, [hashes], whole, together(told) if channel_of(kind) == CODE else None)

    def has_few(self, kind: str, hashes: UInt64s) -> bool:
        """Say whether fingerprints are so few that all k-grams are compared instead."""
        return len(hashes) <= FEW and self._fingerprinter(kind).settings.is_windowed

    def whole(self, kind: str, chunks: list[bytes]) -> UInt64s:
        """Give every k-gram of a source with few fingerprints."""
        return self.grams_of(self._blocks(kind, chunks), kind)

    def _large_view(self, kind: str, loaded: Document, source: str) -> View:
        hashes = self._fingerprinter(kind).pieces(self._blocks(kind, self._source_chunks(loaded, source)))
        if self._settings.min_match is None:  # which needs to know what comes again
            hashes = mostly_distinct(hashes)
        return View(kind, hashes)

    def claims(self, loaded: Document, kind: str) -> bool:
        """Claim a file; False when one that is equal to it is claimed already."""
        path = loaded.name
        key = (loaded.size, loaded.checksum, kind)
        return not self.collapse or self._claimed.setdefault(key, path) is path

    def done(self) -> None:
        """Forget which files were claimed."""
        self._claimed.clear()

    def fingerprints_of(self, data: bytes, kind: str) -> Fingerprints:
        """Fingerprint content that is in memory, with spans."""
        return self._fingerprinter(kind).fingerprint(self._canonicaliser(kind).blocks([data]))

    def canonical_of(self, data: bytes, kind: str) -> Canonical:
        """Canonicalise content that is in memory."""
        return self._canonicaliser(kind).whole(data)

    def grams_of(self, blocks: Iterable[Canonical], kind: str) -> UInt64s:
        """Give the hash of every k-gram of a document, in order."""
        return np.concatenate([np.empty(0, np.uint64), *self.gram_pieces(blocks, kind)])

    def placed_fingerprints(self, entry: Document, kind: str, source: str) -> Fingerprints:
        """Give the fingerprints of a document as a kind, placed in its readable source as another."""
        return self._fingerprinter(kind).fingerprint(self.blocks_of(entry, kind, source))

    def placed_lexemes(self, entry: Document, kind: str, source: str) -> PlacedLexemes | None:
        """Find the statements and strings of a program in its readable source; None if its kind has none."""
        canonical = self._canonicaliser(kind)
        if not isinstance(canonical, CodeCanonicaliser):
            return None
        return canonical.places(b"".join(self._readable(entry, source)))

    def placed_grams(self, entry: Document, kind: str, source: str) -> Fingerprints:
        """Give every k-gram of a document as a kind, placed in its readable source as another."""
        return fingerprinter(self._every(kind)).fingerprint(self.blocks_of(entry, kind, source))

    def gram_pieces(self, blocks: Iterable[Canonical], kind: str) -> Iterator[UInt64s]:
        """Give the hash of every k-gram of a document, in order, piece by piece."""
        return fingerprinter(self._every(kind)).pieces(blocks)

    def _every(self, kind: str) -> FingerprintSettings:
        return dataclasses.replace(self._fingerprinter(kind).settings, scheme="all")

    def grams(self, entry: Document) -> tuple[UInt64s, Lexemes] | Skipped:
        """Give the hash of every k-gram of a file, in every channel, and the lexemes of a program."""
        loaded = self._load(entry)
        if isinstance(loaded, Skipped):
            return loaded
        kind, _ = self._opened(loaded)
        told: list[Lexemes] = []
        grams = [
            self.grams_of(self._blocks(each, self._source_chunks(loaded, kind), told), each)
            for each in self.readings(kind)
        ]
        return np.concatenate(grams), together(told)

    def lexemes_of(self, entry: Document, kind: str, source: str) -> Lexemes:
        """Give statements and strings of a program again, from its readable source as another kind."""
        told: list[Lexemes] = []
        for _ in self._blocks(kind, self._readable(entry, source), told):
            pass
        return together(told)

    def source(self, entry: Document, kind: str) -> bytes:
        """Give the whole readable source of a document; raises InputError when it cannot be read again."""
        with self._lock:
            if self._last[0] == entry.path:
                return self._last[1]
        data = b"".join(self._readable(entry, kind))
        with self._lock:
            self._last = (entry.path, data)
        return data

    def piece(self, entry: Document, kind: str, start: int, end: int) -> bytes:
        """Give a piece of the readable source, without holding more than a chunk beside it."""
        with self._lock:
            if self._last[0] == entry.path:
                return self._last[1][start:end]
        parts, at = [], 0
        for chunk in self._readable(entry, kind):
            if at + len(chunk) > start:
                parts.append(chunk[max(0, start - at) : end - at])
            at += len(chunk)
            if at >= end:
                break
        return b"".join(parts)

    def text_of(self, entry: Document, kind: str, source: str, value: int, limit: int) -> str:
        """Give the text behind one fingerprint of a document, or nothing if it is gone.

        It is read as `kind`, of the readable source of another.
        """
        try:
            blocks = self._canonicaliser(kind).blocks(self._readable(entry, source))
            span = self._fingerprinter(kind).first_span(blocks, value)
            if span is None:
                return ""
            start, end = span
            return self.piece(entry, source, start, min(end, start + limit)).decode("utf-8", "replace")
        except InputError:
            return ""

    def blocks_of(self, entry: Document, kind: str, source: str) -> Iterable[Canonical]:
        """Canonicalise a document again as a kind, block by block, from its readable source as another."""
        return self._canonicaliser(kind).blocks(self._readable(entry, source))

    def blocks(self, kind: str, chunks: Iterable[bytes]) -> Iterable[Canonical]:
        """Canonicalise a readable source that comes in chunks, block by block."""
        return self._canonicaliser(kind).blocks(chunks)

    def source_chunks(self, entry: Document, kind: str) -> Iterator[bytes]:
        """Give the readable source of a document again, in chunks."""
        return self._readable(entry, kind)

    def opened(self, loaded: Document) -> tuple[str, Chunks]:
        """Give the kind of a file and its readable source in chunks."""
        return self._opened(loaded)

    def chunks(self, loaded: Document, kind: str) -> Iterator[bytes]:
        """Give the readable source of a file in chunks, again."""
        return self._source_chunks(loaded, kind)

    def fingerprints(self, kind: str, chunks: Iterable[bytes]) -> Fingerprints:
        """Fingerprint a readable source that comes in chunks, with spans."""
        whole = chunks if isinstance(chunks, list) else iter(chunks)
        found = self._fingerprinter(kind).fingerprint(self._blocks(kind, whole))
        return _once(found) if kind == header.KIND else found

    def hashes_of(self, entry: Document, kind: str, source: str) -> UInt64s:
        """Give the fingerprints of a document again, from its readable source as another kind."""
        blocks = self._blocks(kind, self._readable(entry, source))
        return self._fingerprinter(kind).fingerprint(blocks, spans=False).hashes

    def views(self, kind: str, source: Callable[[], Iterable[bytes]]) -> Views:
        """Fingerprint a readable source, which can be had again, in all its channels, with spans."""
        first, *others = self.readings(kind)
        main = self.fingerprints(first, source())
        further: dict[str, Fingerprints] = {}
        for each in others:
            found = self.fingerprints(each, source())
            if each != header.KIND or len(found.hashes) >= HEADERS.founded:
                further[channel_of(each)] = found
        if self._programs == "both":
            for each, found in zip((first, *others), (main, *further.values()), strict=False):
                if each != header.KIND and self.has_few(each, found.hashes):
                    further[channel_of(each) + WHOLE] = self.every_gram(each, source())
        return Views(main, further)

    def every_gram(self, kind: str, chunks: Iterable[bytes]) -> Fingerprints:
        """Fingerprint a readable source by every k-gram, with spans."""
        blocks = self._canonicaliser(kind).blocks(chunks)
        return fingerprinter(self._every(kind)).fingerprint(timed(blocks, self._seconds))

    def lexer(self, kind: str) -> Code | None:
        """Give the lexer of a language that a file describes; None for all other kinds."""
        canonical = self._canonicaliser(kind) if channel_of(kind) == CODE else None
        return canonical if isinstance(canonical, Code) else None

    def is_brief(self, kind: str) -> bool:
        """Say whether of documents of a kind only distinct fingerprints count, and nothing beside them."""
        return self.brief > 0 and kind == header.KIND

    def fingerprint_settings(self, kind: str) -> FingerprintSettings:
        """Give the settings by which documents of a kind are fingerprinted."""
        return self._fingerprinter(kind).settings

    def noise(self, kind: str) -> tuple[int, int]:
        """Give noise and guarantee threshold of a kind."""
        return self._settings.thresholds(kind)

    def _readable(self, entry: Document, kind: str) -> Iterator[bytes]:
        loaded = self._load(entry)
        if isinstance(loaded, Skipped):
            raise InputError(f"{loaded.name}: {loaded.reason}")
        return self._source_chunks(loaded, kind)

    def _source_chunks(self, loaded: Document, kind: str) -> Iterator[bytes]:
        if is_raw(kind):
            return loaded.content.chunks()
        if loaded.content.data is not None:
            data = to_utf8(loaded.content.data)[0]
            return iter([(notebook.readable(data) or b"") if kind == notebook.KIND else data])
        return transcode(loaded.content.chunks(), detect_encoding(_head(loaded)))

    def _opened(self, loaded: Document) -> tuple[str, Chunks]:
        """Give the kind of a file and its readable source in chunks."""
        name = loaded.file
        if loaded.content.data is None:
            kind = self._kind(name, _head(loaded))
            kind = "text" if kind == notebook.KIND else kind  # too large to be taken apart
            return kind, self._source_chunks(loaded, kind)
        if is_raw(self._settings.kind):
            return self._settings.kind, [loaded.content.data] if loaded.content.data else []
        data, encoding = to_utf8(loaded.content.data)
        binary = encoding is None and self._settings.kind != "text"  # what is asked for is believed
        kind = self._binary_kind(name, data) if binary else self._text_kind(name, data[:SAMPLE])
        if kind == notebook.KIND:
            cells = notebook.readable(data)
            kind, data = (kind, cells) if cells is not None else ("text", data)
        return kind, [data] if data else []

    def _blocks(self, kind: str, chunks: Chunks, told: list[Lexemes] | None = None) -> Iterable[Canonical]:
        """Canonicalise; a source in one small piece needs no machinery for the cuts between pieces.

        What the lexemes of a program say is put into `told`.
        """
        canonical = self._canonicaliser(kind)
        one = chunks[0] if isinstance(chunks, list) and len(chunks) == 1 else None
        small = one if one is not None and len(one) <= BLOCK else None
        if small is not None and kind == header.KIND and told is None and isinstance(canonical, Code):
            return [canonical.beginning(small, header.MOST)]
        if isinstance(canonical, CodeCanonicaliser):
            blocks = timed(canonical.told(chunks, told), self._seconds)
            return header.beginning(blocks) if kind == header.KIND else blocks
        if small is not None:
            return [canonical.whole(small)]
        return timed(canonical.blocks(chunks), self._seconds)

    def _canonicaliser(self, kind: str) -> Canonicaliser:
        if kind not in self._canonicalisers:
            known = self.languages if kind_traits(kind).languages else None
            made = self._canonicalisers[kind] = canonicaliser(kind, known)
            if isinstance(made, Foreign) and self._seconds is not None:
                made.seconds = self._seconds
        return self._canonicalisers[kind]

    def _fingerprinter(self, kind: str) -> Fingerprinter:
        if kind not in self._fingerprinters:
            settings = self._settings
            limits = settings.thresholds(kind)
            self._fingerprinters[kind] = fingerprinter(
                FingerprintSettings(
                    scheme=settings.scheme,
                    k=limits.noise,
                    w=limits.window,
                    modulus=settings.modulus or 0,
                    size=settings.sketch,
                    seed=settings.seed,
                    inner=kind_traits(kind).inner,
                    overlap=not settings.disjoint,
                    anchors=self._anchors,
                    bits=self._bits,
                )
            )
        return self._fingerprinters[kind]


def _once(found: Fingerprints) -> Fingerprints:
    """Leave each hash once, where it first is: lists of declarations have most of theirs many times."""
    first = firsts(found.hashes)
    return Fingerprints(found.hashes[first], found.starts[first], found.ends[first], found.grams)


def _head(loaded: Document) -> bytes:
    data = loaded.content.data
    return (next(loaded.content.chunks(), b"") if data is None else data)[:SAMPLE]
