import itertools

import numpy as np
import pytest

import copysift
from copysift.clusters.linkage import assign
from copysift.fingerprints.shingles import ENOUGH, levels, moduli, super_shingles
from copysift.join.lists import enough
from copysift.settings.corpus import POLICIES
from tests.corpus.texts import mixed, rows, run, text, write_jsonl


def brute_force(records, floor=0.3, w=10):
    """Every pair by the definition of section 2, in words, without a hash."""
    sets = []
    for record in records:
        each = record["text"].lower().replace(" !", "").split()
        sets.append({tuple(each[i : i + w]) for i in range(len(each) - w + 1)})
    found = {}
    for a, b in itertools.combinations(range(len(records)), 2):
        shared = len(sets[a] & sets[b])
        if not shared:
            continue
        r = shared / len(sets[a] | sets[b])
        c = shared / len(sets[a]), shared / len(sets[b])
        if max(r, *c) >= floor:
            found[records[a]["id"], records[b]["id"]] = (shared, r, *c)
    return found


def expanded(folder):
    """The pairs of a run, those of collapsed documents included."""
    same = {row["document"]: row["same_as"] or row["document"] for row in rows(folder, "documents")}
    classes = {}
    for name, first in same.items():
        classes.setdefault(first, []).append(name)
    order = {name: number for number, name in enumerate(same)}
    found = {}
    for row in rows(folder, "pairs"):
        if same[row["left"]] == same[row["right"]]:
            continue
        measures = row["shared"], row["resemblance"], row["containment_left"], row["containment_right"]
        for a, b in itertools.product(classes[row["left"]], classes[row["right"]]):
            swapped = order[a] > order[b]
            flipped = (measures[0], measures[1], measures[3], measures[2]) if swapped else measures
            found[(b, a) if swapped else (a, b)] = flipped
    for members in classes.values():
        for a, b in itertools.combinations(members, 2):
            found[a, b] = (None, 1.0, 1.0, 1.0)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_pairs_and_measures_are_those_of_the_definition(tmp_path, seed):
    records = mixed(seed=seed)
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    truth, found = brute_force(records), expanded(tmp_path / "run")
    for pair, measures in found.items():
        if measures[0] is not None:
            assert measures == pytest.approx(truth[pair])
    missed = [pair for pair in truth if pair not in found]
    assert not [pair for pair in missed if truth[pair][1] >= 0.5]
    assert len(missed) <= 0.02 * len(truth)


def test_an_excerpt_of_a_few_shingles_is_found_in_a_long_document(tmp_path):
    long = [text(5000, number) for number in range(5)]
    short = [
        " ".join(each.split()[1000 : 1000 + length])
        for each, length in zip(long, (11, 15, 25, 60, 130), strict=True)
    ]
    records = [{"id": f"long{n}", "text": each} for n, each in enumerate(long)]
    records += [{"id": f"short{n}", "text": each} for n, each in enumerate(short)]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    found = {(row["left"], row["right"]): row["containment_right"] for row in rows(tmp_path / "run", "pairs")}
    assert found == {(f"long{n}", f"short{n}"): 1.0 for n in range(5)}


@pytest.mark.parametrize(
    "settings",
    [{"memory": "16MB"}, {"jobs": 1}, {"jobs": 5, "memory": "20MB"}, {"memory": "8GB"}],
)
def test_the_answer_does_not_depend_on_memory_or_threads(tmp_path, monkeypatch, settings):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(150, seed=11))
    run(source, tmp_path / "usual")
    monkeypatch.setattr("copysift.engines.sketch_step.PART", 4096)
    monkeypatch.setattr("copysift.engines.pairing.BATCH", 4096)
    monkeypatch.setattr("copysift.sources.records.BATCH_ROWS", 7)
    monkeypatch.setattr("copysift.join.lists.CHUNK", 16)
    run(source, tmp_path / "other", **settings)
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "usual", name) == rows(tmp_path / "other", name)


def test_the_answer_does_not_depend_on_how_the_input_is_divided(tmp_path):
    records = mixed(100, seed=3)
    run(write_jsonl(tmp_path / "all.jsonl", records), tmp_path / "one")
    parts = [str(write_jsonl(tmp_path / f"{n}.jsonl", records[n * 25 : (n + 1) * 25])) for n in range(4)]
    run(parts, tmp_path / "four")
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "one", name) == rows(tmp_path / "four", name)


