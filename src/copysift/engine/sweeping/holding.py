"""Who holds a document, whole or in part, altered or not: whom to notify when it changes (§6.4, §6.6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copysift.engine.asking import Question
from copysift.engine.documents import Reader, family
from copysift.engine.sweeping.addresses import group
from copysift.engine.sweeping.tracing import Trace
from copysift.index.catalog import ContentRow
from copysift.index.timeline import VersionRow
from copysift.match.exact import Matches, line_span, line_starts, regions
from copysift.settings_sweeps import spelled
from copysift.values import Hit
from copysift.values_sweeps import Alteration, Holder, Holders

SHOWN = 400  # bytes of a changed passage that are given


@dataclass(frozen=True, slots=True)
class _Original:
    """The document that is looked for, and the versions that the sweeps know of it."""

    uri: str
    number: int
    versions: list[VersionRow]


class Holding:
    """Answers for one question."""

    def __init__(self, trace: Trace, reader: Reader, question: Question, original: str = "") -> None:
        self._trace, self._reader, self._question = trace, reader, question
        self._original = self._found_original(original)

    def holders(self, found: list[tuple[Hit, ContentRow]], watch: bool) -> Holders:
        """Tell who holds it in the newest sweep; with `watch` what is new since the sweep before."""
        trace = self._trace
        hits = {row.number: (hit, row) for hit, row in found}
        rows = trace.timeline.places_of(hits)
        before = trace.times[-2] if len(trace.times) > 1 else None
        was = {
            row.uri: row.content
            for row in rows
            if before is not None and row.first <= before <= trace.last_of(row)
        }
        now = [row for row in rows if row.last is None and row.uri != self._original.number]
        names = trace.timeline.uris({*(row.uri for row in now), *was})
        since: dict[int, int] = {}
        for row in rows:
            since[row.uri] = min(row.first, since.get(row.uri, row.first))
        made = []
        for row in now:
            new = was.get(row.uri) != row.content
            if new or not watch:
                made.append(self._holder(names[row.uri], since[row.uri], *hits[row.content], new))
        made.sort(key=lambda each: (each.group, -each.share, each.uri))
        there = {row.uri for row in now} | {self._original.number}
        lost = sorted(names[uri] for uri in was if uri not in there)
        kept = bool(trace.snapshot.settings.get("keep_text"))
        return Holders(
            self._question.name, spelled(trace.latest), "" if before is None else spelled(before),
            self._original.uri, tuple(made), tuple(lost), watch, kept,
        )  # fmt: skip

    def _found_original(self, uri: str) -> _Original:
        """Find the address of the original: as told, else the first that ever had these bytes."""
        trace = self._trace
        if uri:
            number = trace.number_of(uri)
            return _Original(uri, number, trace.timeline.versions_of(number))
        rows = trace.snapshot.contents_of(self._question.checksum, self._question.bytes)
        places = trace.timeline.places_of([row.number for row in rows])
        if not places:
            return _Original("", 0, [])
        first = places[0].uri
        return _Original(trace.timeline.uris([first])[first], first, trace.timeline.versions_of(first))

    def _holder(self, uri: str, since: int, hit: Hit, content: ContentRow, new: bool) -> Holder:
        version, date, closeness = self._closest(hit, content)
        state, alterations = self._state(hit, content)
        return Holder(
            uri, group(uri), state, hit.containment_left, hit.resemblance, spelled(since), version, date,
            closeness, alterations, new,
        )  # fmt: skip

    def _closest(self, hit: Hit, content: ContentRow) -> tuple[int, str, float]:
        """Give the version of the original that a content resembles most, the newest of equals."""
        best = (hit.resemblance, 0, "")
        for number, row in enumerate(self._original.versions, 1):
            found = self._trace.between(row.content, content.number)
            if found is not None and found.resemblance >= best[0]:
                best = (found.resemblance, number, spelled(row.first))
        return best[1], best[2], best[0]

    def _state(self, hit: Hit, content: ContentRow) -> tuple[str, tuple[Alteration, ...] | None]:
        if hit.equal:
            return "identical", ()
        text = self._trace.snapshot.text(content.number)
        if text is None:
            return ("whole" if hit.containment_left >= 1 else "part"), None
        if self._question.source.strip() in text:
            return "whole", ()
        if family(content.kind) != family(self._question.kind):
            return "part", None
        altered, whole = self._alterations(text, content.kind)
        return ("altered" if altered else "whole" if whole else "part"), altered

    def _alterations(self, text: bytes, kind: str) -> tuple[tuple[Alteration, ...], bool]:
        """Give what stands between the passages that both have, and whether these reach from end to end."""
        ours, question = self._question.source, self._question
        left, right = self._reader.canonical_of(ours, question.kind), self._reader.canonical_of(text, kind)
        tiles = regions(left, right, *self._reader.noise(question.kind))
        lines = line_starts(ours)
        made = []
        for one, other in _neighbours(tiles):
            start, end = int(tiles.left_ends[one]), int(tiles.left_starts[other])
            there = text[int(tiles.right_ends[one]) : int(tiles.right_starts[other])]
            if ours[start:end].split() == there.split():
                continue  # white space and the like
            first, last = line_span(lines, np.array([start]), np.array([max(end, start + 1)]))
            made.append(Alteration(int(first[0]), int(last[0]), _shown(ours[start:end]), _shown(there)))
        whole = bool(len(tiles)) and tiles.symbols >= len(left.symbols) and not made
        return tuple(made), whole


def _neighbours(tiles: Matches) -> list[tuple[int, int]]:
    """Pair passages that follow each other on both sides."""
    pairs = []
    for at in range(len(tiles) - 1):
        if tiles.right_ends[at] <= tiles.right_starts[at + 1]:
            pairs.append((at, at + 1))
    return pairs


def _shown(piece: bytes) -> str:
    text = piece[:SHOWN].decode("utf-8", "replace")
    return text + "…" if len(piece) > SHOWN else text
