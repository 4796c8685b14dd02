"""`dedup --passages` within one corpus: the first occurrence stays."""

import hashlib
import json
import random
import sys
from collections import Counter
from itertools import pairwise

import pytest

import copysift
from copysift.engines.dedup_steps import dedup
from copysift.errors import UsageError
from copysift.match import repeated_passages, text_units
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import run, write_jsonl
from tests.corpus.texts import text as sentence

LEAST = 6


def corpus(seed: int) -> list[str]:
    """Texts with passages of each other and of themselves, all of 40 words or more of their own."""
    chance = random.Random(seed)
    made: list[list[str]] = []
    for number in range(30):
        words = [f"w{number}x{at}" for at in range(chance.randrange(40, 120))]
        for _ in range(chance.randrange(4)):
            source = chance.choice([*made, words])
            start = chance.randrange(len(source))
            passage = source[start : start + chance.randrange(2, 25)]
            at = chance.randrange(len(words))
            words = words[:at] + passage + words[at:]
        made.append(words)
    return [" ".join(words) for words in made]


def expected(texts: list[str]) -> list[str]:
    """The definition: a word goes if it lies in LEAST words in a row that came before."""
    seen: set[tuple[str, ...]] = set()
    out = []
    for text in texts:
        words = text.split()
        copied = [False] * len(words)
        for at in range(len(words) - LEAST + 1):
            window = tuple(words[at : at + LEAST])
            if window in seen:
                copied[at : at + LEAST] = [True] * LEAST
            seen.add(window)
        out.append(" ".join(word for word, gone in zip(words, copied, strict=True) if not gone))
    return out


def lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def dedup_texts(tmp_path, texts, output="out.jsonl", **given):
    source = write_jsonl(
        tmp_path / "c.jsonl", [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    )
    settings = make(CorpusSettings, {"min_passage": LEAST, "threshold": 0.99, **given})
    return dedup([str(source)], tmp_path / output, settings, passages="cut")


@pytest.mark.parametrize("seed", range(4))
def test_what_goes_is_what_came_before_and_the_rest_stays(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(repeated_passages, "HELD", 50)
    texts = corpus(seed)
    done = dedup_texts(tmp_path, texts, memory=["16MB", "1GB"][seed % 2])
    kept = {row["id"]: " ".join(row["text"].split()) for row in lines(tmp_path / "out.jsonl")}
    wanted = {str(number): text for number, text in enumerate(expected(texts)) if text}
    assert kept == wanted
    assert done.passages > 5
    assert {word for text in texts for word in text.split()} == {
        word for text in kept.values() for word in text.split()
    }


def test_many_short_texts_are_joined_in_linear_work(tmp_path):
    texts = [f"notice {number % 50}" for number in range(1500)]
    calls = Counter()
    with repeated_passages.Repeats(tmp_path, LEAST, 1 << 24, unit="line", max_copies=1) as repeats:
        repeats.count(text.encode() for text in texts)
        sys.setprofile(lambda frame, event, _: calls.update([frame.f_code.co_filename]))
        try:
            repeats.join(((number, text.encode()) for number, text in enumerate(texts)), len(texts))
        finally:
            sys.setprofile(None)
        assert len(repeats.copies(1499, texts[1499].encode(), "line")) == 1
    assert calls[repeated_passages.__file__] < 100 * len(texts)


def test_a_sentence_that_comes_once_keeps_a_word_that_another_one_had_in_its_place(tmp_path):
    before, between, behind = (" ".join(f"{part}{at}" for at in range(12)) for part in "abc")
    once = "b0 and a sentence that comes once but ends as the other did b11"
    texts = [
        f"{before}. {between}. {behind}. {sentence(30, 1)}",
        f"{before}. {once}. {behind}. {sentence(30, 2)}",
    ]
    dedup_texts(tmp_path, texts)
    assert " ".join(lines(tmp_path / "out.jsonl")[1]["text"].split()) == f". {once}. . {sentence(30, 2)}"


def test_a_long_part_of_a_sentence_that_goes_on_differently_is_a_copy_still(tmp_path):
    texts = [f"{sentence(10, 0)} {sentence(30, 1)}.", f"{sentence(10, 0)} {sentence(30, 2)}."]
    dedup_texts(tmp_path, texts)
    assert lines(tmp_path / "out.jsonl")[1]["text"].strip() == f"{sentence(30, 2)}."


@pytest.mark.parametrize("seed", range(3))
def test_every_cut_is_in_the_audit_with_its_text_and_the_copy_that_is_kept(tmp_path, seed):
    texts = corpus(seed)
    done = dedup_texts(tmp_path, texts)
    audit = lines(tmp_path / "out.passages.jsonl")
    assert len(audit) == done.passages
    cut = dict(enumerate(texts))
    for row in reversed(audit):
        number = int(row["document"])
        passage = texts[number][row["start"] : row["end"]]
        assert passage == row["text"]
        assert row["hash"] == hashlib.blake2b(passage.encode(), digest_size=16).hexdigest()
        kept = texts[int(row["kept"])]
        assert int(row["kept"]) <= number
        words = passage.split()
        assert kept[row["kept_start"] :].split()[: len(words)] == words
        cut[number] = cut[number][: row["start"]] + cut[number][row["end"] :]
    assert {str(number): text for number, text in cut.items() if text.strip()} == {
        row["id"]: row["text"] for row in lines(tmp_path / "out.jsonl")
    }


PARTS = ["the first part of this text has ten words or so", "a second one", "and something that is only here"]


def test_only_whole_lines_sentences_or_paragraphs_are_cut_when_asked(tmp_path):
    first = "\n".join(PARTS[:2])
    second = f"{PARTS[0]}\n{PARTS[1]} but longer\n{PARTS[2]}\n"
    dedup_texts(tmp_path, [first, second], cut_at="line")
    assert lines(tmp_path / "out.jsonl")[1]["text"] == f"{PARTS[1]} but longer\n{PARTS[2]}\n"
    sentences = ". ".join(PARTS) + "."
    dedup_texts(tmp_path, [first, sentences], cut_at="sentence")
    assert lines(tmp_path / "out.jsonl")[1]["text"] == f"{PARTS[2]}."
    paragraphs = f"{PARTS[0]}\n \n{PARTS[0]}\n{PARTS[2]}\n\n{PARTS[1]}"
    dedup_texts(tmp_path, [first, paragraphs], cut_at="paragraph")
    assert lines(tmp_path / "out.jsonl")[1]["text"] == f"{PARTS[0]}\n{PARTS[2]}\n\n{PARTS[1]}"


def test_lines_in_more_than_n_documents_stay_once_and_are_listed_by_frequency(tmp_path):
    texts = [f"Home | About\nown line {number} of it\nAccept cookies?\n" for number in range(6)]
    texts[4:] = ["Home | About\nquite another\n", "Rare line\nand more of it\n"]
    texts.append("Rare line\nwith something else\n")
    done = dedup_texts(tmp_path, texts, cut_at="line", max_copies=2)
    kept = [row["text"] for row in lines(tmp_path / "out.jsonl")]
    assert kept[0] == texts[0]
    assert kept[1:4] == [f"own line {number} of it\n" for number in range(1, 4)]
    assert kept[4:] == ["quite another\n", *texts[5:]]
    assert lines(tmp_path / "out.repeated.jsonl") == [
        {"text": "Home | About", "documents": 5},
        {"text": "Accept cookies?", "documents": 4},
    ]
    assert done.passages == 7
    dedup_texts(tmp_path, texts, cut_at="line", max_copies=1)
    assert lines(tmp_path / "out.jsonl")[-1]["text"] == "with something else\n"


def test_a_document_of_which_nothing_is_left_is_listed_as_removed(tmp_path):
    text = " ".join(f"w{at}" for at in range(60))
    done = dedup_texts(tmp_path, [text, " ".join(text.split()[10:30])])
    assert (done.kept, done.removed) == (1, 1)
    assert lines(tmp_path / "out.removed.jsonl")[0]["reason"] == "nothing left after cutting"


def test_a_run_of_the_sources_themselves_cuts_nothing(tmp_path):
    texts = corpus(1)
    source = write_jsonl(tmp_path / "c.jsonl", [{"id": str(n), "text": each} for n, each in enumerate(texts)])
    run(source, tmp_path / "run")
    usual = CorpusSettings()
    with pytest.raises(UsageError, match=r"was made of .*c\.jsonl"):
        dedup([str(source)], tmp_path / "out.jsonl", usual, against=tmp_path / "run", passages="cut")
    folder = tmp_path / "shards"
    folder.mkdir()
    shard = write_jsonl(folder / "c.jsonl", [{"id": str(n), "text": each} for n, each in enumerate(texts)])
    run(folder, tmp_path / "run-of-folder")
    other = write_jsonl(tmp_path / "new.jsonl", [{"id": "e", "text": sentence(50, 9)}])
    with pytest.raises(UsageError, match=r"was made of .*c\.jsonl"):  # half of the sources would go
        dedup(
            [str(other), str(shard)],
            tmp_path / "out.jsonl",
            usual,
            against=tmp_path / "run-of-folder",
            passages="cut",
        )
    with pytest.raises(UsageError, match="was made of"):
        dedup([str(tmp_path)], tmp_path / "out.jsonl", usual, against=tmp_path / "run", passages="cut")
    copy = write_jsonl(tmp_path / "d.jsonl", [{"id": str(n), "text": each} for n, each in enumerate(texts)])
    with pytest.raises(UsageError, match="nothing would be left"):
        dedup([str(copy)], tmp_path / "out.jsonl", usual, against=tmp_path / "run", passages="cut")
    assert not (tmp_path / "out.jsonl").exists()
    assert not (tmp_path / "out.passages.jsonl").exists()


def test_python_and_a_finished_run_give_the_same(tmp_path):
    texts = corpus(2)
    dedup_texts(tmp_path, texts)
    wanted = [row["text"] for row in lines(tmp_path / "out.jsonl")]
    assert copysift.dedup(texts, passages="cut", min_passage=LEAST, threshold=0.99) == wanted
    run(tmp_path / "c.jsonl", tmp_path / "run")
    settings = make(CorpusSettings, {"min_passage": LEAST, "threshold": 0.99})
    dedup([], tmp_path / "from.jsonl", settings, from_run=tmp_path / "run", passages="cut")
    assert [row["text"] for row in lines(tmp_path / "from.jsonl")] == wanted


def test_units_are_found_in_linear_time():
    for text in (b"\n \t" * 200_000, b"." * 500_000, b".)" * 300_000, b"\n" * 500_000):
        for unit in ("line", "sentence", "paragraph"):
            assert text_units.units(text, unit)[-1] == len(text)


def test_lines_that_differ_a_little_are_copies_when_asked(tmp_path):
    def page(number):
        return "\n".join(
            [
                f"Posted on {number + 1} March 2024 by the editors of the Daily Example in section news",
                f"{sentence(12, number)}",
                f"We use {number} cookies to improve your visit read our policy to learn more about it",
            ]
        )

    texts = [page(number) for number in range(20)]
    cutting = {"cut_at": "line", "max_copies": 3}
    dedup_texts(tmp_path, texts, **cutting)
    assert [each["text"] for each in lines(tmp_path / "out.jsonl")] == texts  # every line is another
    done = dedup_texts(tmp_path, texts, **cutting, near=0.6)
    near = [each["text"] for each in lines(tmp_path / "out.jsonl")]
    assert near[0] == texts[0]
    assert [each.strip() for each in near[1:]] == [sentence(12, number) for number in range(1, 20)]
    frequent = lines(tmp_path / "out.repeated.jsonl")
    assert [row["documents"] for row in frequent] == [20, 20]
    assert {row["text"].split()[0] for row in frequent} == {"Posted", "We"}
    assert done.passages == 38
    memory = copysift.dedup(texts, passages="cut", **cutting, near=0.6, threshold=0.99)
    assert memory == near
    with pytest.raises(UsageError, match="near compares whole"):
        dedup_texts(tmp_path, texts, near=0.6)
    with pytest.raises(UsageError, match="near compares whole"):
        dedup_texts(tmp_path, texts, near=0.6, max_copies=1)  # beside words


def test_copied_paragraphs_go_to_under_half_a_percent_and_nothing_that_comes_once_is_lost(tmp_path):
    chance = random.Random(8)
    paragraphs = [sentence(chance.randint(15, 60), f"paragraph {number}") for number in range(2000)]
    used = list(paragraphs)
    used += chance.choices(paragraphs[:600], k=280)  # copies
    chance.shuffle(used)
    texts = ["\n\n".join(used[at : at + 6]) for at in range(0, len(used), 6)]

    def copied(documents):
        every = [each.strip() for document in documents for each in document.split("\n\n") if each.strip()]
        once = {each: len(each) for each in every}
        return 1 - sum(once.values()) / sum(map(len, every)), set(every)

    before, known = copied(texts)
    assert before > 0.1
    dedup_texts(tmp_path, texts, cut_at="paragraph", max_copies=1)
    after, left = copied([each["text"] for each in lines(tmp_path / "out.jsonl")])
    assert after < 0.005
    assert left == known == set(paragraphs)


def paragraphs(seed: int) -> list[str]:
    """Texts of paragraphs of 1 to 12 words, some of which come again, alone or with a part of a long one."""
    chance = random.Random(seed)
    known = [" ".join(f"p{number}x{at}" for at in range(chance.randint(1, 12))) for number in range(60)]
    texts = []
    for number in range(40):
        made = [" ".join(f"o{number}x{at}" for at in range(40))]
        for _ in range(chance.randint(1, 6)):
            made.insert(chance.randrange(len(made) + 1), chance.choice(known))
        if chance.random() < 0.3:
            made.append(f"{made[-1]} {chance.choice(known)}")
        texts.append("\n\n".join(made))
    return texts


def expected_words(texts: list[str], most: int = 1) -> list[list[str]]:
    """The definition: words in a row as before, and short paragraphs that came before as paragraphs."""

    def units(text):
        words = text.split()
        for at in range(len(words) - LEAST + 1):
            yield tuple(words[at : at + LEAST]), at
        at = 0
        for each in text.split("\n\n"):
            size = len(each.split())
            if size < LEAST:
                yield ("a paragraph of", *each.split()), at
            at += size

    documents = Counter(each for text in texts for each in {unit for unit, _ in units(text)})
    seen: set[tuple[str, ...]] = set()
    out = []
    for text in texts:
        words = text.split()
        gone = [False] * len(words)
        for unit, at in units(text):
            size = len(unit) - (unit[0] == "a paragraph of")
            if unit in seen and (most == 1 or documents[unit] > most):
                gone[at : at + size] = [True] * size
            seen.add(unit)
        out.append([word for word, cut in zip(words, gone, strict=True) if not cut])
    return out


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_short_paragraphs_that_come_again_go_beside_copied_words_when_asked(tmp_path, seed, most):
    texts = paragraphs(seed)
    done = dedup_texts(tmp_path, texts, max_copies=most)
    kept = {row["id"]: row["text"].split() for row in lines(tmp_path / "out.jsonl")}
    assert kept == {str(number): words for number, words in enumerate(expected_words(texts, most)) if words}
    assert {word for text in texts for word in text.split()} == {
        word for words in kept.values() for word in words
    }
    audit = lines(tmp_path / "out.passages.jsonl")
    assert len(audit) == done.passages
    by_document = {number: [row for row in audit if int(row["document"]) == number] for number in range(40)}
    for rows in by_document.values():
        assert all(one["end"] <= other["start"] for one, other in pairwise(rows))
    for row in audit:
        kept_copy = texts[int(row["kept"])][row["kept_start"] :].split()
        assert kept_copy[: len(row["text"].split())] == row["text"].split()
    repeated = lines(tmp_path / "out.repeated.jsonl")
    assert repeated
    assert all(len(row["text"].split()) < LEAST for row in repeated)


def test_the_audit_names_the_copy_of_words_whose_window_begins_in_what_stays(tmp_path):
    own = [" ".join(f"own{number}x{at}" for at in range(9)) for number in range(3)]
    texts = [f"p q. r s t u {own[0]}.", f"{own[1]} s t u v w x y.", f"{own[2]} p q. r s t u v w x y."]
    dedup_texts(tmp_path, texts)
    found = [(row["text"], row["kept"]) for row in lines(tmp_path / "out.passages.jsonl")]
    assert found == [("r ", "0"), ("s t u v w x y", "1")]
    for row in lines(tmp_path / "out.passages.jsonl"):
        assert texts[int(row["kept"])][row["kept_start"] :].startswith(row["text"])
