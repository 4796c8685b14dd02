"""`copysift.Index`: a collection fingerprinted once, kept on disk, queried in milliseconds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from copysift.errors import InputError, StoreError
from copysift.model.answers import Answer, Hit, Indexed
from copysift.model.document import Document
from copysift.model.values import LIMIT, Group, Pair, Result, Skipped
from copysift.runtime.plurals import plural
from copysift.runtime.progress import Progress
from copysift.runtime.timing import TooSlowDocumentError
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.keywords import QueryKeywords, ScanKeywords
from copysift.settings.parsing import secret
from copysift.store.base_code import base_of
from copysift.store.check import verify
from copysift.store.segment import Damage
from copysift.store.timeline import is_swept
from copysift.workflows.index_additions import Adder
from copysift.workflows.index_scan import IndexScan
from copysift.workflows.index_update import bring_up_to_date
from copysift.workflows.python_input import (
    batched,
    document_of,
    places_of,
    rows_of,
)
from copysift.workflows.query_document import QueryDocument
from copysift.workflows.reading import Reader
from copysift.workflows.repair import repair as mend
from copysift.workflows.resampling import resample
from copysift.workflows.stored_settings import (
    READING,
    reader_of,
    reading_settings,
    reconciled,
    require_seed,
)
from copysift.workflows.timeline import OverTime

if TYPE_CHECKING:  # what writes is loaded when it is needed: a query starts faster without
    from copysift.store.writer import Writer
    from copysift.workflows.index_additions import Adder, Addition
    from copysift.workflows.python_documents import Documents

Place = str | os.PathLike[str]


class Index(OverTime):
    """An index on disk, made on first use with the given settings.

    Use it as a context manager. Reading sees what was committed when reading began, and after
    every write of its own; `refresh` looks again. Each `add`, `update` and `remove` is committed
    when it returns; a large one also commits on its way, whole documents always. Opened with
    settings other than those it was made with, it raises StoreError. In the examples below, `index` has
    the essays, `sweeps` a sweep of them, and both keep texts.

    >>> with copysift.Index("essays.sift") as index:
    ...     index.add("essays").added
    ...     [hit.right for hit in index.query("essays/bees.txt", threshold="50%")]
    15
    ['essays/bees.txt', 'essays/bees-rearranged.txt']
    """

    def __repr__(self) -> str:
        return f"<Index {os.fspath(self.path)}>"

    def add(self, what: Documents, *, progress: Progress | None = None) -> Addition:
        """Add files, or documents: a path or glob, a table or frame as in `scan`, or an iterable.

        An iterable gives paths, globs, Documents, (name, text) or mappings.

        Files whose size and time are those that the index knows are not read. A mapping or a row has `text`
        and one of `id`, `uri` and `name`. A document of a known name replaces it.

        >>> index.add([("note", "a text of one's own")]).added
        1
        """
        adding = self._adding(progress)
        adding.base_code()
        if isinstance(what, str | os.PathLike):
            adding.files(places_of(what))
            return self._commit(adding)
        fields = self.settings.id_field, self.settings.text_field
        rows = rows_of(what, *fields, adding.done.skipped)
        if rows is not None:
            adding.documents(rows)
            return self._commit(adding)
        for batch, files in batched(what):
            if files:
                adding.files(path for place in batch for path in places_of(place))
            else:
                adding.documents([document_of(each) for each in batch])
        return self._commit(adding)

    def update(
        self, paths: Place | Iterable[Place] | None = None, *, progress: Progress | None = None
    ) -> Addition:
        """Add what is new or changed at or below the paths, and remove what has disappeared there.

        Without paths, the files that the index knows are looked at.

        >>> index.update().unchanged
        15
        """
        adding = self._adding(progress, named=paths is not None)
        adding.base_code()
        bring_up_to_date(adding, self._writing(), self._places, paths)
        return self._commit(adding)

    def remove(self, names: Place | Iterable[Place]) -> int:
        """Remove documents by name or path, or all below a folder; give how many there were.

        >>> index.remove("essays/web")
        2
        """
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
        """Merge all segments into one run, and free the space of removed documents.

        >>> index.compact()
        >>> index.info()["segments"]
        1
        """
        self._writing().compact()
        self.refresh()

    def resample(self, seed: int | str) -> int:
        """Fingerprint the kept texts again with another secret seed; give how many contents there are.

        >>> index.resample("a secret")
        14
        """
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
        What was found damaged on the way is in `damages`.

        >>> [hit.right for hit in index.query("essays/bees.txt")]
        ['essays/bees.txt', 'essays/bees-rearranged.txt']
        """
        query, hits = make(Query, asked, "query"), []
        if isinstance(content, str | os.PathLike) and not text:
            questions: Iterable[QueryDocument | Skipped] = self.questions(content, query)
        else:
            questions = [self.question(content, text=text, asked=query)]
        for question in questions:
            if isinstance(question, Skipped):
                raise InputError(f"{question.name}: {question.reason}")
            hits += self.ask(question, query, passages=passages)[0]
        return iter(hits)

    def ask(
        self, question: QueryDocument, query: Query, *, passages: bool = False
    ) -> tuple[list[Hit], Group]:
        """Answer one question: hits, and the question as it was fingerprinted.

        >>> from copysift.settings.index import Query
        >>> hits, query = index.ask(index.question("essays/bees.txt"), Query())
        >>> len(hits), query.kind
        (2, 'text')
        """
        found = self._asking(query.base).ask(question, query, passages)
        self._common += found.common
        group = Group(question.name, question.name, question.kind, question.bytes, found.fingerprints)
        return found.hits, group

    def answer(
        self,
        questions: Iterable[QueryDocument],
        query: Query,
        *,
        passages: bool = False,
        skipped: Iterable[Skipped] = (),
    ) -> Answer:
        """Answer several questions, as the reports show them.

        >>> from copysift.settings.index import Query
        >>> answer = index.answer(index.questions("essays/bees.txt"), Query())
        >>> len(answer.hits)
        2
        """
        groups, hits, unread = [], [], list(skipped)
        self._common = 0
        for question in questions:
            try:
                found, group = self.ask(question, query, passages=passages)
            except TooSlowDocumentError as error:
                unread.append(Skipped(question.name, error.message, LIMIT))
                continue
            groups.append(group)
            hits += found
        values: dict[str, object] = {**self.stored(), "threshold": query.cut, "measure": query.measure}
        values |= {"min_shared": query.min_shared, "window": query.window, "quick": query.quick}
        if query.base:
            values["base"] = list(query.base)
        values["max_shared"] = query.max_shared
        notes: tuple[str, ...] = ()
        if self._common:
            most = query.max_shared
            many = f"{most:.0%} of the documents" if isinstance(most, float) else f"{most:,} documents"
            are = "is" if self._common == 1 else "are"
            common = plural(self._common, "fingerprint")
            notes = (f"{common} in more than {many} {are} ignored (--max-shared)",)
        notes += (*self._read_otherwise(), *dict.fromkeys(self._left_out))
        self._left_out.clear()
        return Answer(values, tuple(groups), tuple(hits), (*unread, *self._damaged()), notes)

    def too_short(self, questions: Iterable[QueryDocument]) -> list[tuple[str, int]]:
        """Give the questions that are shorter than their guarantee threshold, with that threshold.

        >>> index.too_short([index.question("a few words", text=True)])
        [('-', 50)]
        """
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
        """Compare every document with every other, from the index alone; settings are those of `scan`.

        >>> best = next(index.pairs())
        >>> best.left, best.right
        ('essays/lighthouse.txt', 'essays/old/copy of lighthouse.txt')
        """
        yield from self.scan(regions=regions, **settings).pairs

    def scan(self, *, regions: bool = False, **settings: Unpack[ScanKeywords]) -> Result:
        """Compare every document with every other and give the whole result.

        >>> index.scan()
        <Result: 15 documents, 15 pairs (1 identical), 5 clusters>
        """
        snapshot = self._reading()
        known = {name: value for name, value in self._given.items() if name != "metadata"}  # of what is added
        made = reconciled(self.path, snapshot.settings, {**known, **settings})
        require_seed(self.path, self._stored, made)
        return IndexScan(made, snapshot, self._places, apart=False).run([], regions=regions)

    def documents(self) -> Iterator[Indexed]:
        """Give every document in the order of adding.

        >>> next(index.documents()).name
        'essays/bees-rearranged.txt'
        """
        snapshot = self._reading()
        units, members = snapshot.units(), snapshot.members()
        for document, content in snapshot.listed():
            unit = units[members[document.number]].name if document.number in members else ""
            yield Indexed(
                self._places.shown(document), content.kind, content.bytes, content.fingerprints,
                content.original.hex(), self._texts, self._places.shown_unit(unit, document),
            )  # fmt: skip

    def source(self, name: str) -> bytes:
        """Give the readable source of a document; raises InputError when it is gone and was not kept.

        >>> index.source("essays/bees.txt")[:20]
        b'A bee that has found'
        """
        snapshot = self._reading()
        found = snapshot.document(name) or snapshot.document(self._places.stored(name))
        if found is None:
            raise InputError(f"{name}: the index has no such document")
        document, content = found
        return b"".join(self._stored_reader(snapshot).content(document, content, content.kind))

    def info(self) -> dict[str, object]:
        """Give the numbers of the index: documents, fingerprints, sizes, settings, dates of sweeps.

        >>> index.info()["documents"]
        15
        """
        numbers = self._reading().numbers() | {"settings": self.stored()}
        numbers |= {"base": len(base_of(self._reading().catalog)[0])}
        return numbers | {"sweeps": [sweep.date for sweep in self.sweeps()] if self.swept else []}

    def check(self, *, repair: bool = False) -> tuple[list[Damage], list[Skipped]]:
        """Verify every checksum and reference; with `repair`, repair what can be read again.

        Gives what was damaged, and of what was repaired the documents that stay without some of
        their fingerprints.

        >>> index.check()
        ([], [])
        """
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

    def _plain(self) -> Writer:
        """Write to an index without sweeps: what a sweep has met is changed by sweeps alone."""
        writer = self._writing()
        if is_swept(writer.catalog):
            raise StoreError(
                f"{self.path} is an index of sweeps: only dated sweeps change its documents",
                hint="use copysift sweep INDEX SOURCE --date DATE, or a separate index",
            )
        return writer

    def _adding(self, progress: Progress | None, *, named: bool = True) -> Adder:
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
        return Adder(writer, reader, self._places, settings, self._texts, progress)

    def _commit(self, adding: Adder) -> Addition:
        adding.note_lexers()
        self._writing().commit()
        self._stored = self._writing().catalog.about("settings")
        self.refresh()
        return adding.done