def test_documents_in_reverse_give_the_same_pairs_and_clusters(tmp_path):
    records = mixed(100, seed=5)
    run(write_jsonl(tmp_path / "a.jsonl", records), tmp_path / "there")
    run(write_jsonl(tmp_path / "b.jsonl", records[::-1]), tmp_path / "back")

    def members(folder):
        found = {}
        for row in rows(folder, "clusters"):
            found.setdefault(row["cluster"], set()).add(row["document"])
        return sorted(map(sorted, found.values()))

    assert members(tmp_path / "there") == members(tmp_path / "back")
    there = {frozenset(pair): value[1] for pair, value in expanded(tmp_path / "there").items()}
    assert there == {frozenset(pair): value[1] for pair, value in expanded(tmp_path / "back").items()}


def test_identical_lexically_and_sketch_equivalent_documents_collapse_and_join_again(tmp_path):
    base = text(60, 1)
    first = base.split()
    looped = " ".join(first + first + first)  # the same shingles as two turns of it
    records = [
        {"id": "a", "text": base},
        {"id": "b", "text": base},
        {"id": "c", "text": base.upper() + "."},
        {"id": "d", "text": looped},
        {"id": "e", "text": looped + " " + base},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    joined = {row["document"]: row["joined"] for row in rows(tmp_path / "run", "clusters")}
    assert joined == {
        "a": "representative",
        "b": "identical",
        "c": "lexically equivalent",
        "d": "similar",
        "e": "sketch equivalent",
    }


def test_empty_documents_are_copies_of_nothing_and_short_ones_of_their_equals(tmp_path):
    texts = ["", "", "one two", "One, two!", "one three", "!!", "!!"]
    records = [{"id": str(n), "text": each} for n, each in enumerate(texts)]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    joined = {row["document"]: row["joined"] for row in rows(tmp_path / "run", "clusters")}
    assert joined == {
        "2": "representative",
        "3": "lexically equivalent",
        "5": "representative",
        "6": "identical",
    }


def test_common_shingles_form_no_pairs_but_a_large_cluster_stays_whole(tmp_path):
    base = text(300, "base")
    records = [{"id": f"n{n}", "text": base + " " + text(12, n)} for n in range(60)]
    records += [
        {"id": f"o{n}", "text": " ".join(base.split()[:60]) + " " + text(300, ("o", n))} for n in range(40)
    ]
    made = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=20)
    assert made.described["counts"]["ignored"] > 5
    assert made.described["counts"]["pairs"] < 3 * 100 < 60 * 59 / 2
    clusters = {}
    for row in rows(tmp_path / "run", "clusters"):
        clusters.setdefault(row["cluster"], []).append(row["document"])
    assert clusters == {"n0": [f"n{n}" for n in range(60)]}
    assert made.described["ignored"][0][1] == 100
    assert made.described["ignored"][0][2] in base


def test_super_shingles_find_near_copies_and_measure_them(tmp_path):
    base = [text(800, n) for n in range(10)]
    records = [{"id": f"a{n}", "text": each} for n, each in enumerate(base)]
    records += [{"id": f"b{n}", "text": each + " and a few more words"} for n, each in enumerate(base)]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", candidates="super")
    found = {(row["left"], row["right"]) for row in rows(tmp_path / "run", "pairs")}
    assert found == {(f"a{n}", f"b{n}") for n in range(10)}


def test_estimates_come_near_the_exact_measures(tmp_path):
    base = [text(4000, n) for n in range(12)]
    records = [{"id": f"a{n}", "text": each} for n, each in enumerate(base)]
    records += [
        {"id": f"b{n}", "text": " ".join(each.split()[:3000]) + text(1000, ("b", n))}
        for n, each in enumerate(base)
    ]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    run(source, tmp_path / "exact")
    run(source, tmp_path / "estimate", estimate=True)
    exact = {row["left"]: row["resemblance"] for row in rows(tmp_path / "exact", "pairs")}
    guess = {row["left"]: row["resemblance"] for row in rows(tmp_path / "estimate", "pairs")}
    assert guess.keys() == exact.keys()
    errors = np.array([guess[name] - exact[name] for name in exact])
    assert 0 < np.abs(errors).max() < 0.15
    assert abs(errors.mean()) < 0.04


