"""One against all: look the fingerprints of a query up in an index, and measure who shares enough.

n and m are the distinct fingerprints of query and document, s what they share of those looked up.
When all of the query's are looked up, the measures are exact counts; with a larger window or the
smallest N only (winnowing §3.2), the share found of those stands for the share of all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.errors import InputError, UsageError
from copysift.fingerprints import fingerprinter
from copysift.fingerprints.smallest import WINDOWS, smallest
from copysift.kinds.kind import CODE, TEXT, channel_of, family
from copysift.match.exact import line_starts
from copysift.model.values import Fingerprints, Hit, Region, Side
from copysift.runtime.mapped import spacious_array
from copysift.settings.index import Query
from copysift.store.catalog import WHOLE
from copysift.store.segment import Damage, Found
from copysift.store.snapshot import Snapshot
from copysift.workflows.channels import FLOOR
from copysift.workflows.joining import Joined, Prepared, matched
from copysift.workflows.large_documents import streamed
from copysift.workflows.stored_settings import Places, StoredReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s
    from copysift.store.catalog import ContentRow, DocumentRow

LARGE = 16 << 20  # bytes of a source; a larger one is matched from a temporary file
SEEDS = 256 << 20  # bytes of the seeds of a match; more of them are in a temporary file


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


@dataclass(frozen=True, slots=True)
class _Look:
    """A question in one channel, or by all k-grams, and what the index has of it."""

    channel: str
    kind: str
    asked: _Asked
    found: Found
    damages: list[Damage]

    @property
    def whole(self) -> bool:
        return self.channel.endswith(WHOLE)

    @property
    def name(self) -> str:
        """The channel as it is reported."""
        return CODE if self.channel.startswith(CODE) else family(self.kind)


class _Measured(NamedTuple):
    """Hits, each with its content, and the numbers of all contents that were looked at."""

    hits: list[tuple[Hit, ContentRow]]
    numbers: list[int]


class Asking:
    """Answers queries from one snapshot; threads may share it."""

    def __init__(self, snapshot: Snapshot, reader: StoredReader, places: Places) -> None:
        self._snapshot, self._reader, self._places = snapshot, reader, places

    def ask(
        self, question: Question, query: Query, passages: bool = False
    ) -> tuple[list[Hit], int, list[Damage]]:
        """Give the hits, best first, the number of the query's fingerprints, and what was found damaged."""
        looks = self._looks(question, query)
        best = self._best(question, query, looks)
        damages = [damage for look in looks for damage in look.damages]
        hits, rows = [], []
        for hit, content in best.values():
            for named, document in self._named(hit, content):
                hits.append(named)
                rows.append((document, content))
        order = sorted(
            range(len(hits)), key=lambda at: (-_measure(hits[at], query.measure), not hits[at].equal, at)
        )
        order = order[: query.limit or None]
        if passages:
            lefts = {look.channel: self._asked(question, look.kind) for look in looks}
            made = [self._matched(hits[at], rows[at], question, looks, lefts) for at in order]
        else:
            made = [hits[at] for at in order]
        return made, len(looks[0].asked.all.hashes), list(dict.fromkeys(damages))

    def contents(self, question: Question, query: Query) -> list[tuple[Hit, ContentRow]]:
        """Give the contents that answer a question, whether a document has them today or not."""
        return list(self._best(question, query, self._looks(question, query)).values())

    def _looks(self, question: Question, query: Query) -> list[_Look]:
        """Look a question up in every channel that it has."""
        looks = []
        for kind in self._reader.readings(question.kind):
            asked = self._fingerprinted(question, query, kind)
            channel = channel_of(kind)
            looks.append(_Look(channel, kind, asked, *self._snapshot.find(asked.looked_up)))
            exact = query.window is None and query.quick is None and self._snapshot.catalog.has_views
            if exact and self._reader.has_few(kind, asked.all.hashes):
                every = self._reader.every_gram(kind, [question.source] if question.source else [])
                distinct = _distinct(every.hashes)
                asked = _Asked(every, len(distinct), distinct, len(every.hashes))
                looks.append(_Look(channel + WHOLE, kind, asked, *self._snapshot.find(distinct)))
        return looks

    def _best(
        self, question: Question, query: Query, looks: list[_Look]
    ) -> dict[int, tuple[Hit, ContentRow]]:
        """Give the hit of every content, by the channel in which more is shared, in order of content."""
        best: dict[int, tuple[Hit, ContentRow]] = {}
        floor = query.cut > 0 and len([look for look in looks if not look.whole]) > 1
        short = {look.channel.removesuffix(WHOLE) for look in looks if look.whole}
        for look in looks:
            found = self._measured(question, query, look)
            rows = {}
            if look.channel in short:  # those that are short, too, are compared by all k-grams
                rows = self._snapshot.views(found.numbers, "content", look.channel + WHOLE)
            for hit, row in found.hits:
                if row.number in rows:
                    continue
                tokens = floor and look.channel.startswith(CODE)
                if tokens and (look.whole or not _founded(hit, look.asked.distinct)):
                    continue
                known = best.get(row.number)
                if known is None or _measure(hit, query.measure) > _measure(known[0], query.measure):
                    best[row.number] = hit, row
        for row in self._snapshot.contents_of(question.checksum, question.bytes):
            known = best.get(row.number)
            n = looks[0].asked.distinct
            if known is None:  # too short for a fingerprint, or of another kind
                best[row.number] = Hit(question.name, "", True, 1.0, 1.0, 1.0, 1.0, n, row.bytes), row
            elif not known[0].equal:
                best[row.number] = dataclasses.replace(known[0], equal=True, resemblance=1.0), row
        return dict(sorted(best.items()))

    def _fingerprinted(self, question: Question, query: Query, kind: str) -> _Asked:
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

    def _measured(self, question: Question, query: Query, look: _Look) -> _Measured:
        """Measure the contents that share enough in a channel."""
        asked = look.asked
        shared = self._counted(look.found)
        least = min(query.min_shared, len(asked.looked_up))
        enough = shared.hashes >= max(least, _fewest(query, len(asked.looked_up)))
        numbers = shared.contents[enough].tolist()
        owners = self._owners(numbers, look.channel)
        equal = {row.number for row in self._snapshot.contents_of(question.checksum, question.bytes)}
        counts = zip(
            numbers, shared.hashes[enough].tolist(), shared.occurrences[enough].tolist(), strict=True
        )
        hits = []
        for number, hashes, occurrences in counts:
            if number not in owners:  # removed, and not merged away yet, or of another channel
                continue
            row, held = owners[number]
            hit = _hit(question, look, row, held, hashes, occurrences, row.number in equal)
            if hit.equal or _measure(hit, query.measure) >= query.cut - 1e-12:
                hits.append((hit, row))
        return _Measured(hits, [row.number for row, _ in owners.values()])

    def _owners(self, numbers: list[int], channel: str) -> dict[int, tuple[ContentRow, int]]:
        """Give the content of postings in a channel, by their number, and its distinct hashes there."""
        contents = self._snapshot.contents(numbers)
        if channel == TEXT or not self._snapshot.catalog.has_views:
            return {number: (row, row.hashes) for number, row in contents.items()}
        alone = {
            number: (row, row.hashes)
            for number, row in contents.items()
            if channel_of(self._reader.readings(row.kind)[0]) == channel
        }
        views = {
            number: row for number, row in self._snapshot.views(numbers).items() if row.channel == channel
        }
        contents = self._snapshot.contents([row.content for row in views.values()])
        return alone | {number: (contents[row.content], row.hashes) for number, row in views.items()}

    def _named(self, hit: Hit, row: ContentRow) -> Iterator[tuple[Hit, DocumentRow]]:
        for document in self._snapshot.documents_of(row.number):
            unit = self._places.shown_unit(self._snapshot.unit_of(document.number))
            yield dataclasses.replace(hit, right=self._places.shown(document), unit=unit), document

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

    def _prepared(self, chunks: Callable[[], Iterable[bytes]], size: int, kind: str) -> Prepared:
        """Make a source ready to be matched; the symbols of a large one are in a temporary file."""
        if size > LARGE:
            return streamed(self._reader, chunks, size, kind)
        source = b"".join(chunks())
        canonical = self._reader.canonical_of(source, kind)
        return Prepared(canonical.symbols, canonical.positions, line_starts(source), len(source))

    def _asked(self, question: Question, kind: str) -> Prepared:
        return self._prepared(lambda: [question.source], len(question.source), kind)

    def _matched(
        self, hit: Hit, rows: tuple[DocumentRow, ContentRow], question: Question, looks: list[_Look],
        lefts: dict[str, Prepared],
    ) -> Hit:  # fmt: skip
        """Give a hit with its passages: exact where the document can be read, else of shared hashes."""
        document, content = rows
        look = next((each for each in looks if each.name == hit.channel), looks[0])
        theirs = self._reader.readings(content.kind)
        kind = next((each for each in theirs if family(each) == family(look.kind)), "bytes")
        kinds = (look.kind, kind) if kind != "bytes" else ("bytes", "bytes")
        try:
            read_as = "bytes" if kind == "bytes" else content.kind
            again = partial(self._reader.content, document, content, read_as)
            right = self._prepared(again, content.bytes, kinds[1])
        except InputError:
            return self._sketched(hit, content, look.asked, look.found, lefts[look.channel])
        same = kinds[0] == look.kind
        ours = lefts[look.channel] if same else self._asked(question, kinds[0])
        both = [Joined([(0, each)]) for each in (ours, right)]
        first = np.zeros(1, np.int64)
        limits = self._reader.noise(kinds[0])
        shared = matched(both, [(limits, first, first, first + 1)], 1, partial(spacious_array, limit=SEEDS))
        (regions,) = shared.made([((hit.left,), (hit.right,))])
        longest, lines = int(shared.longest[0]), int(shared.lines[0])
        return dataclasses.replace(hit, longest=longest, lines=lines, regions=regions)

    def _sketched(self, hit: Hit, content: ContentRow, asked: _Asked, found: Found, left: Prepared) -> Hit:
        """Join the spans of shared fingerprints that overlap on both sides; lines of the right are 0."""
        views = self._snapshot.views([content.number], "content", hit.channel) if hit.channel else {}
        number = views[content.number].number if content.number in views else content.number
        mine = np.flatnonzero(found.documents == number)
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
            edges = np.array([one_start, max(one_end, one_start + 1) - 1])
            side = Side(hit.left, one_start, one_end, *left.line_numbers(edges).tolist())
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


