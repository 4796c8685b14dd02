"""An index that was opened: its settings, what was read of it, and who writes to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from copysift.errors import InputError, UsageError
from copysift.model.document import Document
from copysift.model.traits import is_raw
from copysift.model.values import Skipped
from copysift.runtime.encoding import to_utf8
from copysift.settings.comparison import Settings
from copysift.settings.contents import LookUp
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.keywords import IndexKeywords
from copysift.store.segment import Damage
from copysift.store.snapshot import Snapshot, exists, settings_of
from copysift.store.writer import Writer
from copysift.workflows.index_base import base_of_question
from copysift.workflows.index_lexers import note as read_otherwise
from copysift.workflows.python_input import (
    file_question,
    file_questions,
    question_of,
    submission_questions,
)
from copysift.workflows.query import Answerer
from copysift.workflows.query_document import QueryDocument
from copysift.workflows.reading import Reader
from copysift.workflows.stored_settings import (
    Members,
    Places,
    StoredReader,
    question_reader,
    reader_of,
    reading_settings,
    reconciled,
    remembered,
    require_seed,
)
from copysift.workflows.submissions import reading_of

if TYPE_CHECKING:  # what writes is loaded when it is needed: a query starts faster without
    from copysift.store.merge import Policy
    from copysift.store.writer import Writer

Place = str | os.PathLike[str]
READERS = 64  # readers of questions that are kept, by kind and language


class OpenedIndex:
    """The state of `copysift.Index`, and the questions that it answers."""

    def __init__(
        self, path: Place, *, keep_text: bool | None = None, **settings: Unpack[IndexKeywords]
    ) -> None:
        self.path = Path(path)
        self._given: dict[str, object] = {**settings}
        self._places = Places(self.path)
        self._snapshot: Snapshot | None = None
        self._asked: tuple[tuple[str, ...], Answerer] | None = (
            None  # of this snapshot, without this base code
        )
        self._notes: tuple[Snapshot, tuple[str, ...]] | None = None  # on how its programs were read
        self._readers: dict[tuple[str, str], Reader] = {}  # of questions, by kind and language
        self._left_out: list[str] = []  # of the submissions that are looked up
        self._common = 0  # fingerprints of questions that too many documents have
        self._writer: Writer | None = None
        self._policy: Policy | None = None
        self._keep_text = keep_text
        stored = settings_of(self.path)
        if stored is not None:
            self._settle(stored)
        else:
            self.settings = make(Settings, settings)
            self._stored = remembered(self.settings, bool(keep_text))
            Reader(self.settings)  # what makes no sense is refused before anything is written
            self._texts = bool(keep_text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the snapshot, and give up the right to write.

        >>> index.close()
        """
        self.refresh()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def refresh(self) -> None:
        """Forget the snapshot: the next question sees what is committed then.

        An iterator that is under way keeps it and continues with it, whatever is added or removed meanwhile.

        >>> index.refresh()
        >>> index.info()["documents"]
        15
        """
        self._snapshot = self._asked = self._notes = None
        self._readers = {}

    def questions(self, path: Place, asked: LookUp | None = None) -> Iterator[QueryDocument | Skipped]:
        """Make a question of every document at or below a path: a file, a container, a file of records.

        With `by` "dir" of every submission: a first-level folder or archive with all its files.

        >>> [each.name for each in index.questions("essays/web")]
        ['essays/web/index.html', 'essays/web/tides.html']
        """
        asked = asked or LookUp()
        reader, alone = self._question_reader(asked), asked.kind != "auto"
        questions = file_questions
        if isinstance(asked, Query) and asked.by == "dir":
            questions = partial(submission_questions, notes=self._left_out)
        fields = reading_settings(self.path, self._reading().catalog, self._given)
        reading = replace(reading_of(self.settings), fields=reading_of(fields).fields)
        return questions(reader, reading, path, asked.language, alone)

    def question(
        self,
        content: Place | bytes | Document,
        *,
        text: bool = False,
        name: str = "",
        asked: LookUp | None = None,
    ) -> QueryDocument:
        """Make a question of a file, of bytes, of a document or of a string; these may be a program.

        >>> index.question("some words", text=True).kind
        'text'
        """
        asked = asked or LookUp()
        language, alone = asked.language, bool(asked.language) or asked.kind != "auto"
        reader = self._question_reader(asked)
        if isinstance(content, Document):
            data, kind = b"".join(content.content.chunks()), content.hint.kind
            source = data if is_raw(kind) else to_utf8(data)[0]
            kind = kind if kind not in ("", "auto") else reader.kind_of(source, content.file)
            return question_of(content.name, data, source, kind, alone)
        if isinstance(content, bytes) or text:
            data = (
                content if isinstance(content, bytes) else os.fspath(content).encode("utf-8", "surrogatepass")
            )
            source = data if text or asked.kind == "bytes" else to_utf8(data)[0]
            kind = reader.kind_in(language) if language else reader.kind_of(source, "" if text else name)
            return question_of(name or "-", data, source, kind, alone)
        loaded = Members(reading_of(self.settings)).load(os.fspath(content))
        if isinstance(loaded, Skipped):
            raise InputError(f"{loaded.name}: {loaded.reason}")
        return file_question(reader, loaded, language, alone)

    def stored(self) -> dict[str, object]:
        """Give the settings that the index was made with; of a seed, a check.

        >>> index.stored()["scheme"]
        'open-closed'
        """
        return dict(self._reading().settings)

    @property
    def damages(self) -> list[Damage]:
        """What was found damaged in the index as it is open now, in whatever was read of it so far.

        >>> index.damages
        []
        """
        return [] if self._snapshot is None else list(self._snapshot.damages)

    def _damaged(self) -> tuple[Skipped, ...]:
        """Name what was found damaged as what is skipped."""
        return tuple(Skipped(damage.where, damage.what) for damage in self.damages)

    def _reading(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(self.path)
        return self._snapshot

    def _read_otherwise(self) -> tuple[str, ...]:
        """Note programs that another version read: looked up once, for that takes longer than a query."""
        snapshot, known = self._reading(), self._notes
        if known is None or known[0] is not snapshot:
            known = self._notes = (
                snapshot,
                read_otherwise(snapshot.catalog, Reader(self.settings).languages),
            )
        return known[1]

    def _writing(self, *, at_once: bool = True) -> Writer:
        if self._writer is None:
            made = None if exists(self.path) else remembered(self.settings, self._texts)
            self._writer = Writer(self.path, made, self._policy, at_once=at_once)
            self._settle(self._writer.catalog.about("settings"))  # another may have made it meanwhile
        return self._writer

    def _settle(self, stored: Mapping[str, Any]) -> None:
        self.settings = reconciled(self.path, stored, self._given)
        self._readers = {}
        self._stored = dict(stored)
        self._texts = bool(stored.get("keep_text"))
        if self._keep_text and not self._texts:
            raise UsageError(
                f"{self.path} was created without --keep-text",
                hint="create another index with --keep-text",
            )

    def _stored_reader(self, snapshot: Snapshot) -> StoredReader:
        require_seed(self.path, self._stored, self.settings)
        return StoredReader(self.settings, snapshot, self._places)

    def _question_reader(self, asked: LookUp) -> Reader:
        known = (asked.kind, asked.language)
        if known not in self._readers:
            made = question_reader(self.path, self.settings, self.stored(), *known)
            self._readers = {**self._readers, known: made} if len(self._readers) < READERS else {known: made}
        return self._readers[known]

    def _asking(self, base: tuple[str, ...] = ()) -> Answerer:
        snapshot = self._reading()
        if self._asked is None or self._asked[0] != base:
            reader = self._stored_reader(snapshot)
            ignored = base_of_question(base, self.settings, reader)
            self._asked = base, Answerer(snapshot, reader, self._places, ignored)
        return self._asked[1]

    def _sketching(self) -> tuple[Reader, bool]:
        require_seed(self.path, self._stored, self.settings)
        return reader_of(self.settings, self._stored), self._texts
