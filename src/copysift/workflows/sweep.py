"""Add one dated sweep to an index: what is known costs a checksum, what is new is sketched and related.

Everything is one commit: until then nothing of the sweep is there, afterwards all of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.errors import InputError, StoreError, UsageError
from copysift.model.document import NO_HINT, Document, Hint, Memory
from copysift.model.sweeps import Swept
from copysift.model.values import TAKEN, Fingerprints, Skipped
from copysift.runtime.progress import NullProgress, Progress
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.comparison import Settings
from copysift.settings.sweeps import moment, spelled
from copysift.sources.crawl import Again, Record
from copysift.sources.files import DIGEST
from copysift.sources.spool import Spool
from copysift.sources.swept_submissions import Submitted
from copysift.store import writer as store
from copysift.store.boilerplate import MAX_SHARED, add_base, most_shared
from copysift.store.catalog_rows import LOST
from copysift.store.entries import LARGEST, TOO_LARGE
from copysift.store.relations import ascending
from copysift.store.sweep_writer import Known, SweepCounts, SweepWriter
from copysift.store.timeline import is_swept
from copysift.store.units import UnitRow
from copysift.workflows.batches import IN_FLIGHT, skipped
from copysift.workflows.reading import Reader
from copysift.workflows.submission_content import SubmissionContent
from copysift.workflows.submissions import base_code
from copysift.workflows.sweep_relations import ignored_in, relate_all, relate_new, versions_pairs

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

BATCH = 500  # addresses that are asked for at once
LOOKED_UP = 1 << 22  # hashes of new contents that are looked up; for more all postings are read
UNKNOWN = "which is not in any sweep: add the missing sweep, then repeat this one with --overwrite"

Met = Iterable[tuple[str, bytes] | Record | Submitted | Again | Skipped]


@dataclass(frozen=True, slots=True)
class _Item:
    """A document that is new or changed; `kinds` are the kinds under which the index has its bytes.

    A submission has `files` in place of `data`.
    """

    uri: str
    number: int
    known: Known | None
    data: bytes
    size: int
    checksum: bytes
    kinds: dict[str, int]
    hint: Hint
    files: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class _Made:
    """A document as it was read; `found` is None where the index, or another document, has its content."""

    item: _Item
    kind: str
    found: store.Views | None
    again: Callable[[], store.Views]
    text: Callable[[], Iterable[bytes]]


class Sweeper:
    """Reads what a sweep meets and gives it to the writer."""

    def __init__(
        self, writer: store.Writer, reader: Reader, settings: Settings, keep_text: bool,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self._writer, self._reader, self._settings, self._keep_text = writer, reader, settings, keep_text
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._shown = progress or NullProgress()
        self._again: list[Again] = []
        self._restored: dict[int, int] = {}  # contents that had lost fingerprints: their new numbers
        self._claimed: dict[tuple[int, bytes, str], str] = {}
        self._skipped: list[Skipped] = []
        self._fresh = writer.next_content
        self._hashes: list[UInt64s] | None = []
        self._hashed = self._repeated = self._documents = 0

    def run(
        self, met: Met, at: int, source: str, replace: bool, max_shared: int | float | None = None,
        labels: Callable[[], tuple[list[UnitRow], list[Skipped]]] | None = None,
    ) -> Swept:  # fmt: skip
        """Add a sweep and commit it; whatever is raised, nothing was changed.

        `labels` says, once all is met, what is known of the authors of addresses.
        """
        if not is_swept(self._writer.catalog) and self._writer.catalog.one("SELECT 1 FROM documents"):
            raise StoreError(
                f"{self._writer.folder} has documents that were added without a date",
                hint="these and sweeps do not mix: give sweeps an index of their own",
            )
        self._sweep = SweepWriter(self._writer, at)
        self._shown.phase("reading", None)
        for made in ordered_map(
            self._read,
            self._wanted(met),
            jobs=self._jobs,
            weigh=lambda item: item.size,
            budget=IN_FLIGHT,
        ):
            self._file(made)
        self._repeat()
        if not self._documents:
            raise self._empty(source)
        turned = self._sweep.finish(source)
        if self._sweep.repeats and any(turned) and not replace:
            raise _differs(at, turned)
        if labels is not None:
            self._label(*labels())
        self._relate(max_shared)
        told = self._told(at, turned)
        self._writer.commit()
        return told

    def _empty(self, source: str) -> InputError:
        why = ""
        if self._skipped:
            first = self._skipped[0]
            more = f", and {len(self._skipped) - 1:,} more" if len(self._skipped) > 1 else ""
            why = f" that can be read: {first.name} {first.reason}{more}"
        return InputError(f"{source} has no documents{why}", hint="the index is unchanged")

    def _told(self, at: int, turned: SweepCounts) -> Swept:
        return Swept(
            spelled(at), self._documents, turned.new, turned.changed,
            self._documents - turned.new - turned.changed,
            turned.gone, self._writer.next_content - self._fresh, self._repeated,
            self._sweep.repeats and not any(turned), tuple(self._skipped),
            ignored_in(self._writer.catalog),
        )  # fmt: skip

    # ---- reading

    def _wanted(self, met: Met) -> Iterator[_Item]:
        """Give what is new or changed; what is known by its checksum is filed on the way."""
        every = iter(met)
        while batch := list(islice(every, BATCH)):
            self._shown.advance(len(batch))
            found = [each for each in batch if not isinstance(each, Skipped | Again)]
            self._again += [each for each in batch if isinstance(each, Again)]
            lost = [each for each in batch if isinstance(each, Skipped) and each.reason not in TAKEN]
            raws = [_named(each[0]) for each in found]
            names = [_named(each.name) for each in lost]
            known = self._sweep.known(raws + names)
            for raw, note, row in zip(names, lost, known[len(raws) :], strict=True):
                self._lose(raw, row, note)
            for raw, each, met_now, row in zip(
                raws, found, _contents(found), known[: len(raws)], strict=True
            ):
                checksum, size = met_now
                if (
                    row is not None
                    and row.checksum == checksum
                    and row.bytes == size
                    and self._sweep.again(row)
                ):
                    self._documents += 1
                    continue
                number = self._sweep.meet(raw, row)
                if number:
                    self._documents += 1
                    yield self._item(number, raw, each, checksum, size, row)
                else:
                    self._repeated += 1

    def _lose(self, raw: bytes, known: Known | None, note: Skipped) -> None:
        """Note what could not be read; where something was, it still is as far as anybody knows."""
        self._skipped.append(note)
        if known is not None and known.content and self._sweep.meet(raw, known):
            self._documents += 1
            self._sweep.file(known.number, known, 0)

    def _repeat(self) -> None:
        """File what a crawler did not fetch again because it was as before, once all else is filed."""
        for at in range(0, len(self._again), BATCH):
            some = self._again[at : at + BATCH]
            raws = [_named(each.uri) for each in some]
            for each, raw, known in zip(some, raws, self._sweep.known(raws), strict=True):
                content = self._sweep.content_of(os.fsdecode(_named(each.of)), _moment(each.when))
                if not content:
                    what = f"is said to be what {each.of} was{' on ' + each.when if each.when else ''}"
                    self._lose(raw, known, Skipped(each.uri, f"{what}, {UNKNOWN}"))
                elif number := self._sweep.meet(raw, known):
                    self._documents += 1
                    self._sweep.file(number, known, content)
                else:
                    self._repeated += 1

    def _item(
        self, number: int, raw: bytes, each: tuple[str, bytes] | Record | Submitted, checksum: bytes,
        size: int, known: Known | None,
    ) -> _Item:  # fmt: skip
        rows = self._writer.catalog.contents_of(checksum, size)
        kinds = {row.kind: row.number for row in rows}
        hint = each.hint if isinstance(each, Record) else NO_HINT
        files = each.files if isinstance(each, Submitted) else ()
        data = b"" if isinstance(each, Submitted) else each[1]
        return _Item(os.fsdecode(raw), number, known, data, size, checksum, kinds, hint, files)

    def _read(self, item: _Item) -> _Made:
        if item.size > LARGEST:
            raise InputError(f"{item.uri}: {TOO_LARGE}")
        if item.files:
            return self._read_submission(item)
        loaded = Document(item.uri, Memory(item.data), item.hint, checksum=item.checksum)
        kind, _ = self._reader.opened(loaded)
        text = partial(self._reader.chunks, loaded, kind)
        again = partial(self._reader.views, kind, text)
        found = again() if kind not in item.kinds and self._claim(item, kind) else None
        return _Made(item, kind, found, again, text)

    def _read_submission(self, item: _Item) -> _Made:
        content = SubmissionContent(self._reader, item.files)
        wanted = content.kind not in item.kinds and self._claim(item, content.kind)
        found = content.views() if wanted else None
        return _Made(item, content.kind, found, content.views, content.text)

    def _claim(self, item: _Item, kind: str) -> bool:
        """Be the one who sketches a content; of equal documents, only one thread does."""
        return self._claimed.setdefault((item.size, item.checksum, kind), item.uri) is item.uri

    def _file(self, made: _Made | Failed[_Item]) -> None:
        item = made.item
        if isinstance(made, Failed):
            self._skipped.append(skipped(item.uri, made.error))
            self._documents -= item.known is None or not item.known.content
            content = 0
        else:
            content = self._content(made)
        known = item.known
        if known is not None:
            known = known._replace(content=self._restored.get(known.content, known.content))
        self._sweep.file(item.number, known, content)

    def _content(self, made: _Made) -> int:
        item = made.item
        row = self._writer.catalog.content_of(item.checksum, item.size, made.kind)
        if row is not None:
            return row.number
        found = made.again() if made.found is None else made.found
        entry = store.Entry(item.uri, item.checksum, made.kind, item.size)
        text = made.text() if self._keep_text else None
        self._note(found.main)
        lost = self._writer.catalog.content_of(LOST + item.checksum, item.size, made.kind)
        if lost is None:
            return self._writer.put_content(entry, found, text)
        number = self._writer.replace_content(lost.number, lost.fingerprints, entry, found, text)
        self._restored[lost.number] = number
        return number

    def _note(self, found: Fingerprints) -> None:
        """Hold the hashes of new contents, unless they become too many to be looked up one by one."""
        if self._hashes is not None:
            self._hashes.append(found.hashes)
            self._hashed += len(found.hashes)
            if self._hashed > LOOKED_UP:
                self._hashes = None

    def _label(self, rows: list[UnitRow], unknown: list[Skipped]) -> None:
        """Note whose work is at which address."""
        self._skipped += unknown
        for row in rows:
            number = self._sweep.timeline.number_of(row.name)
            if number is not None:
                self._writer.put_member(number, row)

    # ---- what belongs together

    def _relate(self, asked: int | float | None) -> None:
        """Find the pairs of the new contents, and merge them into the clusters."""
        catalog = self._writer.catalog
        stored = catalog.about("max_shared")
        chosen = (MAX_SHARED if stored is None else stored) if asked is None else asked
        if chosen != stored:
            self._writer.changed = True
            catalog.set_about("max_shared", chosen)
        wanted = self._wanted_pairs()
        based = self._file_base()
        turned = self._sweep.turned and not self._sweep.appends
        renewed = self._sweep.relates_all or (chosen != stored and stored is not None) or turned or based
        if self._writer.next_content == self._fresh and not wanted and not renewed:
            return
        self._shown.phase("relating", None)
        self._writer.spill()
        limit = most_shared(catalog, chosen)
        if renewed or not self._sweep.appends:
            damages = relate_all(self._writer, self._settings, limit)
        else:
            looked_up = None
            if self._hashes is not None:
                looked_up = ascending(np.concatenate([np.zeros(0, np.uint64), *self._hashes]))
            damages = relate_new(self._writer, self._settings, limit, looked_up, self._fresh, wanted)
        self._skipped += [Skipped(each.where, each.what) for each in damages]

    def _file_base(self) -> bool:
        """File the base code, read as the documents are; say whether older sweeps must be related again."""
        if not self._settings.base:
            return False
        tmp_dir = Path(self._settings.tmp_dir) if self._settings.tmp_dir else None
        base, unread = base_code(self._settings, Spool(tmp_dir), self._reader, self._jobs)
        self._skipped += unread
        return add_base(self._writer.catalog, base.hashes)

    def _wanted_pairs(self) -> set[tuple[int, int]]:
        """Give the versions of one address that `history` lists, as far as they are not known."""
        wanted: set[tuple[int, int]] = set()
        timeline = self._sweep.timeline
        for number in self._sweep.turned:
            contents = [row.content for row in timeline.versions_of(number)]
            if self._sweep.appends:  # those of earlier versions are there
                contents = list(dict.fromkeys([contents[0], *contents[-2:]]))
            wanted |= versions_pairs(contents)
        return {pair for pair in wanted if timeline.shared(*pair) is None}


def _contents(found: list[tuple[str, bytes] | Record | Submitted]) -> list[tuple[bytes, int]]:
    """Give the checksum and size of each content."""
    single = [each[1] for each in found if not isinstance(each, Submitted)]
    sums = iter(kernels.checksum.checksums(single, DIGEST))
    return [
        (each.checksum(), each.size) if isinstance(each, Submitted) else (next(sums), len(each[1]))
        for each in found
    ]


def _named(uri: str) -> bytes:
    """Give the bytes that name an address; half a surrogate pair becomes a question mark."""
    if uri.isascii():
        return uri.encode()
    try:
        return os.fsencode(uri)
    except UnicodeEncodeError:
        return uri.encode("utf-8", "replace")


def _moment(when: str) -> int | None:
    """Give the seconds of a date of a crawl; None where it has none."""
    try:
        return moment("date", when)
    except UsageError:
        return None


def _differs(at: int, turned: SweepCounts) -> UsageError:
    return UsageError(
        f"there is a sweep of {spelled(at)} already, and this one differs: {turned.new:,} new, "
        f"{turned.changed:,} changed, {turned.gone:,} missing",
        hint="use another --date, or --overwrite",
    )