def _hit(
    question: Question, look: _Look, row: ContentRow, m: int, s: int, occurrences: int, equal: bool
) -> Hit:
    asked = look.asked
    share = s / len(asked.looked_up) if len(asked.looked_up) else 0.0
    n = asked.distinct
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
        channel=look.name,
    )


def _founded(hit: Hit, n: int) -> bool:
    """Tell whether what a query and a document share of tokens is above the floor of a scan."""
    common = hit.containment_left * n
    enough = common >= FLOOR.plenty or common * hit.resemblance >= FLOOR.founded - 1e-9
    return enough and max(hit.containment_left, hit.containment_right) >= FLOOR.likeness


def _measure(hit: Hit, name: str) -> float:
    if name == "containment":
        return max(hit.containment_left, hit.containment_right)
    return float(getattr(hit, name.replace("-", "_")))


def _fewest(query: Query, n: int) -> int:
    """Give the fewest shared hashes that can reach the threshold, so that the others are never looked at."""
    if query.measure == "shared":
        return int(query.cut)
    return int(np.ceil(query.cut * n - 1e-9)) if query.measure in ("containment-left", "resemblance") else 1


def _check_window(asked: int, made: int, scheme: str, kind: str) -> None:
    if scheme not in WINDOWS:
        raise UsageError(
            f"--window needs a scheme that chooses in windows, and this index was created with {scheme}",
            hint="use --quick",
        )
    if asked < made:
        raise UsageError(
            f"--window is {asked}, but the index was created with windows of {made} for {kind}",
            hint="a smaller window would choose fingerprints that the index does not have (winnowing, §3.2)",
        )
