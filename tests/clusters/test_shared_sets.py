import itertools
import json
import random

import numpy as np
import pytest

from copysift.clusters.shared_sets import SetSearch
from tests.cli.program import copysift, write
from tests.cli.texts import prose


def search(rows, least, **more):
    offsets = np.cumsum([0, *(len(row) for row in rows)])
    return SetSearch(offsets, np.array([each for row in rows for each in row], np.int64), least, **more)


def interesting(rows, least, count):
    """The sets by the definition: from the largest down, those that share enough and are in no larger one."""
    found = []
    for size in range(count, 1, -1):
        for members in itertools.combinations(range(count), size):
            shared = sum(set(members) <= set(row) for row in rows)
            if shared >= least and not any(set(members) < set(other) for other, _ in found):
                found.append((members, shared))
    return sorted(found)


@pytest.mark.parametrize("seed", range(60))
def test_the_sets_are_those_of_the_definition(seed):
    chosen = random.Random(seed)
    count = chosen.randint(2, 7)
    rows = [
        sorted(chosen.sample(range(count), chosen.randint(1, count))) for _ in range(chosen.randint(1, 14))
    ]
    least = chosen.randint(1, 4)
    found = search(rows, least)
    assert sorted((each.members, each.shared) for each in found.run()) == interesting(rows, least, count)
    assert not found.stopped


def test_the_example_of_the_paper():
    # A, B, C and D share 20, A and C 40, B and D 65, and A, B and D 38 (section 4).
    rows = [[0, 1, 2, 3]] * 20 + [[0, 2]] * 20 + [[0, 1, 3]] * 18 + [[1, 3]] * 27
    assert [each.members for each in search(rows, 20).run()] == [(0, 1, 2, 3)]
    assert sorted(each.members for each in search(rows, 30).run()) == [(0, 1, 3), (0, 2)]
    assert [each.members for each in search(rows, 60).run()] == [(1, 3)]


def test_a_search_that_is_stopped_says_so_and_its_sets_still_share_enough():
    chosen = random.Random(7)
    rows = [sorted(chosen.sample(range(30), 15)) for _ in range(60)]
    found = search(rows, 3, steps=2000)
    sets = found.run()
    assert found.stopped
    for each in sets:
        assert sum(set(each.members) <= set(row) for row in rows) == each.shared >= 3


def test_scan_reports_what_all_files_of_a_set_share(tmp_path):
    common, pair = prose(1, words=80), prose(2, words=200)
    write(
        tmp_path,
        {"a.txt": common + pair, "b.txt": common + pair[:-9], "c.txt": common + prose(3), "d.txt": prose(4)},
    )
    write(tmp_path, {"e.txt": common + prose(3)})  # equal to c.txt
    found = json.loads(copysift(tmp_path, "scan", ".", "--sets", "--format", "json").out)["sets"]
    assert [each["members"] for each in found] == [["./a.txt", "./b.txt", "./c.txt", "./e.txt"]]
    assert all("".join(text.split()) in "".join(common.split()) for text in found[0]["texts"])
    assert found[0]["texts"]
    table = copysift(tmp_path, "scan", ".", "--sets", "--min-shared", "60").out
    assert "2 files share" in table
