"""Groups of files as wholes: matches stay in their files, coverage counts those that are compared."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import copysift
from copysift.errors import UsageError
from copysift.join.memory import Join
from copysift.match.base_code import Base
from copysift.match.measures import rarity
from copysift.report.json_report import report
from copysift.report.view import View
from copysift.workflows.submission_units import covered_shares
from tests.cli.program import write
from tests.cli.test_submissions import A, B


def test_no_match_crosses_from_one_file_into_the_next(tmp_path):
    write(tmp_path, {f"{name}/{file}.txt": text for name in "xy" for file, text in (("1", A), ("2", B))})
    (pair,) = copysift.scan(tmp_path, by="dir", kind="text", regions=True).pairs
    assert pair.equal
    found = [
        (each.left.file[-5:], each.right.file[-5:], each.left.start, each.left.end) for each in pair.regions
    ]
    assert found == [
        ("1.txt", "1.txt", 0, len(A.rstrip("\n"))),
        ("2.txt", "2.txt", 0, len(B.rstrip("\n"))),
    ]
    assert pair.lines == 2


def equally(degrees, groups):
    return np.ones(len(degrees))


def shares(groups, side, kin, weigh=equally):
    with Join() as join:
        for number, hashes in enumerate(groups):
            join.add(number, np.array(hashes, np.uint64))
        postings = join.finish(0, weigh)
    found = covered_shares(postings, np.array(side, np.uint32), np.array(kin, np.uint32))
    return found.round(3).tolist()


def test_coverage_is_the_share_that_any_other_compared_group_has():
    groups = [[1, 2, 3, 4], [1, 2, 9], [3, 7], [8], []]
    assert shares(groups, [0] * 5, [0] * 5) == [0.75, 0.667, 0.5, 0, 0]


def test_coverage_weighs_idiom_less_than_what_few_have():
    groups = [[1, 2, 3, 4], *([1, 2, at * 10, at * 10 + 1] for at in range(1, 8))]
    (first, *_) = shares(groups, [0] * 8, [0] * 8, rarity)
    assert 0 < first < 0.2 < 0.5 == shares(groups, [0] * 8, [0] * 8)[0]


def test_coverage_leaves_out_earlier_years_among_themselves_and_kin():
    groups = [[1, 2, 3], [1, 2, 3], [3], [2]]
    assert shares(groups, [0, 0, 0, 0], [5, 5, 0, 0]) == [0.667, 0.667, 1, 1]
    assert shares(groups, [1, 1, 1, 0], [0, 0, 0, 0]) == [0.333, 0.333, 0, 1]
    assert shares(groups, [1, 1, 0, 0], [0, 0, 7, 7]) == [0.667, 0.667, 1, 1]
    assert shares(groups, [1, 1, 1, 0], [2, 0, 0, 2]) == [0, 0.333, 0, 1]


def test_the_mask_covers_every_symbol_of_a_base_k_gram():
    base = Base([np.array([5, 9], np.uint64)])
    grams = np.array([1, 5, 2, 3, 4, 9], np.uint64)
    assert base.mask(grams, 3, 8).tolist() == [0, 1, 1, 1, 0, 1, 1, 1]
    assert Base().mask(grams, 3, 8).tolist() == [0] * 8
    assert base.mask(grams[:0], 3, 2).tolist() == [0, 0]


def test_a_flat_zip_by_dir_asks_whether_each_file_is_a_student(tmp_path):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as made:
        for number in range(3):
            made.writestr(f"student{number}.cpp", f"int main() {{ return {number}; }}")
    with pytest.raises(UsageError, match=r"1 submission: .*class.zip, with 3 files") as raised:
        copysift.scan(tmp_path / "class.zip", by="dir")
    assert "one file per student" in raised.value.hint


def test_a_blackboard_export_is_one_submission_a_user_without_receipts(tmp_path):
    for user in ("ann", "bob"):
        at = f"Lab 3_{user}_attempt_2026-03-01-12-30-0{len(user)}"
        (tmp_path / f"{at}_main.cpp").write_text(f"int {user}() {{ return 1; }}\n" * 30)
        (tmp_path / f"{at}.txt").write_text("Name: someone\nAssignment: Lab 3\nThere are no comments.\n" * 9)
    result = copysift.scan(tmp_path, by="dir")
    assert [each.author for each in result.submissions] == ["ann", "bob"]
    assert [document.name for document in result.documents if document.name.endswith(".txt")] == []
    assert any("2 receipts of Blackboard" in note for note in result.notes)


def test_libraries_and_build_products_are_left_out_and_said(tmp_path):
    for user in ("ann", "bob"):
        for name in ("node_modules/lib/index.js", "package-lock.json", "dist/app.js", "src/own.js"):
            path = tmp_path / user / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = f"let {user} = 1;\nfor (;;) work({user});\n" if "own" in name else "let library = 2;\n"
            path.write_text(text * 40)
    result = copysift.scan(tmp_path, by="dir")
    assert sorted(each.name.rpartition("/")[2] for each in result.documents) == ["own.js", "own.js"]
    (note,) = (note for note in result.notes if "no student wrote" in note)
    assert note.startswith("6 files")
    every = copysift.scan(tmp_path, by="dir", include=("*",))
    assert len(every.documents) == 8


def test_a_submission_of_nothing_but_a_library_is_still_compared(tmp_path):
    for user in ("ann", "bob"):
        (tmp_path / user / "vendor").mkdir(parents=True)
        (tmp_path / user / "vendor/a.py").write_text("".join(f"x{at} = {at} + y\n" for at in range(60)))
    assert len(copysift.scan(tmp_path, by="dir").pairs) == 1


def test_what_is_too_small_to_judge_comes_last(tmp_path):
    small = "int main() {{ print({}); return 0; }}\n"
    long = "".join(f"x{at} = call{at % 7}(y, {at}) + z;\n" for at in range(80))
    few = {"a/m.c": small.format(1), "b/m.c": small.format(2)}
    write(tmp_path, {**few, "c/m.c": long + "int p;", "d/m.c": long})
    result = copysift.scan(tmp_path, by="dir", threshold=0.2)
    found = [(pair.left[-1], pair.right[-1]) for pair in result.pairs]
    assert found[0] == ("c", "d")
    assert found[-1] == ("a", "b")


def test_a_submission_that_was_partly_unreadable_is_equal_to_none(tmp_path):
    for name, archive in (("one", b"PK\3\4broken"), ("two", b"PK\3\4other"), ("three", None), ("four", None)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("total = sum(each * 3 for each in range(40) if each % 7)\n" * 6)
        if archive is not None:
            (tmp_path / name / "more.zip").write_bytes(archive)
    result = copysift.scan(tmp_path, by="dir")
    assert [{Path(name).name for name in names} for names in result.equal] == [{"three", "four"}]
    assert sum(pair.equal for pair in result.pairs) == 1
    assert len(result.pairs) == 6  # they are still as similar as they are


def test_submissions_whose_files_were_not_asked_for_are_not_called_empty(tmp_path):
    for name, file in (("one", "a.c"), ("two", "b.py"), ("three", "c.c")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("" if name == "three" else "int main(void) { return 1 + 2; }\n")
    notes = {
        Path(each.name).name: each.note
        for each in copysift.scan(tmp_path, by="dir", include="*.c").submissions
    }
    assert notes["two"] == "without a file that --include and --exclude select"
    assert notes["three"] == "empty"
    (tmp_path / "four").mkdir()
    notes = {Path(each.name).name: each.note for each in copysift.scan(tmp_path, by="dir").submissions}
    assert notes["four"] == "empty"


def test_json_has_submissions_without_a_file(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "a.py").write_text("print(1)\n")
    result = copysift.scan(tmp_path, by="dir")
    found = json.loads(report(result, View()))["submissions"]
    assert {Path(each["name"]).name: each["note"] for each in found} == {
        "one": "too short to compare",
        "two": "empty",
    }
    assert "submissions" not in json.loads(report(copysift.scan(tmp_path), View()))


def test_the_list_of_a_brightspace_export_is_no_submission(tmp_path):
    for at, name in enumerate(("Ann Doe", "Bob Roe")):
        path = tmp_path / f"{1000 + at}-{2000 + at} - {name} - Mar {at + 1}, 2026 1230 PM - main.py"
        path.write_text("\n".join(f"total = total * {line + at} + other({line})" for line in range(30)))
    (tmp_path / "index.html").write_text("<p>Folder submissions: Ann Doe, Bob Roe</p>" * 20)
    result = copysift.scan(tmp_path, by="dir", threshold=0)
    assert len(result.documents) == 2
    assert any("1 list of Brightspace;" in note for note in result.notes)
