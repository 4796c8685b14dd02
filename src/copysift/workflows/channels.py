"""The lists of fingerprints of a scan: one of texts, one of the tokens of programs, joined each by itself.

A program is in both. The better-founded evidence counts: a pair has the measures of the channel in which
its similarity is larger. Tokens say little where few are shared (every header is a list of declarations), so
in a tree of any files the channel of programs speaks only above a floor; where submissions are compared,
or code was wanted, it always does. None of this depends on the neighbours of the two files.

Where submissions have works of several types (essays, slides, spreadsheets beside programs), each type has
a list of its own, too: a copied essay counts, whatever program is beside it. The text of programs then counts
only where it is also in a file that is none, as an essay pasted into a comment is.

Documents with few fingerprints are compared with each other by all their k-grams, in a list beside: one
fingerprint that two of them share would else make them the same.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.families import families
from copysift.join.memory import Budget, Join, in_order
from copysift.join.rows import NO_FLOOR, Candidates, Floor, Postings, RowRange, Rows, row_ranges
from copysift.kinds import notebook, webpage
from copysift.kinds.kind import CHANNELS, CODE, TEXT
from copysift.match.base_code import Base
from copysift.match.chance import Chance
from copysift.match.counts import EVERY, TOKENS, PairColumns
from copysift.match.estimators import Sketches, measured
from copysift.match.evidence import VERBATIM, Evidence
from copysift.match.measures import Weigh, weights
from copysift.match.occurrences import RepeatedHashes
from copysift.match.repeats import by_occurrences, chosen_by, match_shares
from copysift.model.traits import scheme_traits
from copysift.runtime.arrays import is_among
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.comparison import COUNTS, Settings
from copysift.settings.selection import ONE_SIDED
from copysift.sources.file_types import SHEETS, SLIDES, TEXTS
from copysift.workflows.channel import Channel, Lists, StoredView
from copysift.workflows.collection import View
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s, UInt64s

PROSE = (0, 1)  # groups that have what files other than programs have: a join keeps what two have
JOINS = 8  # that share one budget: fingerprints, all k-grams and repeats of two channels, statements, strings
# Measured on two versions of the kernel headers: 957 pairs more than the 7,400 of texts; without a floor
# 81,000. A renamed program of ten lines passes.
FLOOR = Floor(founded=12, plenty=40, likeness=0.5)
FORMED = 1 / 8  # of the memory is for pairs while they are formed
PAIR_BYTES = 256  # that a pair takes then, in the lists of both channels
FEWEST = 1024  # pairs that are formed together at least, whatever the memory
TYPE_JOINS = 10  # more of them, where works of several types are compared
# Rare fingerprints of winnowing, about 100 words, that are evidence whatever is beside them.
SUBSTANTIAL = 25
BY_CHANCE = "some programs are large: what unrelated programs of their size share by chance does not count"
AS_A_CLASS = (
    "with --base every file is compared as the work of one student: weaker pairs of programs are listed "
    "than without it (--threshold lists fewer)"
)
WITH_PROSE = (webpage.KIND, notebook.KIND)  # programs with text that somebody reads
STATEMENT = 3  # fingerprints that a statement is worth, about


class Channels:
    """Collects the fingerprints of a scan, then gives its pairs; use it as a context manager."""

    def __init__(
        self,
        settings: Settings,
        base: Base,
        tmp_dir: Path | None,
        jobs: int,
        length: int,
        founded: bool,
        mixed: bool = False,
    ) -> None:
        budget = Budget(settings.memory, JOINS + TYPE_JOINS * mixed)
        self._settings, self._jobs, self._length = settings, jobs, length
        made_of, sif = (budget, tmp_dir, jobs, base), settings.measure == "sif"
        self.text, self.code = (Channel(name, *made_of, length, sif) for name in CHANNELS)
        made = (TEXTS, SLIDES, SHEETS) if mixed else ()
        self._with_text = set[int]()  # groups whose text counts beside their tokens
        self._types = {name: Channel(TEXT, *made_of, 0, sif) for name in made}
        self.types: dict[str, Lists] = {}  # those of each type, if there are several
        self._prose = Join(budget, tmp_dir, base.hashes, jobs)  # what files other than programs have
        if founded:
            self.code.floor = FLOOR
        self.evidence = Evidence(budget, tmp_dir, jobs, settings.seed, base)
        self.postings: dict[str, Postings] = {}

    def __iter__(self) -> Iterator[Channel]:
        return iter((self.text, self.code))

    def __enter__(self) -> Channels:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for channel in (*self, *self._types.values()):
            channel.close()
        self._prose.close()
        self.evidence.close()

    def add(
        self,
        group: int,
        views: tuple[View, ...],
        count: Callable[[int, View, UInt64s], None],
        written: str = "",
    ) -> None:
        """Take the fingerprints of a file of a group in all its channels; `written` is its type."""
        if not views:  # those of a file of the same bytes were taken
            return
        taken: dict[str, int] = {}
        for view in views:
            channel = self.code if view.channel == CODE else self.text
            taken[view.channel] = channel.add(group, view, count)
            if view.kind in WITH_PROSE:
                self._with_text.add(group)
            if view.lexemes is not None:
                self.evidence.add(group, view.lexemes)
        for channel in self:
            if channel.name not in taken:
                channel.others[group] += next(iter(taken.values()))
        if not self._types:
            return
        for own in self._of_type(group, CODE in taken, written, next(iter(taken.values()))):
            own.add(group, views[0], lambda *_: None)
        for hashes in () if CODE in taken else views[0].hashes:
            for one in PROSE:
                self._prose.add(one, hashes)

    def known(
        self, group: int, stored: Sequence[StoredView], kinds: Mapping[str, str], written: str
    ) -> Iterator[tuple[Join, int, int]]:
        """Take a file of a group that an index has, whose `kinds` are by channel; `written` is its type.

        Gives each join that gets fingerprints of it, with the number of its postings and the group there.
        """
        if not stored:  # those of a file of the same bytes were taken
            return
        most = stored[0].fingerprints
        if kinds.get(CODE) in WITH_PROSE:
            self._with_text.add(group)
        channels = {each.name: each for each in self if each.name in kinds}
        for each in self:
            if each.name not in kinds:
                each.others[group] += most
        owned = [(channels[view.channel], view) for view in stored if view.channel in channels]
        if self._types:
            of_type = self._of_type(group, CODE in kinds, written, most)
            owned += [(own, view) for own in of_type for view in stored if view.channel == TEXT]
            if CODE not in kinds:
                yield from ((self._prose, stored[0].number, one) for one in PROSE)
        counts = {view.channel: view.fingerprints for view in stored if not view.whole}
        for channel, view in owned:
            if counts[view.channel] < channel.floor.founded:
                continue  # no pair of it can be above the floor
            channel.know(group, kinds[view.channel], view.whole, view.fingerprints)
            yield channel.whole if view.whole else channel.join, view.number, group

    def _of_type(self, group: int, program: bool, written: str, count: int) -> Iterator[Channel]:
        """Give the channel of the type of a file, if it has one; in others its fingerprints are counted."""
        for name, channel in self._types.items():
            if program or name != written:
                channel.others[group] += count
            else:
                yield channel

    def finish(
        self, groups: int, max_shared: int, weigh: dict[str, Weigh], kin: UInt32s | None = None
    ) -> None:
        """Collate everything; groups are numbered from 0, and those with the same `kin` are of one author."""
        self._groups, self._max_shared, self._weigh = max(groups, 1), max_shared, weigh
        self._whole: dict[str, Postings] = {}
        scheme = scheme_traits(self._settings.scheme)
        for channel in self:
            made = channel.finish(self._groups, max_shared, weigh[channel.name])
            if channel is self.code:
                self.labels = families(made[0], kin, self._jobs, scheme.density)
                first, whole = (each.independent(self.labels, weigh[CODE]) for each in made)
                made = first, whole
            elif weigh[TEXT] is weights:
                made = channel.without_libraries(made)
            self.postings[channel.name], self._whole[channel.name] = map(channel.weighed, made)
        self._finish_types(weigh[CODE])
        self.more: tuple[Postings, Postings] | None = None
        if self.evidence.groups and not scheme.sketch:
            strings, statements = self.evidence.lists(
                self._groups, max_shared, weigh[CODE], self.postings[CODE], self.labels
            )
            worth = Counter({group: STATEMENT * int(statements.sizes[group]) for group in self.code.counted})
            self.more = self.code.weighed(strings), self.code.weighed(statements, worth)

    def _finish_types(self, weigh: Weigh) -> None:
        """Collate each type by itself, if there is more than one."""
        held = {name: channel for name, channel in self._types.items() if channel.counted}
        self._typed: dict[str, tuple[Postings, Postings]] = {}
        enough = round(SUBSTANTIAL * scheme_traits(self._settings.scheme).density)
        if len(held) + bool(self.code.counted) < 2:
            return
        for name, channel in held.items():
            made = channel.finish(self._groups, self._max_shared, weigh)
            self.types[name] = Lists(*made, channel.is_short(self._groups))
            first, whole = (
                dataclasses.replace(each, totals=np.maximum(each.totals, enough))  # what all have is none
                for each in (channel.weighed(every, enough=enough) for every in made)
            )
            self._typed[name] = first, whole
        if held and self.code.counted:
            self.postings[TEXT] = self._with_prose(self.postings[TEXT], weigh)

    def _with_prose(self, texts: Postings, weigh: Weigh) -> Postings:
        """Leave out what only programs share: their tokens say that, not the comments that an editor adds."""
        prose = np.sort(self._prose.finish(0, weigh).hashes, kind="stable")
        return texts.sharing(is_among(texts.hashes, prose))

    def lists(self) -> dict[str, Lists]:
        """Give the postings of every channel that documents are in, for who looks at more than pairs."""
        return {
            each.name: Lists(self.postings[each.name], self._whole[each.name], each.is_short(self._groups))
            for each in self
            if each.counted or each is self.text
        }

    def pairs(
        self, reader: Reader, keep: bool, labels: tuple[UInt32s, ...], sketches: Sketches
    ) -> Iterator[PairColumns]:
        """Give the pairs that may be reported, or kept, each by the channel in which it is more similar.

        They come in order, those of some left groups at a time, so that they never are in memory together.
        """
        lists = list(self._lists(reader, keep, labels))
        if not lists:
            return
        room = max(int(self._settings.memory * FORMED) // (PAIR_BYTES * (self._jobs + 1)), FEWEST)
        programs = self._programs()

        def formed(rows: tuple[int, int]) -> tuple[PairColumns, int]:
            within = RowRange(*rows, room)
            parts = [self._measured(each, within, keep, sketches) for each in lists]
            parts = [part.before(within.last) for part in parts]
            if not self.code.floor.founded:
                parts = of_programs(parts, programs)
            return PairColumns.best(parts), within.last

        ranges = row_ranges([each.rows for each in lists], self._jobs, room)
        with ThreadPoolExecutor(self._jobs) as pool:
            done = in_order(pool, formed, ranges, self._jobs + 1)
            for (_, last), (found, reached) in zip(ranges, done, strict=True):
                yield found
                while reached < last:  # it had more pairs than there is room for
                    found, reached = formed((reached, last))
                    yield found

    def similarities(self, reader: Reader, labels: tuple[UInt32s, ...]) -> PairColumns:
        """Give every pair that has anything in common, with its similarity: all at once, for a class."""
        parts = []
        for each in self._lists(reader, True, labels):
            found = each.rows.pairs((0, self._groups), "similarity", 0.0, 1, each.channel.floor)
            found = found.take((each.short[found.left] & each.short[found.right]) == each.whole)
            found = found if each.chance is None else each.chance.corrected(found)
            postings = each.rows.postings
            made = PairColumns.counted(found.left, found.right, found.shared, found.similarity, postings)
            parts.append(dataclasses.replace(made, channel=np.full(len(made), each.number, np.uint8)))
        return PairColumns.best(parts if self.code.floor.founded else of_programs(parts, self._programs()))

    def notes(self) -> tuple[str, ...]:
        """Say what the similarity does not count, and where more is listed than in a tree of any files."""
        if self.code.floor.founded:
            return ()
        given = self._settings
        alone = given.base and given.by == "file" and not given.earlier and not given.metadata
        notes = (AS_A_CLASS,) if alone and self.code.counted else ()
        return (*notes, BY_CHANCE) if Chance(self.postings[CODE]).any() else notes

    def _programs(self) -> NDArray[np.bool_]:
        """Say which groups are programs and nothing else, and have tokens that count."""
        found = np.zeros(self._groups, np.bool_)
        found[[group for group in self.code.counted if not self.code.others[group]]] = True
        found[list(self._with_text)] = False
        has_tokens = (self.postings[CODE].sizes > 0) | (self._whole[CODE].sizes > 0)
        return found & has_tokens

    def _lists(self, reader: Reader, keep: bool, labels: tuple[UInt32s, ...]) -> Iterator[_List]:
        """Give the lists that are joined: the fingerprints, and the k-grams of short documents."""
        side, kin = (*labels, None, None)[:2]
        more = None if self.more is None else (Rows(self.more[0]), Rows(self.more[1]))
        for number, channel in enumerate(self):
            name, short = channel.name, channel.is_short(self._groups)
            for whole in (False, True):
                postings = self._whole[name] if whole else self.postings[name]
                if whole and not short.any():
                    continue
                rows = Rows(postings, side, kin, more if name == CODE else None, VERBATIM)
                few, repeats = 0, None
                if length := 0 if keep else chosen_by(self._settings):
                    few = 1 if whole else match_shares(length, channel.kinds, reader.noise, 1)
                    if few > 1:  # one that is shared is found by the postings alone
                        weigh = self._weigh[name]
                        repeats = channel.repeats.rows(len(postings.sizes), self._max_shared, weigh)
                chance = (
                    Chance(postings, self.labels)
                    if channel is self.code and not channel.floor.founded
                    else None
                )
                chance = chance if chance is not None and chance.any() else None
                repeated = _repeated(channel, whole, postings)
                yield _List(number, channel, whole, short, rows, few, repeats, chance, repeated)
        for name, (chosen, whole_list) in self._typed.items():
            short = self.types[name].short
            for whole, postings in ((False, chosen), (True, whole_list)):
                if whole and not short.any():
                    continue
                channel, rows = self._types[name], Rows(postings, side, kin)
                repeated = _repeated(channel, whole, postings)
                yield _List(0, channel, whole, short, rows, 0, None, repeated=repeated)

    def _measured(self, each: _List, within: RowRange, keep: bool, sketches: Sketches) -> PairColumns:
        """Give the pairs of a list with their measures; those that another list decides are left out."""
        found = self._found(each, within, keep)
        if each.chance is not None:
            wanted = not keep and self._settings.measure == "similarity" and not each.few
            found = each.chance.corrected(found, self._settings.cut if wanted else 0.0)
        if each.whole or each.short.any():
            found = found.take((each.short[found.left] & each.short[found.right]) == each.whole)
        postings, sketch = each.rows.postings, partial(sketches, each.channel.name)
        made = measured(found, postings, sketch, self._settings)
        decided = each.number * TOKENS + each.whole * EVERY
        made = dataclasses.replace(made, channel=np.full(len(made), decided, np.uint8))
        if each.repeated is None:
            return made
        made = dataclasses.replace(made, sif=each.repeated.of(made))
        return made if keep else made.take(made.sif >= self._settings.cut - 1e-12)

    def _found(self, each: _List, within: RowRange, keep: bool) -> Candidates:
        """Give the pairs of a list; those below every threshold are never formed."""
        settings, floor = self._settings, each.channel.floor
        # The larger containment reaches whatever one of them reaches; which one it was is seen later.
        wanted = "containment" if settings.measure in ONE_SIDED else settings.measure
        found = partial(within.pairs, each.rows)
        if each.few:
            parts = [
                found(wanted, settings.cut, settings.fewest, floor),
                found("shared", 1, each.few, NO_FLOOR),
            ]
            if each.repeats is not None:
                more = within.pairs(each.repeats, "shared", 1, 1, NO_FLOOR)
                every = found("shared", 1, 1, NO_FLOOR) if len(more) else more
                parts.append(by_occurrences(every, more, each.few))
            return Candidates.united(parts)
        sketch = scheme_traits(settings.scheme).sketch
        if sketch or settings.min_match is not None or settings.measure in ("longest", "sif"):
            return found("shared", 1, settings.fewest if settings.min_match is None else 1, floor)
        if not keep:
            return found(wanted, settings.cut, settings.fewest, floor)
        least = settings.floor if settings.measure in COUNTS else min(settings.floor, settings.cut)
        kept = [found(measure, least, 1, floor) for measure in ("similarity", "containment")]
        if settings.measure == "shared":
            kept.append(found("shared", settings.cut, 1, floor))
        return Candidates.united(kept)


@dataclass(frozen=True, slots=True)
class _List:
    """A list of postings that is joined by rows, and what decides which of its pairs count.

    `few` is the least that pairs with a long match share, by occurrences, or 0 if matches do not choose.
    """

    number: int  # of the channel
    channel: Channel
    whole: bool
    short: np.ndarray[tuple[int], np.dtype[np.bool_]]
    rows: Rows
    few: int
    repeats: Rows | None
    chance: Chance | None = None  # what is taken off the similarity of large programs
    repeated: RepeatedHashes | None = None  # what groups have more than once, for sif's measure


def _repeated(channel: Channel, whole: bool, postings: Postings) -> RepeatedHashes | None:
    """Give what groups have more than once of a list, if occurrences are counted."""
    return (channel.occurrences_whole if whole else channel.occurrences).among(postings)


def of_programs(parts: list[PairColumns], programs: NDArray[np.bool_]) -> list[PairColumns]:
    """Let tokens decide pairs of programs where they always speak: names and layout can be changed.

    Also where tokens share too little for a pair: else what two programs have in their comments would
    count only where their code has little in common.
    """
    return [
        part.take((part.channel & TOKENS != 0) | ~programs[part.left] | ~programs[part.right])
        for part in parts
    ]
