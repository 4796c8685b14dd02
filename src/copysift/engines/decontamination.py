"""Find what a corpus has of the items of benchmarks, cut or flag it, and say for each item where it was.

The corpus is read once. Where a run of it is applied, the shingles in the run show which documents share
anything with an item, and no text of the others is looked at.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.engines import record_output as output
from copysift.engines.dedup_job import DedupCounts, require_some
from copysift.engines.passage_cuts import NOWHERE, Cutter, noted, targets
from copysift.engines.reading import Origins, records
from copysift.engines.record_writers import Record
from copysift.engines.texts import readable
from copysift.errors import InputError, UsageError
from copysift.match.contamination import Item, TestItems
from copysift.match.repeated_passages import Copy
from copysift.model.contamination import Contamination
from copysift.model.values import TAKEN, Skipped
from copysift.runs.sets import Sets
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.sources.record_segments import Origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

FIELDS = ("question", "prompt", "problem", "input")  # of benchmarks, tried after the field of texts


def items_of(tests: Iterable[str], settings: CorpusSettings) -> list[Item]:
    """Read the items of benchmarks: files or folders of records, or runs that were made of them."""
    found: list[Item] = []
    for place in tests:
        made_of = [place]
        if (Path(place) / "run.json").is_file():
            made_of = list(open_corpus(Path(place)).described["sources"])
        for source in made_of:
            found += _items(Path(place).name or place, source, settings)
    if not found:
        raise InputError("the benchmarks have no items", hint="name files or folders of records with --test")
    return found


def _items(benchmark: str, source: str, settings: CorpusSettings) -> Iterator[Item]:
    field = _field(source, settings)
    for batch in records([source], _test_settings(settings, field)):
        if isinstance(batch, Skipped):
            if batch.reason not in TAKEN:
                raise InputError(
                    f"{batch.name}: {batch.reason}", hint="every item of --test must be readable"
                )
            continue
        for name, text in zip(batch["id"].to_pylist(), batch["text"].to_pylist(), strict=True):
            yield Item(benchmark, name, readable(text, settings.html))


def _test_settings(settings: CorpusSettings, field: str) -> CorpusSettings:
    """Read items by their own fields, whatever those of the corpus are."""
    return dataclasses.replace(
        settings, text_field=field, id_field="", date_field="", features="", input_format="auto", include=()
    )


def _field(source: str, settings: CorpusSettings) -> str:
    """Name the field of a benchmark that has the text of its items."""
    if settings.test_field:
        return settings.test_field
    tried = dict.fromkeys((settings.text_field, "text", *FIELDS))
    first: InputError | None = None
    for field in tried:
        try:
            for batch in records([source], _test_settings(settings, field)):
                if not isinstance(batch, Skipped):
                    return field
        except InputError as error:
            first = first or error
    if first is not None and "has no column" not in first.message:
        raise first
    raise InputError(
        f"{source} has none of the fields {', '.join(tried)}",
        hint="name the field of its items: --test-field",
    )


def test_items(tests: Iterable[str], settings: CorpusSettings) -> TestItems:
    """Read benchmarks to search texts for their items."""
    return TestItems(
        items_of(tests, settings),
        settings.width,
        settings.seed,
        least=settings.min_passage,
        share=settings.min_overlap,
    )


def candidates(run: Path, items: TestItems) -> Bools | None:
    """Say which documents of a run share a shingle with an item; None where the run does not show it."""
    described = open_corpus(run).described["settings"]
    sets = Sets(run / "sketches")
    if described["shingle"] != items.width or not items.all_full:
        return None
    wanted = items.shingles
    found = []
    for part in range(sets.parts):
        values, bounds = sets.checked(part)
        at = np.minimum(np.searchsorted(wanted, values), max(len(wanted) - 1, 0))
        hits = (
            np.concatenate([[0], np.cumsum(wanted[at] == values)])
            if len(wanted)
            else np.zeros(len(values) + 1)
        )
        found.append(hits[bounds[1:]] > hits[bounds[:-1]])
    return np.concatenate(found) if found else np.zeros(0, np.bool_)


def decontaminate(
    to_write: Callable[[], Origins],
    path: Path | None,
    settings: CorpusSettings,
    tests: Iterable[str],
    passages: str,
    dry_run: bool,
    shards: int,
    sources: list[str],
    run: Path | None = None,
) -> DedupCounts:
    """Cut or flag what records have of test items; documents of which nothing is left go."""
    items = test_items(tests, settings)
    some = None if run is None else candidates(run, items)
    done = DedupCounts()
    skipped: list[Skipped] = []
    numbers = iter(range(1 << 62))
    looked = [0]
    with targets(path, dry_run) as (target, rows):
        cutter = Cutter(settings, passages, done, rows)

        def change(name: str, record: Record | str, text: bytes) -> Record | str | None:
            number = next(numbers)
            done.corpus_bytes += len(text)
            if some is not None and not some[number]:
                return record
            looked[0] += 1
            shown = readable(text, settings.html)
            read = items.read(shown)
            found = items.overlaps(read)
            items.note(name, read, found)
            spans = items.spans(read, found, settings.cut_at)
            copies = [
                (Copy(*span, -1, -1), NOWHERE | _item_of(items, owned))
                for span, owned in zip(spans, items.owners(read, found, spans), strict=True)
            ]
            return cutter.change(name, record, text, shown, copies)

        total = sum(_lengths(to_write())) if shards > 1 else 0
        batches = _some_left(noted(to_write(), skipped), cutter, done)
        write = output.write_kept if target == path else output.drop_kept
        write(batches, None, target, shards, settings, change, sources, same=passages == "cut", total=total)
        output.write_list(target, [*cutter.gone, *map(output.skipped_row, skipped)])
    _count(done, cutter, skipped)
    require_some(done)
    done.contamination = contamination_of(items, settings, looked[0], done.documents)
    return done


def _item_of(items: TestItems, owned: list[int]) -> Record:
    """Name the item that a passage has most of, and count all of which it has some."""
    item = items.items[owned[0]]
    return {"benchmark": item.benchmark, "item": item.name, "items": len(owned)}


def _lengths(batches: Origins) -> Iterator[int]:
    return (len(batch) for batch in batches if not isinstance(batch, Skipped | Origin))


def _some_left(batches: Origins, cutter: Cutter, done: DedupCounts) -> Origins:
    """Pass records on and count them; refuse to write where nothing of any of them would be left."""
    for batch in batches:
        done.documents += 0 if isinstance(batch, Skipped | Origin) else len(batch)
        yield batch
    if done.documents and len(cutter.gone) == done.documents:
        raise UsageError(
            "nothing would be left: the benchmarks have the text of every document",
            hint="name the corpus first, and the benchmarks with --test",
        )


def _count(done: DedupCounts, cutter: Cutter, skipped: list[Skipped]) -> None:
    done.removed = len(cutter.gone)
    done.kept, done.reasons = done.documents - done.removed, cutter.counted()
    done.skipped = tuple((note.name, note.reason) for note in skipped[:1000])
    done.skipped_total = done.left_out = len(skipped)


def contamination_of(
    items: TestItems, settings: CorpusSettings, looked: int, documents: int
) -> Contamination:
    """Give what was found of the items."""
    found = items.report()
    every = Counter(item.benchmark for item in items.items)
    dirty = Counter(item.benchmark for item in found)
    return Contamination(
        tuple(found),
        tuple((name, count, dirty[name]) for name, count in every.items()),
        tuple((item.benchmark, item.name) for item in items.too_short()),
        items.width,
        settings.min_passage or items.width,
        settings.min_overlap,
        items.ignored,
        looked,
        documents,
    )
