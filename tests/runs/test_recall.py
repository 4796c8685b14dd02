"""The recall that a run says of itself."""

import dataclasses
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from copysift.match.sets import MeasuredPairs
from copysift.runs import recall
from copysift.runs.recall import Recall, measure_recall, recall_words, upper
from copysift.runs.stored_run import open_corpus
from tests.cli.program import copysift
from tests.corpus.texts import run, words, write_jsonl


def family(count, seed):
    """Make documents of which each has replaced another share of the words of a first one."""
    first = words(300, seed)
    other = words(300, f"{seed} other")
    made = []
    for number in range(count):
        kept = 300 - 27 * number
        made.append({"id": f"{seed}-{number}", "text": " ".join(first[:kept] + other[kept:])})
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recall")
    documents = [each for seed in range(12) for each in family(8, seed)]
    run(write_jsonl(folder / "c.jsonl", documents), folder / "run", modulus=1)
    return folder / "run"


def brute(path):
    """Measure all pairs from the sets of the texts."""
    texts = [json.loads(line)["text"].split() for line in (path.parent / "c.jsonl").read_text().splitlines()]
    sets = [{tuple(each[at : at + 10]) for at in range(len(each) - 9)} for each in texts]
    return {
        (one, other)
        for one in range(len(sets))
        for other in range(one + 1, len(sets))
        if len(sets[one] & sets[other]) / min(len(sets[one]), len(sets[other])) >= 0.3
    }


def test_the_pairs_of_a_sample_are_those_that_all_shingles_give(made):
    found = measure_recall(open_corpus(made))
    true = brute(made)
    assert (found.sampled, found.compared, found.documents) == (96, 96, 96)
    assert found.pairs == found.found == len(true) > 200
    assert found.near == found.near_found > 0
    assert found.missing < 0.3


def test_pairs_that_a_run_lost_are_missing_in_what_it_says(made):
    opened = open_corpus(made)
    pairs = opened.pairs
    lost = np.flatnonzero(np.arange(len(pairs)) % 3 > 0)
    opened.pairs = pairs.take(lost)
    found = measure_recall(opened)
    assert found.found == len(lost)
    assert found.pairs == len(pairs)
    assert found.near_found < found.near
    assert found.missing > (found.near - found.near_found) / found.near
    assert found.together > 0
    said = " ".join(recall_words(found))
    assert f"the run has {len(lost):,}" in said
    assert "in one cluster all the same" in said


def test_a_sample_of_documents_and_parts_finds_what_they_have(made, monkeypatch):
    every = brute(made)
    monkeypatch.setattr(recall, "SAMPLE", 10)
    found = measure_recall(open_corpus(made))
    chosen = {number * 96 // 10 for number in range(10)}
    assert found.sampled == 10
    assert found.pairs == len({pair for pair in every if chosen & set(pair)})


def test_a_bound_covers_what_was_seen_and_falls_with_the_sample():
    assert upper(0, 0) == 1
    assert 0.02 < upper(0, 100) < 0.05
    assert upper(5, 100) > 0.05
    assert upper(0, 10_000) < 0.001
    assert upper(10, 10) == 1


def test_show_says_what_was_ignored_sampled_and_missed(tmp_path, made):
    shown = copysift(tmp_path, "show", str(made)).out
    assert "Nothing was ignored as boilerplate" in shown
    assert "Sampled: " in shown
    assert "Recall: of " in shown
    assert "95% confidence" in shown
    copysift(tmp_path, "show", str(made), "-o", "r.html")
    assert "Recall: of " in (tmp_path / "r.html").read_text()


def test_a_slim_run_says_that_its_recall_cannot_be_measured(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", family(4, "slim"))
    copysift(tmp_path, "cluster", str(source), "-o", "run", "--slim")
    assert "made with --slim" in copysift(tmp_path, "show", "run").out


def test_a_run_without_pairs_says_nothing_about_recall(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", [{"id": str(n), "text": " ".join(words(50, n))} for n in range(5)])
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run")
    assert "nothing can be said about what is missing" in copysift(tmp_path, "show", "run").out
    assert isinstance(open_corpus(tmp_path / "run").pairs, MeasuredPairs)
    assert pq.read_table(tmp_path / "run" / "pairs.parquet").num_rows == 0


def test_pairs_that_share_a_template_are_not_missing(tmp_path):
    template = words(200, "template")
    pages = [
        {"id": f"page{number}", "text": " ".join([*words(60, number), *template])} for number in range(30)
    ]
    documents = [*pages, *family(4, 1)]
    run(write_jsonl(tmp_path / "c.jsonl", documents), tmp_path / "run", modulus=1)
    found = measure_recall(open_corpus(tmp_path / "run"))
    assert found.templated == 30 * 29 // 2
    assert found.pairs == found.found == 6
    assert "435 other pairs share little but templates: they are not listed, and not missing" in recall_words(
        found
    )
    for suffix in ("u64", "sum"):  # as in runs of earlier versions
        (tmp_path / "run" / "sketches" / f"templates.{suffix}").unlink()
    assert measure_recall(open_corpus(tmp_path / "run")).pairs == 6 + 30 * 29 // 2


def test_one_document_and_one_pair_are_spelled_so():
    one = Recall(1, 1, 1, 0.3, 0, 0, 0, 0, 0)
    assert recall_words(one)[0].startswith("Recall: 1 document of the corpus was compared with all exactly")
    one = dataclasses.replace(one, pairs=1, found=1, near=1, near_found=1)
    assert "of 1 pair at or above the floor (30%) that 1 document of the corpus has" in recall_words(one)[0]
    assert recall_words(one)[1].startswith("Of 1 pair near the floor")
