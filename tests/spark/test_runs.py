"""Runs by Spark: the folder that the local engine writes, taken up where it was left, and added to."""

import json

import pyarrow.parquet as pq
import pytest

from copysift.cli.main import main
from copysift.engines.engine import cluster_with
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.workflows.run_query import query
from tests.corpus.test_sources import warc
from tests.corpus.texts import mixed, rows, run, text, write_jsonl

TABLES = ("documents", "pairs", "clusters")


def spark_run(sources, folder, onto=None, **settings):
    names = [str(source) for source in sources]
    return cluster_with("spark")(names, folder, make(CorpusSettings, settings), onto=onto)


@pytest.fixture
def small_segments(monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.sources.SPLIT", 30_000)


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
    arguments = ["--engine", "spark", "--save", str(tmp_path / "first")]
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


@pytest.mark.slow
def test_a_run_at_a_uri_is_written_by_spark_with_the_same_tables(spark, tmp_path, capsys):
    records = mixed(40, seed=6)
    source = write_jsonl(tmp_path / "c.jsonl", [*records, {"id": "null", "text": None}])
    local = run(source, tmp_path / "local")
    target = f"file://{tmp_path}/elsewhere/run"
    arguments = ["cluster", str(source), "-o", target, "--engine", "spark"]
    assert main(arguments) == 3
    assert target in capsys.readouterr().err
    for name in TABLES:
        found = pq.read_table(tmp_path / "elsewhere" / "run" / f"{name}.parquet").to_pylist()
        assert found == rows(tmp_path / "local", name)
    described = json.loads((tmp_path / "elsewhere" / "run" / "run.json").read_text())
    assert described["counts"] == local.described["counts"]
    assert not (tmp_path / "elsewhere" / "run" / "work").exists()
    assert main(arguments) == 2
    assert "holds something else" in capsys.readouterr().err
    assert main([*arguments[:-2]]) == 2
    assert "only Spark writes to a URI" in capsys.readouterr().err


@pytest.mark.slow
def test_warc_is_read_as_by_the_local_engine(spark, tmp_path):
    pytest.importorskip("fastwarc")
    (tmp_path / "c.warc.gz").write_bytes(warc(6))
    plain = write_jsonl(tmp_path / "p.jsonl", [{"id": "plain", "text": text(60, 0)}])
    run([str(tmp_path / "c.warc.gz"), str(plain)], tmp_path / "local")
    spark_run([tmp_path / "c.warc.gz", plain], tmp_path / "run", slim=True)
    assert rows(tmp_path / "run", "clusters")
    for name in TABLES:
        assert rows(tmp_path / "run", name) == rows(tmp_path / "local", name)


@pytest.mark.parametrize(
    ("lack", "name"),
    [("Java 17", "copysift.engines.spark.session.shutil.which"), ("PySpark", "importlib.util.find_spec")],
)
def test_what_is_missing_is_said_in_one_line_without_spark(tmp_path, capsys, monkeypatch, lack, name):
    monkeypatch.setattr(name, lambda *_, **__: None)
    if lack.startswith("Java"):
        pytest.importorskip("pyspark")
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    assert main(["cluster", str(source), "-o", str(tmp_path / "run"), "--engine", "spark"]) == 2
    assert lack in capsys.readouterr().err


def test_a_master_that_is_none_is_refused_before_spark_starts(tmp_path, capsys):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    arguments = ["cluster", str(source), "-o", str(tmp_path / "run")]
    arguments += ["--engine", "spark", "--spark-master", "foo"]
    assert main(arguments) == 2
    assert "--spark-master foo is not a cluster" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_spark_throws_is_told_in_one_line(spark, tmp_path, capsys):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    for target, cause in (("file:///proc/run", "/proc/run"), ("none://host/run", 'scheme "none"')):
        assert main(["cluster", str(source), "-o", target, "--engine", "spark"]) == 2
        told = capsys.readouterr().err.splitlines()
        assert [line.partition(":")[0] for line in told] == ["copysift", "hint"]
        assert told[0].startswith("copysift: Spark failed: ")
        assert cause in told[0]


def test_an_error_of_a_task_is_told_as_it_was_raised_without_spark():
    from copysift.engines.spark.failures import told
    from copysift.errors import UsageError

    trace = "PythonException: \n  File x, line 1\ncopysift.errors.UsageError: --features failed\n\n\tat java"
    found = told(trace)
    assert isinstance(found, UsageError)
    assert found.message == "--features failed"
    assert (
        "java.io.IOException: no room"
        in told("An error\n: a.B\nCaused by: java.io.IOException: no room").message
    )


@pytest.mark.slow
def test_a_field_that_no_record_has_is_a_slip_and_leaves_no_run(spark, tmp_path, capsys):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(3))
    arguments = ["cluster", str(source), "-o", str(tmp_path / "run"), "--engine", "spark"]
    assert main([*arguments, "--text-field", "body"]) == 2
    assert "has a field 'body'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_run_that_was_cut_off_goes_on_after_the_last_phase(spark, tmp_path, monkeypatch):
    from copysift.engines.spark.corpus import SparkCorpus

    source = write_jsonl(tmp_path / "c.jsonl", mixed(50, seed=8))
    run(source, tmp_path / "local")
    with monkeypatch.context() as patched:
        patched.setattr(SparkCorpus, "_choose", lambda self: (_ for _ in ()).throw(KeyError("killed")))
        with pytest.raises(KeyError, match="killed"):
            spark_run([source], tmp_path / "run")
    assert (tmp_path / "run" / "work" / "collapse.json").exists()

    def never(*_):
        raise AssertionError("a phase was done twice")

    monkeypatch.setattr("copysift.engines.spark.sources.sketches", never)
    monkeypatch.setattr("copysift.engines.spark.tasks.likeness_task", never)
    spark_run([source], tmp_path / "run")
    assert not (tmp_path / "run" / "work").exists()
    for name in TABLES:
        assert rows(tmp_path / "run", name) == rows(tmp_path / "local", name)


@pytest.mark.slow
def test_a_run_that_was_cut_off_begins_anew_for_another_threshold(spark, tmp_path, monkeypatch):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(50, seed=9))
    run(source, tmp_path / "local", threshold=0.4)
    with monkeypatch.context() as patched:
        patched.setattr(
            "copysift.engines.spark.tables.clusters", lambda *_: (_ for _ in ()).throw(KeyError("killed"))
        )
        with pytest.raises(KeyError, match="killed"):
            spark_run([source], tmp_path / "run", threshold=0.95)
    assert (tmp_path / "run" / "work" / "components.json").exists()
    spark_run([source], tmp_path / "run", threshold=0.4)
    assert rows(tmp_path / "run", "clusters") == rows(tmp_path / "local", "clusters")
