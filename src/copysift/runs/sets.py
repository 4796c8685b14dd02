"""The sketched documents of a run on disk: facts and shingles, in parts, in order of input.

`runs/facts.py` has the facts, with digests of the sets. The sets of a part are in one of two forms:
`words-N.bin` has the words of all documents, which give their shingles (`coded_part.py`). Where something
else was shingled too, or with a secret, `shingles-N.u64` has the sets, one document after another, and
`order-N.u32` the low halves of the shingles in order of the text.

The census adds `common.arrow`, the boilerplate; `census-N.u64`, how many shingles of each document count;
and `rest-N.u64`, the sets of the documents that have boilerplate, without it, unless words give them.
`base.u64` has the shingles of --base, which no set has. What is wanted is a set without boilerplate, unless
it says `full`. Each file has its checksum beside it, in a file of its name that ends in `.sum`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.errors import RunError
from copysift.join.boilerplate import Boilerplate, Without, bounds_of, picked
from copysift.match.templates import Texts
from copysift.runs.coded_part import CodedParts, write_codes
from copysift.runs.facts import Facts
from copysift.runs.sketches import SUM, Places, SketchedPart, read_array, read_common, write_arrays
from copysift.runtime.arrays import distinct, heads

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]
    Order = Callable[[Int64s], UInt32s]

# the files that a part may have, in the order in which they are written
PART_STEMS = tuple(
    (stem, suffix)
    for stem, kind in (("words", "bin"), ("shingles", "u64"), ("order", "u32"), ("documents", "arrow"))
    for suffix in ("sum", kind)
)
SETS = ("words-*.bin", "shingles-*.u64")


def has_sets(folder: Path) -> bool:
    """Say whether the sketches in a folder have their sets; those of a run with --slim have none."""
    return any(next(folder.glob(files), None) is not None for files in SETS)


def drop_sets(folder: Path) -> None:
    """Remove the sets of the sketches in a folder (--slim)."""
    for files in ("words-*.bin", "order-*.u32", "*.u64"):
        for stale in folder.glob(files):
            stale.unlink()
            stale.with_suffix(SUM).unlink(missing_ok=True)


class Sets(Facts):
    """Sketched documents in a folder; sets that it writes stay at hand, up to `room` bytes of them."""

    def __init__(self, folder: Path, room: int = 0) -> None:
        super().__init__(folder)
        self._room = room
        self._at_hand: dict[int, list[tuple[UInt64s, Int64s]]] = {}  # sets of parts, in full, in pieces
        self._rests: dict[int, UInt64s] = {}  # and those that have boilerplate, without it
        self._ignored: Boilerplate | None = None
        self._coded = CodedParts(lambda part: self.path("words", part))
        self._kept_parts: dict[tuple[int, bool], UInt64s] = {}
        self._kept_places: dict[int, Places] = {}
        self._counts = np.zeros(
            (0, 2), np.int64
        )  # of shingles of every part, in full and without boilerplate

    # ---- writing

    def write(self, part: list[SketchedPart]) -> None:
        """Add a part, all of it with codes or none."""
        coded = [each.codes for each in part if each.codes is not None]
        if coded:
            counts = [each.table["words"].to_numpy() for each in part]
            write_codes(self.path("words", self.parts), list(zip(coded, counts, strict=True)))
            self._take(part)
        else:
            for name, stem in (("values", "shingles"), ("order", "order")):
                write_arrays(self.path(stem, self.parts), (getattr(each, name) for each in part))
        self.add(pa.concat_tables([each.table for each in part]))

    def _take(self, part: list[SketchedPart]) -> None:
        """Keep the sets of a part at hand, which else are made of their words; none if they are too large."""
        self._room -= sum(each.values.nbytes for each in part)
        if self._room < 0:
            self._at_hand.clear()
            return
        self._at_hand[self.parts] = [
            (each.values, bounds_of(each.table["shingles"].to_numpy())) for each in part
        ]

    def take_sets(self, others: Iterable[Self], first: int) -> None:
        """Take the sets that others have at hand, which wrote the parts of this folder from `first` on."""
        for other in others:
            self._at_hand |= {first + part: found for part, found in other._at_hand.items()}
            first += other.parts

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
        if part in self._at_hand:
            self._rests[part] = found.values
        elif len(found.values) and not self._is_coded(part):
            write_arrays(self.path("rest", part), [found.values])
        write_arrays(self.path("census", part), [sizes])
        return found, sizes

    def _suspects(self, part: int, which: Int64s) -> tuple[UInt64s, Int64s, Int64s, Int64s, Order]:
        """Give sets of some documents of a part in full, their words and places, and what gives the order."""
        words, places = (self.of_part(part, name)[which] for name in ("words", "places"))
        return *self._some_full(part, which), words, places, lambda some: self._order_of(part, which[some])

    # ---- order

    def order(self, part: int) -> tuple[Int64s, UInt32s]:
        """Give how many places the documents of a part have, and the low halves of their shingles in order.

        Runs of version 0.1 have none.
        """
        places, path = self.of_part(part, "places"), self.path("order", part)
        if self._is_coded(part):
            order = self._coded[part].in_order()[0].astype(np.uint32)
        elif not path.exists():
            return places, np.zeros(0, np.uint32)
        else:
            order = read_array(path, np.uint32)
        if len(order) != int(places.sum()):
            raise RunError(f"{path} is truncated", hint="recreate the run")
        return places, order

    def _order_of(self, part: int, which: Int64s) -> UInt32s:
        """Give the order of some documents of a part, one after another."""
        if self._is_coded(part):
            return self._coded[part].in_order(which)[0].astype(np.uint32)
        counts, every = self.order(part)
        return picked(every, bounds_of(counts), which)[0] if len(every) else every

    def common(self) -> Boilerplate:
        """Give the boilerplate of the run."""
        return read_common(self.folder)

    def forget_all(self) -> None:
        """Drop all columns and sets from memory; they are read again where they are needed."""
        super().forget_all()
        for kept in (self._at_hand, self._rests, self._kept_parts, self._kept_places, self._coded):
            kept.clear()
        self._ignored = None

    # ---- sets

    def full(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part with their boilerplate: values and bounds."""
        return self._full_places(part).gathered() if part in self._at_hand else self._full(part)

    def pieces(self, part: int) -> Iterator[tuple[UInt64s, Int64s, slice]]:
        """Give the sets of a part in full as they lie: values, bounds, and which documents they are of."""
        first = int(self.bounds()[part])
        for values, bounds in self._at_hand.get(part) or [self._full(part)]:
            last = first + len(bounds) - 1
            yield values, bounds, slice(first, last)
            first = last

    def _full(self, part: int) -> tuple[UInt64s, Int64s]:
        bounds = bounds_of(self.of_part(part, "shingles"))
        if not self._is_coded(part):
            return self._mapped("shingles", part, int(bounds[-1])), bounds
        values, found = self._coded[part].sets()
        if not np.array_equal(found, bounds):
            raise RunError(f"{self.path('words', part)} is damaged", hint="recreate the run")
        return values, bounds

    def _full_places(self, part: int) -> Places:
        return Places.joined([Places.of(values, bounds) for values, bounds, _ in self.pieces(part)])

    def _some_full(self, part: int, which: Int64s) -> tuple[UInt64s, Int64s]:
        """Give the sets of some documents of a part, ascending by number, in full."""
        if part in self._at_hand:
            return self._full_places(part).some(which).gathered()
        if not self._is_coded(part):
            return picked(*self._full(part), which)
        return self._coded[part].sets(which)

    def whole(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part without boilerplate: values and bounds."""
        places = self.places(part)
        if len(places.sources) == 1:
            return places.sources[0], bounds_of(places.ends - places.starts)
        return places.gathered()

    def places(self, part: int) -> Places:
        """Give where all sets of a part are, without boilerplate."""
        places = self._full_places(part)
        sizes, compared = (self.of_part(part, name) for name in ("shingles", "compared"))
        changed = np.flatnonzero(compared != sizes)
        if not len(changed):
            return places
        rest = Places.of(self._rest(part, changed, compared[changed]), bounds_of(compared[changed]))
        both = Places.joined([places, rest])
        chosen = np.arange(len(sizes))
        chosen[changed] = len(sizes) + np.arange(len(changed))
        return both.some(chosen)

    def _rest(self, part: int, changed: Int64s, sizes: Int64s) -> UInt64s:
        """Give the sets of those documents of a part that have boilerplate, without it."""
        if part in self._rests:
            return self._rests[part]
        if not self._is_coded(part):
            return self._mapped("rest", part, int(sizes.sum()))
        return self._less(part, changed, sizes)

    def _less(self, part: int, which: Int64s, sizes: Int64s) -> UInt64s:
        """Make the sets of some documents of a coded part without boilerplate, which have `sizes` then."""
        if self._ignored is None:
            self._ignored = self.common()
        values, bounds = self._ignored.taken_from(*self._some_full(part, which))
        if not np.array_equal(np.diff(bounds), sizes):
            raise RunError(f"{self.path('census', part)} is damaged", hint="recreate the run")
        return values

    def checked(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part in full, if they still are what was written: the digests show it."""
        values, bounds = self.full(part)
        kept = self._read(part, ["sets"])["sets"].to_numpy().astype(np.uint64)
        if (kernels.shingle.set_digests(values, bounds) != kept).any():
            stem = "words" if self._is_coded(part) else "shingles"
            raise RunError(f"{self.path(stem, part)} is damaged", hint="recreate the run")
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
        """Give where the sets of some documents are, without boilerplate."""
        part = np.searchsorted(self.bounds(), numbers, side="right") - 1
        order = np.argsort(part, kind="stable")
        cuts = np.flatnonzero(heads(part[order])).tolist()
        found = []
        for start, end in zip(cuts, [*cuts[1:], len(order)], strict=True):
            some = order[start:end]
            found.append(self._places_in(int(part[some[0]]), numbers[some]))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return Places.joined(found).some(back)

    def _places_in(self, part: int, numbers: Int64s) -> Places:
        """Give where the sets of some documents of a part are."""
        which = numbers - int(self.bounds()[part])
        if part in self._at_hand:
            if part not in self._kept_places:
                self._kept_places[part] = self.places(part)
            return self._kept_places[part].some(which)
        if self._is_coded(part):
            return self._made(part, which)
        starts, rest_starts, changed = self._starts()
        source = changed[numbers].astype(np.int64)
        begin = np.where(changed[numbers], rest_starts[numbers], starts[numbers]).astype(np.int64)
        none = np.zeros(0, np.uint64)
        wanted = ((False, not source.all()), (True, source.any()))
        sources = [self._kept(part, rest) if asked else none for rest, asked in wanted]
        return Places(sources, source, begin, begin + self.column("compared")[numbers])

    def _made(self, part: int, which: Int64s) -> Places:
        """Make the sets of some documents of their words, each once."""
        once = distinct(which)
        less, sizes = self._changed()[self.span(part)][once], self.of_part(part, "compared")[once]
        values, bounds = self._some_full(part, once[~less])
        if not np.array_equal(np.diff(bounds), sizes[~less]):
            raise RunError(f"{self.path('words', part)} is damaged", hint="recreate the run")
        places = [Places.of(values, bounds)]
        if less.any():
            places.append(Places.of(self._less(part, once[less], sizes[less]), bounds_of(sizes[less])))
        place = np.argsort(
            np.argsort(less, kind="stable"), kind="stable"
        )  # where each lies: those with less last
        return Places.joined(places).some(place[np.searchsorted(once, which)])

    def _changed(self) -> NDArray[np.bool_]:
        """Say which documents have boilerplate, without which they are compared."""
        if "_changed" not in self._columns:
            names = ("shingles", "compared")
            found = [
                np.not_equal(*(self.of_part(part, name) for name in names)) for part in range(self.parts)
            ]
            self._columns["_changed"] = np.concatenate([np.zeros(0, np.bool_), *found])
        return self._columns["_changed"]

    def texts(self, numbers: Int64s) -> Texts:
        """Give the sets of some documents without boilerplate, ascending by number, and their order."""
        values, bounds = self.some(numbers)
        words, places, sizes = (
            self.narrow(name)[numbers].astype(np.int64) for name in ("words", "places", "shingles")
        )
        edges, order = self.bounds(), [np.zeros(0, np.uint32)]
        for part in distinct(np.searchsorted(edges, numbers, side="right") - 1).tolist():
            which = numbers[(numbers >= edges[part]) & (numbers < edges[part + 1])] - edges[part]
            order.append(self._order_of(part, which))
        shares = np.diff(bounds) / np.maximum(sizes, 1)
        return Texts(numbers, values, bounds, words, places, np.concatenate(order), shares)

    def keep(self, limit: int) -> None:
        """Keep the sets in reach for `shared`, if they take no more than this many bytes; 0 lets them go."""
        total = int(self.column("compared").sum())  # what threads share is made before they start
        self._changed()
        self._kept_parts.clear()
        plain = [part for part in range(self.parts) if not self._is_coded(part)]
        if plain:
            self._starts()
        if 8 * total > limit:
            return
        for part in plain:
            for rest in np.flatnonzero(self._counts[part]).tolist():
                self._kept_parts[part, bool(rest)] = self._kept(part, bool(rest))
        for part in range(self.parts):
            if part not in self._at_hand and part not in plain:
                self._at_hand[part] = [self._full(part)]

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
            changed = self._changed()
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
            self._columns |= {"_rest": rest, "_starts": starts}
            if not known:
                self.forget("shingles")
        return self._columns["_starts"], self._columns["_rest"], self._changed()

    # ---- files

    def _is_coded(self, part: int) -> bool:
        """Say whether the words of a part are kept, not its sets."""
        return part in self._coded or self.path("words", part).exists()

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
