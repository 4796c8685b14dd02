"""One against all: look the fingerprints of a query up in an index, and measure who shares enough.

n and m are the distinct fingerprints of query and document, s what they share of those looked up.
When all of the query's are looked up, the measures are exact counts; with a larger window or the
smallest N only (winnowing §3.2), the share found of those represents the share of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.errors import UsageError
from copysift.fingerprints import fingerprinter
from copysift.fingerprints.smallest import smallest
from copysift.join.alike import HEADERS
from copysift.kinds import header
from copysift.kinds.kind import CODE, TEXT, channel_of
from copysift.match.base_code import Base
from copysift.match.intervals import Sampling, ends, intervals, sampling_of
from copysift.match.templates import is_near_copy
from copysift.model.answers import Hit
from copysift.model.traits import scheme_traits
from copysift.model.values import Fingerprints
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.index import Query
from copysift.store.entries import WHOLE
from copysift.store.segment import Found
from copysift.store.snapshot import Snapshot
from copysift.workflows.channels import FLOOR
from copysift.workflows.hit_passages import HitPassages
from copysift.workflows.index_base import IndexBase
from copysift.workflows.query_document import Look, Part, QueryDocument, QueryFingerprints, one_after_another
from copysift.workflows.query_similarity import IndexWeights
from copysift.workflows.stored_settings import Places, StoredReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s
    from copysift.store.catalog_rows import ContentRow, DocumentRow


@dataclass(frozen=True, slots=True)
class _SharedCounts:
    """What the contents that were met share: distinct hashes, and occurrences of them in the content."""

    contents: NDArray[np.int64]
    hashes: NDArray[np.int64]
    occurrences: NDArray[np.int64]


class _MeasuredHits(NamedTuple):
    """Hits, each with its content, and the numbers of all contents that were looked at."""

    hits: list[tuple[Hit, ContentRow]]
    numbers: list[int]


class QueryAnswer(NamedTuple):
    """Hits, best first, how many fingerprints the query has, and how many of them too many documents have."""

    hits: list[Hit]
    fingerprints: int
    common: int


class Answerer:
    """Answers queries from one snapshot; threads may share it."""

    def __init__(
        self, snapshot: Snapshot, reader: StoredReader, places: Places, base: Base | None = None
    ) -> None:
        self._snapshot, self._reader, self._places = snapshot, reader, places
        self._base = IndexBase(snapshot, base)
        self._weights: dict[tuple[str, int], IndexWeights] = {}

    def ask(self, question: QueryDocument, query: Query, passages: bool = False) -> QueryAnswer:
        """Answer one question."""
        looks = self._looks(question, query)
        best = self._best(question, query, looks)
        found = HitPassages(looks, self._snapshot, self._reader, self._base)
        hits = []
        for hit, content in best.values():
            for named, document in self._named(hit, content):
                hits.append((named, document, content))
        if query.measure == "longest":  # every one is matched before it is known which are best
            hits = [(found.put_in(*each), *each[1:]) for each in hits]
            hits = [each for each in hits if each[0].equal or _measure(each[0], "longest") >= query.cut]
        hits.sort(key=lambda each: (-_measure(each[0], query.measure), not each[0].equal))
        hits = hits[: query.limit or None]
        if passages and query.measure != "longest":
            hits = [(found.put_in(*each), *each[1:]) for each in hits]
        made = [each[0] if passages else replace(each[0], regions=None) for each in hits]
        common = sum(look.common for look in looks if not look.whole)
        return QueryAnswer(made, len(looks[0].asked.all.hashes), common)

    def contents(self, question: QueryDocument, query: Query) -> list[tuple[Hit, ContentRow]]:
        """Give the contents that answer a question, whether a document has them today or not."""
        return list(self._best(question, query, self._looks(question, query)).values())

    def _looks(self, question: QueryDocument, query: Query) -> list[Look]:
        """Look a question up in every channel that it has."""
        if query.measure == "similarity" and (query.window or query.quick):
            raise UsageError(
                f"--measure similarity does not go with --{'window' if query.window else 'quick'}: it weighs "
                "all fingerprints of the query",
                hint="leave one of them out",
            )
        read: dict[str, list[tuple[Part, str]]] = {}
        for part in question.parts:
            for kind in (part.kind,) if question.alone else self._reader.readings(part.kind):
                read.setdefault(channel_of(kind), []).append((part, kind))
        looks = []
        exact = query.window is None and query.quick is None and self._snapshot.catalog.has_views
        for channel, parts in read.items():
            every = [self._reader.fingerprints(kind, _chunks(part)) for part, kind in parts]
            looks.append(self._look(channel, parts, every, query))
            if exact and self._reader.has_few(parts[0][1], np.concatenate([each.hashes for each in every])):
                every = [self._reader.every_gram(kind, _chunks(part)) for part, kind in parts]
                looks.append(self._look(channel + WHOLE, parts, every, query))
        return looks

    def _look(
        self, channel: str, parts: list[tuple[Part, str]], every: list[Fingerprints], query: Query
    ) -> Look:
        """Look the fingerprints of some parts up, without those of base code and those too many have."""
        own = [self._base.without(each) for each in every]
        together, owners = one_after_another(own)
        looked_up = self._looked_up(parts, own, together, query)
        whole = query.window is None and query.quick is None
        occurrences = len(together.hashes) if whole else int(np.isin(together.hashes, looked_up).sum())
        selected = sum(len(each.hashes) for each in every)
        count = len(distinct(together.hashes))
        asked = QueryFingerprints(together, owners, count, looked_up, occurrences, selected)
        look = Look(channel, tuple(parts), asked, self._snapshot.find(looked_up))
        return rare(look, self._most(query.max_shared))

    def _most(self, max_shared: int | float) -> int:
        """Give the number of documents that may have a fingerprint; a share of all is at least two."""
        if isinstance(max_shared, int):
            return max_shared
        return max(2, int(max_shared * self._snapshot.catalog.one("SELECT count(*) FROM contents")))

    def _best(
        self, question: QueryDocument, query: Query, looks: list[Look]
    ) -> dict[int, tuple[Hit, ContentRow]]:
        """Give the hit of every content, by the channel in which more is shared, in order of content."""
        best: dict[int, tuple[Hit, ContentRow]] = {}
        chosen_by = "containment-left" if query.measure == "longest" else query.measure
        floor = query.cut > 0 and len([look for look in looks if not look.whole]) > 1
        short = {look.channel.removesuffix(WHOLE) for look in looks if look.whole}
        only_base = all(look.asked.only_base for look in looks)
        same = self._snapshot.contents_of(question.checksum, question.bytes)
        for look in looks:
            found = self._measured(question, query, look, {row.number for row in same})
            rows = {}
            if look.channel in short:  # those that are short, too, are compared by all k-grams
                rows = self._snapshot.views(found.numbers, "content", look.channel + WHOLE)
            for hit, row in found.hits:
                if row.number in rows:
                    continue
                tokens = floor and look.channel.startswith(CODE)
                if tokens and (look.whole or not _founded(hit, look, row)):
                    continue
                known = best.get(row.number)
                if known is None or _measure(hit, chosen_by) > _measure(known[0], chosen_by):
                    best[row.number] = hit, row
        for row in same:
            known = best.get(row.number)
            n = looks[0].asked.distinct
            if known is None and only_base:
                continue
            if known is None:  # too short for a fingerprint, or of another kind
                hit = Hit(question.name, "", True, 1.0, 1.0, 1.0, 1.0, n, row.bytes)
                best[row.number] = _as_equal(hit, query), row
            elif not known[0].equal:
                best[row.number] = _as_equal(known[0], query), row
        return dict(sorted(best.items()))

    def _looked_up(
        self, parts: list[tuple[Part, str]], own: list[Fingerprints], together: Fingerprints, query: Query
    ) -> UInt64s:
        """Give the distinct fingerprints to look up: all, or those of larger windows, or the smallest."""
        if query.window is None and query.quick is None:
            return distinct(together.hashes)
        if query.quick is not None and len(parts) > 1:
            raise UsageError("--quick needs one document, and a submission has several", hint="leave it out")
        chosen = []
        for (part, kind), found in zip(parts, own, strict=True):
            hashes = found.hashes
            settings = self._reader.fingerprint_settings(kind)
            if query.window is not None:
                _check_window(query.window, settings.w, settings.scheme, kind)
                coarser = fingerprinter(replace(settings, w=query.window))
                canonical = self._reader.canonical_of(part.source, kind)
                hashes = self._base.without(coarser.fingerprint([canonical])).hashes
            if query.quick is not None and query.quick < len(distinct(hashes)):
                canonical = self._reader.canonical_of(part.source, kind)
                return smallest(canonical, hashes, settings, query.quick)
            chosen.append(hashes)
        return distinct(np.concatenate(chosen))

    def _measured(self, question: QueryDocument, query: Query, look: Look, equal: set[int]) -> _MeasuredHits:
        """Measure the contents that share enough in a channel; `equal` ones have its bytes."""
        asked = look.asked
        shared = self._counted(look.found)
        least = 1 if query.measure == "longest" else min(query.min_shared, len(asked.looked_up))
        enough = shared.hashes >= max(least, _fewest(query, len(asked.looked_up)))
        numbers = shared.contents[enough].tolist()
        owners = self._owners(numbers, look.channel)
        similar = self._similarities(query, look)
        counts = zip(
            numbers, shared.hashes[enough].tolist(), shared.occurrences[enough].tolist(), strict=True
        )
        hits = []
        for number, hashes, occurrences in counts:
            if number not in owners:  # removed, and not merged away yet, or of another channel
                continue
            row, held = owners[number]
            held = max(held - self._base.counts.get(number, 0) - look.ignored.get(number, 0), hashes)
            hit = _hit(question, look, row, held, hashes, occurrences, row.number in equal)
            if similar is not None:
                hit = replace(hit, similarity=1.0 if hit.equal else similar.get(number, 0.0))
            if hit.equal or query.measure == "longest" or _measure(hit, query.measure) >= query.cut - 1e-12:
                hits.append((hit, row))
        hits = self._with_intervals(hits, look)
        return _MeasuredHits(hits, [row.number for row, _ in owners.values()])

    def _similarities(self, query: Query, look: Look) -> dict[int, float] | None:
        """Give the similarity of a look to the contents that it met, if that is wanted."""
        if query.measure != "similarity":
            return None
        most = self._most(query.max_shared) if not look.near_copy else 2**32
        key = look.channel, most
        if key not in self._weights:
            self._weights[key] = IndexWeights(self._snapshot, self._reader, self._base.base, *key)
        return self._weights[key].similarities(look)

    def _with_intervals(self, hits: list[tuple[Hit, ContentRow]], look: Look) -> list[tuple[Hit, ContentRow]]:
        """Say of hits how far they may be from the measures of all k-grams; equal ones are exact."""
        made = self._reader.fingerprint_settings(look.parts[0][1])
        sampling = sampling_of(made.scheme, made.k, made.w, made.modulus)
        if sampling is None and len(look.asked.looked_up) < look.asked.distinct:
            sampling = Sampling()  # some of all k-grams were looked up
        if sampling is None or look.whole or not hits:
            return hits
        columns = np.array([_shares(hit) for hit, _ in hits])
        rows = ends(sampling, *columns.T)
        return [
            (hit if hit.equal else replace(hit, intervals=intervals(found)), row)
            for (hit, row), found in zip(hits, rows, strict=True)
        ]

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
            unit = self._places.shown_unit(self._snapshot.unit_of(document.number), document)
            yield replace(hit, right=self._places.shown(document), unit=unit), document

    def _counted(self, found: Found) -> _SharedCounts:
        """Count what every content shares; a hash of a content is in one segment only."""
        documents = found.documents.astype(np.int64)
        if not len(documents):
            nothing = np.empty(0, np.int64)
            return _SharedCounts(nothing, nothing, nothing)
        fresh = np.ones(len(documents), np.bool_)
        fresh[1:] = (documents[1:] != documents[:-1]) | (found.which[1:] != found.which[:-1])
        low = int(documents.min())
        span = int(documents.max()) - low + 1
        if span <= 8 * len(documents) + 1024:
            occurrences = np.bincount(documents - low, minlength=span)
            hashes = np.bincount(documents[fresh] - low, minlength=span)
            met = np.flatnonzero(occurrences)
            return _SharedCounts(met + low, hashes[met], occurrences[met])
        met, places = np.unique(documents, return_inverse=True)
        return _SharedCounts(met, np.bincount(places[fresh], minlength=len(met)), np.bincount(places))


def _hit(
    question: QueryDocument, look: Look, row: ContentRow, m: int, s: int, occurrences: int, equal: bool
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
        containment_left=1.0 if equal else share,
        containment_right=1.0 if equal else common / m if m else 0.0,
        sif=occurrences / asked.occurrences if asked.occurrences else 0.0,
        shared=s,
        bytes=row.bytes,
        channel=look.name,
    )


def _as_equal(hit: Hit, query: Query) -> Hit:
    similarity = 1.0 if query.measure == "similarity" else None
    return replace(
        hit, equal=True, resemblance=1.0, containment_left=1.0, containment_right=1.0, similarity=similarity
    )


def _shares(hit: Hit) -> tuple[float, float, float, float]:
    return float(hit.shared), hit.resemblance, hit.containment_left, hit.containment_right


def _founded(hit: Hit, look: Look, row: ContentRow) -> bool:
    """Say whether what a query and a document share of tokens is above the floor of a scan."""
    common = hit.containment_left * look.asked.distinct
    asked, found = all(kind == header.KIND for _, kind in look.parts), row.kind == header.KIND
    if asked or found:  # headers are compared with each other alone
        return asked and found and HEADERS.passes(common, hit.resemblance)
    enough = common >= FLOOR.plenty or common * hit.resemblance >= FLOOR.founded - 1e-9
    return enough and max(hit.containment_left, hit.containment_right) >= FLOOR.likeness


def _measure(hit: Hit, name: str) -> float:
    if name == "containment":
        return max(hit.containment_left, hit.containment_right)
    return float(getattr(hit, name.replace("-", "_")) or 0)


def _chunks(part: Part) -> list[bytes]:
    return [part.source] if part.source else []


def rare(look: Look, most: int) -> Look:
    """Leave out the fingerprints that more than `most` documents have, unless the query is a near-copy."""
    found, asked = look.found, look.asked
    pairs = distinct(found.which.astype(np.int64) << 32 | found.documents)
    which, documents = pairs >> 32, pairs & (2**32 - 1)
    common = np.bincount(which, minlength=len(asked.looked_up)) > most
    if not common.any():
        return look
    held = np.isin(asked.all.hashes, asked.looked_up[common])
    if is_near_copy(held):
        return replace(look, near_copy=True)
    numbers, counts = np.unique(documents[common[which]], return_counts=True)
    kept = ~common[found.which]
    places = np.cumsum(~common) - 1
    own = ~held
    every = replace(
        asked.all, hashes=asked.all.hashes[own], starts=asked.all.starts[own], ends=asked.all.ends[own]
    )
    looked_up = asked.looked_up[~common]
    occurrences = int(np.isin(every.hashes, looked_up).sum())
    left = asked.distinct - int(common.sum())
    return replace(
        look,
        asked=QueryFingerprints(every, asked.owners[own], left, looked_up, occurrences, asked.selected),
        found=Found(places[found.which[kept]].astype(np.uint32), *(column[kept] for column in found[1:])),
        common=int(common.sum()),
        ignored=dict(zip(numbers.tolist(), counts.tolist(), strict=True)),
    )


def _fewest(query: Query, n: int) -> int:
    """Give the fewest shared hashes that can reach the threshold, so that the others are never looked at."""
    if query.measure == "shared":
        return int(query.cut)
    return int(np.ceil(query.cut * n - 1e-9)) if query.measure in ("containment-left", "resemblance") else 1


def _check_window(asked: int, made: int, scheme: str, kind: str) -> None:
    if scheme_traits(scheme).windows is None:
        raise UsageError(
            f"--window needs a scheme that chooses in windows, and this index was created with {scheme}",
            hint="use --quick",
        )
    if asked < made:
        raise UsageError(
            f"--window is {asked}, but the index was created with windows of {made} for {kind}",
            hint="a smaller window would choose fingerprints that the index does not have (winnowing, §3.2)",
        )
