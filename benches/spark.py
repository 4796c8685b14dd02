"""The Spark engine beside MLlib's MinHashLSH and beside the local engine, and how it grows, in one run.

usage: spark.py CORPUS_DIR [--mllib] [--master local[2]] [--growth SMALL LARGE] [--words N] [--results FILE]
CORPUS_DIR holds corpus.jsonl. The session is started before anything is timed, and each side is run twice on
the first 2,000 documents, so that neither is timed while Java compiles it; what the first of these runs took
is told. The local engine runs in the same process. `--growth` clusters generated documents of N words (60),
of which three in ten are near-copies of others, SMALL and LARGE of them, and nothing else; with --results
the seconds are kept in a file, so that the two sizes can be measured by two calls.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from copysift.engines.cluster_run import cluster as local_cluster
from copysift.engines.spark.session import session
from copysift.settings.corpus import CorpusSettings

TABLES = ("documents", "pairs", "clusters")
WARM = 2000


def timed(call: Any) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def shuffled_bytes(spark: Any) -> int:
    """Give the bytes that all stages so far wrote to shuffles."""
    store = spark.sparkContext._jsc.sc().statusStore()
    stages = store.stageList(
        None, False, False, spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0), None
    )
    return sum(stages.apply(place).shuffleWriteBytes() for place in range(stages.size()))


def on_spark(spark: Any, source: Path, run: Path) -> tuple[float, dict[str, Any], int]:
    from copysift.engines.spark.run import cluster

    before = shuffled_bytes(spark)
    seconds = timed(lambda: cluster(spark, [str(source)], run, CorpusSettings()))
    return seconds, json.loads((run / "run.json").read_text()), shuffled_bytes(spark) - before


def frames(spark: Any, source: Path) -> tuple[float, int, dict[str, float]]:
    """Go from a DataFrame to a DataFrame of pairs, as MLlib does below; clusters are made on the way."""
    import copysift.spark

    found, phases = 0, {}

    def work() -> None:
        nonlocal found, phases
        read = spark.read.json(str(source)).select("id", "text").repartition(8)
        with copysift.spark.cluster(read) as made:
            found, phases = made.pairs.where("resemblance >= 0.5").count(), made.seconds

    return timed(work), found, phases


def mllib(spark: Any, source: Path) -> tuple[float, int]:
    """Shingle, sketch and join with Spark's own: 10 words, 5 tables, resemblance of at least one half."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions

    found = 0

    def work() -> None:
        nonlocal found
        read = spark.read.json(str(source)).select("id", "text").repartition(8)
        stages = [
            RegexTokenizer(inputCol="text", outputCol="words", pattern="\\W+"),
            NGram(n=10, inputCol="words", outputCol="shingles"),
            HashingTF(inputCol="shingles", outputCol="set", numFeatures=1 << 20, binary=True),
        ]
        sets = Pipeline(stages=stages).fit(read).transform(read)
        sets = sets.where(functions.size("shingles") > 0).select("id", "set").cache()
        model = MinHashLSH(inputCol="set", outputCol="sketch", numHashTables=5, seed=1).fit(sets)
        sketched = model.transform(sets).cache()
        near = model.approxSimilarityJoin(sketched, sketched, 0.5, "distance")
        found = near.where("datasetA.id < datasetB.id").count()

    seconds = timed(work)
    spark.catalog.clearCache()
    return seconds, found


def generate(path: Path, count: int, words: int) -> None:
    chance = random.Random(7)
    vocabulary = [f"w{number}" for number in range(50_000)]
    recent: list[list[str]] = []
    with path.open("w") as file:
        for number in range(count):
            if recent and chance.random() < 0.3:
                text = list(chance.choice(recent))
                text[chance.randrange(len(text))] = "changed"
            else:
                text = chance.choices(vocabulary, k=words)
                recent.append(text)
                recent = recent[-1000:]
            file.write(json.dumps({"id": f"d{number}", "text": " ".join(text)}) + "\n")


def growth(spark: Any, work: Path, sizes: list[int], words: int, results: Path | None) -> None:
    known: dict[str, float] = json.loads(results.read_text()) if results and results.exists() else {}
    for count in sizes:
        source = work / f"{count}.jsonl"
        generate(source, count, words)
        seconds, told, moved = on_spark(spark, source, work / f"run-{count}")
        local = timed(
            lambda source=source, count=count: local_cluster(
                [str(source)], work / f"local-{count}", CorpusSettings()
            )
        )
        known[str(count)] = seconds / count
        print(
            f"| {count:,} documents of {words} words, {source.stat().st_size / 1e6:.0f} MB | {seconds:.1f} s "
            f"| local {local:.1f} s | {moved / count:.0f} bytes shuffled a document | {told['seconds']} |",
            flush=True,
        )
    each = [known[count] for count in sorted(known, key=int)]
    if len(each) == 2:
        print(f"| growth | {each[1] / each[0]:.2f} x linear |")
    if results:
        results.write_text(json.dumps(known))


def side_by_side(spark: Any, work: Path, source: Path, warm: Path, with_mllib: bool) -> None:
    seconds, told, moved = on_spark(spark, source, work / "run")
    count = told["counts"]["documents"]
    local = timed(lambda: local_cluster([str(source)], work / "local", CorpusSettings()))
    same = all(
        pq.read_table(work / "run" / f"{name}.parquet").to_pylist()
        == pq.read_table(work / "local" / f"{name}.parquet").to_pylist()
        for name in TABLES
    )
    print(
        f"| copysift on Spark | {count:,} documents | {seconds:.1f} s "
        f"| {moved / count:.0f} bytes shuffled a document |"
    )
    print(f"| phases | {told['seconds']} |")
    print(f"| copysift, local engine | {local:.1f} s | Spark takes {seconds / local:.1f} x as long |")
    print(f"| the same tables | {same} |", flush=True)
    if with_mllib:
        print(f"| the first run of MLlib, {WARM:,} documents | {mllib(spark, warm)[0]:.1f} s |")
        mllib(spark, warm)
        theirs, pairs = mllib(spark, source)
        print(
            f"| MLlib MinHashLSH, join | {theirs:.1f} s | {pairs:,} pairs | {theirs / seconds:.1f} x ours |",
            flush=True,
        )
    frames(spark, warm)
    frames(spark, warm)
    ours, pairs, phases = frames(spark, source)
    print(
        f"| copysift.spark.cluster, pairs counted | {ours:.1f} s | {pairs:,} pairs | {phases} |", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--mllib", action="store_true")
    parser.add_argument("--growth", type=int, nargs="*", default=[])
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--spark-conf", action="append", default=[])
    parser.add_argument("--spark-master", default="local[2]")
    parser.add_argument("--results", type=Path)
    given = parser.parse_args()
    spark = session(given.master, ["spark.driver.memory=3g", "spark.sql.shuffle.partitions=16", *given.conf])
    with tempfile.TemporaryDirectory(prefix="copysift-bench-", dir=Path.cwd()) as folder:
        work = Path(folder)
        source = given.corpus / "corpus.jsonl"
        warm = work / "warm.jsonl"
        with source.open() as file:
            warm.write_text("".join(islice(file, WARM)))
        cold = on_spark(spark, warm, work / "warm-0")[0]
        on_spark(spark, warm, work / "warm-1")
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        print(f"| the first run of a session, {WARM:,} documents | {cold:.1f} s |")
        if given.growth:
            growth(spark, work, given.growth, given.words, given.results)
        else:
            side_by_side(spark, work, source, warm, given.mllib)
    spark.stop()


if __name__ == "__main__":
    main()
