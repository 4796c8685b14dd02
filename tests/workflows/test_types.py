"""Works of several types in one submission are scored each by itself."""

import random

import pytest

import copysift
from copysift.settings.comparison import Settings
from copysift.workflows.scan import Scan
from tests.clusters.test_families import program
from tests.sources.samples import docx, pptx, xlsx

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("l", "rn", "sk", "t", "nd", "m")]


def prose(seed, words):
    chance = random.Random(seed)
    return " ".join(chance.choices(WORDS, k=words))


def rows(seed):
    chance = random.Random(seed)
    return [[chance.choice(WORDS), str(chance.randint(100, 9999)), chance.choice(WORDS)] for _ in range(40)]


def hand_in(folder, name, code=None, essay=None, slides=None, sheet=None, methods=10):
    """Write a submission; each work is made from a seed, so that two with the same seed are copies."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "main.java").write_text(program(random.Random(f"code {code or name}"), methods))
    (place / "essay.docx").write_bytes(docx(prose(f"essay {essay or name}", 500)))
    (place / "talk.pptx").write_bytes(pptx(prose(f"slides {slides or name}", 150)))
    (place / "table.xlsx").write_bytes(xlsx(rows(f"sheet {sheet or name}")))


@pytest.fixture
def scanned(tmp_path):
    def run(**settings):
        scan = Scan(Settings(by="dir", **settings))
        result = scan.run([tmp_path], regions=True)
        pairs = {frozenset((each.left[-3:], each.right[-3:])): each for each in result.pairs}

        def types(one, other):
            pair = pairs[frozenset((one, other))]
            files = [
                next(each.name for each in result.documents if each.group == side)
                for side in (pair.left, pair.right)
            ]
            return {name: share for name, share, *_ in scan.explain(*files, pair.channel, pair.regions).types}

        return pairs, types

    for at in range(6):
        hand_in(tmp_path, f"p{at:02}")
    run.folder = tmp_path
    return run


@pytest.mark.parametrize("copied", ["code", "essay", "slides", "sheet"])
def test_a_copy_of_one_type_is_found_and_scored_at_that_type_alone(scanned, copied):
    hand_in(scanned.folder, "one", **{copied: "same"})
    hand_in(scanned.folder, "two", **{copied: "same"})
    pairs, types = scanned()
    assert frozenset(("one", "two")) in pairs
    best = max(pairs, key=lambda each: pairs[each].similarity)
    assert best == frozenset(("one", "two"))
    found = types("one", "two")
    name = {"code": "programs", "essay": "texts", "slides": "slides", "sheet": "spreadsheets"}[copied]
    assert found[name] > 0.9
    assert all(share < 0.5 for each, share in found.items() if each != name)


def test_an_essay_beside_a_large_program_is_found(scanned):
    hand_in(scanned.folder, "one", essay="same", methods=60)
    hand_in(scanned.folder, "two", essay="same", methods=60)
    pairs, types = scanned()
    assert pairs[frozenset(("one", "two"))].similarity > 0.9
    assert types("one", "two")["texts"] == 1.0


def similarities(folder, typed):
    scan = Scan(Settings(by="dir", threshold=0.0))
    scan._typed = typed
    return {(each.left, each.right): each.similarity for each in scan.run([folder]).pairs}


@pytest.mark.parametrize(("holders", "words"), [(2, 12), (30, 300)])
def test_a_short_note_of_two_or_a_text_that_all_have_raises_no_score(tmp_path, holders, words):
    for at in range(30):
        place = tmp_path / f"p{at:02}"
        place.mkdir()
        (place / "main.java").write_text(program(random.Random(at), 20))
        if at < holders:
            (place / "readme.txt").write_text(prose("handed out", words))
    plain, typed = similarities(tmp_path, False), similarities(tmp_path, True)
    assert all(share - plain.get(pair, 0.0) < 0.02 for pair, share in typed.items())


def test_a_type_that_only_one_has_has_no_score(scanned):
    hand_in(scanned.folder, "one", code="same")
    hand_in(scanned.folder, "two", code="same")
    (scanned.folder / "two" / "talk.pptx").unlink()
    _, types = scanned()
    assert types("one", "two")["slides"] is None


def test_classes_of_one_type_have_no_scores_by_type(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.java").write_text(
            program(random.Random(1), 4) + program(random.Random(name), 1)
        )
        (tmp_path / name / "b.c").write_text(program(random.Random(name), 1))
    scan = Scan(Settings(by="dir"))
    result = scan.run([tmp_path], regions=True)
    (pair,) = result.pairs
    files = [f"{side}/a.java" for side in (pair.left, pair.right)]
    assert scan.explain(*files, pair.channel, pair.regions).types == ()


def test_the_comments_that_an_editor_adds_to_programs_say_nothing_beside_an_essay(tmp_path):
    """Programs are compared by their tokens, whatever else was handed in with them."""
    header = "".join(f"// {word}\n" for word in prose("template", 900).split())
    for at in range(6):
        place = tmp_path / f"p{at}"
        place.mkdir()
        (place / "main.java").write_text(header + program(random.Random(at), 6))
        if at < 3:
            (place / "essay.txt").write_text(prose(f"essay {at}", 300))
    (pair,) = (
        each for each in copysift.scan(tmp_path, by="dir", threshold=0.01).pairs
        if each.left.endswith("p0") and each.right.endswith("p5")
    )  # fmt: skip
    assert pair.channel == "code"


def test_an_essay_in_the_comments_of_a_program_is_found(tmp_path):
    essay = prose("essay", 300)
    for name, header in (("one", ""), ("two", "".join(f"// {word}\n" for word in essay.split()))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.java").write_text(header + program(random.Random(name), 6))
    (tmp_path / "one" / "essay.txt").write_text(essay)
    ((_, share),) = similarities(tmp_path, True).items()
    assert share > 0.4


def test_the_score_of_programs_counts_strings_and_statements_as_that_of_a_pair_does(scanned):
    for name in ("one", "two"):
        hand_in(scanned.folder, name)
        place = scanned.folder / name / "main.java"
        loud = "".join(
            f'    say("a message of nobody else, number {at}", {at} {"+-"[name == "two"]} n);\n'
            for at in range(20)
        )
        source = place.read_text()
        place.write_text(source.replace("{\n", f"{{ void a(int n) {{\n{loud}}}\n", 1))
    pairs, types = scanned(threshold=0.05)
    pair = pairs[frozenset(("one", "two"))]
    assert pair.channel == "code"
    assert types("one", "two")["programs"] == pytest.approx(pair.similarity)


def measures(*sources, **settings):
    found = copysift.scan(list(sources), by="dir", threshold=0.01, **settings)
    return {
        (pair.left, pair.right): (pair.channel, pair.shared, round(pair.similarity, 9), pair.resemblance)
        for pair in found.pairs
    }


@pytest.fixture
def years(here):
    """Two years of a class; each work of one year has a copy in the other."""
    for year in ("old", "new"):
        for at, copied in enumerate(("code", "essay", "slides", "sheet")):
            hand_in(here / year, f"{year}{at}", **{copied: f"same {copied}"})
        hand_in(here / year, f"{year}x", code="twin", essay="twin", slides="twin", sheet="twin")
        place = here / year / f"{year}note"
        place.mkdir()
        (place / "readme.txt").write_text(prose("a note", 12))
        (place / "page.html").write_text(f"<p>{prose('page', 200)} {year}</p>")
        (place / "main.java").write_text(f"// {prose('a note', 12)}\n{program(random.Random(year), 9)}")
    return here


@pytest.mark.parametrize("scheme", ["open-closed", "all", "mod"])
def test_an_index_and_its_folder_are_the_same_earlier_work(years, scheme):
    with copysift.Index("old.sift", by="dir", scheme=scheme) as index:
        index.add("old")
    folder = measures("new", earlier=["old"], scheme=scheme)
    assert measures("new", earlier=["old.sift"], scheme=scheme) == folder
    channels = {channel for channel, *_ in folder.values()}
    assert channels == {"text", "code"}


def test_an_index_of_a_class_gives_the_pairs_of_its_folder(years):
    with copysift.Index("all.sift", by="dir") as index:
        index.add(["old", "new"])
    assert measures("all.sift") == measures("old", "new")
