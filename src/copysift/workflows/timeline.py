"""The part of `copysift.Index` that knows about time: sweeps, and what is asked about them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copysift.errors import InputError
from copysift.model.sweeps import Changes, History, Holders, Located, Sweep, Swept
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.sweeps import Copies, Sweeping, Tracing, spelled
from copysift.workflows.query import Question

if TYPE_CHECKING:
    from copysift.runtime.progress import Progress
    from copysift.store.snapshot import Snapshot
    from copysift.store.writer import Writer
    from copysift.workflows.query import Asking
    from copysift.workflows.tracing import Trace

Place = str | os.PathLike[str]


class OverTime(ABC):
    """Sweeps of an index; `copysift.Index` is made from it."""

    path: Path
    settings: Settings
    _stored: dict[str, Any]

    @abstractmethod
    def _reading(self) -> Snapshot: ...

    @abstractmethod
    def _writing(self, *, at_once: bool = True) -> Writer: ...

    @abstractmethod
    def _asking(self) -> Asking: ...

    @abstractmethod
    def question(self, content: Any, *, text: bool = False, name: str = "", language: str = "") -> Question:
        """Make a question of a file, of bytes or of a string."""

    @abstractmethod
    def refresh(self) -> None:
        """Forget the snapshot."""

    @abstractmethod
    def _sketching(self) -> tuple[Any, bool]: ...

    def sweep(self, source: Any, *, progress: Progress | None = None, **asked: object) -> Swept:
        """Add one dated sweep: a folder, files of records, or an iterable of (uri, text) or mappings.

        Settings are those of `copysift sweep`: date, revision, input_format, overwrite. It is one commit:
        when it fails, nothing was changed; a first one that fails leaves no index.
        """
        from copysift.workflows.sweep import Sweeper
        from copysift.workflows.sweep_sources import Sources

        sources = Sources(source, make(Sweeping, asked), self.settings, self.path)
        writer = self._writing(at_once=False)
        reader, keep_text = self._sketching()
        try:
            sweeper = Sweeper(writer, reader, self.settings, keep_text, progress)
            done = sweeper.run(sources.met(), sources.at, sources.name, sources.replace)
            self._stored = writer.catalog.about("settings")
            return done
        except BaseException:
            writer.rollback()
            raise
        finally:
            self.refresh()

    @property
    def swept(self) -> bool:
        """Whether the index has sweeps."""
        from copysift.store.timeline import is_swept

        return is_swept(self._reading().catalog)

    def sweeps(self) -> list[Sweep]:
        """Give the sweeps, oldest first."""
        return [Sweep(spelled(row.at), row.source, row.documents) for row in self._trace().sweeps]

    def locate(self, uri: str, **asked: object) -> Located:
        """Tell where the document of an address is now; `threshold` is the least resemblance."""
        from copysift.workflows.locate import locate

        trace = self._trace()
        trace.number_of(uri)  # an address that nobody met is told first
        return locate(trace, uri, make(Tracing, asked, "locate").kept)

    def seen(self, content: Place | bytes, *, text: bool = False, **asked: object) -> Located:
        """Tell whether any sweep has seen a file, bytes, or (`text`) a string, and where it is now."""
        from copysift.workflows.locate import locate_contents
        from copysift.workflows.tracing import Measure

        threshold = make(Tracing, asked, "locate").cut
        trace, question = self._trace(), self.question(content, text=text)
        found = self._asking().contents(question, Query(threshold=threshold, measure="containment"))
        exact = [row.number for hit, row in found if hit.equal]
        measures = {
            row.number: Measure(hit.resemblance, hit.containment_left, hit.containment_right)
            for hit, row in found
        }
        return locate_contents(trace, question.name, exact, measures, threshold)

    def history(self, uri: str, **asked: object) -> History:
        """Give the versions of an address; settings: diff (what changed), since, until."""
        from copysift.workflows.history import history

        made = make(Tracing, asked, "history")
        return history(self._trace(), uri, made.diff, made.since, made.until)

    def changes(self, **asked: object) -> Changes:
        """Count what appeared, died, moved and changed; settings: threshold, since, until."""
        from copysift.workflows.changes import changes

        made = make(Tracing, asked, "changes")
        return changes(self._trace(), made.kept, made.since, made.until)

    def holders(self, content: Place | bytes, *, text: bool = False, **asked: object) -> Holders:
        """Tell who holds all or part of a file, of bytes or a string.

        Settings are those of `copysift copies`: threshold, original, group_by, watch.
        """
        return self._holders(self.question(content, text=text), make(Copies, asked))

    def holders_of(self, uri: str, **asked: object) -> Holders:
        """Tell who holds all or part of what stands, or last stood, at an address whose text is kept."""
        trace = self._trace()
        last = trace.timeline.versions_of(trace.number_of(uri))[-1]
        source = trace.snapshot.text(last.content)
        if source is None:
            raise InputError(
                f"{self.path} stores no texts, so {uri} cannot be looked up",
                hint="pass a file",
            )
        row = trace.snapshot.contents([last.content])[last.content]
        question = Question(uri, source, row.kind, row.checksum, row.bytes)
        return self._holders(question, make(Copies, {"original": uri, **asked}))

    def _holders(self, question: Question, asked: Copies) -> Holders:
        from copysift.workflows.copies import Holding

        reader, _ = self._sketching()
        holding = Holding(self._trace(), reader, question, asked.original, asked.group_by)
        found = self._asking().contents(question, Query(threshold=asked.cut, measure="containment-left"))
        return holding.holders(found, asked.watch)

    def _trace(self) -> Trace:
        from copysift.workflows.tracing import Trace

        return Trace(self._reading())
