"""`dedup` on Spark: the documents, reasons and measures of the local engine, and its files."""

import dataclasses
import itertools
import json
import random

import hypothesis
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from copysift.cli.main import main
from copysift.engines.decision import decide
from copysift.settings.corpus import POLICIES, CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import mixed, run, text, write_jsonl

KEEPS = ("first", "longest", "newest", "best:score")
DATED = {"date_field": "when"}


def scored(records, seed=1):
    """Give records what --keep goes by; some have none of it, or nonsense."""
    chance = random.Random(seed)
    found = []
    for record in records:
        record = dict(record)
        if chance.random() < 0.8:
            record["score"] = chance.choice([1, 2.5, "3", "none", True, None])
        if chance.random() < 0.8:
            record["when"] = f"20{chance.randrange(10, 30)}-01-01"
        found.append(record)
    return [*found, {"id": "last", "text": "nothing else", "score": 0, "when": "2001"}]


def local_decision(folder, settings, keep):
    found = decide(folder, settings, keep)
    measures = zip(found.measured.resemblance.tolist(), found.measured.containment_left.tolist(), strict=True)
    rows = zip(found.removed.tolist(), found.reason, measures, strict=True)
    return [
        (found.ids[number], found.ids[int(found.kept[number])], reason, *both)
        for number, reason, both in rows
    ]


class OnSpark:
    """One corpus, sketched and paired once, decided on again and again."""

    def __init__(self, spark, sources, store, settings):
        from copysift.engines.spark.run import corpus_of, reading_of

        self.corpus = corpus_of(spark, store, reading_of(spark, sources, settings), settings)
        self.corpus.run()

    def decision(self, settings, keep):
        from copysift.engines.spark import decisions as deciding
        from copysift.engines.spark import writers as writing

        self.corpus.settings = settings
        self.corpus.store.drop("decide.json")
        self.corpus.store._left.pop("decide", None)
        with self.corpus.configured():
            removed = writing.listed(self.corpus, deciding.decide(self.corpus, keep))
            found = sorted(removed.collect(), key=lambda row: row["number"])
        return [tuple(row)[2:] for row in found]


def compared(spark, records, folder, given, wishes):
    """Compare the decisions of both engines; give how many documents go, for every wish."""
    from copysift.engines.spark.storage import Store

    folder.mkdir(exist_ok=True)
    source = write_jsonl(folder / "c.jsonl", records)
    run(source, folder / "run", **DATED | given)
    settings = make(CorpusSettings, DATED | given)
    there = OnSpark(spark, [str(source)], Store(spark, f"file://{folder}/work"), settings)
    gone = []
    for keep, policy in wishes:
        asked = dataclasses.replace(settings, policy=policy)
        expected = local_decision(folder / "run", asked, keep)
        assert there.decision(asked, keep) == expected, (keep, policy)
        gone.append(len(expected))
    return gone


def crowd(count, seed):
    """Many near-copies of one text, of which not all pairs are known, and a chain of versions."""
    base, chance = text(60, seed), random.Random(seed)
    found = [f"{base} {text(4, (seed, n))}" for n in range(count)]
    version = text(200, (seed, "chain")).split()
    for number in range(count):
        version[chance.randrange(200)] = f"v{number}"
        version[chance.randrange(200)] = f"v{number}x"
        found.append(" ".join(version))
    chance.shuffle(found)
    return [{"id": f"n{number}", "text": each} for number, each in enumerate(found)]


