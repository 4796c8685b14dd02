"""Near-copies in scripts without spaces, and among short texts."""

import random
import re

import pytest

from tests.corpus.texts import rows, run, write_jsonl

# (first and last letter of the consonants, vowel signs and marks, what ends a word, words of a phrase)
SCRIPTS = {
    "Thai": ("กฮ", "ะาิีุูเแโ่้", "", 8),
    "Khmer": ("កអ", "ាិីុូេោំះ", "", 8),
    "Lao": ("ກຮ", "ະາິີຸູເແ່້", "", 8),
    "Burmese": ("ကအ", "ာိီုူေဲံ့း်", "", 8),
    "Tibetan": ("ཀཧ", "ིེོུ", "་", 30),
    "Chinese": ("一龥", "", "", 12),
    "English": ("az", "", " ", 12),
}


def vocabulary(script: str, chance: random.Random) -> list[str]:
    """Give words of two or three syllables; the letters that Unicode has, not a language."""
    (first, last), signs, _, _ = SCRIPTS[script]
    letters = [chr(point) for point in range(ord(first), ord(last) + 1) if chr(point).isalpha()]
    return [
        "".join(chance.choice(letters) + chance.choice([*signs, ""]) for _ in range(chance.choice([2, 3])))
        for _ in range(3000)
    ]


def written(words: list[str], script: str) -> str:
    _, _, between, phrase = SCRIPTS[script]
    lines = [between.join(words[at : at + phrase]) for at in range(0, len(words), phrase)]
    return " ".join(lines)


@pytest.mark.parametrize("script", SCRIPTS)
def test_documents_of_which_two_percent_of_the_words_changed_are_found_in_every_script(tmp_path, script):
    chance = random.Random(script)
    known = vocabulary(script, chance)
    records = []
    for number in range(60):
        words = chance.choices(known, k=300)
        changed = [chance.choice(known) if chance.random() < 0.02 else word for word in words]
        records += [
            {"id": f"{number}", "text": written(words, script)},
            {"id": f"{number}c", "text": written(changed, script)},
        ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    pairs = [row for row in rows(tmp_path / "run", "pairs") if row["resemblance"] >= 0.5]
    right = [row for row in pairs if row["left"] + "c" == row["right"]]
    assert len(right) >= 59
    assert pairs == right


def sentences(count: int, chance: random.Random) -> list[list[str]]:
    """Give short texts with the words of Python's own documentation, as often as they come there."""
    from pydoc_data.topics import topics

    text = re.findall(r"[a-z]+", " ".join(topics[name] for name in sorted(topics)).lower())
    return [chance.choices(text, k=chance.randrange(9, 25)) for _ in range(count)]


@pytest.mark.slow
def test_tweets_with_one_word_changed_are_found_by_shorter_shingles_and_a_note_says_so(tmp_path):
    chance = random.Random(7)
    tweets = sentences(100_500, chance)
    names = sorted({word for tweet in tweets for word in tweet})
    records = [{"id": str(number), "text": " ".join(tweet)} for number, tweet in enumerate(tweets)]
    for number in range(500):
        words = list(tweets[number])
        words[chance.randrange(len(words))] = chance.choice(names)
        records.append({"id": f"{number}c", "text": " ".join(words)})
    source = write_jsonl(tmp_path / "c.jsonl", records)
    told = " ".join(run(source, tmp_path / "run").described["notes"])
    assert "they were compared by shingles of" in told
    assert "try --shingle" not in told
    pairs = [row for row in rows(tmp_path / "run", "pairs") if row["resemblance"] >= 0.5]
    planted = {(str(number), f"{number}c") for number in range(500)}
    found = {(row["left"], row["right"]) for row in pairs}
    assert len(found & planted) >= 480
    assert found <= planted


def test_longer_texts_get_no_such_note(tmp_path):
    records = [
        {"id": str(number), "text": f"{number} " + "some words of a text " * 20} for number in range(9)
    ]
    made = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    assert "try --shingle" not in " ".join(made.described["notes"])
