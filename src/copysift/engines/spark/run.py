"""`copysift cluster --engine spark`: sources to a RUN, which is the same as the local engine writes."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copysift.engines import cluster_run as corpus_run
from copysift.engines import shingle_width, texts
from copysift.engines.cluster_run import Summary
from copysift.engines.company import company_of
from copysift.engines.option_files import option_files
from copysift.engines.spark import last_phase, tables
from copysift.engines.spark import sources as reading
from copysift.engines.spark.corpus import SparkCorpus
from copysift.engines.spark.listings import stamp
from copysift.engines.spark.records import RecordSources
from copysift.engines.spark.remote import Remote
from copysift.engines.spark.storage import Store
from copysift.errors import InputError, RunError, UsageError
from copysift.model.values import DUPLICATE, RENAMED
from copysift.runs.scan_run import TABLES, put_in_place, read_description
from copysift.runs.sets import Sets, has_sets
from copysift.runs.sketches import write_base, write_common
from copysift.runs.tables import write_description
from copysift.runs.workspace import NAMED, Work, answer_settings, decisive, job_of
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings, finished_here, refuse_far
from copysift.settings.selection import MADE_LATER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def cluster(
    spark: SparkSession,
    sources: Iterable[str],
    path: Path,
    settings: CorpusSettings,
    *,
    onto: Path | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Cluster the records of sources on Spark and write the run; `onto` as in the local engine."""
    names = list(sources)
    known = corpus_run.earlier_run(settings, onto)
    if known is not None:
        settings = corpus_run.onto_settings(known, settings)
    if onto is not None:
        settings = corpus_run.onto_settings(onto, settings)
        if onto.absolute() == path.absolute():  # made beside the run, then put in its place
            beside = onto.absolute().with_name(f".{onto.name}.onto")
            made = cluster(spark, names, beside, settings, onto=onto, progress=progress)
            put_in_place(beside, onto.absolute())
            return dataclasses.replace(made, path=onto)
    here = finished_here(settings)
    asked = dataclasses.replace(settings, slim=False) if here else settings
    if settings.measure in MADE_LATER:  # pairs have it when the run is there
        asked = dataclasses.replace(asked, measure="resemblance", threshold=1.0)
    making = begin(spark, names, path, asked, onto, progress, " ".join(here))
    make_run(making)
    made = finish(making)
    return last_phase.finish(made, settings) if here else made


@dataclasses.dataclass(frozen=True, slots=True)
class RunMaker:
    """A run while it is made."""

    path: Path
    corpus: SparkCorpus
    reading: RecordSources
    names: list[str]
    before: list[str]  # sources of the run that this one is made onto
    work: Work


def begin(
    spark: SparkSession,
    names: list[str],
    path: Path,
    settings: CorpusSettings,
    onto: Path | None = None,
    progress: Progress | None = None,
    wish: str = "",
) -> RunMaker:
    """Start a run in a folder, or resume it; `wish` is what else its phases depend on."""
    work = Work(path)
    known = corpus_run.earlier_run(settings, onto)
    remote = [name for name in names if "://" in name]
    files = [name for name in names if "://" not in name]
    seen = stamp(spark, remote) if remote else ""
    told = (
        f"spark {corpus_run.run_stamp(onto)} {remote} {seen} {decisive(settings)} {wish} {settings.shingle}"
    )
    past = [] if known is not None else list(settings.earlier)
    work.begin(job_of([*files, *past], settings, told))
    settings, _ = shingle_width.settled(work, names, settings)
    store = Store(spark, f"file://{work.folder.absolute()}")
    segments: list[reading.Segment] = []
    before: list[str] = []
    if onto is not None:
        segments, before = adopted(onto), list(read_description(onto).get("sources", []))
    elif known is not None:
        segments = adopted(known)
    folder = "" if settings.slim else str((path / "sketches").absolute())
    read = reading_of(spark, names, settings, segments)
    corpus = corpus_of(spark, store, read, settings, folder, progress)
    return RunMaker(path, corpus, read, names, before, work)


def finish(making: RunMaker) -> Summary:
    """Describe a run whose tables are written; with that it is complete."""
    path, before = making.path, making.before
    with making.corpus.configured():
        sizes = sizes_of(making.corpus.store.left("clusters"))
        if making.corpus.folder and making.corpus.counts["ignored"]:
            write_common(Path(making.corpus.folder), making.corpus.boilerplate())
        base = making.reading.files.base
        if making.corpus.folder:
            write_base(Path(making.corpus.folder), base)
        described, named = describe(making.corpus, [*before, *making.names], before, sizes, len(base))
    write_description(path, described)
    making.work.drop()
    return Summary(path, described, named)


def reading_of(
    spark: SparkSession, names: list[str], settings: CorpusSettings, segments: Iterable[reading.Segment] = ()
) -> RecordSources:
    """Say how sources are read: files that every executor sees, or URIs that Spark reads."""
    if "-" in names:
        raise UsageError("Spark cannot read standard input", hint="name files that every executor sees")
    remote = [name for name in names if "://" in name]
    segments = tuple(segments)
    files = option_files(settings, Path(segments[0].place) if segments else None)
    if remote:
        refuse_far(settings, "what Spark reads from URIs")
    if not remote:
        return reading.Files(spark, names, settings, segments, files)
    if len(remote) < len(names):
        raise UsageError("URIs and files do not go together", hint=f"leave out {remote[0]}")
    if segments:
        raise UsageError(
            "URIs go neither with --extend nor with --against", hint="name files that every executor sees"
        )
    return Remote(spark, names, settings, files)