def test_features_of_any_kind_are_clustered(tmp_path):
    records = [
        {"id": "x", "tags": list("abcdefghij")},
        {"id": "y", "tags": list("abcdefghiz")},
        {"id": "z", "tags": list("qrstuvw")},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", features="tags")
    (pair,) = rows(tmp_path / "run", "pairs")
    assert (pair["left"], pair["right"], pair["shared"]) == ("x", "y", 9)
    assert pair["resemblance"] == 9 / 11


def test_without_a_feature_only_the_same_text_is_a_copy(tmp_path):
    texts = ["aaaa", "bbbb", "aaaa", "cccc", ""]
    records = [{"id": f"e{n}", "text": each, "tags": []} for n, each in enumerate(texts)]
    records += [{"id": f"t{n}", "text": each, "tags": ["x", "y"]} for n, each in enumerate(texts[:3])]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", features="tags")
    found = {
        row["document"]: (row["same_as"], row["same"])
        for row in rows(tmp_path / "run", "documents")
        if row["same_as"]
    }
    assert found == {
        "e2": ("e0", "identical"),
        "t1": ("t0", "lexically equivalent"),
        "t2": ("t0", "identical"),
    }


def test_the_4_shingling_of_a_rose_is_a_rose_is_a_rose_has_three_shingles():
    assert copysift.resemblance("a rose is a rose is a rose", "a rose is a rose is", noise=4) == 1.0
    assert copysift.containment("a rose is a rose is a rose", "a rose is a", noise=4) == pytest.approx(1 / 3)


def test_resemblance_distance_is_a_metric():
    texts = [text(40, n) for n in range(3)] + [
        text(40, 0) + " " + text(30, 1),
        text(25, 0) + " " + text(40, 2),
        text(40, 0)[:150],
    ]
    distance = {
        (a, b): 1 - copysift.resemblance(texts[a], texts[b], noise=2) for a in range(6) for b in range(6)
    }
    for a, b, c in itertools.product(range(6), repeat=3):
        assert distance[a, b] == distance[b, a] >= 0
        assert distance[a, c] <= distance[a, b] + distance[b, c] + 1e-12


def test_levels_divide_each_other_and_give_every_document_a_sample():
    assert levels(25) == (1, 5, 25)
    assert levels(1) == (1,)
    assert levels(23) == (1, 23)
    sizes = np.arange(1, 2000)
    by = moduli(sizes, 25)
    assert (sizes / by >= np.minimum(sizes, ENOUGH)).all()
    assert by[-1] == 25
    assert by[0] == 1


def test_super_shingles_never_cross_documents():
    values = np.arange(1, 8, dtype=np.uint64)
    together, ends = super_shingles(values, np.array([0, 4, 4, 7]), 3)
    alone, _ = super_shingles(values[4:], np.array([0, 3]), 3)
    assert ends.tolist() == [0, 2, 2, 3]
    assert together[2] == alone[0]
    assert len(set(together.tolist())) == 3


def test_pairs_far_below_the_floor_are_given_up_and_others_are_not():
    shared = np.array([1, 10, 30, 1], np.uint32)
    sampled = np.array([100, 100, 100, 3])
    assert enough(shared, sampled, 0.3).tolist() == [False, False, True, True]


def test_policies_differ_on_a_chain_and_agree_on_a_clique():
    chain = np.array([0, 1, 2]), np.array([1, 2, 3])
    assert {policy: assign(4, *chain, policy).tolist() for policy in POLICIES} == {
        "component": [0, 0, 0, 0],
        "representative": [0, 0, 2, 2],
        "complete": [0, 0, 2, 2],
    }
    star = np.array([0, 0]), np.array([1, 2])
    assert assign(3, *star, "representative").tolist() == [0, 0, 0]
    assert assign(3, *star, "complete").tolist() == [0, 0, 2]
    clique = np.array([0, 0, 1]), np.array([1, 2, 2])
    assert all(assign(3, *clique, policy).tolist() == [0, 0, 0] for policy in POLICIES)
