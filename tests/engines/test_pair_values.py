"""Measures that are made when they are wanted are those of their definitions, whatever the memory."""

import itertools
import tracemalloc

import numpy as np
import pytest

from copysift.clusters.classes import ALONE
from copysift.engines import pair_values
from copysift.engines.cluster_run import cluster
from copysift.engines.pair_values import PairValues, ValuedPairs
from copysift.errors import RunError
from copysift.match.measures import weights
from copysift.runs.sets import Sets, drop_sets
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import mixed, write_jsonl

WIDTH = 3


@pytest.fixture
def run(tmp_path):
    records = mixed(60, seed=7)
    for number, record in enumerate(records):
        record["text"] += f" {record['text'][: 40 * (number % 3)]}"  # some shingles come twice
    write_jsonl(tmp_path / "c.jsonl", records)
    settings = make(CorpusSettings, {"shingle": WIDTH, "modulus": 1, "floor": 0.1, "threshold": 0.2})
    cluster([str(tmp_path / "c.jsonl")], tmp_path / "run", settings)
    return tmp_path / "run", {record["id"]: record["text"] for record in records}


def words_of(text):
    return [word for word in text.lower().split() if word != "!"]


def shingles(text):
    words = words_of(text)
    return [tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1)]


def values(run, measure, **more):
    opened = open_corpus(run)
    settings = make(CorpusSettings, {"measure": measure, **more})
    made = PairValues(run / "sketches", settings, opened.how == ALONE).of(opened.pairs)
    names = opened.ids.to_pylist()
    pairs = [(names[a], names[b]) for a, b in zip(opened.pairs.left, opened.pairs.right, strict=True)]
    assert len(pairs) > 20
    return opened, dict(zip(pairs, made.tolist(), strict=True))


def test_sif_counts_occurrences(run):
    path, texts = run
    for (left, right), found in values(path, "sif")[1].items():
        own, other = shingles(texts[left]), shingles(texts[right])
        assert found == pytest.approx(sum(each in set(own) for each in other) / len(own))


def test_longest_is_the_longest_common_run_of_words(run):
    path, texts = run
    for (left, right), found in values(path, "longest")[1].items():
        a, b = words_of(texts[left]), words_of(texts[right])
        runs = {len(list(same)) for same in _runs(a, b)}
        assert found == max(runs)


def _runs(a, b):
    for shift in range(-len(b) + 1, len(a)):
        pairs = zip(a[max(shift, 0) :], b[max(-shift, 0) :], strict=False)
        yield from (
            same for equal, same in itertools.groupby(pairs, lambda each: each[0] == each[1]) if equal
        )


@pytest.mark.parametrize("memory", [1 << 24, 1 << 31])
def test_similarity_weighs_by_rarity_in_any_memory(run, memory, monkeypatch):
    path, texts = run
    monkeypatch.setattr(pair_values, "ENTRY", 40 if memory > 1 << 30 else 2000)
    monkeypatch.setattr(pair_values, "EXPANDED", 100)
    opened, found = values(path, "similarity", memory=memory)
    standing = [name for name, how in zip(opened.ids.to_pylist(), opened.how, strict=True) if how == ALONE]
    sets = {name: set(shingles(texts[name])) for name in standing}
    held = {each: sum(each in other for other in sets.values()) for own in sets.values() for each in own}
    table = weights(np.arange(len(standing) + 1), len(standing))

    def weight(some):
        return sum(table[held[each]] for each in some)

    for (left, right), value in found.items():
        least = min(weight(sets[left]), weight(sets[right]))
        assert value == pytest.approx(weight(sets[left] & sets[right]) / least)


@pytest.mark.parametrize("measure", ["sif", "longest"])
def test_no_more_texts_are_held_than_memory_has_space_for(measure, run, monkeypatch):
    path, _ = run
    whole = values(path, measure)[1]
    monkeypatch.setattr(pair_values, "ENTRY", 40_000)
    held = []
    texts = Sets.texts
    monkeypatch.setattr(
        Sets, "texts", lambda self, numbers: held.append(len(numbers)) or texts(self, numbers)
    )
    assert values(path, measure, memory=1 << 24)[1] == whole
    assert len(held) > 3
    assert max(held) < len({each for pair in whole for each in pair})


def test_many_pairs_are_weighed_within_the_memory(tmp_path):
    words = [f"w{number}" for number in range(300)]
    records = [{"id": str(at), "text": " ".join([*words, f"x{at}", *words[: at % 50]])} for at in range(300)]
    write_jsonl(tmp_path / "c.jsonl", records)
    floor = {"shingle": WIDTH, "modulus": 1, "floor": 0.1, "threshold": 0.2}
    cluster([str(tmp_path / "c.jsonl")], tmp_path / "run", make(CorpusSettings, floor))
    opened = open_corpus(tmp_path / "run")
    assert len(opened.pairs) > 40_000
    found, peaks = [], []
    for memory in (16_000_000, 2_000_000_000):
        settings = make(CorpusSettings, {"measure": "similarity", "memory": memory})
        made = PairValues(tmp_path / "run" / "sketches", settings, opened.how == ALONE)
        tracemalloc.start()
        found.append([part.value for part in ValuedPairs([opened.pairs], made)])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert np.array_equal(*map(np.concatenate, found))
    assert peaks[0] < 32_000_000 < peaks[1]


def test_a_slim_run_says_what_it_lacks(run, tmp_path):
    path, _ = run
    drop_sets(path / "sketches")
    with pytest.raises(RunError, match="has no shingles, which measure longest needs"):
        values(path, "longest")
