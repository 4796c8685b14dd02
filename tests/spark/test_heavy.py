"""Shingles in more documents than a task takes, and ranges of too many entries: the pairs are the same."""

import json
import random
from collections import Counter
from itertools import pairwise

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from copysift.engines.spark import heavy, tasks
from copysift.engines.spark.columns import packed, unpacked
from copysift.join import lists
from copysift.settings.corpus import CorpusSettings
from tests.corpus.texts import text
from tests.spark.test_frames import local_tables, records_by_id, spark_tables


def blocks(hashes, docs, sizes, cut):
    """Give entries of one range as rows of a few, in the order of a shuffle, which is none."""
    ends = np.append(np.arange(0, len(hashes), cut), len(hashes)).astype(np.int64)
    return pa.RecordBatch.from_pydict(
        {
            "bucket": pa.array(np.zeros(len(ends) - 1, np.int32)),
            "hashes": packed(hashes * lists.SCRAMBLE, ends),
            "docs": packed(docs, ends),
            "sizes": packed(sizes, ends),
        }
    )


def found(batch, settings, most):
    pairs = {tasks.LEFT: {}, tasks.RIGHT: {}, tasks.COMMON: {}, tasks.SIZES: {}}
    for made in tasks.lists_task(settings, 4, most)(iter([batch.slice(0, 5), batch.slice(5)])):
        for row in made.to_pylist():
            keys = np.frombuffer(row["keys"], np.uint64).tolist()
            counts = np.frombuffer(row["counts"], np.uint32).tolist()
            for key, count in zip(keys, counts, strict=True):
                pairs[row["kind"]][key] = pairs[row["kind"]].get(key, 0) + count
    return pairs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["shared", "super"])
def test_entries_that_do_not_fit_give_the_pairs_of_those_that_do(seed, method):
    chance = np.random.default_rng(seed)
    documents = 3000
    sizes_of = chance.choice([10, 60, 150, 400, 800], documents).astype(np.uint32)
    common = chance.integers(1, 2**63, 3, dtype=np.uint64)
    common[:2] = common[:2] // 25 * 25  # of every sample; the third of the finest alone
    entries = {(int(h), d) for h in common for d in chance.choice(documents, 2000, replace=False).tolist()}
    rare = chance.integers(1, 2**63, 400, dtype=np.uint64) // np.uint64(25) * np.uint64(25)
    entries |= {(int(h), d) for h in rare for d in chance.choice(documents, chance.integers(1, 6)).tolist()}
    hashes, docs = (np.array(column) for column in zip(*sorted(entries), strict=True))
    order = chance.permutation(len(hashes))
    hashes, docs = hashes.astype(np.uint64)[order], docs.astype(np.uint32)[order]
    batch = blocks(hashes, docs, sizes_of[docs], 97)
    settings = CorpusSettings(candidates=method, max_shared=50)
    whole = found(batch, settings, 1 << 20)
    assert len(whole[tasks.COMMON]) > 4000
    assert found(batch, settings, 300) == whole


@pytest.mark.parametrize("seed", range(4))
def test_notes_find_every_shingle_over_the_limit_and_none_below_half_of_it(seed):
    chance = np.random.default_rng(seed)
    documents, most = 400, 60
    shares = chance.uniform(0, 0.4, 60)
    sets = [np.flatnonzero(chance.uniform(size=60) < shares).astype(np.uint64) for _ in range(documents)]
    if seed % 2:  # the documents of a shingle come together
        sets = sorted(sets, key=lambda each: each.tolist())
    cuts = [0, *sorted(chance.choice(documents, 9).tolist()), documents]
    noted = Counter()
    for start, end in pairwise(cuts):
        ends = np.cumsum([0, *(len(each) for each in sets[start:end])])
        rows = {
            "number": pa.array(range(start, end), pa.int64()),
            "shingles": pa.array([9] * (end - start), pa.int64()),
            "hashes": packed(np.concatenate([np.zeros(0, np.uint64), *sets[start:end]]), ends),
        }
        passed = heavy.noting_task(documents, most)(iter([pa.RecordBatch.from_pydict(rows)]))
        for row in pa.Table.from_batches(passed).to_pylist():
            if row["counts"] is not None:
                counts = np.frombuffer(row["counts"], np.uint32).tolist()
                noted.update(dict(zip(np.frombuffer(row["hashes"], np.uint64).tolist(), counts, strict=True)))
    truth = Counter(np.concatenate(sets).tolist())
    found = {shingle for shingle, count in noted.items() if 2 * count > most}
    assert {shingle for shingle, count in truth.items() if count > most} <= found
    assert found <= {shingle for shingle, count in truth.items() if 2 * count > most}


