"""Runs by Spark: the folder that the local engine writes, taken up where it was left, and added to."""

import json

import pytest

from copysift.cli.main import main
from copysift.engine.corpus.engines import cluster_with
from copysift.engine.corpus.query import query
from copysift.settings import make
from copysift.settings_corpus import CorpusSettings
from tests.corpus.texts import mixed, rows, run, write_jsonl

TABLES = ("documents", "pairs", "clusters")


def spark_run(sources, folder, onto=None, **settings):
    names = [str(source) for source in sources]
    return cluster_with("spark")(names, folder, make(CorpusSettings, settings), onto=onto)


@pytest.fixture
def small_segments(monkeypatch):
    monkeypatch.setattr("copysift.engine.spark.sources.SPLIT", 30_000)


def test_runs_and_dedup_are_what_the_local_engine_makes_and_runs_can_be_added_to(
    spark, tmp_path, small_segments
):
    records = mixed(90, seed=5)
    records[7]["id"] = records[3]["id"]
    del records[30]["id"]
    old = write_jsonl(tmp_path / "old.jsonl", records[:60])
    new = write_jsonl(tmp_path / "new.jsonl", records[60:])
    old.write_text(old.read_text() + "broken\n" + '{"id": "no text"}\n')
    local = run([str(old), str(new)], tmp_path / "local")
    dedup = ["dedup", str(old), "-q", "-o"]
    assert main([*dedup, str(tmp_path / "kept.jsonl")]) == 3
    arguments = ["--engine", "spark", "--run", str(tmp_path / "first")]
    assert main([*dedup, str(tmp_path / "kept-by-spark.jsonl"), *arguments]) == 3
    kept = [(tmp_path / f"{name}.jsonl").read_text() for name in ("kept", "kept-by-spark")]
    assert kept[0] == kept[1]
    old_text = old.read_text()
    old.write_text("")  # its texts are not read again
    made = spark_run([new], tmp_path / "both", onto=tmp_path / "first")
    old.write_text(old_text)
    for name in TABLES:
        assert rows(tmp_path / "both", name) == rows(tmp_path / "local", name)
    counts = local.described["counts"]
    assert {name: made.described["counts"][name] for name in ("documents", "pairs", "clusters")} == {
        name: counts[name] for name in ("documents", "pairs", "clusters")
    }
    assert json.loads((tmp_path / "both" / "run.json").read_text())["engine"] == "spark"
    first = json.loads((tmp_path / "first" / "run.json").read_text())
    assert [reason for _, reason in first["skipped"]][:2] == [
        reason for _, reason in local.described["skipped"]
    ][:2]
    name = rows(tmp_path / "both", "pairs")[-1]["left"]
    assert query(tmp_path / "both", None, name, 0.3) == query(tmp_path / "local", None, name, 0.3)


@pytest.mark.parametrize(
    ("lack", "name"),
    [("Java 17", "copysift.engine.spark.session.shutil.which"), ("PySpark", "importlib.util.find_spec")],
)
def test_what_is_missing_is_said_in_one_line_without_spark(tmp_path, capsys, monkeypatch, lack, name):
    monkeypatch.setattr(name, lambda *_, **__: None)
    if lack.startswith("Java"):
        pytest.importorskip("pyspark")
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    assert main(["cluster", str(source), "-o", str(tmp_path / "run"), "--engine", "spark"]) == 2
    assert lack in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_was_cut_off_goes_on_after_the_last_phase(spark, tmp_path, monkeypatch):
    from copysift.engine.spark.corpus import SparkCorpus

    source = write_jsonl(tmp_path / "c.jsonl", mixed(50, seed=8))
    run(source, tmp_path / "local")
    with monkeypatch.context() as patched:
        patched.setattr(SparkCorpus, "_choose", lambda self: (_ for _ in ()).throw(KeyError("killed")))
        with pytest.raises(KeyError, match="killed"):
            spark_run([source], tmp_path / "run")
    assert (tmp_path / "run" / "work" / "share.json").exists()

    def never(*_):
        raise AssertionError("a phase was done twice")

    monkeypatch.setattr("copysift.engine.spark.sources.sketches", never)
    monkeypatch.setattr(SparkCorpus, "_filter", never)
    spark_run([source], tmp_path / "run")
    assert not (tmp_path / "run" / "work").exists()
    for name in TABLES:
        assert rows(tmp_path / "run", name) == rows(tmp_path / "local", name)
