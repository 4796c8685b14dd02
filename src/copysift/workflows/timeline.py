"""The part of `copysift.Index` that knows about time: sweeps, and what is looked up in them."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from copysift.errors import InputError, UsageError
from copysift.kinds.kind import CODE, channel_of
from copysift.model.sweeps import Changes, History, Holders, Located, Sweep, Swept
from copysift.settings.contents import LookUp
from copysift.settings.declaration import make, settings_of
from copysift.settings.index import Query
from copysift.settings.keywords import (
    ChangesKeywords,
    CopiesKeywords,
    HistoryKeywords,
    LocateKeywords,
    SweepKeywords,
)
from copysift.settings.sweeps import Copies, SweepOptions, TraceOptions, spelled
from copysift.store.snapshot import exists
from copysift.store.timeline import is_swept
from copysift.workflows.changes import changes
from copysift.workflows.copies import CopySearch
from copysift.workflows.history import history
from copysift.workflows.index_base import base_of_question
from copysift.workflows.locate import locate, locate_contents
from copysift.workflows.opened_index import OpenedIndex
from copysift.workflows.query_document import QueryDocument
from copysift.workflows.stored_settings import reading_settings
from copysift.workflows.submission_content import MIXED
from copysift.workflows.trace import Measure, Trace

if TYPE_CHECKING:
    from copysift.runtime.progress import Progress
    from copysift.workflows.python_documents import Documents

Place = str | os.PathLike[str]


class OverTime(OpenedIndex):
    """Sweeps of an index; `copysift.Index` is made from it."""

    def sweep(
        self,
        source: Documents,
        *,
        progress: Progress | None = None,
        **asked: Unpack[SweepKeywords],
    ) -> Swept:
        """Add one dated sweep: a folder, records, a frame, or an iterable of (uri, text) or mappings.

        Settings are those of `copysift sweep`: date, revision, input_format, overwrite, max_shared. It is one
        commit: when it fails, nothing was changed; a first one that fails leaves no index.

        >>> done = sweeps.sweep("essays/web", date="2026-02-01")
        >>> done.new, done.gone
        (2, 15)
        """
        from copysift.workflows.sweep import Sweeper  # loads Arrow, which a query does not need
        from copysift.workflows.sweep_sources import Sources

        sweeping = make(SweepOptions, asked)
        settings = self.settings
        if exists(self.path):  # what counts as one document is remembered, as by index add
            settings = reading_settings(self.path, self._reading().catalog, self._given)
        sources = Sources(source, sweeping, settings, self.path)
        writer = self._writing(at_once=False)
        reader, keep_text = self._sketching()
        try:
            sweeper = Sweeper(writer, reader, settings, keep_text, progress)
            if writer.catalog.about("reading") != (reading := {"by": settings.by}):
                writer.catalog.set_about("reading", reading)
                writer.changed = True
            labels = sources.labels if settings.by == "dir" or settings.metadata else None
            done = sweeper.run(
                sources.met(), sources.at, sources.name, sweeping.overwrite, sweeping.max_shared, labels
            )
            self._stored = writer.catalog.about("settings")
            return done
        except BaseException:
            writer.rollback()
            raise
        finally:
            self.refresh()

    @property
    def swept(self) -> bool:
        """Whether the index has sweeps.

        >>> index.swept, sweeps.swept
        (False, True)
        """
        return is_swept(self._reading().catalog)

    def sweeps(self) -> list[Sweep]:
        """Give the sweeps, oldest first.

        >>> [each.documents for each in sweeps.sweeps()]
        [15]
        """
        return [Sweep(spelled(row.at), row.source, row.documents) for row in self._trace().sweeps]

    def locate(self, uri: str, **asked: Unpack[LocateKeywords]) -> Located:
        """Say where the document of an address is now; `threshold` is the least resemblance.

        >>> sweeps.locate("bees.txt").now.since
        '2026-01-01'
        """
        trace = self._trace()
        trace.number_of(uri)  # an address that nobody met is told first
        tracing = make(TraceOptions, asked, "locate")
        if tracing.base:
            raise UsageError(
                f"--base is about a file that is read, and {uri} was compared when it was swept",
                hint="use sweep --base, or pass a file",
            )
        _refuse_of_address(tracing, uri)
        return locate(trace, uri, tracing.kept)

    def seen(self, content: Place | bytes, *, text: bool = False, **asked: Unpack[LocateKeywords]) -> Located:
        """Say whether any sweep has seen a file, bytes, or (`text`) a string, and where it is now.

        >>> sweeps.seen("essays/bees.txt").now.uri
        'bees.txt'
        """
        tracing = make(TraceOptions, asked, "locate")
        trace, question = self._trace(), self.question(content, text=text, asked=tracing)
        exact = [row.number for row in trace.snapshot.contents_of(question.checksum, question.bytes)]
        reader = self._sketching()[0]
        kind = reader.readings(question.kind)[0]
        measures: dict[int, Measure] = {}
        if not question.alone or channel_of(kind) == channel_of(question.kind):
            found = reader.fingerprints(kind, [question.source] if question.source else [])
            measures = trace.measures(found, base_of_question(tracing.base, self.settings, reader))
        for number, measure in self._by_tokens(question, tracing).items():
            if number not in measures or measure.resemblance > measures[number].resemblance:
                measures[number] = measure
        located = locate_contents(trace, question.name, exact, measures, tracing.cut)
        return replace(located, skipped=self._damaged())

    def history(self, uri: str, **asked: Unpack[HistoryKeywords]) -> History:
        """Give the versions of an address; settings: diff (what changed), since, until.

        >>> sweeps.history("bees.txt").versions[0].first
        '2026-01-01'
        """
        made = make(TraceOptions, asked, "history")
        return history(self._trace(), uri, made.diff, made.since, made.until)

    def changes(self, **asked: Unpack[ChangesKeywords]) -> Changes:
        """Count what appeared, disappeared, moved and changed; settings: threshold, since, until.

        >>> done = sweeps.sweep("essays/web", date="2026-02-01")
        >>> sweeps.changes().turns[-1].documents
        2
        """
        made = make(TraceOptions, asked, "changes")
        return changes(self._trace(), made.kept, made.since, made.until)

    def copies(
        self, content: Place | bytes, *, text: bool = False, **asked: Unpack[CopiesKeywords]
    ) -> Holders:
        """Find copies of all or part of a file, of bytes or of a string.

        Settings are those of `copysift copies`: threshold, original, group_by, watch.

        >>> [each.uri for each in sweeps.copies("essays/bees.txt").holders]
        ['bees-rearranged.txt']
        """
        made = make(Copies, asked)
        return self._holders(self.question(content, text=text, asked=made), made)

    def copies_of(self, uri: str, **asked: Unpack[CopiesKeywords]) -> Holders:
        """Find copies of all or part of what is, or last was, at an address whose text is kept.

        >>> [each.uri for each in sweeps.copies_of("bees.txt").holders]
        ['bees-rearranged.txt']
        """
        made = make(Copies, {"original": uri, **asked})
        trace = self._trace()
        trace.number_of(uri)  # an address that nobody met is told first
        _refuse_of_address(made, uri)
        last = trace.timeline.versions_of(trace.number_of(uri))[-1]
        source = trace.snapshot.text(last.content)
        if source is None:
            raise InputError(
                f"{self.path} stores no texts, so {uri} cannot be looked up",
                hint="pass a file",
            )
        row = trace.snapshot.contents([last.content])[last.content]
        if row.kind == MIXED:
            raise InputError(
                f"{uri} is a submission with files of several kinds, which are looked up one by one",
                hint="pass a file of it",
            )
        question = QueryDocument(uri, source, row.kind, row.checksum, row.bytes)
        return self._holders(question, made)

    def holders(
        self, content: Place | bytes, *, text: bool = False, **asked: Unpack[CopiesKeywords]
    ) -> Holders:
        """Find copies: the old name of `copies`.

        >>> len(sweeps.holders("essays/bees.txt").holders)
        1
        """
        warnings.warn("Index.holders is now Index.copies", DeprecationWarning, stacklevel=2)
        return self.copies(content, text=text, **asked)

    def holders_of(self, uri: str, **asked: Unpack[CopiesKeywords]) -> Holders:
        """Find copies: the old name of `copies_of`.

        >>> len(sweeps.holders_of("bees.txt").holders)
        1
        """
        warnings.warn("Index.holders_of is now Index.copies_of", DeprecationWarning, stacklevel=2)
        return self.copies_of(uri, **asked)

    def _holders(self, question: QueryDocument, asked: Copies) -> Holders:
        reader, _ = self._sketching()
        holding = CopySearch(self._trace(), reader, question, asked.original, asked.group_by)
        query = Query(threshold=asked.cut, measure="containment-left")
        found = self._asking(asked.base).contents(question, query)
        return replace(holding.holders(found, asked.watch), skipped=self._damaged())

    def _by_tokens(self, question: QueryDocument, asked: TraceOptions) -> dict[int, Measure]:
        """Give the programs that resemble a document by their tokens, as a query finds them."""
        query = Query(threshold=asked.cut, measure="resemblance")
        return {
            row.number: Measure(hit.resemblance, hit.containment_left, hit.containment_right)
            for hit, row in self._asking(asked.base).contents(question, query)
            if hit.channel.startswith(CODE)
        }

    def _trace(self) -> Trace:
        return Trace(self._reading())


def _refuse_of_address(asked: LookUp, uri: str) -> None:
    """Raise UsageError for settings that say how a file is read, where none is."""
    for name in ("kind", "language"):
        if getattr(asked, name) != settings_of(LookUp)[name].default:
            raise UsageError(
                f"--{name} says how a file is read, and {uri} is in the index already", hint="leave it out"
            )
