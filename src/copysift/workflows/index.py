"""`copysift.Index`: a collection fingerprinted once, kept on disk, asked in milliseconds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from copysift.errors import InputError, StoreError, UsageError
from copysift.model.document import Document
from copysift.model.traits import is_raw
from copysift.model.values import Answer, Group, Hit, Indexed, Pair, Result, Skipped
from copysift.runtime.encoding import to_utf8
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.settings.contents import LookUp
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.keywords import IndexKeywords, QueryKeywords, ScanKeywords
from copysift.store.base_code import base_of
from copysift.store.segment import Damage
from copysift.store.snapshot import Snapshot, exists, settings_of
from copysift.workflows.index_base import base_of_question
from copysift.workflows.index_moves import find_moves
from copysift.workflows.python_input import (
    batched,
    document_of,
    file_question,
    file_questions,
    question_of,
    submission_questions,
)
from copysift.workflows.query import Asking
from copysift.workflows.question import Question
from copysift.workflows.reading import Reader
from copysift.workflows.stored_settings import (
    READING,
    Members,
    Places,
    StoredReader,
    programs_in,
    question_reader,
    reader_of,
    reading_settings,
    reconciled,
    remembered,
    require_seed,
)
from copysift.workflows.submissions import reading_of
from copysift.workflows.timeline import OverTime

if TYPE_CHECKING:  # what writes is loaded when it is needed: a query starts faster without
    from copysift.store.merge import Policy
    from copysift.store.writer import Writer
    from copysift.workflows.index_adding import Added, Adding
    from copysift.workflows.python_documents import Item

Place = str | os.PathLike[str]


class Index(OverTime):
    """An index on disk, made on first use with the given settings.

    Use it as a context manager. Reading sees what was committed when reading began, and after
    every write of its own; `refresh` looks again. Each `add`, `update` and `remove` is committed
    when it returns; a large one also commits on its way, whole documents always. Opened with
    settings other than those it was made with, it raises StoreError.

    >>> with copysift.Index("essays.sift") as index:
    ...     index.add("essays").added
    ...     [hit.right for hit in index.query("essays/bees.txt", threshold="50%")]
    15
    ['essays/bees.txt', 'essays/bees-rearranged.txt']
    """

    def __init__(
        self, path: Place, *, keep_text: bool | None = None, **settings: Unpack[IndexKeywords]
    ) -> None:
        self.path = Path(path)
        self._given: dict[str, object] = {**settings}
        self._places = Places(self.path)
        self._snapshot: Snapshot | None = None
        self._asked: tuple[tuple[str, ...], Asking] | None = None  # of this snapshot, without this base code
        self._common = 0  # fingerprints of questions that too many documents have
        self._writer: Writer | None = None
        self._policy: Policy | None = None
        self._keep_text = keep_text
        self.damages: list[Damage] = []
        stored = settings_of(self.path)
        if stored is not None:
            self._settle(stored)
        else:
            self.settings = make(Settings, settings)
            self._stored = remembered(self.settings, bool(keep_text))
            Reader(self.settings)  # what makes no sense is refused before anything is written
            self._texts = bool(keep_text)

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the snapshot and of the right to write."""
        self.refresh()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def refresh(self) -> None:
        """Forget the snapshot: the next question sees what is committed then.

        An iterator that is under way keeps it and goes on with it, whatever is added or removed meanwhile.
        """
        self._snapshot = self._asked = None

    # ---- writing

    def add(self, what: Place | Iterable[Item], *, progress: Progress | None = None) -> Added:
        """Add files, or documents: a path, or an iterable of paths, Documents, (name, text) or mappings.

        Files whose size and time are those that the index knows are not read. A mapping has `text`
        and one of `id`, `uri` and `name`. A document of a known name replaces it.
        """
        adding = self._adding(progress)
        adding.base_code()
        if isinstance(what, str | os.PathLike):
            adding.files([what])
        else:
            for batch, files in batched(what):
                if files:
                    adding.files(batch)
                else:
                    adding.documents([document_of(each) for each in batch])
        return self._commit(adding)

    def update(
        self, paths: Place | Iterable[Place] | None = None, *, progress: Progress | None = None
    ) -> Added:
        """Add what is new or changed at or below the paths, and remove what has vanished there.

        Without paths, the files that the index knows are looked at.
        """
        adding = self._adding(progress, named=paths is not None)
        adding.base_code()
        contents = {row.name: row.content for row in self._writing().catalog.documents() if row.file}
        known = list(contents)
        if paths is None:
            outers = dict.fromkeys(adding.outer_of(name) or name for name in known)
            named = [self._places.located(name) for name in outers]
            met = adding.files(path for path in named if os.path.lexists(path))
            below = known
        else:
            places = [
                os.fspath(each) for each in ([paths] if isinstance(paths, str | os.PathLike) else paths)
            ]
            met = adding.files(place for place in places if os.path.lexists(place))
            below = [name for name in known if any(self._places.below(name, place) for place in places)]
            missing = [
                place
                for place in places
                if not os.path.lexists(place) and not any(self._places.below(name, place) for name in below)
            ]
            adding.done.skipped += [Skipped(place, "no such file or folder") for place in missing]
        vanished = [
            name
            for name in below
            if name not in met and not os.path.lexists(self._places.located(adding.outer_of(name) or name))
        ]
        moves = find_moves(
            {name: contents[name] for name in vanished}, met - contents.keys(), self._writing().catalog
        )
        for name in vanished:
            adding.done.removed += self._writing().remove(name)
        adding.done.moved += moves
        adding.done.added -= len(moves)
        adding.done.removed -= len(moves)
        return self._commit(adding)

    def remove(self, names: Place | Iterable[Place]) -> int:
        """Remove documents by name or path, or all below a folder; give how many there were."""
        writer = self._plain()
        removed = 0
        for given in [names] if isinstance(names, str | os.PathLike) else names:
            name = os.fspath(given)
            found = int(writer.remove(name) or writer.remove(self._places.stored(name)))
            if not found:
                files = (row.name for row in writer.catalog.documents() if row.file)
                found = sum(map(writer.remove, [file for file in files if self._places.below(file, name)]))
            removed += found
        writer.commit()
        self.refresh()
        return removed

    def compact(self) -> None:
        """Merge all segments into one run, and give the room of removed documents free."""
        self._writing().compact()
        self.refresh()

    def resample(self, seed: int | str) -> int:
        """Fingerprint the kept texts anew with another secret seed; give how many contents there are."""
        from copysift.settings.parsing import secret
        from copysift.workflows.resampling import resample

        writer = self._writing()
        chosen = secret("seed", seed)
        try:
            done = resample(writer, self.settings, chosen)
        except BaseException:
            writer.rollback()
            raise
        finally:
            self.refresh()
        self._given = {**self._given, "seed": chosen}
        self._settle(writer.catalog.about("settings"))
        return done

    # ---- reading

    def query(
        self,
        content: Place | bytes | Document,
        *,
        text: bool = False,
        passages: bool = False,
        **asked: Unpack[QueryKeywords],
    ) -> Iterator[Hit]:
        """Give the documents that share enough with a file, bytes, or (`text`) a string, best first.

        Settings are those of `copysift query`: threshold, measure, min_shared, limit, window, quick, and
        kind and language, which say how it is read.
        What was found damaged on the way stands in `damages`.
        """
        query, hits = make(Query, asked, "query"), []
        if isinstance(content, str | os.PathLike) and not text:
            questions: Iterable[Question | Skipped] = self.questions(content, query)
        else:
            questions = [self.question(content, text=text, asked=query)]
        for question in questions:
            if isinstance(question, Skipped):
                raise InputError(f"{question.name}: {question.reason}")
            hits += self.ask(question, query, passages=passages)[0]
        return iter(hits)

    def ask(self, question: Question, query: Query, *, passages: bool = False) -> tuple[list[Hit], Group]:
        """Answer one question: hits, and the question as it was fingerprinted."""
        found = self._asking(query.base).ask(question, query, passages)
        self.damages = list(dict.fromkeys([*self.damages, *found.damages]))
        self._common += found.common
        group = Group(question.name, question.name, question.kind, question.bytes, found.fingerprints)
        return found.hits, group

    def questions(self, path: Place, asked: LookUp | None = None) -> Iterator[Question | Skipped]:
        """Make a question of every document at or below a path: a file, a container, a file of records.

        With `by` "dir" of every submission: a first-level folder or archive with all its files.
        """
        asked = asked or LookUp()
        reader, alone = self._question_reader(asked), asked.kind != "auto"
        questions = file_questions
        if isinstance(asked, Query) and asked.by == "dir":
            questions = submission_questions
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
    ) -> Question:
        """Make a question of a file, of bytes, of a document or of a string; these may be a program."""
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

    def answer(
        self,
        questions: Iterable[Question],
        query: Query,
        *,
        passages: bool = False,
        skipped: Iterable[Skipped] = (),
    ) -> Answer:
        """Answer several questions, as the reports show them."""
        groups, hits = [], []
        self._common = 0
        for question in questions:
            found, group = self.ask(question, query, passages=passages)
            groups.append(group)
            hits += found
        values: dict[str, object] = {**self.stored(), "threshold": query.cut, "measure": query.measure}
        values |= {"min_shared": query.min_shared, "window": query.window, "quick": query.quick}
        if query.base:
            values["base"] = list(query.base)
        if query.max_shared is not None:
            values["max_shared"] = query.max_shared
        notes: tuple[str, ...] = ()
        if self._common:
            most = query.max_shared
            many = f"{most:.0%} of the documents" if isinstance(most, float) else f"{most:,} documents"
            notes = (f"{self._common:,} fingerprints in more than {many} are ignored (--max-shared)",)
        return Answer(values, tuple(groups), tuple(hits), tuple(skipped), notes)

    def too_short(self, questions: Iterable[Question]) -> list[tuple[str, int]]:
        """Give the questions that are shorter than their guarantee threshold, with that threshold."""
        reader = Reader(self.settings)
        short: list[tuple[str, int]] = []
        for question in questions:
            limits = [reader.noise(part.kind)[1] for part in question.parts]
            small = all(  # more bytes are more symbols than that in any kind
                len(part.source) < 16 * guarantee
                for part, guarantee in zip(question.parts, limits, strict=True)
            )
            if small and all(
                len(reader.canonical_of(part.source, part.kind).symbols) < guarantee
                for part, guarantee in zip(question.parts, limits, strict=True)
            ):
                short.append((question.name, limits[0]))
        return short

    def pairs(self, *, regions: bool = False, **settings: Unpack[ScanKeywords]) -> Iterator[Pair]:
        """Compare every document with every other, from the index alone; settings are those of `scan`."""
        yield from self.scan(regions=regions, **settings).pairs

    def scan(self, *, regions: bool = False, **settings: Unpack[ScanKeywords]) -> Result:
        """Compare every document with every other and give the whole result."""
        from copysift.workflows.index_scan import IndexScan

        snapshot = self._reading()
        made = reconciled(self.path, snapshot.settings, {**self._given, **settings})
        require_seed(self.path, self._stored, made)
        return IndexScan(made, snapshot, self._places, apart=False).run([], regions=regions)

    def documents(self) -> Iterator[Indexed]:
        """Give every document in the order of adding."""
        snapshot = self._reading()
        units, members = snapshot.units(), snapshot.members()
        for document, content in snapshot.listed():
            unit = units[members[document.number]].name if document.number in members else ""
            yield Indexed(
                self._places.shown(document), content.kind, content.bytes, content.fingerprints,
                content.original.hex(), self._texts, self._places.shown_unit(unit),
            )  # fmt: skip

    def source(self, name: str) -> bytes:
        """Give the readable source of a document; raises InputError when it is gone and was not kept."""
        snapshot = self._reading()
        found = snapshot.document(name) or snapshot.document(self._places.stored(name))
        if found is None:
            raise InputError(f"{name}: the index has no such document")
        document, content = found
        return b"".join(self._stored_reader(snapshot).content(document, content, content.kind))

    def info(self) -> dict[str, object]:
        """Give the numbers of the index: documents, fingerprints, sizes, settings, dates of sweeps."""
        numbers = self._reading().numbers() | {"settings": self.stored()}
        numbers |= {"base": len(base_of(self._reading().catalog)[0])}
        return numbers | {"sweeps": [sweep.date for sweep in self.sweeps()] if self.swept else []}

    def stored(self) -> dict[str, object]:
        """Give the settings that the index was made with; of a seed, a check."""
        return dict(self._reading().settings)

    def check(self, *, repair: bool = False) -> tuple[list[Damage], list[Skipped]]:
        """Verify every checksum and reference; with `repair`, mend what can be read again.

        Gives what was damaged, and of what was repaired the documents that stay without some of
        their fingerprints.
        """
        from copysift.store.check import verify
        from copysift.workflows.repair import repair as mend

        snapshot = self._reading()
        found = verify(snapshot)
        if not repair or not (found.segments or found.short):
            return found.damages, []
        writer = self._writing()
        self.refresh()
        snapshot = self._reading()  # nobody else writes now
        found = verify(snapshot)
        reader = self._stored_reader(snapshot)
        done = mend(snapshot, found, reader, writer)
        self.refresh()
        return found.damages, done.lost

    # ---- inside

    def _settle(self, stored: Mapping[str, Any]) -> None:
        self.settings = reconciled(self.path, stored, self._given)
        self._stored = dict(stored)
        self._texts = bool(stored.get("keep_text"))
        if self._keep_text and not self._texts:
            raise UsageError(
                f"{self.path} was created without --keep-text",
                hint="create another index with --keep-text",
            )

    def _reading(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(self.path)
            self.damages = list(self._snapshot.damages)
        return self._snapshot

    def _writing(self, *, at_once: bool = True) -> Writer:
        if self._writer is None:
            from copysift.store.writer import Writer

            made = None if exists(self.path) else remembered(self.settings, self._texts)
            self._writer = Writer(self.path, made, self._policy, at_once=at_once)
            self._settle(self._writer.catalog.about("settings"))  # another may have made it meanwhile
        return self._writer

    def _plain(self) -> Writer:
        """Write to an index without sweeps: what a sweep has met is changed by sweeps alone."""
        from copysift.store.timeline import is_swept

        writer = self._writing()
        if is_swept(writer.catalog):
            raise StoreError(
                f"{self.path} is an index of sweeps: only dated sweeps change its documents",
                hint="use copysift sweep INDEX SOURCE --date DATE, or a separate index",
            )
        return writer

    def _stored_reader(self, snapshot: Snapshot) -> StoredReader:
        require_seed(self.path, self._stored, self.settings)
        return StoredReader(self.settings, snapshot, self._places)

    def _question_reader(self, asked: LookUp) -> Reader:
        return question_reader(self.path, self.settings, self.stored(), asked.kind, asked.language)

    def _asking(self, base: tuple[str, ...] = ()) -> Asking:
        snapshot = self._reading()
        if self._asked is None or self._asked[0] != base:
            reader = self._stored_reader(snapshot)
            ignored = base_of_question(base, self.settings, reader)
            self._asked = base, Asking(snapshot, reader, self._places, ignored)
        return self._asked[1]

    def _sketching(self) -> tuple[Reader, bool]:
        require_seed(self.path, self._stored, self.settings)
        if programs_in(self._stored) == "both":  # sweeps follow documents over time, as texts
            self._stored = {**self._stored, "programs": False}
            self._writing(at_once=False).decide(self._stored)
        return reader_of(self.settings, self._stored), self._texts

    def _adding(self, progress: Progress | None, *, named: bool = True) -> Adding:
        from copysift.workflows.index_adding import Adding

        writer = self._plain()
        require_seed(self.path, self._stored, self.settings)
        reader = reader_of(self.settings, self._stored)
        settings = reading_settings(self.path, writer.catalog, self._given)
        reading = {name: getattr(settings, name) for name in READING}
        if reading != writer.catalog.about("reading"):
            writer.catalog.set_about("reading", reading)
            writer.changed = True
        if not named and settings.by == "dir":  # the files are known, and so are their submissions
            whole = settings.records if settings.records != "auto" else "no"
            settings = replace(settings, by="file", records=whole)
        return Adding(writer, reader, self._places, settings, self._texts, progress)

    def _commit(self, adding: Adding) -> Added:
        self._writing().commit()
        self._stored = self._writing().catalog.about("settings")
        self.refresh()
        return adding.done
