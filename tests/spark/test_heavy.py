"""Lists of shingles that very many documents have, divided on disk: the pairs of a list in memory."""

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from copysift.engine.spark import tasks
from copysift.engine.spark.columns import packed, unpacked
from copysift.index import lists
from copysift.settings_corpus import CorpusSettings


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
    ignored = (0, [])
    for made in tasks.lists_task(settings, 4, most)(iter([batch.slice(0, 5), batch.slice(5)])):
        for row in made.to_pylist():
            keys = np.frombuffer(row["keys"], np.uint64).tolist()
            counts = np.frombuffer(row["counts"], np.uint32).tolist()
            if row["kind"] == tasks.IGNORED:
                ignored = (counts[0], keys)
                continue
            for key, count in zip(keys, counts, strict=True):
                pairs[row["kind"]][key] = pairs[row["kind"]].get(key, 0) + count
    return pairs, ignored


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["mod", "super"])
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
    settings = CorpusSettings(method=method, max_shared=50)
    whole = found(batch, settings, 1 << 20)
    assert whole[1][0] >= 2
    assert len(whole[0][tasks.COMMON]) > 4000
    assert found(batch, settings, 300) == whole


def test_a_long_list_below_the_cap_still_forms_all_pairs():
    docs = np.arange(400, dtype=np.uint32)
    batch = blocks(np.full(400, 25, np.uint64), docs, np.full(400, 1000, np.uint32), 50)
    settings = CorpusSettings(max_shared=1000)
    whole = found(batch, settings, 1 << 20)
    assert sum(len(whole[0][kind]) for kind in (tasks.LEFT, tasks.RIGHT)) == 400 * 399 // 2
    assert found(batch, settings, 100) == whole


def test_rows_that_follow_come_back_by_key():
    values, bounds = unpacked(packed(np.arange(5, dtype=np.uint64), np.array([0, 2, 5])), np.uint64)
    assert values.tolist() == [0, 1, 2, 3, 4]
    assert bounds.tolist() == [0, 2, 5]
