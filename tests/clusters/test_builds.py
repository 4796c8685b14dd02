"""Builds of one program are one occurrence of its code; what several programs have is a library."""

import itertools
import random

import pytest

import copysift

LISTING = "; machine code: x86\n"


def code(seed: int, lines: int = 400) -> str:
    """Give instructions that no other seed gives."""
    draw = random.Random(seed)
    return "".join(f"op{seed} {draw.randrange(10**6)}\n" for _ in range(lines))


def similarities(folder) -> dict[tuple[str, str], float]:
    pairs = copysift.scan(folder, threshold=0.01).pairs
    return {tuple(sorted(each.rsplit("/", 1)[1] for each in (p.left, p.right))): p.similarity for p in pairs}


@pytest.mark.parametrize(("programs", "least", "most"), [(2, 0.45, 0.55), (4, 0.05, 0.15), (20, 0.0, 0.01)])
def test_a_library_counts_the_less_the_more_programs_have_it(tmp_path, programs, least, most):
    for number in range(programs):
        (tmp_path / f"{number:02}").write_text(LISTING + code(number) + code(1000))
    found = similarities(tmp_path)
    pairs = [f"{number:02}" for number in range(programs)]
    for pair in itertools.combinations(pairs, 2):
        assert least <= found.get(pair, 0.0) <= most


def test_many_builds_of_one_program_are_no_library(tmp_path):
    for number in range(40):
        (tmp_path / f"{number:02}").write_text(LISTING + code(1000) + code(number, 20))
    found = similarities(tmp_path)
    assert len(found) == 40 * 39 // 2
    assert min(found.values()) > 0.9


def test_a_library_is_still_found_in_the_programs_that_have_it(tmp_path):
    for number in range(12):
        (tmp_path / f"{number:02}").write_text(LISTING + code(number) + code(1000))
    (tmp_path / "library").write_text(LISTING + code(1000))
    found = similarities(tmp_path)
    assert min(found[f"{number:02}", "library"] for number in range(12)) > 0.9


def test_texts_beside_programs_are_weighed_as_without_them(tmp_path):
    for number in range(6):
        words = " ".join(str(random.Random(number).random()) for _ in range(100))
        shared = " ".join(str(random.Random(1000 + place).random()) for place in range(100))
        (tmp_path / f"{number}.txt").write_text(f"{words} {shared}")
    before = similarities(tmp_path)
    for number in range(6):
        (tmp_path / f"program{number}").write_text(LISTING + code(number) + code(1000))
    after = similarities(tmp_path)
    assert len(before) == 15
    assert {pair: after[pair] for pair in before} == before
    assert max(after[pair] for pair in after.keys() - before.keys()) < 0.2


def test_an_index_of_programs_is_scanned_like_their_files(tmp_path):
    folder, index = tmp_path / "programs", tmp_path / "i.sift"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}").write_text(LISTING + code(number) + code(1000))
    with copysift.Index(index) as made:
        made.add([folder])
    found = similarities(index)
    assert found == similarities(folder)
    assert max(found.values()) < 0.1
