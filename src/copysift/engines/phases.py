"""The phases of clustering as pure functions over parts: every engine calls these; they decide the answer.

1  `sketch`      a batch of documents → facts and sets of shingles
   `collapse`    facts of all documents → who represents which (`clusters/classes.py`)
   census        sets → boilerplate, and sets without it (`join/boilerplate.py`)
2  `entries`     sets of a part → (shingle, document) entries of those who represent others
3  `joined`      entries of a range of shingles → pairs that share some, common shingles
   `candidates`  pairs of a range of documents, summed up → those worth measuring
   `measured`    candidates and their sets → pairs with their measures
4  `clustered`   pairs → clusters
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.clusters.classes import ALONE, CONTAINED, SIMILAR, Membership
from copysift.clusters.components import joined as connect
from copysift.clusters.linkage import assign
from copysift.engines.channels import kinds_of, with_channels
from copysift.engines.submissions import as_one, is_unit
from copysift.errors import UsageError
from copysift.fingerprints import shingles as sketching
from copysift.join import lists
from copysift.join.boilerplate import Boilerplate
from copysift.kinds import Languages, blank_markup, detect_kind, to_utf8
from copysift.match.sets import MeasuredPairs, PairsWithValues, at_least, measures, shared_by
from copysift.model.values import Skipped
from copysift.runs.columns import column
from copysift.runs.sketches import Places, SketchedPart
from copysift.runtime.arrays import distinct, numbered
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.corpus import CorpusSettings
from copysift.settings.selection import COUNTS
from copysift.sources.records import RAW, UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

SPACE = b"\xef\xbb\xbf \t\n\r\f\v"  # what may stand before a page
HEAD = 64
MOST_CODED = (1 << 32) - 1  # bytes of texts whose words are numbered together: their ends have 32 bits
AT_ONCE = 1 << 20  # pairs that are joined at a time

Features = Callable[[dict[str, Any]], Iterable[object]]


@dataclass(frozen=True, slots=True)
class OptionFiles:
    """What the files of --language-file and --base say."""

    languages: Languages | None = None
    base: Boilerplate = field(default_factory=Boilerplate.none)


def sketch(
    batch: pa.RecordBatch,
    settings: CorpusSettings,
    features: Features | None = None,
    files: OptionFiles | None = None,
    coded: bool = False,
) -> SketchedPart:
    """Phase 1: shingle a batch of documents, and leave what is in the base out.

    If the words of all documents give their shingles, the order may be given by the words (`coded`). With a
    secret seed it never is: who has the run would know what words are in it.
    """
    files = files or OptionFiles()
    kinds, unread = kinds_of(batch, settings, files.languages), list[Skipped]()
    coded = coded and kinds is None and not (settings.seed or len(files.base) or is_unit(batch))
    coded = coded and batch["text"].nbytes <= MOST_CODED
    content = None
    data, offsets = _buffers(batch["text"])
    lengths = np.diff(offsets)
    if settings.features:
        digests = kernels.shingle.content_digests(data, offsets)
        listed = _features(batch, features, settings.features)
        found = sketching.feature_sets(listed, digests, settings.seed)
    else:
        readable = _readable(batch, data, offsets, settings.html)
        if readable is not None:
            content = kernels.shingle.content_digests(data, offsets)
            data, offsets = _buffers(readable)
        if coded:
            found = sketching.coded_sets(data, offsets, settings.width)
        else:
            found = sketching.shingle_sets(data, offsets, settings.width, settings.seed)
    if kinds is not None:
        found, unread = with_channels(found, kinds, batch, settings, files.languages)
    if len(files.base):
        values, bounds = files.base.taken_from(found.values, found.bounds)
        digests = kernels.shingle.set_digests(values, bounds)
        found = replace(found, values=values, bounds=bounds, sets=digests)
    table = pa.table(
        {
            "id": batch["id"],
            "date": batch["date"],
            "other": batch["other"],
            "kind": pa.repeat(pa.scalar("words"), len(batch)) if kinds is None else pa.array(kinds),
            "bytes": column(lengths),
            "words": column(found.words),
            "places": column(found.places),
            "shingles": column(found.sizes),
            "content": column(found.content if content is None else content),
            "lexical": column(found.lexical),
            "sets": column(found.sets),
        }
    )
    made = SketchedPart(table, found.values, found.order, tuple(unread), found.codes)
    return as_one(made, batch[UNIT][0].as_py()) if is_unit(batch) else made


def _features(batch: pa.RecordBatch, function: Features | None, named: str) -> list[list[bytes]]:
    if function is None:
        listed = batch["features"].to_pylist()
    else:
        rows = batch.select(["id", "text", "date", "other"]).to_pylist()
        for row in rows:
            row["text"] = row["text"].decode("utf-8", "replace")
        listed = [_called(function, row, named) for row in rows]
    return [
        [each if isinstance(each, bytes) else str(each).encode("utf-8", "replace") for each in features or ()]
        for features in listed
    ]


def _called(function: Features, row: dict[str, Any], named: str) -> list[object]:
    """Call the function of a user; what it raises is reported with the record."""
    name = row["id"]
    try:
        return list(function(row))
    except Exception as error:
        raise UsageError(
            f"--features {named} failed for record {name}: {type(error).__name__}: {error}",
            hint="it takes a record with id, text, date and other, and returns its features",
        ) from error


def _buffers(texts: pa.LargeBinaryArray) -> tuple[NDArray[np.uint8], Int64s]:
    """Give the bytes and offsets behind a column, as they are."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8), ends