def corpus_of(
    spark: SparkSession,
    store: Store,
    read: RecordSources,
    settings: CorpusSettings,
    folder: str = "",
    progress: Progress | None = None,
) -> SparkCorpus:
    """Give the corpus of sources; with a folder the tasks write the sets of a run there."""
    corpus = SparkCorpus(spark, store, settings, lambda: read.sketches(folder), (), progress)
    corpus.folder = folder
    return corpus


def adopted(onto: Path) -> list[reading.Segment]:
    """Give the sketches of an earlier run as segments: its texts are not read again."""
    folder = onto.absolute() / "sketches"
    if not has_sets(folder):
        raise RunError(f"{onto} holds no shingles", hint="it was made with --slim; make it again without")
    return reading.adopted(folder)


def make_run(making: RunMaker) -> None:
    """Do the phases and write the tables; what does not wait for pairs is made beside them."""
    corpus, path = making.corpus, making.path
    store = corpus.store

    def names() -> DataFrame:
        ids = tables.names(corpus)
        with corpus.phase("documents") as left:
            if left is not None:
                _write(tables.documents(corpus, ids), ["number"], store, path / TABLES[0])
        return ids

    def pairs(ids: DataFrame) -> None:
        with corpus.phase("pairs") as left:
            if left is not None:
                _write(tables.pairs(corpus, ids), ["rank", "place", "then"], store, path / TABLES[1])

    with corpus.configured(), ThreadPoolExecutor(1) as beside:
        corpus.sketch()
        if not corpus.counts["documents"] and not making.before:
            reasons, _ = corpus.skipped(0)
            try:
                corpus_run.require_field(0, reasons, making.names, corpus.settings)
            except InputError:
                making.work.discard()
                raise
        _part_company(making)
        corpus.census()
        named = beside.submit(names)
        corpus.pair()
        ids = named.result()
        written = beside.submit(pairs, ids)
        roots = corpus.components()
        with corpus.phase("clusters") as left:
            if left is not None:
                found = tables.clusters(corpus, roots, ids)
                left |= _write(found, ["root", "number"], store, path / TABLES[2], **tables.sizes())
        written.result()


def _part_company(making: RunMaker) -> None:
    """Find documents that are not compared with each other; their names alone are read here."""
    corpus, settings, read = making.corpus, making.corpus.asked, making.reading
    if not (settings.metadata or settings.earlier or settings.by == "dir"):
        return
    assert isinstance(read, reading.Files)
    parts = read.earlier_parts() if settings.earlier else 0
    starts = (before for part, before in corpus.numbers.offsets if part >= parts)
    earlier = next(starts, corpus.counts["documents"]) if parts else 0
    corpus.company, corpus.unknown = company_of(Sets(Path(corpus.folder)), settings, earlier)


def describe(
    corpus: SparkCorpus, sources: list[str], before: list[str], sizes: dict[str, int], base: int = 0
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """Give what run.json says, and the first of the records left out with their reasons."""
    settings = corpus.settings
    boilerplate = corpus.told()
    told = [] if before else texts.ignored_texts(boilerplate.commonest, sources, settings)
    reasons, named = left_out(corpus)
    described: dict[str, Any] = {
        "engine": "spark",
        "settings": answer_settings(corpus.asked) | corpus_run.last_phase_settings(settings),
        "sources": sources,
        "floor": settings.floor,
        "counts": {
            "documents": corpus.counts["documents"],
            **({"earlier": corpus.company.earlier} if corpus.company.earlier else {}),
            **{name: corpus.counts[name] for name in COUNTED},
            "skipped": sum(reasons.values()),
            **sizes,
        },
        "reasons": dict(list(reasons.items())[:100]),
        "seconds": {phase: round(seconds, 3) for phase, seconds in corpus.times.items()},
        "ignored": [[f"{each.hash:016x}", each.groups, each.text] for each in told],
        **boilerplate.described(settings.most_shared(), base, settings.template),
        "skipped": named,
    }
    return described, tuple((name, reason) for name, reason in named)


def left_out(corpus: SparkCorpus) -> tuple[dict[str, int], list[list[str]]]:
    """Count the records that were left out or renamed, by reason, and name the first of them."""
    reasons, named = corpus.skipped(NAMED)
    for each in corpus.unknown:
        reasons[each.reason] = reasons.get(each.reason, 0) + 1
        named.append([each.name, each.reason])
    renamed = corpus.counts["renamed"]
    named += [[name, RENAMED] for name in corpus.counts.get("renamed_first", [])]
    return dict(Counter(reasons).most_common()) | ({DUPLICATE: renamed} if renamed else {}), named


COUNTED = (
    "bytes", "shingles", "fingerprints", "identical", "lexically_equivalent",
    "sketch_equivalent", "pairs", "ignored",
)  # fmt: skip


def sizes_of(counted: dict[str, Any]) -> dict[str, int]:
    """Give what run.json says of the clusters, from what was counted while they were written."""
    clusters, clustered = counted["clusters"], counted["clustered"]
    return {"clusters": clusters, "clustered": clustered, "duplicates": clustered - clusters}


def _write(frame: DataFrame, order: list[str], store: Store, path: Path, **counts: Column) -> dict[str, Any]:
    """Write a table as one file, in order; one task sorts it, on disk where memory ends. Give sums."""
    whole = frame.repartition(1).sortWithinPartitions(*order).drop(*order)
    name = f"table-{path.stem}"
    found = store.counted(whole, counts, lambda rows: rows.write.mode("overwrite").parquet(store.path(name)))
    (part,) = Path(path.parent / "work" / name).glob("part-*.parquet")
    part.replace(path)
    return found
