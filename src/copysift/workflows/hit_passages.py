"""The passages of hits: exact where the document can be read, else those of shared fingerprints."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import InputError
from copysift.kinds.kind import family
from copysift.match.exact import line_starts
from copysift.model.answers import Hit
from copysift.model.values import Region, Side
from copysift.runtime.mapped import spacious_array
from copysift.workflows.group_matches import JoinedFiles, PreparedFile, matched
from copysift.workflows.index_base import IndexBase
from copysift.workflows.large_documents import streamed
from copysift.workflows.query_document import Look, Part

if TYPE_CHECKING:
    from copysift.store.catalog_rows import ContentRow, DocumentRow
    from copysift.store.snapshot import Snapshot
    from copysift.workflows.stored_settings import StoredReader

LARGE = 16 << 20  # bytes of a source; a larger one is matched from a temporary file
SEEDS = 256 << 20  # bytes of the seeds of a match; more of them are in a temporary file


class HitPassages:
    """Finds the passages that one question shares with documents of an index."""

    def __init__(self, looks: list[Look], snapshot: Snapshot, reader: StoredReader, base: IndexBase) -> None:
        self._looks, self._snapshot, self._reader, self._base = looks, snapshot, reader, base
        self._ours: dict[tuple[str, str], tuple[JoinedFiles, tuple[str, ...]]] = {}

    def put_in(self, hit: Hit, document: DocumentRow, content: ContentRow) -> Hit:
        """Give a hit with its passages."""
        look = next((each for each in self._looks if each.name == hit.channel), self._looks[0])
        families = {family(kind) for _, kind in look.parts}
        kinds = self._reader.readings(content.kind)
        kind = next((each for each in kinds if family(each) in families), "bytes")
        try:
            read_as = "bytes" if kind == "bytes" else content.kind
            again = partial(self._reader.content, document, content, read_as)
            theirs = self._prepared(again, content.bytes, kind)
        except InputError:
            return self._sketched(hit, content, look)
        ours, names = self._left(look, family(kind))
        both = [ours, JoinedFiles([(0, theirs)])]
        first = np.zeros(1, np.int64)
        noise = self._reader.noise(kind)
        room = partial(spacious_array, limit=SEEDS)
        shared = matched(both, [(noise, first, first, first + 1)], 1, room)
        (regions,) = shared.made([(names, (hit.right,))])
        longest, lines = int(shared.longest[0]), int(shared.lines[0])
        return dataclasses.replace(hit, longest=longest, lines=lines, regions=regions)

    def _left(self, look: Look, wanted: str) -> tuple[JoinedFiles, tuple[str, ...]]:
        """Give the parts of the question that are of a family, or all as bytes where none is."""
        key = (look.channel, wanted)
        if key not in self._ours:
            parts = [(part, kind) for part, kind in look.parts if family(kind) == wanted]
            parts = parts or [(part, wanted) for part, _ in look.parts]
            files = [(at, self._asked(part, kind)) for at, (part, kind) in enumerate(parts)]
            self._ours[key] = JoinedFiles(files), tuple(part.name for part, _ in parts)
        return self._ours[key]

    def _asked(self, part: Part, kind: str) -> PreparedFile:
        return self._prepared(lambda: [part.source], len(part.source), kind)

    def _prepared(self, chunks: Callable[[], Iterable[bytes]], size: int, kind: str) -> PreparedFile:
        """Make a source ready to be matched; the symbols of a large one are in a temporary file."""
        if size > LARGE and not self._base:
            return streamed(self._reader, chunks, size, kind)
        source = b"".join(chunks())
        canonical = self._reader.canonical_of(source, kind)
        mask = None
        if self._base:
            grams = self._reader.grams_of([canonical] if len(canonical.symbols) else [], kind)
            mask = self._base.base.mask(grams, self._reader.noise(kind)[0], len(canonical.symbols))
        return PreparedFile(canonical.symbols, canonical.positions, line_starts(source), len(source), mask)

    def _sketched(self, hit: Hit, content: ContentRow, look: Look) -> Hit:
        """Join the spans of shared fingerprints that overlap on both sides; lines of the right are 0."""
        asked, found = look.asked, look.found
        views = self._snapshot.views([content.number], "content", hit.channel) if hit.channel else {}
        number = views[content.number].number if content.number in views else content.number
        mine = np.flatnonzero(found.documents == number)
        order = np.argsort(asked.all.hashes, kind="stable")
        hashes = asked.all.hashes[order]
        spans: dict[int, list[tuple[int, int, int, int]]] = {}
        for at in mine.tolist():
            value = asked.looked_up[found.which[at]]
            first, last = np.searchsorted(hashes, value), np.searchsorted(hashes, value, "right")
            right = int(found.starts[at]), int(found.starts[at] + found.lengths[at])
            for i in order[first:last].tolist():
                span = (int(asked.all.starts[i]), int(asked.all.ends[i]), *right)
                spans.setdefault(int(asked.owners[i]), []).append(span)
        made = [
            region
            for owner, those in sorted(spans.items())
            for region in _regions(look.parts[owner][0], hit.right, those)
        ]
        longest = max((region.length for region in made), default=0)
        return dataclasses.replace(hit, longest=longest, regions=tuple(made))


def _regions(part: Part, right: str, spans: list[tuple[int, int, int, int]]) -> Iterable[Region]:
    starts = line_starts(part.source)
    for one_start, one_end, start, end in _chained(spans):
        edges = np.array([one_start, max(one_end, one_start + 1) - 1])
        lines = np.searchsorted(starts, edges, "right").tolist()
        side = Side(part.name, one_start, one_end, *lines)
        yield Region(one_end - one_start, side, Side(right, start, end, 0, 0))


def _chained(spans: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Join spans that overlap on both sides; each left place is used once, by the longest chain."""
    chains: list[list[int]] = []
    for span in sorted(spans):
        for chain in reversed(chains[-64:]):
            if chain[0] <= span[0] <= chain[1] and chain[2] <= span[2] <= chain[3]:
                chain[1], chain[3] = max(chain[1], span[1]), max(chain[3], span[3])
                break
        else:
            chains.append(list(span))
    kept: list[tuple[int, int, int, int]] = []
    for chain in sorted(chains, key=lambda each: (each[0] - each[1], each)):
        if all(chain[0] >= other[1] or chain[1] <= other[0] for other in kept):
            kept.append((chain[0], chain[1], chain[2], chain[3]))
    return sorted(kept)
