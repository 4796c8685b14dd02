"""`copysift cluster --engine spark`: sources to a RUN, which is the same as the local engine writes."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift.engine.corpus import run as corpus_run
from copysift.engine.corpus import texts
from copysift.engine.corpus.run import Summary
from copysift.engine.corpus.sets import Sets, Sketched
from copysift.engine.corpus.tables import write_description
from copysift.engine.corpus.work import NAMED, Work, answer_settings, job_of
from copysift.engine.progress import Progress
from copysift.engine.run import TABLES, _put, _read_description
from copysift.engine.spark import sources as reading
from copysift.engine.spark import tables
from copysift.engine.spark.columns import Batches, numbers, runs, unpacked, unsigned
from copysift.engine.spark.corpus import SparkCorpus
from copysift.engine.spark.frames import DEFAULT_ORDER, sketch_frame
from copysift.engine.spark.sketching import SKETCHES
from copysift.engine.spark.store import Store
from copysift.errors import RunError, UsageError
from copysift.fingerprint import shingles as sketching
from copysift.settings_corpus import CorpusSettings
from copysift.values import RENAMED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PARTS = 1 << 23  # shingles in a part of the sets that a run keeps, about


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
    if onto is not None:
        settings = corpus_run._onto_settings(onto, settings)
        if onto.absolute() == path.absolute():  # made beside the run, then put in its place
            beside = onto.absolute().with_name(f".{onto.name}.onto")
            made = cluster(spark, names, beside, settings, onto=onto, progress=progress)
            _put(beside, onto.absolute())
            return dataclasses.replace(made, path=onto)
    work = Work(path)
    work.begin(job_of(names, settings, f"spark {corpus_run._stamp(onto)}"))
    store = Store(spark, f"file://{work.folder.absolute()}")
    segments: list[reading.Segment] = []
    before: list[str] = []
    if onto is not None:
        segments, before = adopted(onto), list(_read_description(onto).get("sources", []))
    folder = "" if settings.slim else str((path / "sketches").absolute())
    corpus = corpus_of(spark, store, names, settings, folder, segments, progress)
    _make(corpus, path)
    with corpus.configured():
        described, named = describe(corpus, [*before, *names], before, sizes_of(store.left("clusters")))
    write_description(path, described)
    work.drop()
    return Summary(path, described, named)


def corpus_of(
    spark: SparkSession,
    store: Store,
    names: list[str],
    settings: CorpusSettings,
    folder: str = "",
    segments: Iterable[reading.Segment] = (),
    progress: Progress | None = None,
) -> SparkCorpus:
    """Give the corpus of sources: files that every executor sees, or URIs that Spark reads."""
    if "-" in names:
        raise UsageError("Spark cannot read standard input", hint="name files that every executor sees")
    remote = [name for name in names if "://" in name]
    if remote and (segments or len(remote) < len(names)):
        raise UsageError("URIs go neither with --onto nor with files", hint=f"leave out {remote[0]}")
    if remote:
        frame = _read(spark, names)
        return SparkCorpus(
            spark, store, settings, lambda: sketch_frame(frame, settings, ()), DEFAULT_ORDER, progress
        )

    def sketches() -> DataFrame:
        parts = reading.parts_of([*segments, *reading.plan(spark, names, settings)])
        return reading.sketches(spark, parts, settings, SKETCHES, folder)

    corpus = SparkCorpus(spark, store, settings, sketches, (), progress)
    corpus.folder = folder
    return corpus


def _read(spark: SparkSession, names: list[str]) -> DataFrame:
    """Let Spark read what lies in object storage, by its name; documents come in order of their ids."""
    found: DataFrame | None = None
    for name in names:
        form = REMOTE.get(Path(name.removesuffix(".gz").rstrip("/")).suffix)
        if form is None:
            raise UsageError(
                f"no format for {name}",
                hint=f"{', '.join(REMOTE)}; for others read a DataFrame and call copysift.spark.cluster",
            )
        frame = spark.read.option("header", "true").format(form).load(name)
        found = frame if found is None else found.unionByName(frame, allowMissingColumns=True)
    assert found is not None
    return found


REMOTE = {".parquet": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json", ".csv": "csv"}


def adopted(onto: Path) -> list[reading.Segment]:
    """Give the sketches of an earlier run as segments: its texts are not read again."""
    folder = onto.absolute() / "sketches"
    if not list(folder.glob("shingles-*.u64")):
        raise RunError(f"{onto} holds no shingles", hint="it was made with --slim; make it again without")
    return reading.adopted(folder)


def _make(corpus: SparkCorpus, path: Path) -> None:
    """Do the phases and write the tables; what does not wait for pairs is made beside them."""
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
        if corpus.numbers.order and not corpus.settings.slim:
            _write_sets(corpus, path / "sketches")


def describe(
    corpus: SparkCorpus, sources: list[str], before: list[str], sizes: dict[str, int]
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """Give what run.json says, and the first of the records left out with their reasons."""
    settings = corpus.settings
    ignored = [(int(h), int(count), int(first)) for h, count, first in corpus.counts["commonest"]]
    told = [] if before else texts.ignored_texts(ignored, sources, settings)
    reasons, named = corpus.skipped(NAMED)
    renamed = corpus.counts["renamed"]
    for name in corpus.counts.get("renamed_first", []):
        named.append([name, RENAMED])
    described: dict[str, Any] = {
        "engine": "spark",
        "settings": answer_settings(settings) | corpus_run._last(settings),
        "sources": sources,
        "floor": settings.floor,
        "counts": {
            **{name: corpus.counts[name] for name in COUNTED},
            "skipped": sum(reasons.values()) + renamed,
            **sizes,
        },
        "reasons": dict(Counter(reasons).most_common(100)) | ({"duplicate id": renamed} if renamed else {}),
        "seconds": {phase: round(seconds, 3) for phase, seconds in corpus.times.items()},
        "ignored": [[f"{each.hash:016x}", each.groups, each.text] for each in told],
        "skipped": named,
    }
    return described, tuple((name, reason) for name, reason in named)


COUNTED = (
    "documents", "bytes", "shingles", "fingerprints", "identical", "lexically_equivalent",
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


def _write_sets(corpus: SparkCorpus, folder: Path) -> None:
    """Write the sets as the local engine has them, so that query, --onto and --against can read them."""
    parts = max(-(-corpus.counts["shingles"] // PARTS), 1)
    step = max(-(-corpus.counts["documents"] // parts), 1)
    whole = corpus.sets().selectExpr("*", f"cast(floor(number / {step}) as long) as part")
    shuffled = whole.repartition(corpus.parts(8 * corpus.counts["shingles"]), "part")
    divided = shuffled.sortWithinPartitions("part", "number")
    target = str(folder.absolute())
    modulus = corpus.settings.modulus

    def task(batches: Batches) -> Batches:
        for part, table in runs(batches, "part"):
            _write_part(table, Path(target), part, modulus)
            yield pa.RecordBatch.from_pydict({"part": [part]})

    divided.mapInArrow(task, "part long").count()


def _write_part(table: pa.Table, folder: Path, part: int, modulus: int) -> None:
    values, bounds = unpacked(table["values"], np.uint64)
    samples, _ = sketching.samples(values, bounds, sketching.moduli(np.diff(bounds), modulus))
    shingles = numbers(table["shingles"])
    facts = {name: table[name] for name in ("id", "date", "other", "bytes", "words", "shingles", "sampled")}
    digests = {name: unsigned(table[name]) for name in ("content", "lexical")}
    key = unsigned(table["class_key"])
    # without a shingle the set is empty, and its class is named by something else
    empty = sketching.shingle_sets(np.zeros(0, np.uint8), np.zeros(2, np.int64), 1).sets[0]
    made = Sets(folder)
    made.parts = part
    made.write(
        [Sketched(pa.table(facts | digests | {"sets": np.where(shingles > 0, key, empty)}), samples, values)]
    )
