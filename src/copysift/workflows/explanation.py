"""Find what raised the similarity of two groups in their sources, so that the number can be checked by eye.

Statements word for word, strings and rare code are those that both have and that weigh much; the shares are
the three of which the similarity is the largest (`match/evidence.py`). A passage is matched once, but may be
there more often: its other occurrences are found by matching what is left of one side with all of the other.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.errors import InputError
from copysift.join.rows import Postings
from copysift.kinds.kind import CODE, TEXT
from copysift.kinds.lexemes import PlacedLexemes
from copysift.match.evidence import VERBATIM, Evidence
from copysift.model.explanation import NOTHING, RARE, STATEMENT, STRING, Clue, Explanation, Occurrence
from copysift.model.values import Fingerprints, Region
from copysift.sources.file_types import PROGRAMS, SHEETS, SLIDES, TEXTS, written_type
from copysift.workflows.channel import Lists
from copysift.workflows.channels import Channels
from copysift.workflows.collection import Collection, FiledDocument
from copysift.workflows.matches import Exact
from copysift.workflows.occurrences import occurrences
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

WEIGHTY = 0.5  # the weight from which on a shared hash is worth showing; what only two have weighs 1
KEPT = 64  # documents whose fingerprints and lexemes are kept
TOKENS, WITH_STRINGS, STATEMENTS = "tokens", "tokens and strings", "statements word for word"


class _SharedHashes:
    """Which hashes two groups both have, in one list of postings."""

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        self._offsets, self._rows = kernels.join.transpose(
            postings.offsets, postings.groups, len(postings.sizes)
        )

    def of(self, left: int, right: int) -> tuple[UInt64s, NDArray[np.float64]]:
        """Give the hashes that both have, ascending, and their weights."""
        one, other = (self._rows[self._offsets[each] : self._offsets[each + 1]] for each in (left, right))
        both = np.intersect1d(one, other)
        order = np.argsort(self.postings.hashes[both])
        return self.postings.hashes[both][order], self.postings.weights[both][order].astype(np.float64)

    def total(self, left: int, right: int) -> float:
        """Give the smaller weight of all that the groups have."""
        return float(min(self.postings.totals[left], self.postings.totals[right]))


class Explainer:
    """Explains pairs of a scan that has run, from its postings and sources."""

    def __init__(self, reader: Reader, collection: Collection, channels: Channels) -> None:
        self._reader, self._collection = reader, collection
        self._lists: dict[str, Lists] = channels.lists()
        self._evidence: Evidence = channels.evidence
        self._more = channels.more
        self._types = channels.types
        self._shared: dict[tuple[str, bool], _SharedHashes] = {}
        self._kept: OrderedDict[tuple[str, str, bool], Fingerprints | PlacedLexemes | None] = OrderedDict()

    def explain(
        self, exact: Exact, left: str, right: str, channel: str, regions: Sequence[Region]
    ) -> Explanation:
        """Explain a pair by a file of each of the two, the channel that decided, and its regions."""
        channel = CODE if channel == CODE else TEXT
        groups = [self._collection.group_of(name) for name in (left, right)]
        if channel not in self._lists or groups[0] == groups[1]:
            return NOTHING
        try:
            more = occurrences(exact, groups[0], groups[1], channel, regions)
            return self._clues(groups[0], groups[1], channel, more)
        except (InputError, OSError):  # a source that can no longer be read
            return NOTHING

    def _clues(
        self, left: int, right: int, channel: str, more: tuple[tuple[Occurrence, ...], tuple[Occurrence, ...]]
    ) -> Explanation:
        lists = self._lists[channel]
        whole = bool(lists.short[left] and lists.short[right])
        fingerprints = self._list((channel, whole), lists.whole if whole else lists.chosen)
        hashes, weights = fingerprints.of(left, right)
        total = fingerprints.total(left, right)
        types = self._by_type(left, right)
        shares = [(TOKENS if channel == CODE else "", _share(weights.sum(), total))]
        wanted = {RARE: hashes[weights >= WEIGHTY]}
        if channel == CODE and self._more is not None:
            strings, statements = (
                self._list((name, False), each)
                for name, each in zip((STRING, STATEMENT), self._more, strict=True)
            )
            said, worth = strings.of(left, right)
            pooled = fingerprints.postings.totals + strings.postings.totals
            together = _share(weights.sum() + worth.sum(), min(pooled[left], pooled[right]))
            wanted[STRING] = said[worth >= WEIGHTY]
            said, worth = statements.of(left, right)
            wanted[STATEMENT] = said[worth >= WEIGHTY]
            shares += [
                (WITH_STRINGS, together),
                (STATEMENTS, _share(worth.sum(), statements.total(left, right))),
            ]
        sides = [
            tuple(
                clue
                for filed in self._collection.holders(group)
                for clue in self._in_file(filed, channel, whole, wanted)
            )
            for group in (left, right)
        ]
        return Explanation(tuple(shares), types, (sides[0], sides[1]), more)

    def _by_type(self, left: int, right: int) -> tuple[tuple[str, float | None, int, int], ...]:
        """Score each type of work by itself; nothing where the class has only one."""
        if not self._types:
            return ()
        counts = [Counter(map(_type_of, self._collection.holders(group))) for group in (left, right)]
        found: list[tuple[str, float | None, int, int]] = []
        for name in (PROGRAMS, TEXTS, SLIDES, SHEETS):
            some = counts[0][name], counts[1][name]
            if not any(some):
                continue
            score = self._type_score(name, left, right) if all(some) else None
            found.append((name, score, *some))
        return tuple(found)

    def _type_score(self, name: str, left: int, right: int) -> float:
        key = CODE if name == PROGRAMS else name
        lists = self._lists.get(key) if name == PROGRAMS else self._types.get(name)
        if lists is None:
            return 0.0
        whole = bool(lists.short[left] and lists.short[right])
        shared = self._list((key, whole), lists.whole if whole else lists.chosen)
        worth = shared.of(left, right)[1].sum()
        share = _share(worth, shared.total(left, right))
        if name != PROGRAMS or self._more is None:
            return share
        strings, statements = (
            self._list((more, False), each)
            for more, each in zip((STRING, STATEMENT), self._more, strict=True)
        )
        pooled = shared.postings.totals + strings.postings.totals
        worth += strings.of(left, right)[1].sum()
        same = statements.of(left, right)[1].sum()
        share = max(
            share,
            _share(worth, min(pooled[left], pooled[right])),
            _share(same, statements.total(left, right)),
        )
        either = statements.postings.totals[[left, right]].sum() - same
        return share * (1 - VERBATIM + VERBATIM * (_share(same, either) if either > 0 else 1.0))

    def _list(self, key: tuple[str, bool], postings: Postings) -> _SharedHashes:
        if key not in self._shared:
            self._shared[key] = _SharedHashes(postings)
        return self._shared[key]

    def _in_file(
        self, filed: FiledDocument, channel: str, whole: bool, wanted: dict[str, UInt64s]
    ) -> Iterator[Clue]:
        """Give the clues of one file, kind by kind, in the order of their places; touching ones as one."""
        name, kind = filed.entry.path, filed.kind_in(channel)
        if channel not in filed.kinds and filed.kinds:
            return
        found = self._fingerprints(filed, kind, whole)
        places = np.column_stack([found.starts, found.ends]).astype(np.int64)
        yield from _placed(RARE, name, wanted[RARE], found.hashes, places)
        lexemes = self._lexemes(filed, kind) if STATEMENT in wanted else None
        if lexemes is None:
            return
        keyed = self._evidence.keyed
        yield from _placed(STRING, name, wanted[STRING], keyed(lexemes.string_hashes), lexemes.strings)
        yield from _placed(
            STATEMENT, name, wanted[STATEMENT], keyed(lexemes.statement_hashes), lexemes.statements
        )

    def _fingerprints(self, filed: FiledDocument, kind: str, whole: bool) -> Fingerprints:
        key = (filed.entry.path, kind, whole)
        if key not in self._kept:
            read = self._reader.placed_grams if whole else self._reader.placed_fingerprints
            self._keep(key, read(filed.entry, kind, filed.source_kind(kind)))
        found = self._kept[key]
        assert isinstance(found, Fingerprints)
        return found

    def _lexemes(self, filed: FiledDocument, kind: str) -> PlacedLexemes | None:
        key = (filed.entry.path, f"lexemes {kind}", False)
        if key not in self._kept:
            self._keep(key, self._reader.placed_lexemes(filed.entry, kind, filed.source_kind(kind)))
        found = self._kept[key]
        assert not isinstance(found, Fingerprints)
        return found

    def _keep(self, key: tuple[str, str, bool], made: Fingerprints | PlacedLexemes | None) -> None:
        self._kept[key] = made
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def _type_of(filed: FiledDocument) -> str:
    return PROGRAMS if CODE in filed.kinds else written_type(filed.entry)


def _placed(
    what: str, file: str, wanted: UInt64s, hashes: UInt64s, places: NDArray[np.int64]
) -> Iterator[Clue]:
    """Give the places whose hash is wanted, those that overlap as one."""
    here = places[np.isin(hashes, wanted)]
    here = here[np.argsort(here[:, 0], kind="stable")]
    if not len(here):
        return
    reached = np.maximum.accumulate(here[:, 1])
    heads = np.flatnonzero(np.append(True, here[1:, 0] > reached[:-1]))
    starts, ends = here[heads, 0], reached[np.append(heads[1:], len(here)) - 1]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield Clue(what, file, start, end)


def _share(part: float, whole: float) -> float:
    return min(float(part / whole), 1.0) if whole > 0 else 0.0
