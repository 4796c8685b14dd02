"""`cluster`, `recluster` and the look-ups of section 4.2, put together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift.clusters.classes import ALONE
from copysift.engines import phases, shingle_width, texts
from copysift.engines.company import read_company
from copysift.engines.local import Corpus
from copysift.engines.pair_values import ValuedPairs, values_of
from copysift.errors import CopysiftError, InputError, RunError, UsageError
from copysift.model.values import DUPLICATE, RENAMED, TAKEN, Skipped
from copysift.runs import tables
from copysift.runs.columns import release
from copysift.runs.scan_run import TABLES, read_description
from copysift.runs.sets import Sets, drop_sets, has_sets
from copysift.runs.stored_run import open_corpus
from copysift.runs.workspace import Work, answer_settings, job_of, link, making, nothing_read
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings, from_stored
from copysift.settings.declaration import settings_of
from copysift.sources.jsonl import fields_of
from copysift.sources.places import exists
from copysift.sources.records import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable

Batches = Iterable[pa.RecordBatch | Skipped]

# settings that decide sketches and pairs: documents that come later take those of the run
ADOPTED = (
    "shingle", "modulus", "candidates", "super_size", "estimate", "max_shared", "template", "features",
    "floor", "base", "by",
)  # fmt: skip

BESIDE = 100  # bytes of memory that a document takes where all tables are written together, about
ADOPTED_FILES = ("documents", "words", "shingles", "order", "base")  # the census is taken again


@dataclass(frozen=True, slots=True)
class Summary:
    """What `cluster` says when it is done; `skipped` names the first of the records left out."""

    path: Path
    described: dict[str, Any]
    skipped: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()  # what could have been read in another way

    @property
    def left_out(self) -> int:
        """How many records were left out; those that were taken with a change are not among them."""
        reasons = self.described["reasons"]
        taken = sum(int(reasons.get(reason, 0)) for reason in (DUPLICATE, *TAKEN))
        return int(self.described["counts"]["skipped"]) - taken


def cluster(
    sources: Iterable[str],
    path: Path,
    settings: CorpusSettings,
    *,
    onto: Path | None = None,
    progress: Progress | None = None,
    batches: Callable[[], Batches] | None = None,
) -> Summary:
    """Cluster the records of sources and write the run; `batches` gives them where they are no files.

    With `onto` the documents of an earlier run come first; its texts are not read again.
    """
    names = list(sources)
    check_sources([*names, *settings.earlier], settings)
    others = onto or earlier_run(settings, onto)
    if others is not None:
        settings = onto_settings(others, settings)
    with making(path) as place:
        made = _made(names, place, settings, onto, progress, batches)
    return dataclasses.replace(made, path=path)


def _made(
    names: list[str],
    path: Path,
    settings: CorpusSettings,
    onto: Path | None,
    progress: Progress | None,
    batches: Callable[[], Batches] | None,
) -> Summary:
    work = Work(path)
    known = earlier_run(settings, onto)
    onto = onto or known
    asked = f"{run_stamp(onto)} {settings.shingle}"  # 0 is not the width that it may become
    job = "" if batches is not None else job_of([*names, *settings.earlier], settings, asked)
    resumed = work.begin(job, within=True)
    before: list[str] = []
    try:
        if onto is not None:
            before = list(read_description(onto).get("sources", []))
            before = before if known is None else []
            if work.done("sketch") is None:
                _adopt(onto, work)
        settings, batches = shingle_width.settled(work, names, settings, batches)
        corpus = Corpus(work, settings, progress)
        corpus.prepare(onto)
        corpus.given_earlier([] if known is not None else list(settings.earlier))
        if batches is not None:
            corpus.given(batches())
        else:
            corpus.given_sources(names)
        corpus.sketch()
        if onto is None:
            require_field(len(corpus.first), corpus.skips.reasons, names, settings)
            if not len(corpus.first) and corpus.skips.named:
                raise nothing_read(corpus.skips.named[0], corpus.skips.total)
    except CopysiftError:  # nothing that could be gone on with
        work.discard()
        raise
    corpus.part_company(known is not None)
    corpus.pair()
    summary = _finish(corpus, [*before, *names], onto)
    work.drop()
    if settings.slim:
        drop_sets(path / "sketches")
    notes = list(work.notes)
    if resumed:
        notes.append(
            f"continued an interrupted run: {corpus.continued:,} "
            f"{'part' if corpus.continued == 1 else 'parts'} had been sketched"
        )
    return dataclasses.replace(summary, notes=(*notes, *corpus.read_as.notes))


def check_sources(sources: list[str], settings: CorpusSettings) -> None:
    """Refuse sources and features that are not there before anything is written."""
    for source in sources:
        if source != "-" and not exists(source):
            raise InputError(f"{source}: no such file or folder")
    Corpus.check_features(settings)


def earlier_run(settings: CorpusSettings, onto: Path | None) -> Path | None:
    """Give the run among the earlier documents: its texts are not read again, so it comes alone."""
    runs = [Path(each) for each in settings.earlier if tables.is_corpus(Path(each))]
    if runs and (onto is not None or len(settings.earlier) > 1):
        raise UsageError(
            f"--earlier {runs[0]} is a run, which is not read again, so it is the only one that others join",
            hint="name the run alone, and leave out --extend and --against",
        )
    return runs[0] if runs else None


def replaces(path: Path, sources: Iterable[str], settings: CorpusSettings) -> bool:
    """Say whether a run there is finished, and of other sources or settings than these."""
    if not (path / "run.json").is_file():
        return False
    try:
        known = read_description(path)
    except RunError:
        return True
    asked = answer_settings(settings) | last_phase_settings(settings)
    if not settings.shingle:  # the documents decide it
        asked["shingle"] = known.get("settings", {}).get("shingle")
    return known.get("sources") != list(sources) or known.get("settings") != asked


def require_field(
    documents: int, reasons: Mapping[str, int], sources: list[str], settings: CorpusSettings
) -> None:
    """Refuse a run of nothing because no record has the field that was wanted: a slip, not a corpus."""
    named = settings.features
    unlisted = f"its field {named!r} is not a list"
    if documents or not reasons:
        return
    of = f" of {', '.join(sources)}" if sources else ""
    known = list(dict.fromkeys(name for source in sources for name in fields_of(source)))
    shown = f": {', '.join(known)}" if known else ""
    if reasons.keys() == {unlisted}:
        raise InputError(
            f"no record{of} has a list in the field {named!r}",
            hint=f"use --features with a list field or module:function{shown}",
        )
    if all(reason.startswith(MISSING) for reason in reasons):
        field = next(iter(reasons)).removeprefix(MISSING).strip()
        option = "--id-field" if field == repr(settings.id_field) else "--text-field"
        raise InputError(f"no record{of} has a field {field}", hint=f"name one with {option}{shown}")


def run_stamp(onto: Path | None) -> str:
    """Name a run as it is now; another run at the same path has another stamp."""
    return "" if onto is None else f"{onto.absolute()} {(onto / 'run.json').stat().st_mtime_ns}"


def onto_settings(onto: Path, settings: CorpusSettings) -> CorpusSettings:
    """Take the settings that decide sketches from the run; a seed must be given again."""
    described = read_description(onto)
    if described.get("made_by") != "cluster":
        raise RunError(f"{onto} was not made by copysift cluster", hint="cluster the documents first")
    theirs, ours = described["settings"], answer_settings(settings)
    adopted = from_stored(theirs)
    if theirs.get("seed") != ours["seed"]:
        raise UsageError(f"{onto} was created with another seed", hint="use the seed it was created with")
    usual = CorpusSettings()
    asked = [name for name in ADOPTED if getattr(settings, name) != getattr(usual, name)]
    if settings.floor >= theirs["floor"]:  # a run that knows more pairs will do
        asked = [name for name in asked if name != "floor"]
    check_onto(onto, settings, asked)
    return dataclasses.replace(settings, **{name: getattr(adopted, name) for name in ADOPTED})


def check_onto(onto: Path, settings: CorpusSettings, given: Iterable[str]) -> None:
    """Refuse settings that were given and are not those of the run that others are added to."""
    theirs = from_stored(read_description(onto)["settings"])
    known = settings_of(CorpusSettings)
    others = [name for name in given if name in ADOPTED and getattr(settings, name) != getattr(theirs, name)]
    if others:
        made = ", ".join(f"{known[name].flags[-1]} {getattr(theirs, name) or 'none'}" for name in others)
        asked = ", ".join(f"{known[name].flags[-1]} {getattr(settings, name) or 'none'}" for name in others)
        raise UsageError(
            f"{onto} was created with {made}; you gave {asked}",
            hint="leave them out, or create another run",
        )


def _adopt(onto: Path, work: Work) -> None:
    """Take over the sketched parts of an earlier run, by link where the disk allows it."""
    theirs = onto / "sketches"
    if not has_sets(theirs):
        raise RunError(f"{onto} has no shingles", hint="it was created with --slim; recreate it without")
    sets = Sets(theirs)
    for number in range(sets.parts):
        sets.checked(number)
    for part in sorted(each for each in theirs.iterdir() if each.stem.split("-")[0] in ADOPTED_FILES):
        link(part, work.run / "sketches" / part.name)


def _finish(corpus: Corpus, sources: list[str], onto: Path | None) -> Summary:
    settings, work, path = corpus.settings, corpus.work, corpus.work.run
    with work.phase("cluster"):
        totals = {name: corpus.sets.total(name) for name in ("bytes", "shingles")}
        shingles = corpus.sets.column("shingles")[corpus.how != ALONE]
        of_width = shingle_width.notes(corpus.sets.column("words"), settings)
        corpus.sets.forget_all()  # what is still needed of them is read part by part
        release(settings.memory // 2)
        ids, renamed = tables.unique_ids([part["id"].combine_chunks() for part in corpus.sets.tables(["id"])])
        release(settings.memory // 2)
        measured = corpus.measured()
        # tables are written while the last is made, unless the numbers of documents take much of the memory
        together = len(corpus.first) * BESIDE <= settings.memory
        same, sampled = (corpus.first, corpus.how), corpus.sampled()
        fingerprints = int(sampled.sum())
        writing: list[Callable[[], None]] = [
            partial(tables.write_documents, path / TABLES[0], ids, corpus.sets, *same, sampled),
            partial(tables.write_pairs, path / TABLES[1], ids, *same, shingles, measured, settings.measure),
        ]
        del sampled, shingles
        if not together:
            while writing:
                writing.pop(0)()
                release()
        with ThreadPoolExecutor(2) as pool:
            begun = [pool.submit(write) for write in writing]
            found = corpus.components()
            tables.write_clusters(path / TABLES[2], ids, found)
            for written in begun:
                written.result()
        read = [] if onto is not None else [*settings.earlier, *sources]
        ignored = texts.ignored_texts(corpus.told.commonest, read, settings)
    named = [[note.name, note.reason] for note in corpus.skips.named]
    named += [[name, RENAMED] for name in renamed[:1000]]
    described: dict[str, Any] = {
        "settings": answer_settings(settings) | last_phase_settings(settings),
        "sources": sources,
        "floor": settings.floor,
        "counts": {
            "documents": len(ids),
            **({"earlier": corpus.company.earlier} if corpus.company.earlier else {}),
            **totals,
            "fingerprints": fingerprints,
            "identical": int(np.count_nonzero(corpus.how == 1)),
            "lexically_equivalent": int(np.count_nonzero(corpus.how == 2)),
            "sketch_equivalent": int(np.count_nonzero(corpus.how == 3)),
            "pairs": len(corpus.pairs),
            "ignored": corpus.told.shingles,
            "skipped": corpus.skips.total + len(renamed),
            **tables.counted(found),
        },
        "reasons": dict(corpus.skips.reasons.most_common(100))
        | ({DUPLICATE: len(renamed)} if renamed else {}),
        "seconds": {phase: round(seconds, 3) for phase, seconds in work.times.items()},
        "ignored": [[f"{each.hash:016x}", each.groups, each.text] for each in ignored],
        **corpus.told.described(settings.most_shared(len(ids)), len(corpus.files.base), settings.template),
        "skipped": named,
    }
    described["notes"] += of_width
    tables.write_description(path, described)
    return Summary(path, described, tuple((name, reason) for name, reason in named))


def last_phase_settings(settings: CorpusSettings) -> dict[str, object]:
    """Give the settings that decide how pairs become clusters, as run.json has them."""
    return {
        "resemblance": settings.resemblance,
        "contained": settings.contained,
        "policy": settings.policy,  # "": the usual one of each command
        "measure": settings.measure,
        "threshold": settings.resemblance,
    }


def recluster(path: Path, settings: CorpusSettings, output: Path | None = None) -> dict[str, Any]:
    """Repeat the last phase for another threshold or policy; into the run, or into a table of its own."""
    opened = open_corpus(path)
    floor = float(opened.described["floor"])
    if settings.resemblance < floor - 1e-12:
        raise UsageError(
            f"--threshold is {settings.resemblance:.3g}, but {path} has no pairs below {floor:.3g}",
            hint="raise --threshold, or cluster again with a lower --floor",
        )
    standing = opened.first == np.arange(len(opened.first))
    values = values_of(path / "sketches", settings, standing)
    pairs = opened.parts if values is None else ValuedPairs(opened.parts, values)
    found = phases.clustered(pairs, opened.first, opened.how, settings)
    found = read_company(path / "sketches").parted(found)
    if output is not None:
        tables.write_clusters(output, opened.ids, found)
        return tables.counted(found)
    part = path / "clusters.part"
    tables.write_clusters(part, opened.ids, found)
    described = opened.described
    described["settings"] |= last_phase_settings(settings)
    described["counts"] |= tables.counted(found)
    part.replace(path / TABLES[2])
    made = {key: value for key, value in described.items() if key not in ("files",)}
    tables.write_description(path, made)
    return tables.counted(found)