@pytest.mark.slow
def test_every_keep_and_policy_decides_as_the_local_engine(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.sources.SPLIT", 40_000)
    records = mixed(80, seed=5) + crowd(14, 3)
    records[7]["id"] = records[3]["id"]
    gone = compared(
        spark, scored(records), tmp_path / "a", {"max_shared": 6}, itertools.product(KEEPS, POLICIES)
    )
    assert min(gone) > 20
    assert len(set(gone)) > 2


@pytest.mark.slow
def test_decisions_in_many_tasks_are_those_in_one(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.limits.TOGETHER", 5)
    monkeypatch.setattr("copysift.engines.spark.limits.CELL", 2)
    monkeypatch.setattr("copysift.engines.spark.limits.SENT", 0)
    records = scored(mixed(40, seed=9) + crowd(8, 4))
    wishes = [("first", "representative"), ("longest", "component"), ("best:score", "complete")]
    compared(spark, records, tmp_path / "a", {"max_shared": 5, "measure": "containment"}, wishes)
    compared(spark, records, tmp_path / "b", {"max_shared": 5, "estimate": True}, wishes[:2])


@pytest.mark.slow
def test_random_small_corpora_are_decided_as_by_the_local_engine(spark, tmp_path_factory, monkeypatch):
    words = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=20).map(" ".join)

    @hypothesis.settings(max_examples=5, deadline=None, database=None)
    @hypothesis.given(
        texts=st.lists(words, min_size=1, max_size=25),
        split=st.sampled_from([200, 1000, 100_000]),
        wishes=st.lists(st.tuples(st.sampled_from(KEEPS), st.sampled_from(POLICIES)), min_size=1, max_size=2),
        contained=st.booleans(),
    )
    def check(texts, split, wishes, contained):
        monkeypatch.setattr("copysift.engines.spark.sources.SPLIT", split)
        records = scored([{"id": f"{n:03}", "text": each} for n, each in enumerate(texts)], len(texts))
        measure = "containment" if contained else "resemblance"
        given = {"shingle": 2, "modulus": 1, "max_shared": 3, "measure": measure}
        compared(spark, records, tmp_path_factory.mktemp("random"), given, wishes)

    check()


@pytest.mark.slow
def test_a_sample_of_the_corpus_is_decided_as_by_the_local_engine(spark, tmp_path, corpus_sample):
    gone = compared(spark, corpus_sample, tmp_path / "a", {}, itertools.product(KEEPS[:2], POLICIES))
    assert min(gone) > 0


def outputs(folder, stem):
    return {
        path.name.removeprefix(stem): path.read_bytes()
        for path in sorted(folder.glob(f"{stem}*"))
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_the_files_are_those_of_the_local_engine(spark, tmp_path, capsys, suffix):
    records = scored(mixed(60, seed=12))
    records[30].pop("id")
    source = write_jsonl(tmp_path / "c.jsonl", records)
    source.write_text(source.read_text() + "broken\n")
    arguments = ["dedup", str(source), "--keep", "longest", "--shards", "3", "-o"]
    assert main([*arguments, str(tmp_path / f"here.{suffix}")]) == 3
    here = capsys.readouterr()
    assert main([*arguments, str(tmp_path / f"there.{suffix}"), "--engine", "spark"]) == 3
    assert capsys.readouterr() == here
    found = outputs(tmp_path, "here")
    assert len(found) == 4
    assert outputs(tmp_path, "there") == found


@pytest.mark.slow
def test_a_dry_run_only_counts_and_against_drops_what_a_run_has(spark, tmp_path, capsys):
    records = mixed(70, seed=14)
    run(write_jsonl(tmp_path / "old.jsonl", records[:40]), tmp_path / "run")
    new = write_jsonl(tmp_path / "new.jsonl", records[30:])
    arguments = ["dedup", str(new), "--against", str(tmp_path / "run"), "--measure", "containment"]
    assert main([*arguments, "-o", str(tmp_path / "here.jsonl")]) == 0
    here = capsys.readouterr().out
    spark_too = [*arguments, "--engine", "spark"]
    assert main([*spark_too, "-o", str(tmp_path / "there.jsonl"), "--save", str(tmp_path / "both")]) == 0
    assert capsys.readouterr().out == here
    found = outputs(tmp_path, "here")
    assert json.loads(found[".removed.jsonl"].splitlines()[0])["kept"] == records[30]["id"]
    assert outputs(tmp_path, "there") == found
    assert json.loads((tmp_path / "both" / "run.json").read_text())["counts"]["documents"] == 80
    before = set(tmp_path.iterdir())
    assert main([*spark_too, "--dry-run"]) == 0
    assert capsys.readouterr().out == here.replace(" kept", " would be kept").replace(
        " removed", " would be removed"
    )
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "shards"), [("jsonl", 1), ("parquet", 3)])
def test_at_a_uri_spark_writes_folders_with_the_same_records(spark, tmp_path, capsys, suffix, shards):
    records = scored(mixed(40, seed=16))
    source = write_jsonl(tmp_path / "c.jsonl", records)
    assert main(["dedup", str(source), "-o", str(tmp_path / f"here.{suffix}"), "--keep", "best:score"]) == 0
    arguments = ["dedup", str(source), "--keep", "best:score", "--shards", str(shards), "--engine", "spark"]
    target = f"file://{tmp_path}/there.{suffix}"
    assert main([*arguments, "-o", target]) == 0

    def read(path):
        if suffix == "parquet":
            return pq.read_table(path).to_pylist()
        files = sorted(path.glob("part-*")) if path.is_dir() else [path]
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    for name in ("", ".removed"):
        assert read(tmp_path / f"there{name}.{suffix}") == read(tmp_path / f"here{name}.{suffix}")
    if shards > 1:
        assert len(list((tmp_path / f"there.{suffix}").glob("part-*"))) == shards
    assert not list(tmp_path.glob("_*"))
    capsys.readouterr()
    assert main([*arguments, "-o", target]) == 2
    assert "exists" in capsys.readouterr().err


def test_what_spark_cannot_do_is_refused_before_it_starts_without_spark(tmp_path, capsys):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    spark = ["dedup", str(source), "-o", str(tmp_path / "o.jsonl"), "--engine", "spark"]
    assert main([*spark, "--against", "RUN", "--passages", "cut"]) == 2
    assert "passages need --engine local" in capsys.readouterr().err
    assert main(["dedup", str(source), "-o", "s3a://bucket/o.jsonl"]) == 2
    assert "only Spark writes to a URI" in capsys.readouterr().err


def test_ids_that_spark_spells_otherwise_are_refused(spark):
    import copysift.spark
    from copysift.errors import UsageError

    frame = spark.createDataFrame([(2e7, "some text")], "id double, text string")
    with pytest.raises(UsageError, match="of type double"):
        copysift.spark.dedup(frame)