def _readable(
    batch: pa.RecordBatch, data: NDArray[np.uint8], offsets: Int64s, html: str
) -> pa.LargeBinaryArray | None:
    """Give the texts as UTF-8 without markup, or None when they already are."""
    raw = batch.schema.metadata == RAW
    if html == "never" and not raw:
        return None
    if html == "always" or raw:
        which = np.arange(len(batch))
    else:  # what begins with <, perhaps after white space, may be HTML
        full = np.flatnonzero(np.diff(offsets) > 0)
        which = full[np.isin(data[offsets[full]], np.frombuffer(b"< \n\r\t\xef", np.uint8))]
        which = which[
            [_opens(data[offsets[each] : offsets[each] + HEAD].tobytes()) for each in which.tolist()]
        ]
    if not len(which):
        return None

    texts: list[bytes] | None = None
    for number in which.tolist():
        source = data[offsets[number] : offsets[number + 1]].tobytes()
        text = to_utf8(source)[0] if raw else source
        if html == "always" or (html == "auto" and detect_kind("", text[:4096]) == "html"):
            text = blank_markup(text)
        if text is not source:
            texts = texts or batch["text"].to_pylist()
            texts[number] = text
    return None if texts is None else pa.array(texts, pa.large_binary())


def _opens(head: bytes) -> bool:
    """Say whether a text opens with a tag, for all that its first bytes say."""
    return head.lstrip(SPACE)[:1] in (b"<", b"")


def probes(places: Places, by: UInt32s, standing: NDArray[np.bool_], modulus: int) -> UInt64s:
    """Give the sampled shingles by which documents with coarser samples are looked up."""
    finer = np.flatnonzero(standing & (by < modulus))
    wanted, _, _ = kernels.shingle.samples_among(*places.some(finer), by[finer])
    rest: UInt64s = wanted[wanted % np.uint64(modulus) != 0]
    return rest


def entries(
    places: Places,
    first: int,
    by: UInt32s,
    standing: NDArray[np.bool_],
    known: UInt64s | None,
    settings: CorpusSettings,
) -> tuple[UInt64s, UInt32s, Int64s]:
    """Phase 2: give shingles and numbers of the documents, from `first` on, that represent others.

    Own samples, and what the filter `known` of finer samples has of the rest: so a short document meets a
    long one at the density of the short one. The last array has the sizes of the own samples.
    """
    found, ends, own = kernels.shingle.samples_among(*places, np.where(standing, by, np.uint32(0)), known)
    if settings.method == "super":
        found, ends = _super_entries(*places.gathered(), by, standing, settings)
    docs = np.repeat(np.arange(first, first + len(by), dtype=np.uint32), np.diff(ends))
    return found, docs, own


