"""Tweets, titles, questions: shingles have as many words as fit the documents, and a run says so."""

import io
import json
import random
from itertools import accumulate

import numpy as np
import pytest

import copysift
from copysift.engines.cluster_run import cluster
from copysift.engines.shingle_width import fitting, long_enough, notes, with_width
from copysift.settings.corpus import WIDTH, CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import rows, run, write_jsonl

WORDS = [f"w{number}" for number in range(20_000)]
WEIGHTS = list(accumulate(1 / (number + 10) for number in range(20_000)))  # as in a language
OTHERS, CHANGED = 100_000, 500


def tweets(count, changed, words=(10, 28), seed=3):
    """Give texts, and copies of every seventh with one word changed."""
    chance = random.Random(seed)
    texts = [chance.choices(WORDS, cum_weights=WEIGHTS, k=chance.randint(*words)) for _ in range(count)]
    documents = [{"id": f"t{number}", "text": " ".join(text)} for number, text in enumerate(texts)]
    for number in range(changed):
        copy = list(texts[7 * number])
        copy[chance.randrange(len(copy))] = f"changed{number}"
        documents.append({"id": f"c{number}", "text": " ".join(copy)})
    return documents


def near(folder):
    return {(row["left"], row["right"]) for row in rows(folder, "pairs") if row["resemblance"] >= 0.5}


def planted(count):
    return {(f"t{7 * number}", f"c{number}") for number in range(count)}


def test_tweets_with_one_word_changed_are_found_and_nothing_else(tmp_path):
    source = write_jsonl(tmp_path / "tweets.jsonl", tweets(OTHERS, CHANGED))
    made = run(source, tmp_path / "run")
    assert made.described["settings"]["shingle"] == 3
    (note,) = [each for each in made.described["notes"] if "--shingle" in each]
    assert note.startswith(
        "most documents have fewer than 39 words: they were compared by shingles of 3 words"
    )
    pairs = near(tmp_path / "run")
    assert pairs <= planted(CHANGED)
    assert len(pairs) >= 480


def test_a_width_that_is_asked_for_stays_and_a_note_names_a_better_one(tmp_path):
    source = write_jsonl(tmp_path / "tweets.jsonl", tweets(700, 100))
    made = run(source, tmp_path / "wide", shingle=WIDTH)
    assert made.described["settings"]["shingle"] == WIDTH
    (note,) = [each for each in made.described["notes"] if "--shingle" in each]
    assert "100% of the documents have fewer than 39 words" in note
    assert note.endswith("--shingle 3")
    run(source, tmp_path / "narrow", shingle=3)
    assert len(near(tmp_path / "wide")) < 60 < 95 <= len(near(tmp_path / "narrow") & planted(100))


def test_short_texts_among_long_ones_leave_the_width_and_are_named(tmp_path):
    documents = tweets(200, 0, (100, 300)) + [each | {"id": f"s{each['id']}"} for each in tweets(60, 8)]
    made = run(write_jsonl(tmp_path / "mixed.jsonl", documents), tmp_path / "run")
    assert made.described["settings"]["shingle"] == WIDTH
    (note,) = [each for each in made.described["notes"] if "--shingle" in each]
    assert note.startswith("25% of the documents have fewer than 39 words")


def test_documents_of_usual_length_are_as_they_were(tmp_path):
    made = run(write_jsonl(tmp_path / "c.jsonl", tweets(50, 5, (60, 90))), tmp_path / "run")
    assert made.described["settings"]["shingle"] == WIDTH
    assert not [each for each in made.described["notes"] if "--shingle" in each]


@pytest.mark.parametrize("words", range(7, 60))
def test_one_changed_word_leaves_half_of_the_shingles_of_the_width_that_fits(words):
    width = fitting(np.full(10, words))
    assert words >= long_enough(width)
    assert words - 2 * width + 1 >= (words + 1) / 2
    assert width == WIDTH or words < long_enough(width + 1)
    assert not [
        each for each in notes(np.full(10, words), make(CorpusSettings, {"shingle": width})) if "%" in each
    ]


def test_all_files_of_a_folder_have_a_say(tmp_path):
    folder = tmp_path / "shards"
    folder.mkdir()
    write_jsonl(folder / "a.jsonl", tweets(50, 0, (200, 300)))
    for name in "bcd":
        write_jsonl(
            folder / f"{name}.jsonl", [{**each, "id": f"{name}{each['id']}"} for each in tweets(50, 0)]
        )
    assert run(folder, tmp_path / "run").described["settings"]["shingle"] == 3


def test_standard_input_and_texts_in_memory_are_not_read_twice(tmp_path, monkeypatch):
    documents = tweets(3000, 50)
    lines = "".join(f"{json.dumps(each)}\n" for each in documents).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(lines))))
    assert len(near(run("-", tmp_path / "run").path)) >= 45
    assert len(rows(tmp_path / "run", "documents")) == 3050
    found = copysift.cluster(each["text"] for each in documents)
    assert 45 <= len(found.clusters) <= 50


def test_a_run_that_is_extended_keeps_its_width(tmp_path):
    first = write_jsonl(tmp_path / "long.jsonl", tweets(40, 0, (100, 200)))
    run(first, tmp_path / "run")
    more = write_jsonl(tmp_path / "short.jsonl", [{**each, "id": f"x{each['id']}"} for each in tweets(40, 5)])
    made = cluster([str(more)], tmp_path / "both", make(CorpusSettings, {}), onto=tmp_path / "run")
    assert made.described["settings"]["shingle"] == WIDTH


@pytest.mark.parametrize("long", [500, 515])
def test_the_width_does_not_depend_on_when_the_sample_ends(tmp_path, long):
    texts = [" ".join(WORDS[: 60 if number < long else 12]) for number in range(1000)]
    path = write_jsonl(
        tmp_path / "some.jsonl", [{"id": str(at), "text": text} for at, text in enumerate(texts)]
    )
    found, _ = with_width([str(path)], CorpusSettings())
    assert found.width == fitting(np.array([len(text.split()) for text in texts]))
