"""The sketched documents of a run on disk: facts and shingles, in parts, in order of input.

`documents-N.arrow` has the facts, `shingles-N.u64` the sets, one document after another, `order-N.u32` the
low halves of the shingles in order of the text. The facts have digests of the sets. The census adds
`common.arrow`, the boilerplate; `census-N.u64`, how many shingles of each document count; and `rest-N.u64`,
the sets of the documents that have boilerplate, without it. `base.u64` has the shingles of --base, which no
set has. Each file has its checksum beside it, in a file of its name that ends in `.sum`. What is wanted is a
set without boilerplate, unless it says `full`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from copysift import kernels
from copysift.errors import RunError
from copysift.join.boilerplate import Boilerplate, Without, bounds_of, picked
from copysift.match.templates import Texts
from copysift.runs.sketches import (
    SUM,
    Places,
    SketchedPart,
    checksum,
    read_array,
    read_common,
    spare_path,
    write_arrays,
    write_facts,
)
from copysift.runtime.arrays import distinct, heads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

DIGESTS = ("content", "lexical", "sets")
NUMBERS = ("bytes", "words", "places", "shingles", *DIGESTS)
STEMS = {"documents": "arrow", "order": "u32"}  # the others are u64
# the files of a part, in the order in which they are written
PART_STEMS = tuple(
    (stem, suffix)
    for stem, kind in (("shingles", "u64"), ("order", "u32"), ("documents", "arrow"))
    for suffix in ("sum", kind)
)


class Sets:
    """Sketched documents in a folder; numbers count from the first document of the first part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = len(list(folder.glob("documents-*.arrow")))
        self._columns: dict[str, NDArray[Any]] = {}
        self._sizes: list[int] = []
        self._kept_parts: dict[tuple[int, bool], UInt64s] = {}
        self._counts = np.zeros(
            (0, 2), np.int64
        )  # of shingles of every part, in full and without boilerplate
        self._sound: set[int] = set()  # parts whose facts are those that were written
        self._names: dict[int, list[str]] = {}  # of the columns of parts
        self._held = 0  # parts whose numbers are still at hand from writing; −1: none will be
        self._written: dict[str, list[NDArray[Any]]] = {name: [] for name in NUMBERS}

    # ---- writing

    def write(self, part: list[SketchedPart]) -> None:
        """Add a part; its table comes last, so that a part is whole or not there."""
        for name, stem in (("values", "shingles"), ("order", "order")):
            write_arrays(self.path(stem, self.parts), (getattr(each, name) for each in part))
        table = pa.concat_tables([each.table for each in part])
        target = self.path("documents", self.parts)
        try:
            write_facts(table, spare_path(target), target)
        except OSError as error:
            raise RunError(f"cannot write {self.folder}: {error.strerror or error}") from error
        if self.parts == self._held:  # of parts that were there already the columns are read
            self._held += 1
            for name in NUMBERS:
                self._written[name].append(table[name].to_numpy())
        self.parts += 1

    def let_go(self, limit: int) -> None:
        """Drop the numbers at hand from writing if they take more than this many bytes: files have them."""
        if self._held >= 0 and sum(each.nbytes for kept in self._written.values() for each in kept) > limit:
            self.forget(*NUMBERS)
            self._held = -1

    def take_numbers(self, others: Iterable[Sets]) -> None:
        """Take the numbers that others still have at hand, which wrote the parts of this folder in order."""
        for other in others:
            if other._held != other.parts:
                self.forget(*NUMBERS)
                return
            for name in NUMBERS:
                self._written[name] += other._written[name]
            self._held += other._held

    def settle(
        self, part: int, common: Boilerplate, suspects: NDArray[np.bool_] | None = None
    ) -> tuple[Without, Int64s]:
        """Leave boilerplate out of the sets of a part, and write what is left of those that have any.

        Only documents of the part that are suspects may have it. The last array has the sizes that are left.
        """
        sizes = self.of_part(part, "shingles").copy()
        some = np.arange(len(sizes)) if suspects is None else np.flatnonzero(suspects)
        found = common.without(*self._suspects(part, some)) if len(some) and len(common) else Without.none()
        found = Without(some[found.changed], some[found.buried], found.values, found.bounds)
        sizes[found.changed] = np.diff(found.bounds)
        for stem, array in (("rest", found.values), ("census", sizes)):
            if len(array) or stem == "census":
                write_arrays(self.path(stem, part), [array])
        return found, sizes

    def _suspects(self, part: int, which: Int64s) -> tuple[UInt64s, Int64s, Int64s, Int64s, UInt32s]:
        """Give sets of some documents of a part in full, their words and places, and their order."""
        values, bounds = picked(*self.full(part), which)
        words, places, order = self.of_part(part, "words"), *self.order(part)
        return values, bounds, words[which], places[which], picked(order, bounds_of(places), which)[0]

    def order(self, part: int) -> tuple[Int64s, UInt32s]:
        """Give how many places the documents of a part have, and the low halves of their shingles in order.

        Runs of version 0.1 have none.
        """
        path = self.path("order", part)
        if not path.exists():
            return self.of_part(part, "places"), np.zeros(0, np.uint32)
        places = self.of_part(part, "places")
        if path.stat().st_size != 4 * int(places.sum()):
            raise RunError(f"{path} is truncated", hint="recreate the run")
        return places, read_array(path, np.uint32)

    # ---- facts

    def common(self) -> Boilerplate:
        """Give the boilerplate of the run."""
        return read_common(self.folder)

    def column(self, name: str) -> NDArray[Any]:
        """Give a number of every document."""
        if name not in self._columns:
            parts = self._written[name] if name in NUMBERS and self._held == self.parts else []
            parts = parts or [self._numbers(number, name) for number in range(self.parts)]
            if name in NUMBERS:
                self._written[name] = []
            kind = np.uint64 if name in DIGESTS else np.int64
            self._columns[name] = (
                np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
            )
        return self._columns[name]

    def _numbers(self, part: int, name: str) -> NDArray[Any]:
        if name == "compared" and self.path("census", part).exists():
            sizes = read_array(self.path("census", part), np.int64)
            shingles = self.of_part(part, "shingles")
            if len(sizes) != len(shingles) or (sizes < 0).any() or (sizes > shingles).any():
                raise RunError(f"{self.path('census', part)} is damaged", hint="recreate the run")
            return sizes
        if name == "places" and not self.path("order", part).exists():  # of version 0.1
            return np.zeros(len(self._numbers(part, "words")), np.int64)
        kept = "shingles" if name == "compared" else name
        return np.asarray(self._read(part, [kept])[kept].to_numpy())

    def of_part(self, part: int, name: str) -> NDArray[Any]:
        """Give a number of every document of a part, without a look at the other parts."""
        known = self._columns.get(name)
        if known is not None:
            return known[self.span(part)]
        written = self._written.get(name) if self._held == self.parts else None
        return written[part] if written else self._numbers(part, name)

    def total(self, name: str) -> int:
        """Sum up a number of all documents, part by part."""
        return sum(int(self.of_part(part, name).sum()) for part in range(self.parts))

    def forget(self, *names: str) -> None:
        """Drop columns from memory."""
        for name in names:
            self._columns.pop(name, None)
            if name in self._written:
                self._written[name] = []

    def forget_all(self) -> None:
        """Drop all columns from memory; they are read again where they are needed."""
        self.bounds()
        self._columns.clear()
        self.forget(*NUMBERS)

    def tables(self, columns: list[str]) -> list[pa.Table]:
        """Give columns part by part."""
        return [self._read(number, columns) for number in range(self.parts)]

    def table(self, part: int, columns: list[str]) -> pa.Table:
        """Give columns of one part."""
        return self._read(part, columns)

    def kinds(self, part: int) -> pa.Array:
        """Give what the documents of a part are compared as; in version 0.1 all by words."""
        path = self.path("documents", part)
        with pa.memory_map(str(path)) as file:
            known = "kind" in pa.ipc.open_file(file).schema.names
        if known:
            return self._read(part, ["kind"])["kind"].combine_chunks()
        return pa.repeat(pa.scalar("words"), len(self._read(part, ["bytes"])))

    def bounds(self) -> Int64s:
        """Give the first document of every part, and one past the last."""
        if len(self._sizes) != self.parts:
            kept = self._written["bytes"] if self._held == self.parts else []
            self._sizes = [len(each) for each in kept] or [
                len(self._read(number, ["bytes"])) for number in range(self.parts)
            ]
        return np.concatenate([[0], np.cumsum(self._sizes, dtype=np.int64)]).astype(np.int64)

    def size_of(self, part: int) -> int:
        """Count the documents of a part."""
        first, last = self.bounds()[part : part + 2].tolist()
        return int(last - first)

    def span(self, part: int) -> slice:
        """Give the numbers of the documents of a part."""
        first, last = self.bounds()[part : part + 2]
        return slice(int(first), int(last))

    # ---- sets

    def full(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part with their boilerplate: values and bounds."""
        bounds = bounds_of(self.of_part(part, "shingles"))
        return self._mapped("shingles", part, int(bounds[-1])), bounds

    def whole(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part without boilerplate: values and bounds."""
        places = self.places(part)
        if len(places.sources) == 1:
            return places.sources[0], bounds_of(places.ends - places.starts)
        return places.gathered()

    def places(self, part: int) -> Places:
        """Give where all sets of a part are, without boilerplate."""
        sizes, compared = (self.of_part(part, name) for name in ("shingles", "compared"))
        full = self._mapped("shingles", part, int(sizes.sum()))
        changed = compared != sizes
        starts = bounds_of(sizes)[:-1]
        if not changed.any():
            return Places([full], np.zeros(len(sizes), np.int64), starts, starts + sizes)
        rest = self._mapped("rest", part, int(compared[changed].sum()))
        starts = np.where(changed, bounds_of(np.where(changed, compared, 0))[:-1], starts)
        return Places([full, rest], changed.astype(np.int64), starts, starts + compared)

    def checked(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part in full, if they still are what was written: the digests show it."""
        values, bounds = self.full(part)
        kept = self._read(part, ["sets"])["sets"].to_numpy().astype(np.uint64)
        if (kernels.shingle.set_digests(values, bounds) != kept).any():
            raise RunError(f"{self.path('shingles', part)} is damaged", hint="recreate the run")
        return values, bounds

    def some(self, numbers: Int64s) -> tuple[UInt64s, Int64s]:
        """Give the sets of some documents without boilerplate, ascending by number: values and bounds."""
        return self._places(numbers).gathered()

    def shared(self, lefts: Int64s, rights: Int64s) -> Int64s:
        """Count what pairs of documents share besides boilerplate, in the files where their sets are."""
        begun = heads(
            lefts
        )  # pairs of one document lie together; to sort them all takes longer than to count
        firsts = lefts[begun]
        left, right = np.cumsum(begun) - 1, np.arange(len(firsts), len(firsts) + len(rights))
        places = self._places(np.concatenate([firsts, rights]))
        return kernels.shingle.shared_among(*places, left, right)

    def _places(self, numbers: Int64s) -> Places:
        """Give the files that hold sets, and for every set which one, from where and to where."""
        edges = self.bounds()
        starts, rest_starts, changed = self._starts()
        part = np.searchsorted(edges, numbers, side="right") - 1
        where = 2 * part + changed[numbers]
        present = np.bincount(where, minlength=1) > 0
        sources = [self._kept(each // 2, bool(each % 2)) for each in np.flatnonzero(present).tolist()]
        begin = np.where(changed[numbers], rest_starts[numbers], starts[numbers]).astype(np.int64)
        ends = begin + self.column("compared")[numbers]
        return Places(sources, (np.cumsum(present) - 1)[where], begin, ends)

    def texts(self, numbers: Int64s) -> Texts:
        """Give the sets of some documents without boilerplate, ascending by number, and their order."""
        values, bounds = self.some(numbers)
        words, places, sizes = (self.column(name)[numbers] for name in ("words", "places", "shingles"))
        edges, order = self.bounds(), [np.zeros(0, np.uint32)]
        for part in distinct(np.searchsorted(edges, numbers, side="right") - 1).tolist():
            which = numbers[(numbers >= edges[part]) & (numbers < edges[part + 1])] - edges[part]
            counts, every = self.order(part)
            if len(every):
                order.append(picked(every, bounds_of(counts), which)[0])
        shares = np.diff(bounds) / np.maximum(sizes, 1)
        return Texts(numbers, values, bounds, words, places, np.concatenate(order), shares)

    def keep(self, limit: int) -> None:
        """Keep the sets in reach for `shared`, if they take no more than this many bytes; 0 lets them go."""
        self._starts()  # what threads share is made before they start
        self.column("compared")
        self._kept_parts.clear()
        if 8 * int(self._counts.sum()) <= limit:
            for part, rest in np.argwhere(self._counts).tolist():
                self._kept_parts[part, bool(rest)] = self._kept(part, bool(rest))

    def _kept(self, part: int, rest: bool) -> UInt64s:
        kept = self._kept_parts.get((part, rest))
        if kept is not None:
            return kept
        return self._mapped("rest" if rest else "shingles", part, int(self._counts[part, int(rest)]))

    def _starts(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
        """Give where every set starts in its part, in full and without boilerplate, and which ones differ."""
        if "_starts" not in self._columns:
            known = "shingles" in self._columns
            sizes, compared = self.column("shingles"), self.column("compared")
            changed = sizes != compared
            self._counts = np.zeros((self.parts, 2), np.int64)
            most = max((int(sizes[self.span(part)].sum()) for part in range(self.parts)), default=0)
            starts, rest = (np.empty(len(sizes), np.min_scalar_type(most)) for _ in range(2))
            for part in range(self.parts):
                span = self.span(part)
                less = np.where(changed[span], compared[span], 0)
                for column, (target, of) in enumerate(((starts, sizes[span]), (rest, less))):
                    bounds = bounds_of(of)
                    self._counts[part, column] = bounds[-1]
                    target[span] = bounds[:-1]
            self._columns |= {"_changed": changed, "_rest": rest, "_starts": starts}
            if not known:
                self.forget("shingles")
        return self._columns["_starts"], self._columns["_rest"], self._columns["_changed"]

    # ---- files

    def _mapped(self, stem: str, part: int, count: int) -> UInt64s:
        """Give the keys of a file where they lie; it is closed when the array goes."""
        path = self.path(stem, part)
        try:
            if not count and stem == "rest":
                return np.zeros(0, np.uint64)
            if path.stat().st_size != 8 * count:
                raise RunError(f"{path} is truncated", hint="recreate the run")
            return read_array(path, np.uint64)
        except OSError as error:
            if path.exists():
                raise RunError(f"cannot read {path}: {error.strerror}") from None
            raise RunError(
                f"{self.folder.parent} has no shingles",
                hint="it was created with --slim; recreate it without",
            ) from None

    def _read(self, part: int, columns: list[str]) -> pa.Table:
        path = self.path("documents", part)
        try:
            self._check(part, path)
            with pa.memory_map(str(path)) as file:
                names = self._names.get(part) or pa.ipc.open_file(file).schema.names
                self._names[part] = names
                wanted = pa.ipc.IpcReadOptions(included_fields=[names.index(column) for column in columns])
                return pa.ipc.open_file(file, options=wanted).read_all().select(columns)
        except (pa.ArrowException, OSError) as error:
            raise RunError(f"{path} is damaged: {error}", hint="recreate the run") from None

    def _check(self, part: int, path: Path) -> None:
        """Compare the facts of a part with their checksum, once; runs of earlier versions have none."""
        kept = path.with_suffix(SUM)
        if part in self._sound or not kept.exists():
            return
        if kept.read_bytes() != checksum(path):
            raise RunError(f"{path} is damaged", hint="recreate the run")
        self._sound.add(part)

    def path(self, stem: str, part: int) -> Path:
        """Name a file of a part."""
        return self.folder / f"{stem}-{part:05d}.{STEMS.get(stem, 'u64')}"
