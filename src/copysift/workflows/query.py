"""One against all: look the fingerprints of a query up in an index, and measure who shares enough.

n and m are the distinct fingerprints of query and document, s what they share of those looked up.
When all of the query's are looked up, the measures are exact counts; with a larger window or the
smallest N only (winnowing §3.2), the share found of those stands for the share of all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import InputError, UsageError
from copysift.fingerprints import fingerprinter
from copysift.fingerprints.smallest import WINDOWS, smallest
from copysift.match.exact import line_span, line_starts
from copysift.model.values import Fingerprints, Hit, Region, Side
from copysift.settings.index import Query
from copysift.store.segment import Damage, Found
from copysift.store.snapshot import Snapshot
from copysift.workflows.joining import Joined, Prepared, matched
from copysift.workflows.reading import family
from copysift.workflows.stored_settings import Places, StoredReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s
    from copysift.store.catalog import ContentRow, DocumentRow


@dataclass(frozen=True, slots=True)
class Question:
    """A document to ask for: its readable source, its kind, and the checksum and size of its bytes."""

    name: str
    source: bytes
    kind: str
    checksum: bytes
    bytes: int


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the contents that were met share: distinct hashes, and occurrences of them in the content."""

    contents: NDArray[np.int64]
    hashes: NDArray[np.int64]
    occurrences: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The fingerprints of a query: all, and the distinct ones that are looked up."""

    all: Fingerprints
    distinct: int
    looked_up: UInt64s
    occurrences: int


class Asking:
    """Answers queries from one snapshot; threads may share it."""

    def __init__(self, snapshot: Snapshot, reader: StoredReader, places: Places) -> None:
        self._snapshot, self._reader, self._places = snapshot, reader, places

    def ask(
        self, question: Question, query: Query, passages: bool = False
    ) -> tuple[list[Hit], int, list[Damage]]:
        """Give the hits, best first, the number of the query's fingerprints, and what was found damaged."""
        asked = self._fingerprinted(question, query)
        found, damages = self._snapshot.find(asked.looked_up)
        hits, rows = [], []
        for hit, row in self._hits(question, query, asked, found):
            hits.append(hit)
            rows.append(row)
        order = sorted(
            range(len(hits)), key=lambda at: (-_measure(hits[at], query.measure), not hits[at].equal, at)
        )
        order = order[: query.limit]
        if passages:
            left = self._prepared(question.source, question.kind)
            made = [self._matched(hits[at], rows[at], question, asked, found, left) for at in order]
        else:
            made = [hits[at] for at in order]
        return made, len(asked.all.hashes), list(dict.fromkeys(damages))

    def _fingerprinted(self, question: Question, query: Query) -> _Asked:
        kind = question.kind
        chunks = [question.source] if question.source else []
        every = self._reader.fingerprints(kind, chunks)
        chosen = every
        if query.window is not None:
            settings = self._reader.fingerprint_settings(kind)
            _check_window(query.window, settings.w, settings.scheme, kind)
            coarser = fingerprinter(dataclasses.replace(settings, w=query.window))
            chosen = coarser.fingerprint([self._reader.canonical_of(question.source, kind)])
        looked_up = _distinct(chosen.hashes)
        if query.quick is not None and query.quick < len(looked_up):
            canonical = self._reader.canonical_of(question.source, kind)
            settings = self._reader.fingerprint_settings(kind)
            looked_up = smallest(canonical, chosen.hashes, settings, query.quick)
        whole = query.window is None and query.quick is None
        occurrences = len(every.hashes) if whole else int(np.isin(every.hashes, looked_up).sum())
        return _Asked(every, len(_distinct(every.hashes)), looked_up, occurrences)

    def contents(self, question: Question, query: Query) -> list[tuple[Hit, ContentRow]]:
        """Give the contents that answer a question, whether a document has them today or not."""
        asked = self._fingerprinted(question, query)
        return list(self._measured(question, query, asked, self._snapshot.find(asked.looked_up)[0]))

    def _hits(
        self, question: Question, query: Query, asked: _Asked, found: Found
    ) -> Iterator[tuple[Hit, tuple[DocumentRow, ContentRow]]]:
        for hit, row in self._measured(question, query, asked, found):
            yield from self._named(hit, row)

    def _measured(
        self, question: Question, query: Query, asked: _Asked, found: Found
    ) -> Iterator[tuple[Hit, ContentRow]]:
        shared = self._counted(found)
        least = min(query.min_shared, len(asked.looked_up))
        enough = shared.hashes >= max(least, _fewest(query, len(asked.looked_up)))
        numbers = shared.contents[enough].tolist()
        contents = self._snapshot.contents(numbers)
        equal = {row.number: row for row in self._snapshot.contents_of(question.checksum, question.bytes)}
        counts = zip(
            numbers, shared.hashes[enough].tolist(), shared.occurrences[enough].tolist(), strict=True
        )
        seen = set()
        for number, hashes, occurrences in counts:
            row = contents.get(number)
            if row is None:  # removed, and not merged away yet
                continue
            hit = _hit(question, asked, row, hashes, occurrences, number in equal)
            if hit.equal or _measure(hit, query.measure) >= query.cut - 1e-12:
                seen.add(number)
                yield hit, row
        for number, row in equal.items():
            if number not in seen:  # too short for a fingerprint, or of another kind
                n = asked.distinct
                yield Hit(question.name, "", True, 1.0, 1.0, 1.0, 1.0, n, row.bytes), row

    def _named(self, hit: Hit, row: ContentRow) -> Iterator[tuple[Hit, tuple[DocumentRow, ContentRow]]]:
        for document in self._snapshot.documents_of(row.number):
            unit = self._places.shown_unit(self._snapshot.unit_of(document.number))
            yield dataclasses.replace(hit, right=self._places.shown(document), unit=unit), (document, row)

    def _counted(self, found: Found) -> _Shared:
        """Count what every content shares; a hash of a content stands in one segment only."""
        documents = found.documents.astype(np.int64)
        if not len(documents):
            nothing = np.empty(0, np.int64)
            return _Shared(nothing, nothing, nothing)
        fresh = np.ones(len(documents), np.bool_)
        fresh[1:] = (documents[1:] != documents[:-1]) | (found.which[1:] != found.which[:-1])
        low = int(documents.min())
        span = int(documents.max()) - low + 1
        if span <= 8 * len(documents) + 1024:
            occurrences = np.bincount(documents - low, minlength=span)
            hashes = np.bincount(documents[fresh] - low, minlength=span)
            met = np.flatnonzero(occurrences)
            return _Shared(met + low, hashes[met], occurrences[met])
        met, places = np.unique(documents, return_inverse=True)
        return _Shared(met, np.bincount(places[fresh], minlength=len(met)), np.bincount(places))

    # ---- passages

    def _prepared(self, source: bytes, kind: str) -> Prepared:
        return Prepared(self._reader.canonical_of(source, kind), line_starts(source), len(source))

    def _matched(
        self, hit: Hit, rows: tuple[DocumentRow, ContentRow], question: Question, asked: _Asked, found: Found,
        left: Prepared,
    ) -> Hit:  # fmt: skip
        """Give a hit with its passages: exact where the document can be read, else of shared hashes."""
        document, content = rows
        same = family(question.kind) == family(content.kind)
        kinds = (question.kind, content.kind) if same else ("bytes", "bytes")
        try:
            source = b"".join(self._reader.content(document, content, kinds[1]))
        except InputError:
            return self._sketched(hit, content, asked, found, left)
        ours = left if kinds[0] == question.kind else self._prepared(question.source, kinds[0])
        both = [Joined([(0, each)]) for each in (ours, self._prepared(source, kinds[1]))]
        first = np.zeros(1, np.int64)
        shared = matched(both, [(self._reader.noise(kinds[0]), first, first, first + 1)], 1)
        (regions,) = shared.made([((hit.left,), (hit.right,))])
        longest, lines = int(shared.longest[0]), int(shared.lines[0])
        return dataclasses.replace(hit, longest=longest, lines=lines, regions=regions)

    def _sketched(self, hit: Hit, content: ContentRow, asked: _Asked, found: Found, left: Prepared) -> Hit:
        """Join the spans of shared fingerprints that overlap on both sides; lines of the right are 0."""
        mine = np.flatnonzero(found.documents == content.number)
        order = np.argsort(asked.all.hashes, kind="stable")
        hashes = asked.all.hashes[order]
        spans: list[tuple[int, int, int, int]] = []
        for at in mine.tolist():
            value = asked.looked_up[found.which[at]]
            first, last = np.searchsorted(hashes, value), np.searchsorted(hashes, value, "right")
            right = int(found.starts[at]), int(found.starts[at] + found.lengths[at])
            spans += [
                (int(asked.all.starts[i]), int(asked.all.ends[i]), *right) for i in order[first:last].tolist()
            ]
        made = []
        for one_start, one_end, start, end in _chained(spans):
            first_line, last_line = line_span(left.lines, np.array([one_start]), np.array([one_end]))
            side = Side(hit.left, one_start, one_end, int(first_line[0]), int(last_line[0]))
            made.append(Region(one_end - one_start, side, Side(hit.right, start, end, 0, 0)))
        longest = max((region.length for region in made), default=0)
        return dataclasses.replace(hit, longest=longest, regions=tuple(made))


