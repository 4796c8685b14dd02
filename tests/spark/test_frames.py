"""DataFrames in, DataFrames out: the answer of the local engine, whatever the partitions."""

import random

import hypothesis
import pyarrow as pa
import pytest
from hypothesis import strategies as st

import copysift
from copysift.errors import UsageError
from tests.corpus.texts import mixed, rows, text

BASE = text(60, "base")


def records_by_id(records):
    return sorted(records, key=lambda record: record["id"].encode())


def ordered(found):
    return sorted(found, key=str)


def local_tables(records, folder, **settings):
    copysift.cluster(pa.Table.from_pylist(records), run=folder, **settings)
    return {name: ordered(rows(folder, name)) for name in ("documents", "pairs", "clusters")}


def spark_tables(frame, skipped=(), **settings):
    import copysift.spark

    with copysift.spark.cluster(frame, **settings) as found:
        assert sorted(row["reason"] for row in found.skipped.collect()) == sorted(skipped)
        return {
            name: ordered(row.asDict() for row in getattr(found, name).collect())
            for name in ("documents", "pairs", "clusters")
        }


def test_the_answer_is_that_of_the_local_engine_in_whatever_order_and_parts(spark, tmp_path):
    records = [record | {"place": number} for number, record in enumerate(mixed(120))]
    expected = local_tables(records, tmp_path / "run")
    broken = [{"id": None, "text": "x y", "place": 3}, {"id": "none", "text": None, "place": 5}]
    shuffled = random.Random(1).sample(records + broken, len(records) + 2)
    frame = spark.createDataFrame(shuffled).repartition(5)
    assert spark_tables(frame, ["has no id", "its field 'text' is null"], order="place") == expected


@pytest.mark.slow
def test_all_ways_to_divide_the_work_give_the_same_answer(spark, tmp_path, monkeypatch):
    """Cells of a few pairs, star rounds instead of one task, common shingles, another policy."""
    from copysift.engines.spark.cells import cells_of

    records = mixed(70, seed=3) + [{"id": f"n{n}", "text": f"{BASE} {text(4, n)}"} for n in range(12)]
    settings = {"max_shared": 4, "policy": "representative", "measure": "containment"}
    expected = local_tables(records_by_id(records), tmp_path / "run", **settings)
    monkeypatch.setattr("copysift.engines.spark.limits.TOGETHER", 8)
    monkeypatch.setattr("copysift.engines.spark.limits.SENT", 8)
    monkeypatch.setattr("copysift.engines.spark.limits.CELL", 2)
    monkeypatch.setattr("copysift.engines.spark.numbering.SPELLED", 0)
    asked = []
    monkeypatch.setattr(
        "copysift.engines.spark.corpus.cells_of", lambda *given: asked.append(given[1]) or cells_of(*given)
    )
    frame = spark.createDataFrame(records).repartition(3)
    assert spark_tables(frame, **settings) == expected
    assert asked == [2]  # cells are divided, however many candidates there are


@pytest.mark.slow
def test_dedup_keeps_what_the_local_engine_keeps(spark):
    import copysift.spark

    records = mixed(90, seed=4)
    expected = [record["id"] for record in copysift.dedup(records)]
    frame = spark.createDataFrame(
        [record | {"place": number} for number, record in enumerate(records)] + [{"id": "none", "text": None}]
    ).repartition(3)
    with copysift.spark.dedup(frame, order="place") as found:
        kept = [row["id"] for row in found.kept.orderBy("place").collect()]
        removed = {row["document"]: row["kept"] for row in found.removed.collect()}
    assert kept == expected
    assert found.counts["kept"] == len(kept)
    assert sorted([*kept, *removed]) == sorted(record["id"] for record in records)
    assert set(removed.values()) <= set(kept)


@pytest.mark.slow
def test_star_rounds_find_the_components_of_chains_stars_and_crowds(spark, tmp_path):
    import numpy as np

    from copysift.clusters.components import roots
    from copysift.engines.spark.stars import components
    from copysift.engines.spark.storage import Store

    chance = random.Random(4)
    edges = [(n, n + 1) for n in range(150)] + [(200, n) for n in range(201, 260)]
    edges += [tuple(sorted(chance.sample(range(300, 400), 2))) for _ in range(70)]
    frame = spark.createDataFrame(chance.sample(edges, len(edges)), "left long, right long")
    found, rounds = components(frame, len(edges), Store(spark, str(tmp_path / "work")), 40)
    expected = roots(400, *np.array(edges).T)
    assert rounds > 1
    assert {row["number"]: row["root"] for row in found.collect()} == {
        number: int(root) for number, root in enumerate(expected) if number != root
    }


def test_a_frame_without_ids_is_refused_with_the_columns_it_has(spark):
    import copysift.spark

    with pytest.raises(UsageError, match="no column 'id' or 'uri' or 'url'"):
        copysift.spark.cluster(spark.createDataFrame([("x",)], "text string"))


@pytest.mark.slow
def test_random_small_corpora_give_the_answer_of_the_local_engine(spark, tmp_path_factory):
    words = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=25).map(" ".join)

    @hypothesis.settings(max_examples=12, deadline=None, database=None)
    @hypothesis.given(
        texts=st.lists(words, min_size=1, max_size=25),
        parts=st.integers(1, 4),
        modulus=st.sampled_from([1, 4, 25]),
    )
    def check(texts, parts, modulus):
        records = [{"id": f"{n:03}", "text": each} for n, each in enumerate(texts)]
        settings = {"shingle": 2, "modulus": modulus, "max_shared": 3}
        expected = local_tables(records, tmp_path_factory.mktemp("run") / "run", **settings)
        assert spark_tables(spark.createDataFrame(records).repartition(parts), **settings) == expected

    check()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one shingle in 100,000 documents", "a cluster of 20,000"])
def test_skew_costs_no_more_than_its_size(spark, kind):
    import copysift.spark

    if kind.startswith("one"):
        shared = " ".join(BASE.split()[:10])
        records = [(f"{n:06}", f"{shared} {text(25, n)}") for n in range(100_000)]
    else:
        records = [(f"{n:06}", f"{BASE} {text(3, n)}") for n in range(20_000)]
    frame = spark.createDataFrame(records, "id string, text string").repartition(8)
    with copysift.spark.cluster(frame) as found:
        if kind.startswith("one"):
            assert found.counts["pairs"] == 0
            assert found.counts["ignored"] >= 1
        else:
            clusters = found.clusters.collect()
            assert {row["cluster"] for row in clusters} == {"000000"}
            assert len(clusters) == 20_000
