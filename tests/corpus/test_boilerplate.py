"""Boilerplate is left out of both sides of every measure, and never of near-copies (Broder, section 5.1)."""

import itertools
import random

import numpy as np
import pytest

from copysift.engines.cluster_run import cluster
from copysift.engines.decision import decide
from copysift.join.boilerplate import Boilerplate, Told, marks_of, new_cells, tally
from copysift.runs.sets import Sets
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.workflows.run_query import query
from tests.corpus.texts import edited, mixed, rows, run, text, write_jsonl

TEMPLATE = text(200, "template")


def templated(count, own=60):
    return [{"id": str(n), "text": f"{TEMPLATE} {text(own, ('own', n))}"} for n in range(count)]


def twins(count, seed=5):
    """Templated pages in twos that differ in the order of two paragraphs."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        paragraphs = [text(30, (number, place)) for place in range(10)]
        at = chance.randrange(9)
        swapped = [*paragraphs[:at], paragraphs[at + 1], paragraphs[at], *paragraphs[at + 2 :]]
        for name, each in (("a", paragraphs), ("b", swapped)):
            found.append({"id": f"{name}{number}", "text": f"{TEMPLATE} {' '.join(each)}"})
    return found


@pytest.mark.parametrize(("count", "limit"), [(200, 50), pytest.param(2500, 1000, marks=pytest.mark.slow)])
def test_no_page_is_removed_because_of_its_template(tmp_path, count, limit):
    source = write_jsonl(tmp_path / "c.jsonl", templated(count))
    made = run(source, tmp_path / "run", max_shared=limit)
    assert made.described["counts"]["pairs"] == 0
    assert decide(tmp_path / "run", make(CorpusSettings, {}), "first").stays.all()
    assert made.described["boilerplate"] == {
        "shingles": 191,
        "documents": count,
        "near_copies": 0,
        "share": pytest.approx(191 / 251, abs=1e-6),
    }
    assert {row["compared"] for row in rows(tmp_path / "run", "documents")} == {60}


def test_a_copy_of_a_page_is_found_beside_its_template_and_measured_without_it(tmp_path):
    records = templated(200)
    words = records[7]["text"].split()
    records.append({"id": "copy", "text": " ".join([*words[:-20], *text(20, "end").split()])})
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=50)
    (pair,) = rows(tmp_path / "run", "pairs")
    assert (pair["left"], pair["right"], pair["shared"]) == ("7", "copy", 40)
    assert pair["resemblance"] == 40 / 80
    assert pair["containment_left"] == 40 / 60


@pytest.mark.parametrize(("count", "limit"), [(150, 50), pytest.param(1500, 1000, marks=pytest.mark.slow)])
def test_no_twin_is_missed_because_its_sample_was_boilerplate(tmp_path, count, limit):
    run(write_jsonl(tmp_path / "c.jsonl", twins(count)), tmp_path / "run", max_shared=limit)
    found = {(row["left"], row["right"]) for row in rows(tmp_path / "run", "pairs")}
    assert found == {(f"a{number}", f"b{number}") for number in range(count)}


@pytest.mark.parametrize(("count", "limit"), [(600, 100), pytest.param(50_000, 1000, marks=pytest.mark.slow)])
def test_near_copies_of_one_document_are_one_cluster_of_few_pairs(tmp_path, count, limit):
    base = text(300, "base")
    records = [{"id": str(number), "text": edited(base, 0.005, number)} for number in range(count)]
    made = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=limit)
    assert made.described["counts"]["clustered"] == count
    assert made.described["counts"]["clusters"] == 1
    assert made.described["counts"]["pairs"] < 150 * count
    assert made.described["boilerplate"]["near_copies"] > 0.99 * count
    assert "their clusters are complete" in made.described["notes"][-1]


def definition(records, limit, floor=0.3, w=10):
    """Every pair by the definition: sets of shingles, without those in more than `limit` documents."""
    sets = [
        {tuple(words[i : i + w]) for i in range(len(words) - w + 1)}
        for words in (r["text"].split() for r in records)
    ]
    counts = {}
    for each in sets:
        for shingle in each:
            counts[shingle] = counts.get(shingle, 0) + 1
    kept = [{shingle for shingle in each if counts[shingle] <= limit} for each in sets]
    found = {}
    for a, b in itertools.combinations(range(len(records)), 2):
        shared = len(kept[a] & kept[b])
        if shared and max(shared / len(kept[a]), shared / len(kept[b])) >= floor:
            found[records[a]["id"], records[b]["id"]] = (shared, shared / len(kept[a] | kept[b]))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_those_of_the_definition_without_common_shingles(tmp_path, seed):
    chance = random.Random(seed)
    records = []
    for number in range(120):
        own = text(chance.choice([60, 150, 400]), ("own", seed, number // 2))
        records.append({"id": f"d{number}", "text": f"{TEMPLATE[:800]} {edited(own, 0.03, number)}"})
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=30)
    truth = definition(records, 30)
    found = {
        (row["left"], row["right"]): (row["shared"], row["resemblance"])
        for row in rows(tmp_path / "run", "pairs")
    }
    assert truth
    assert found == truth


@pytest.mark.parametrize("settings", [{"jobs": 1}, {"jobs": 5, "memory": "16MB"}, {"memory": "8GB"}])
def test_boilerplate_does_not_depend_on_memory_threads_or_parts(tmp_path, monkeypatch, settings):
    records = templated(80) + mixed(80, seed=3)
    random.Random(4).shuffle(records)
    source = write_jsonl(tmp_path / "c.jsonl", [{**each, "id": f"x{n}"} for n, each in enumerate(records)])
    usual = run(source, tmp_path / "usual", max_shared=20)
    assert usual.described["counts"]["ignored"] == 191
    monkeypatch.setattr("copysift.engines.sketch_step.PART", 4096)
    monkeypatch.setattr("copysift.engines.census.ENTRY", 1 << 24)
    monkeypatch.setattr("copysift.sources.records.BATCH_ROWS", 7)
    other = run(source, tmp_path / "other", max_shared=20, **settings)
    assert {**other.described, "seconds": 0} == {**usual.described, "seconds": 0}
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "usual", name) == rows(tmp_path / "other", name)


def test_a_run_says_what_it_ignored_with_its_text_and_what_that_means(tmp_path):
    made = run(write_jsonl(tmp_path / "c.jsonl", templated(60)), tmp_path / "run", max_shared=20)
    assert all(each in TEMPLATE and count == 60 for _, count, each in made.described["ignored"])
    (note,) = made.described["notes"]
    assert note.startswith(
        "shingles in more than 20 documents (--max-shared) are ignored as boilerplate: 191"
    )
    assert note.endswith("documents that share nothing else are not paired")


def test_documents_that_come_later_make_boilerplate_of_what_was_none(tmp_path):
    records = templated(60)
    run(write_jsonl(tmp_path / "a.jsonl", records[:30]), tmp_path / "first", max_shared=40, template=0)
    settings = make(CorpusSettings, {})
    source = str(write_jsonl(tmp_path / "b.jsonl", records[30:]))
    cluster([source], tmp_path / "both", settings, onto=tmp_path / "first")
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "whole", max_shared=40, template=0)
    assert rows(tmp_path / "first", "pairs")
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "both", name) == rows(tmp_path / "whole", name)


def test_a_question_to_a_run_leaves_its_boilerplate_out(tmp_path):
    records = templated(60)
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=20)
    asked = f"{TEMPLATE} {text(60, 'asked')}".encode()
    assert query(tmp_path / "run", asked, "asked", 0.3) == []
    (hit,) = query(tmp_path / "run", records[3]["text"].encode() + b" x", "asked", 0.3)
    assert (hit.right, hit.shared) == ("3", 60)
    assert query(tmp_path / "run", None, "3", 0.1) == []


def test_sets_without_boilerplate_are_those_of_the_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.sketch_step.PART", 4096)
    monkeypatch.setattr("copysift.engines.reading.BATCH_BYTES", 9000)
    records = [*templated(30), *mixed(40, seed=2)]
    source = write_jsonl(tmp_path / "c.jsonl", [{**each, "id": f"x{n}"} for n, each in enumerate(records)])
    run(source, tmp_path / "run", max_shared=20)
    sets = Sets(tmp_path / "run" / "sketches")
    common = {*sets.common().hashes.tolist()}
    assert len(common) == 191
    assert sets.parts > 3
    for part in range(sets.parts):
        (full, ends), (values, bounds) = sets.full(part), sets.whole(part)
        some, marks = sets.some(np.arange(*sets.bounds()[part : part + 2]))
        for number in range(len(ends) - 1):
            less = [each for each in full[ends[number] : ends[number + 1]].tolist() if each not in common]
            assert values[bounds[number] : bounds[number + 1]].tolist() == less
            assert some[marks[number] : marks[number + 1]].tolist() == less


def test_a_census_by_cells_finds_exactly_what_is_common():
    chance = np.random.default_rng(1)
    values = chance.integers(0, 300, 5000).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    cells = new_cells(64, 20, 1 << 16)
    assert len(cells) == 1024
    np.add.at(cells, (values >> np.uint64(54)).astype(np.int64), np.uint32(1))
    marks = np.unpackbits(marks_of(cells, 20).view(np.uint8), bitorder="little")
    assert marks.tolist() == (cells > 20).tolist()
    found, counts = tally(values)
    truth = np.unique(values, return_counts=True)
    assert (found.tolist(), counts.tolist()) == (truth[0].tolist(), truth[1].tolist())
    twice = tally(np.concatenate([found, found]), np.concatenate([counts, counts]))
    assert twice[1].tolist() == (2 * counts).tolist()


def test_without_the_order_of_shingles_their_share_says_who_is_a_near_copy():
    sets = [
        np.arange(100, dtype=np.uint64),
        np.append(np.arange(90), range(200, 210)),
        np.append(np.arange(70), range(300, 330)),
    ]
    values = np.concatenate(sets).astype(np.uint64)
    bounds = np.array([0, 100, 200, 300])
    common = Boilerplate(np.arange(100, dtype=np.uint64), np.full(100, 9))
    found = common.without(
        values, bounds, np.full(3, 109), np.zeros(3, np.int64), lambda _: np.zeros(0, np.uint32)
    )
    assert found.buried.tolist() == [0, 1]
    assert found.changed.tolist() == [2]
    assert found.values.tolist() == [*range(300, 330)]


@pytest.mark.parametrize("count", [12, 300])
def test_no_page_of_a_small_template_is_removed(tmp_path, count):
    made = run(write_jsonl(tmp_path / "c.jsonl", templated(count)), tmp_path / "run")
    assert made.described["counts"]["pairs"] == 0
    assert made.described["boilerplate"]["template_shingles"] == 191
    assert made.described["boilerplate"]["template_pairs"] == count * (count - 1) // 2
    assert "--template 0 lists them" in made.described["notes"][0]
    assert decide(tmp_path / "run", make(CorpusSettings, {}), "first").stays.all()
    made = run(tmp_path / "c.jsonl", tmp_path / "all", template=0)
    assert made.described["counts"]["pairs"] == count * (count - 1) // 2


def test_copies_among_pages_of_a_small_template_are_measured_without_it(tmp_path):
    records = templated(40)
    words = records[7]["text"].split()
    records.append({"id": "copy", "text": " ".join([*words[:-40], *text(40, "end").split()])})
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", floor=0.1)
    (pair,) = rows(tmp_path / "run", "pairs")
    assert (pair["left"], pair["right"], pair["shared"]) == ("7", "copy", 20)
    assert pair["resemblance"] == 20 / 100


@pytest.mark.parametrize(("length", "rate"), [(150, 0.01), (300, 0.02), (1000, 0.01)])
def test_many_near_copies_are_no_template(tmp_path, length, rate):
    base = text(length, "base")
    records = [{"id": str(number), "text": edited(base, rate, number)} for number in range(150)]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    pairs = {}
    for template in (0, 10):
        run(source, tmp_path / str(template), template=template)
        pairs[template] = {
            (row["left"], row["right"])
            for row in rows(tmp_path / str(template), "pairs")
            if row["resemblance"] >= 0.5
        }
    assert len(pairs[10]) >= 0.998 * len(pairs[0]) > 1000
    assert pairs[10] <= pairs[0]


def test_a_question_to_a_run_leaves_small_templates_out(tmp_path):
    records = templated(30)
    copies = [{"id": f"c{n}", "text": edited(text(300, "base"), 0.01, n)} for n in range(30)]
    run(write_jsonl(tmp_path / "c.jsonl", [*records, *copies]), tmp_path / "run")
    asked = f"{TEMPLATE} {text(60, 'asked')}".encode()
    assert query(tmp_path / "run", asked, "asked", 0.3) == []
    hits = query(tmp_path / "run", records[3]["text"].encode() + b" x", "asked", 0.3)
    assert [(hit.right, hit.shared) for hit in hits] == [("3", 251)]  # a near-copy, by all its shingles
    other = records[3]["text"].split()[:-30] + text(60, "other").split()
    (hit,) = query(tmp_path / "run", " ".join(other).encode(), "asked", 0.3)
    assert (hit.right, hit.shared) == ("3", 30)
    assert query(tmp_path / "run", None, "3", 0.1) == []
    excerpt = " ".join(text(300, "base").split()[:100]).encode()
    assert len(query(tmp_path / "run", excerpt, "asked", 0.3)) > 25
    assert len(query(tmp_path / "run", None, "c3", 0.3)) == 29


def test_one_of_a_thing_is_spelled_so():
    told = Told(shingles=1, documents=2, buried=1, share=0.5, templates=1, templated=1)
    template, ignored, near = told.described(1, template=1)["notes"]
    assert template.startswith(
        "1 pair of documents with passages of their own has little in common but 1 shingle"
    )
    assert "in more than 1 document: a template" in template
    assert "in 1 document. They" in ignored
    assert near.startswith(
        "1 document differs from boilerplate in a few words only and is compared as a near-copy"
    )


@pytest.mark.parametrize(("count", "length"), [(11, 60), (12, 30), (40, 20)])
def test_pages_are_distinct_however_short_the_passages_of_their_own_are(tmp_path, count, length):
    parts = TEMPLATE.split()
    pieces = 60 // length

    def page(number):
        words = []
        for piece in range(pieces):
            words += parts[200 * piece // pieces : 200 * (piece + 1) // pieces]
            words += text(length, ("own", number, piece)).split()
        return {"id": str(number), "text": " ".join(words)}

    made = run(write_jsonl(tmp_path / "c.jsonl", map(page, range(count))), tmp_path / "run", floor=0.2)
    assert made.described["counts"]["pairs"] == 0
    assert decide(tmp_path / "run", make(CorpusSettings, {}), "first").stays.all()
    assert made.described["boilerplate"]["template_pairs"] == count * (count - 1) // 2


@pytest.mark.parametrize("most", [2, 5])
def test_text_in_more_documents_than_asked_is_a_template(tmp_path, most):
    for count in (most, most + 1):
        source = write_jsonl(tmp_path / f"{count}.jsonl", templated(count))
        made = run(source, tmp_path / f"run{count}", template=most)
        assert made.described["counts"]["pairs"] == (count * (count - 1) // 2 if count == most else 0)


@pytest.mark.parametrize("count", [3, 12, 60])
def test_near_copies_are_no_pages_of_a_template(tmp_path, count):
    base = text(300, "base")
    records = [{"id": str(number), "text": edited(base, 0.01, number)} for number in range(count)]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    run(source, tmp_path / "all", template=0)
    made = run(source, tmp_path / "run", template=2)
    assert made.described["counts"]["clusters"] == 1
    assert made.described["counts"]["clustered"] == count
    assert rows(tmp_path / "run", "pairs") == rows(tmp_path / "all", "pairs")


@pytest.mark.parametrize(
    ("passages", "length", "near"),
    [
        (4, 15, True),  # 13 % of its own, in short runs: a near-copy
        (1, 35, True),  # 8 %, of which 15 words beyond two shingles
        (9, 15, False),  # 25 %: a page of its own, though no run is long
        (1, 60, False),  # 13 %, of which 40 words beyond two shingles: a passage of its own
    ],
)
def test_what_a_document_has_of_its_own_decides_whether_it_keeps_what_is_common(
    tmp_path, passages, length, near
):
    common = text(400, "common").split()
    step = len(common) // (passages + 1)
    records = []
    for number in range(30):
        made = list(common)
        for at in range(passages, 0, -1):
            made[at * step : at * step] = text(length, (number, at)).split()
        records.append({"id": f"d{number}", "text": " ".join(made)})
    found = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", max_shared=20).described
    assert found["boilerplate"]["documents"] == 30
    assert found["boilerplate"]["near_copies"] == (30 if near else 0)
    assert (found["counts"]["pairs"] > 0) == near


def test_cells_for_a_census_grow_with_the_keys_within_the_memory():
    assert [len(new_cells(keys, 16 * 64, 1 << 30)) for keys in (0, 10**5, 10**6)] == [
        1 << 10,
        1 << 11,
        1 << 14,
    ]
    assert len(new_cells(10**6, 16, 1 << 30)) == 1 << 20  # a key a cell where few are enough to fill it
    assert len(new_cells(10**6, 10**6, 1 << 30)) == 1 << 14
    assert len(new_cells(10**6, 16, 1 << 20)) == 1 << 18
    assert len(new_cells(10**6, 16, 0)) == 1 << 14  # 64 KiB are always there


def test_a_long_document_with_a_common_sentence_is_no_near_copy_of_it(tmp_path):
    sentence = text(20, "sentence")
    records = [{"id": f"d{number}", "text": f"{text(600, number)} {sentence}"} for number in range(30)]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    found = run(source, tmp_path / "run", max_shared=20, template=0).described
    assert "template_pairs" not in found["boilerplate"]
    assert (found["boilerplate"]["documents"], found["boilerplate"]["near_copies"]) == (30, 0)
    assert found["boilerplate"]["shingles"] == 11