def _distinct(hashes: UInt64s) -> UInt64s:
    """Give the distinct hashes in order; np.unique would load NumPy's masked arrays for it."""
    ordered = np.sort(hashes)
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    found: UInt64s = ordered[fresh]
    return found


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


def _hit(question: Question, asked: _Asked, row: ContentRow, s: int, occurrences: int, equal: bool) -> Hit:
    share = s / len(asked.looked_up) if len(asked.looked_up) else 0.0
    n, m = asked.distinct, row.hashes
    common = min(share * n, m)  # s itself when all were looked up
    return Hit(
        left=question.name,
        right="",
        equal=equal,
        resemblance=1.0 if equal else common / (n + m - common) if n + m else 0.0,
        containment_left=share,
        containment_right=common / m if m else 0.0,
        sif=occurrences / asked.occurrences if asked.occurrences else 0.0,
        shared=s,
        bytes=row.bytes,
    )


def _measure(hit: Hit, name: str) -> float:
    if name == "reverse":
        return hit.containment_right
    if name == "either":
        return max(hit.containment_left, hit.containment_right)
    return float({"containment": hit.containment_left, "resemblance": hit.resemblance,
                  "sif": hit.sif, "shared": hit.shared}[name])  # fmt: skip


def _fewest(query: Query, n: int) -> int:
    """Give the fewest shared hashes that can reach the threshold, so that the others are never looked at."""
    if query.measure == "shared":
        return int(query.cut)
    return int(np.ceil(query.cut * n - 1e-9)) if query.measure in ("containment", "resemblance") else 1


def _check_window(asked: int, made: int, scheme: str, kind: str) -> None:
    if scheme not in WINDOWS:
        raise UsageError(
            f"--window needs a scheme that chooses in windows, and this index was made with {scheme}",
            hint="use --quick",
        )
    if asked < made:
        raise UsageError(
            f"--window is {asked}, but the index was made with windows of {made} for {kind}",
            hint="a smaller window would choose fingerprints that the index does not have (winnowing, §3.2)",
        )
