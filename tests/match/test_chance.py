"""Large programs share idiom by chance: it is no similarity, and a copied file still is."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import numpy as np

import copysift
from copysift.join.memory import Join
from copysift.join.rows import Candidates
from copysift.match.chance import MOST, Chance
from copysift.match.measures import class_weights

LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def folder_of(target, package, most=40):
    target.mkdir(parents=True)
    for path in sorted((LIBRARY / package).glob("*.py"))[:most]:
        shutil.copy(path, target / path.name)


def found(folder):
    result = copysift.scan(folder, by="dir", threshold=0)
    (pair,) = result.pairs
    return pair, [note for note in result.notes if "by chance" in note]


def test_unrelated_packages_are_not_similar_and_a_copied_file_in_them_is(tmp_path):
    for package in ("asyncio", "email"):
        folder_of(tmp_path / package, package)
    pair, notes = found(tmp_path)
    assert min(pair.containment_left, pair.containment_right) > 0.2  # the counts say what is there
    assert pair.similarity < 0.1
    assert len(notes) == 1
    copied = LIBRARY / "email" / "_header_value_parser.py"
    shutil.copy(copied, tmp_path / "asyncio" / "mine.py")
    more, _ = found(tmp_path)
    assert 0.15 < more.similarity < 0.35  # it is a fourth of the package that it comes from


def postings(*sizes, common):
    join = Join(1 << 20, None, np.empty(0, np.uint64), 1)
    for number, size in enumerate(sizes):
        own = np.arange(common, size) + 100_000 * (number + 1)
        join.add(number, np.concatenate([np.arange(common), own]).astype(np.uint64))
    return join.finish(1000, class_weights)


def corrected(value, *sizes, common=100):
    pair = np.array([0], np.uint32), np.array([1], np.uint32), np.array([common], np.uint32)
    made = Chance(postings(*sizes, common=common)).corrected(Candidates(*pair, np.array([value])))
    return float(made.similarity[0])


def test_nothing_is_taken_off_small_programs_nor_off_copies():
    assert corrected(0.3, 500, 1000) == 0.3
    assert not Chance(postings(500, 1000, common=10)).any()
    assert corrected(1.0, 5000, 9000) == 1.0


def test_the_larger_a_program_the_more_is_found_in_it_by_chance():
    values = [corrected(0.6, 1500, size) for size in (2000, 4000, 8000)]
    assert 0.6 > values[0] > values[1] > values[2] > 0
    assert corrected(0.4, 1500, 100_000) == 0
    assert Chance(postings(1500, 10**5, common=9)).expected(np.array([0]), np.array([1]))[0] <= MOST


def test_in_a_class_the_weights_take_idiom_off_already():
    """What thirty have weighs next to nothing, and so does chance."""
    alone, many = corrected(0.3, 1500, 4000), corrected(0.3, 1500, 4000, *[1500] * 28)
    assert alone < 0.1 < 0.29 < many