@pytest.fixture
def few(monkeypatch):
    """Make shingles heavy that six documents have, and cells of three documents."""
    monkeypatch.setattr("copysift.engines.spark.heavy.HEAVY", 6)
    monkeypatch.setattr("copysift.engines.spark.heavy.SPAN", 3)
    made = []
    real = heavy.Crowds.pairs

    def pairs(self, *arguments):
        found = real(self, *arguments)
        made.append(found.where(f"kind = {tasks.COMMON}").count())
        return found

    monkeypatch.setattr(heavy.Crowds, "pairs", pairs)
    return made


def heavy_corpus(count):
    """Give near-copies, and documents of several sizes that have a shingle in their own sample or not."""
    starts, long = [text(30, start) for start in range(3)], text(300, "long")
    mixed = [
        f"{starts[n % 3]} {starts[(n + 1) % 3 if n % 4 else 0]} {text(n % 9 * 40, n)}" for n in range(count)
    ]
    near = [f"{long} {text(2, f'near {n}')}" for n in range(count // 3)]
    return [{"id": f"{n:03}", "text": each} for n, each in enumerate([*mixed, *near])]


@pytest.mark.parametrize("method", ["shared", pytest.param("super", marks=pytest.mark.slow)])
def test_heavy_shingles_over_many_tasks_give_the_answer_of_the_local_engine(spark, tmp_path, few, method):
    records = random.Random(5).sample(heavy_corpus(60), 80)
    settings = {"max_shared": 3, "candidates": method, "floor": 0.05}
    expected = local_tables(records_by_id(records), tmp_path / "run", **settings)
    assert spark_tables(spark.createDataFrame(records).repartition(4), **settings) == expected
    assert len(few) == 1
    assert few[0] > 10


def test_heavy_shingles_are_ignored_once_and_told_with_their_documents(spark, tmp_path, few):
    import copysift.spark

    records = heavy_corpus(60)
    copysift.cluster(pa.Table.from_pylist(records), run=tmp_path / "run", max_shared=3)
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    with copysift.spark.cluster(spark.createDataFrame(records).repartition(4), max_shared=3) as found:
        assert found.counts["ignored"] == told["counts"]["ignored"]
        commonest = [[f"{shingle:016x}", count] for shingle, count, _ in found.counts["commonest"]]
    shown = [[shingle, count] for shingle, count, _ in told["ignored"]]
    assert commonest[: len(shown)] == shown != []
    assert few


@pytest.mark.slow
def test_random_corpora_of_heavy_shingles_give_the_answer_of_the_local_engine(spark, tmp_path_factory, few):
    words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=40).map(" ".join)

    @hypothesis.settings(max_examples=10, deadline=None, database=None)
    @hypothesis.given(
        texts=st.lists(words, min_size=10, max_size=40),
        parts=st.integers(1, 4),
        modulus=st.sampled_from([1, 4, 25]),
    )
    def check(texts, parts, modulus):
        records = [{"id": f"{n:03}", "text": each} for n, each in enumerate(texts)]
        settings = {"shingle": 2, "modulus": modulus, "max_shared": 3}
        expected = local_tables(records, tmp_path_factory.mktemp("run") / "run", **settings)
        assert spark_tables(spark.createDataFrame(records).repartition(parts), **settings) == expected

    check()
    assert any(few)


def test_rows_that_follow_come_back_by_key():
    values, bounds = unpacked(packed(np.arange(5, dtype=np.uint64), np.array([0, 2, 5])), np.uint64)
    assert values.tolist() == [0, 1, 2, 3, 4]
    assert bounds.tolist() == [0, 2, 5]
