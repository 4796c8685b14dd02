"""What all tasks must know reaches them through the store, whatever its file system, not by the driver."""

import pickle

import pytest

pytest.importorskip("pyspark")

from tests.corpus.texts import mixed, text
from tests.spark.test_frames import local_tables, records_by_id, spark_tables

PLACED = ("boilerplate-", "filter-", "marks-", "shingles-")


@pytest.fixture
def heavy(monkeypatch):
    """Make shingles heavy that many documents have."""
    monkeypatch.setattr("copysift.engines.spark.heavy.HEAVY", 6)


@pytest.fixture
def brought(spark, monkeypatch):
    """Note the tables that Spark brings to the executors."""
    seen = []
    real = spark.sparkContext.addFile

    def add(path, recursive=False):
        seen.append(path)
        real(path, recursive)

    monkeypatch.setattr(spark.sparkContext, "addFile", add)
    return seen


def test_tasks_read_from_a_store_that_is_no_folder(spark, tmp_path, heavy, brought):
    records = records_by_id(mixed(60, seed=6))
    for run in ("one", "two"):
        expected = local_tables(records, tmp_path / run, max_shared=3)
        frame = spark.createDataFrame(records).repartition(3)
        work = f"viewfs://tests{tmp_path}/work-{run}"
        assert spark_tables(frame, work=work, max_shared=3) == expected
        assert not spark.sparkContext.listFiles  # an executor that starts now would look for them in vain
    names = [path.rsplit("/", 1)[1] for path in brought]
    assert len({*names}) == 8  # four of each run
    assert all(name.startswith(PLACED) for name in names)


def test_the_driver_is_given_counts_alone(spark, monkeypatch, brought):
    from pyspark.sql.classic.dataframe import DataFrame

    import copysift.spark

    given = []
    real = DataFrame.collect

    def collect(self):
        rows = real(self)
        given.append(len(pickle.dumps(rows)))
        return rows

    monkeypatch.setattr(DataFrame, "collect", collect)
    monkeypatch.setattr(spark.sparkContext, "broadcast", lambda value: pytest.fail("broadcast"))
    records = [(f"{n:05}", text(80, n)) for n in range(2000)]
    frame = spark.createDataFrame(records, "id string, text string").repartition(2)
    with copysift.spark.cluster(frame) as found:
        assert found.counts["fine"] > 10_000  # which makes a filter of over 32 KB
    assert sum(given) < 8192
    assert not brought


@pytest.mark.slow
def test_a_run_that_was_cut_off_while_tasks_read_goes_on(spark, tmp_path, monkeypatch, brought):
    records = records_by_id(mixed(60, seed=7))
    expected = local_tables(records, tmp_path / "run")
    work = f"viewfs://tests{tmp_path}/work"
    with monkeypatch.context() as broken:
        broken.setattr("copysift.engines.spark.tasks.candidates_task", lambda settings: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            spark_tables(spark.createDataFrame(records).repartition(3), work=work)
    assert (tmp_path / "work" / "collapse.json").exists()
    assert not spark.sparkContext.listFiles
    assert spark_tables(spark.createDataFrame(records).repartition(3), work=work) == expected
    assert len({*brought}) == 2
