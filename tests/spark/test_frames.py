"""DataFrames in, DataFrames out: the answer of the local engine, whatever the partitions."""

import random

import copysift
from tests.corpus.texts import mixed, rows


def ordered(found):
    return sorted(found, key=str)


def local_tables(records, folder, **settings):
    copysift.cluster(records, run=folder, **settings)
    return {name: ordered(rows(folder, name)) for name in ("documents", "pairs", "clusters")}


def spark_tables(frame, **settings):
    import copysift.spark

    with copysift.spark.cluster(frame, **settings) as found:
        return {
            name: ordered(row.asDict() for row in getattr(found, name).collect())
            for name in ("documents", "pairs", "clusters")
        }


def test_the_answer_is_that_of_the_local_engine_in_whatever_order_and_parts(spark, tmp_path):
    records = [record | {"place": number} for number, record in enumerate(mixed(120))]
    expected = local_tables(records, tmp_path / "run")
    shuffled = random.Random(1).sample(records, len(records))
    assert spark_tables(spark.createDataFrame(shuffled).repartition(5), order="place") == expected