def _super_entries(
    values: UInt64s, bounds: Int64s, by: UInt32s, standing: NDArray[np.bool_], settings: CorpusSettings
) -> tuple[UInt64s, Int64s]:
    """Give super shingles of the own sample, and of the finer one that a document half as long has."""
    finer = sketching.moduli(np.diff(bounds) // 2, settings.modulus)
    both = np.stack([by, np.where(finer == by, 0, finer)], axis=1)
    both[~standing] = 0
    return kernels.shingle.super_shingles(values, bounds, both.astype(np.uint32), settings.super_size)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What decides whether a pair is measured: facts of all documents."""

    shingles: Int64s  # that count
    sizes: UInt32s  # of the own sample that are not common
    floor: float
    method: str

    def of(self, pairs: UInt64s, shared: UInt32s, common: UInt64s) -> UInt64s:
        """Give the pairs that may reach the floor, and those that common shingles propose, in order."""
        left, right = split(pairs)
        smaller = np.where(self.shingles[left] <= self.shingles[right], left, right)
        return candidates(pairs, shared, self.sizes[smaller], common, self.floor, self.method)


def candidates(
    pairs: UInt64s, shared: UInt32s, sizes: UInt32s, common: UInt64s, floor: float, method: str
) -> UInt64s:
    """Give the pairs that may reach the floor, `sizes` being of their smaller documents, and the common."""
    kept = pairs if method == "super" else pairs[lists.enough(shared, sizes, floor)]
    return distinct(np.concatenate([kept, common])) if len(common) else kept


def split(pairs: UInt64s) -> tuple[Int64s, Int64s]:
    """Give left and right of packed pairs."""
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def measured(
    values: UInt64s,
    bounds: Int64s,
    numbers: Int64s,
    pairs: UInt64s,
    settings: CorpusSettings,
    floor: float,
) -> MeasuredPairs:
    """Measure candidates, given the sets of the documents `numbers`, and keep those at the floor.

    With `estimate`, documents with the same density of sample are measured by samples alone (section 3).
    """
    left, right = split(pairs)
    one, other = np.searchsorted(numbers, left), np.searchsorted(numbers, right)
    sizes = np.diff(bounds)
    shared = np.zeros(len(pairs), np.int64)
    n, m = sizes[one].copy(), sizes[other].copy()
    exact = np.ones(len(pairs), np.bool_)
    if settings.estimate:
        by = sketching.moduli(sizes, settings.modulus)
        exact = by[one] != by[other]
        sampled, ends = sketching.samples(values, bounds, by)
        same, counts = ~exact, np.diff(ends)
        shared[same] = shared_by(sampled, ends, one[same], other[same])
        n[same], m[same] = counts[one[same]], counts[other[same]]
    shared[exact] = shared_by(values, bounds, one[exact], other[exact])
    return counted(left, right, shared, n, m, floor)


def counted(left: Int64s, right: Int64s, shared: Int64s, n: Int64s, m: Int64s, floor: float) -> MeasuredPairs:
    """Measure pairs by the n and m shingles that they have and those shared, and keep those at the floor."""
    found = measures(left, right, shared, n, m)
    return found.take(at_least(found, floor))


def alike(pairs: MeasuredPairs, settings: CorpusSettings) -> NDArray[np.bool_]:
    """Say which pairs belong together: whose measure reaches the threshold. Left is the earlier document."""
    if isinstance(pairs, PairsWithValues):
        return np.asarray(pairs.value >= settings.cut - 1e-12)
    sides = {"containment-left": ("left", "right"), "containment-right": ("right", "left")}
    if settings.measure in sides:
        one, other = (getattr(pairs, f"containment_{side}") for side in sides[settings.measure])
        found = np.where(pairs.left <= pairs.right, one, other)
    else:
        found = getattr(pairs, settings.measure)
    return np.asarray(found >= settings.cut - 1e-12)


def near(pairs: MeasuredPairs, settings: CorpusSettings) -> NDArray[np.bool_]:
    """Say which of these pairs are similar as wholes; the others are so because one contains the other."""
    if settings.measure in COUNTS:
        return np.ones(len(pairs), np.bool_)
    return np.asarray(pairs.resemblance >= settings.cut - 1e-12)


def clustered(
    parts: Iterable[MeasuredPairs], first: Int64s, how: NDArray[np.uint8], settings: CorpusSettings
) -> Membership:
    """Phase 4: join documents by pairs, and let those that were collapsed join again.

    The pairs come in parts, more than once.
    """
    root = numbered(len(first))
    if (settings.policy or "component") == "component":
        for left, right in _alike(parts, settings, AT_ONCE):
            root = connect(root, left, right)
    else:
        for left, right in _alike(parts, settings, sys.maxsize):  # all of them
            root = assign(len(first), left, right, settings.policy)
    similar = np.zeros(len(first), np.bool_)
    for pairs in parts:
        together = pairs.take(alike(pairs, settings))
        same = near(together, settings) & (root[together.left] == root[together.right])
        similar[together.left[same]] = similar[together.right[same]] = True
    root = root[first]
    return Membership(root, joined_as(how, similar, root == numbered(len(root))))


def _alike(
    parts: Iterable[MeasuredPairs], settings: CorpusSettings, most: int
) -> Iterator[tuple[Int64s, Int64s]]:
    """Give the pairs that belong together by their documents, about `most` at a time."""
    left, right, held = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for pairs in parts:
        which = np.flatnonzero(alike(pairs, settings))
        left.append(pairs.left[which])
        right.append(pairs.right[which])
        held += len(which)
        if held >= most:
            yield np.concatenate(left), np.concatenate(right)
            left, right, held = left[:1], right[:1], 0
    yield np.concatenate(left), np.concatenate(right)


def joined_as(how: NDArray[np.uint8], near: NDArray[np.bool_], heads: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Say how documents came into their cluster; `near` resemble one of it, `heads` are its first."""
    alone, contained, similar = np.uint8(ALONE), np.uint8(CONTAINED), np.uint8(SIMILAR)
    joined = np.where(how != ALONE, how, np.where(near, similar, contained))
    return np.where(heads, alone, joined)
