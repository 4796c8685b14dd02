"""Who holds a document, whole or in part, altered or not: who to notify when it changes (§6.4, §6.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from copysift.kinds.kind import CODE, family
from copysift.match.exact import regions
from copysift.model.answers import Hit
from copysift.model.sweeps import Alteration, Holder, Holders, Lost
from copysift.settings.sweeps import spelled
from copysift.store.catalog_rows import ContentRow
from copysift.store.timeline import VersionRow
from copysift.workflows.addresses import group
from copysift.workflows.alterations import compared
from copysift.workflows.query_document import QueryDocument
from copysift.workflows.reading import Reader
from copysift.workflows.trace import Trace

SAME = 0.005  # a share that differs by less is the same: it is told in whole percents


@dataclass(frozen=True, slots=True)
class _Original:
    """The document that is looked for, and the versions that the sweeps know of it."""

    uri: str
    number: int
    versions: list[VersionRow]


class CopySearch:
    """Answers for one question."""

    def __init__(
        self, trace: Trace, reader: Reader, question: QueryDocument, original: str = "", by: str = "host"
    ) -> None:
        self._trace, self._reader, self._question, self._by = trace, reader, question, by
        self._original = self._found_original(original)

    def holders(self, found: list[tuple[Hit, ContentRow]], watch: bool) -> Holders:
        """List who holds it in the newest sweep; with `watch` what is new or changed since the one before."""
        trace = self._trace
        hits = {row.number: (hit, row) for hit, row in found}
        rows = trace.timeline.places_of(hits)
        own = {self._original.number} | self._works_of_author()
        before = trace.times[-2] if len(trace.times) > 1 else None
        was = {
            row.uri: row.content
            for row in rows
            if before is not None and row.first <= before <= trace.last_of(row) and row.uri not in own
        }
        now = [row for row in rows if row.last is None and row.uri not in own]
        names = trace.timeline.uris({*(row.uri for row in now), *was})
        since: dict[int, int] = {}
        for row in rows:
            since[row.uri] = min(row.first, since.get(row.uri, row.first))
        made = []
        for row in now:
            old = was.get(row.uri)
            if watch and old == row.content:
                continue
            holder = self._holder(names[row.uri], since[row.uri], *hits[row.content], old is None)
            if old is not None and old != row.content and self._differs(holder, *hits[old]):
                holder = replace(holder, changed=True)
            if holder.new or holder.changed or not watch:
                made.append(holder)
        made.sort(key=lambda each: (each.group, -each.share, each.uri))
        there = {row.uri for row in now}
        gone = sorted(names[uri] for uri in was if uri not in there)
        lost = [
            Lost(uri, group(uri, self._by), spelled(trace.latest), spelled(trace.times[-2])) for uri in gone
        ]
        kept = bool(trace.snapshot.settings.get("keep_text"))
        return Holders(
            self._question.name, spelled(trace.latest), "" if before is None else spelled(before),
            self._original.uri, tuple(made), tuple(lost), watch, kept,
        )  # fmt: skip

    def _works_of_author(self) -> set[int]:
        """Give the addresses with works of the author, or of the team, of the original (--metadata)."""
        members, units = self._trace.snapshot.members(), self._trace.snapshot.units()
        author = units.get(members.get(self._original.number, 0))
        if author is None:
            return set()
        alike = {
            number
            for number, row in units.items()
            if (row.author_key and row.author_key == author.author_key)
            or (row.team_key and row.team_key == author.team_key)
        }
        return {document for document, unit in members.items() if unit in alike}

    def _found_original(self, uri: str) -> _Original:
        """Find the address of the original: as given, else the first that ever had these bytes."""
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
            uri, group(uri, self._by), state, hit.containment_left, hit.resemblance, spelled(since),
            version, date, closeness, alterations, new,
        )  # fmt: skip

    def _differs(self, holder: Holder, hit: Hit, content: ContentRow) -> bool:
        """Say whether a page that was edited held this document otherwise before it was."""
        held = (holder.state, holder.alterations)
        return abs(holder.share - hit.containment_left) >= SAME or held != self._state(hit, content)

    def _closest(self, hit: Hit, content: ContentRow) -> tuple[int, str, float]:
        """Give the version of the original that a content resembles most, the newest of equals."""
        best = (hit.resemblance, 0, "")
        for number, row in enumerate(self._original.versions, 1):
            found = self._trace.between(row.content, content.number)
            if found is not None and found.resemblance >= best[0]:
                best = (found.resemblance, number, spelled(row.first))
        return best[1], best[2], best[0]

    def _state(self, hit: Hit, content: ContentRow) -> tuple[str, tuple[Alteration, ...] | None]:
        """Say how a holder differs; who shares all tokens of a program, but not its text, has altered it."""
        if hit.equal:
            return "identical", ()
        tokens = hit.channel.startswith(CODE)
        text = self._trace.snapshot.text(content.number)
        if text is None:
            return ("whole" if hit.containment_left >= 1 and not tokens else "part or altered"), None
        if self._question.source.strip() in text:
            return "whole", ()
        kind, other = self._question.kind, content.kind
        if not tokens:
            kind, other = self._reader.readings(kind)[0], self._reader.readings(other)[0]
        if family(kind) != family(other):
            return "part or altered", None
        left = self._reader.canonical_of(self._question.source, kind)
        right = self._reader.canonical_of(text, other)
        tiles = regions(left, right, *self._reader.noise(kind))
        found = compared(self._question.source, text, tiles)
        return ("altered" if tokens and found.state == "whole" else found.state), found.alterations
