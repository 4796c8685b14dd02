"""On-the-fly resemblance (section 6.1): one document, known or new, against all of a run."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from copysift.engines.option_files import option_files
from copysift.engines.phases import sketch
from copysift.errors import RunError, UsageError
from copysift.join.boilerplate import Boilerplate, order_of
from copysift.match.sets import MeasuredPairs, at_least, measures
from copysift.match.templates import Texts, common_shingles, near_copies, without_templates
from copysift.model.answers import Hit
from copysift.model.values import Group, Pair
from copysift.runs.checksums import read_table
from copysift.runs.postings import InvertedFiles
from copysift.runs.scan_run import TABLES, read_description
from copysift.runs.sets import Sets
from copysift.runs.tables import ids_of
from copysift.settings.config import seed_check
from copysift.settings.corpus import from_stored
from copysift.sources.records import Builder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

TOGETHER = 1024  # documents whose texts are held at a time
NOT_KEPT = {"similarity": "how rare a shingle is", "longest": "where a shingle is"}
PLAIN = ("numbers", "values", "words", "places", "order", "shares")  # of a Texts, that are put after others


def query(
    path: Path, text: bytes | None, name: str, threshold: float, seed: int = 0, limit: int | None = None
) -> list[Pair]:
    """Look up one document in a run: see `Asked.query`."""
    return RunLookup(path, seed).query(text, name, threshold, limit)


class RunLookup:
    """A run in which documents are looked up, one after the other."""

    def __init__(self, path: Path, seed: int = 0) -> None:
        described = read_description(path)
        self._path, self._settings, self._seed = path, described["settings"], seed
        settings = self._settings
        if described.get("made_by") != "cluster":
            raise RunError(f"{path} was not made by copysift cluster", hint="query an index instead")
        if settings.get("seed") != seed_check(seed):
            raise UsageError(f"{path} was created with another seed", hint="use the seed it was created with")
        self._sets = Sets(path / "sketches")
        self._common = self._sets.common()
        self._files = option_files(from_stored(settings), self._sets.folder)
        self._inverted = InvertedFiles(self._sets)
        self._ids = ids_of(path)

    def has(self, name: str) -> bool:
        """Say whether the run has a document of this ID."""
        return bool(pc.any(pc.equal(self._ids, name)).as_py())

    def query(
        self,
        text: bytes | None,
        name: str,
        threshold: float,
        limit: int | None = None,
        measure: str = "containment-left",
    ) -> list[Pair]:
        """Give the documents of the run whose measure with the text reaches a threshold.

        Without a text the document of that name is looked up in the run. The best come first: by the
        measure, then by resemblance and the larger containment.
        """
        hits, found, _ = self._ranked(text, name, threshold, limit, measure)
        rows = zip(self._ids.take(hits).to_pylist(), *(each.tolist() for each in found), strict=True)
        return [
            Pair(name, other, r == 1.0, max(left, right), r, left, right, shared)
            for other, shared, r, left, right in rows
        ]

    def answer(
        self,
        text: bytes | None,
        name: str,
        threshold: float,
        limit: int | None = None,
        measure: str = "containment-left",
    ) -> tuple[Group, list[Hit]]:
        """Give what was wanted and the same documents as an index gives them.

        A set has every shingle once, so sif's share of occurrences is that of the set.
        """
        hits, found, (size, shingles) = self._ranked(text, name, threshold, limit, measure)
        sizes = self._sets.column("bytes")[hits].tolist()
        rows = zip(self._ids.take(hits).to_pylist(), sizes, *(each.tolist() for each in found), strict=True)
        made = [
            Hit(name, other, r == 1.0, r, left, right, left, shared, bytes_)
            for other, bytes_, shared, r, left, right in rows
        ]
        return Group(name, name, "words", size, shingles), made

    def _ranked(
        self, text: bytes | None, name: str, threshold: float, limit: int | None, measure: str
    ) -> tuple[Int64s, tuple[NDArray[Any], ...], tuple[int, int]]:
        """Give numbers of documents with shared, r and both containments; bytes and shingles of the query."""
        if measure in NOT_KEPT:
            raise UsageError(
                f"--measure {measure} is not possible in a run: it does not keep {NOT_KEPT[measure]}",
                hint="choose resemblance, containment, containment-left, containment-right or shared",
            )
        if text is not None and self._settings.get("features"):
            raise UsageError(
                f"{self._path} compares features, not texts", hint="use the ID of one of its documents"
            )
        number = self._ids.index(name).as_py() if text is None else -1
        if text is None and number < 0:
            raise UsageError(f"{self._path} has no document {name}", hint="use one of its IDs, or a file")
        if text is None:
            own = self._sets.texts(np.array([number]))
            size = int(self._sets.column("bytes")[number])
        else:
            size = len(text)
            settings = replace(from_stored(self._settings), seed=self._seed)
            found = sketch(_file(name, text), settings, files=self._files)
            words, places = (found.table[each].to_numpy() for each in ("words", "places"))
            ends = np.array([0, len(found.values)])
            less = self._common.without(found.values, ends, words, places, order_of(found.order, places))
            values = less.values if len(less.changed) else found.values
            share = np.array([len(values) / max(len(found.values), 1)])
            ends = np.array([0, len(values)])
            own = Texts(np.array([-1]), values, ends, words, places, found.order, share)
        mine = own.values
        hits, shared = self._inverted.holders(mine)
        others = hits != number
        hits, shared = hits[others], shared[others]
        sizes = self._sets.column("compared")[hits]
        measured = measures(np.zeros(len(hits), np.int64), hits, shared, np.full(len(hits), len(mine)), sizes)
        measured = self._without_templates(measured, own)
        hits = measured.right
        # A set has every shingle once, so sif's share of occurrences is that of the set.
        chosen = getattr(measured, {"sif": "containment_left"}.get(measure, measure.replace("-", "_")))
        close = np.flatnonzero(chosen >= threshold - 1e-12)
        keys = (hits, -measured.containment, -measured.resemblance, -chosen)
        order = close[np.lexsort([key[close] for key in keys])][:limit]
        columns = (
            measured.shared,
            measured.resemblance,
            measured.containment_left,
            measured.containment_right,
        )
        return hits[order], tuple(each[order] for each in columns), (size, len(mine))

    def _without_templates(self, pairs: MeasuredPairs, own: Texts) -> MeasuredPairs:
        """Leave out of the measures what more works have than --template allows, as the run does.

        Documents of one cluster are one work.
        """
        settings = from_stored(self._settings)
        crowd = np.flatnonzero(at_least(pairs, settings.floor))
        works = self._clusters()[pairs.right[crowd]] if 0 < settings.template < len(crowd) else crowd[:0]
        if len(np.unique(works)) <= settings.template:
            return pairs
        left_out: list[MeasuredPairs] = [pairs.take(np.setdiff1d(np.arange(len(pairs)), crowd))]
        values, bounds = self._sets.some(pairs.right[crowd])
        common = common_shingles(
            *_only(values, np.repeat(works, np.diff(bounds)).astype(np.uint32), own.values), settings.template
        )
        for some in np.array_split(crowd, -(-len(crowd) // TOGETHER)):
            theirs = self._sets.texts(pairs.right[some])
            both = pairs.take(some)
            near = near_copies(dataclasses.replace(both, left=np.full(len(some), -1)), _first(own, theirs))
            left_out.append(both.take(near))
            again = without_templates(
                dataclasses.replace(both.take(~near), left=np.full(int((~near).sum()), -1)),
                *_sets_of(_first(own, theirs)),
                Boilerplate(common, np.zeros(0, np.int64)),
                0.0,
            )
            left_out.append(again)
        found = MeasuredPairs.joined(left_out)
        return found.take(np.argsort(found.right, kind="stable"))

    def _clusters(self) -> Int64s:
        """Give every document the number of the first of its cluster."""
        root = np.arange(len(self._ids))
        table = read_table(self._path, TABLES[2], ["cluster", "document"])
        cluster, document = (pc.index_in(table[name], value_set=self._ids) for name in table.column_names)
        root[document.to_numpy()] = cluster.to_numpy()
        return root


def _only(values: UInt64s, works: UInt32s, wanted: UInt64s) -> tuple[UInt64s, UInt32s]:
    held = np.isin(values, wanted)
    return values[held], works[held]


def _first(own: Texts, others: Texts) -> Texts:
    """Put a document, by the number −1, before others."""
    bounds = np.concatenate([own.bounds, others.bounds[1:] + own.bounds[-1]])
    one, many = ([getattr(each, name) for name in PLAIN] for each in (own, others))
    numbers, values, words, places, order, shares = map(np.concatenate, zip(one, many, strict=True))
    numbers[0] = -1
    return Texts(numbers, values, bounds, words, places, order, shares)


def _sets_of(texts: Texts) -> tuple[Int64s, UInt64s, Int64s]:
    return texts.numbers, texts.values, texts.bounds


def _file(name: str, text: bytes) -> pa.RecordBatch:
    """Give a file as a batch of one document, which is read as it would be in a corpus."""
    built = Builder(raw=True)
    built.add(name, text)
    return next(built.give())
