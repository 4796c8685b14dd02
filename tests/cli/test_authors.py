"""Who wrote a submission: metadata, teams, and the names that learning platforms give."""

import pytest

from tests.cli.program import copysift, write
from tests.cli.submissions import A, B, C, pairs, scan, zipped


def test_authors_and_teams_of_the_metadata_are_not_compared_with_themselves(tmp_path):
    write(tmp_path, {f"hw/{name}/x.txt": A for name in ("ann1", "ann2", "bob", "cleo", "dan")})
    write(
        tmp_path,
        {"class.csv": "Author;Name;Team;Attempt\nAnn;ann1;;1\nAnn;ann2;;2\nBob;bob;red;\nC;hw/cleo;red\n"},
    )
    content, done = scan(tmp_path, "hw", "--by", "dir", "--metadata", "class.csv")
    names = {(left[3:], right[3:]) for left, right in pairs(content)}
    assert names == {
        ("ann1", "bob"), ("ann1", "cleo"), ("ann1", "dan"),
        ("ann2", "bob"), ("ann2", "cleo"), ("ann2", "dan"),
        ("bob", "dan"), ("cleo", "dan"),
    }  # fmt: skip
    assert done.status == 0


def test_names_that_the_metadata_does_not_know_are_reported(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "old/ann/x.txt": A, "hw/bob/x.txt": B})
    write(tmp_path, {"class.csv": "name,label\nzoe,Z\nann,A\nx.txt,X\n"})
    done = copysift(tmp_path, "scan", "hw", "old", "--by", "dir", "--metadata", "class.csv")
    assert done.status == 3
    assert "skipped class.csv, line 2: 'zoe' names no submission" in done.err
    assert "skipped class.csv, line 3: 'ann' names 2 submissions: give more of the path" in done.err
    assert "skipped class.csv, line 4: 'x.txt' names 3 submissions: give more of the path" in done.err


def test_a_mistyped_column_is_named_and_the_work_goes_on(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "hw/bob/x.txt": A, "class.csv": "name,tem\nann,red\nbob,red\n"})
    content, done = scan(tmp_path, "hw", "--by", "dir", "--metadata", "class.csv")
    assert set(pairs(content)) == {("hw/ann", "hw/bob")}
    assert done.status == 3
    assert "skipped class.csv, line 1: no use is made of the columns 'tem' (did you mean team?)" in done.err


def test_columns_of_the_teachers_own_are_passed_over(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "hw/bob/x.txt": A, "class.csv": "name,grade\nann,1\nbob,2\n"})
    _, done = scan(tmp_path, "hw", "--by", "dir", "--metadata", "class.csv")
    assert (done.status, done.err) == (0, "")


def test_the_table_names_the_authors_that_it_knows(tmp_path):
    write(tmp_path, {"hw/a/x.txt": A + B, "hw/b/x.txt": A + B, "hw/c/x.txt": A + C})
    write(tmp_path, {"class.csv": "name,author\na,Ann\nb,Bob\n"})
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--kind", "text", "--metadata", "class.csv")
    lines = [line.split() for line in done.out.splitlines()]
    assert [line[-1] for line in lines[1:3]] == ["Ann", "Bob"]
    assert [line[-2:] for line in lines if line and line[0].endswith("%")] == [
        ["Ann", "hw/c"],
        ["Bob", "hw/c"],
    ]


def test_bad_metadata_is_wrong_usage(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "class.csv": "name,attempt\nann,two\n"})
    done = copysift(tmp_path, "scan", "hw", "--metadata", "class.csv")
    assert (done.status, done.out) == (2, "")
    assert done.err == "copysift: class.csv, line 2, column 2: 'two' is not an attempt number\n"


def test_a_moodle_export_gives_submissions_and_authors(tmp_path):
    names = ("Ann Ash_11", "Ann Ash_12", "Bob Birch_13")
    members = {f"{name}_assignsubmission_file_/x.txt": A for name in names}
    write(tmp_path, {"export.zip": zipped(members)})
    content, done = scan(tmp_path, "export.zip", "--by", "dir")
    assert len(content["pairs"]) == 3  # two people of one name are two people
    assert done.status == 0


def test_the_metadata_may_name_authors_as_a_platform_does(tmp_path):
    names = ("Ann Ash_11", "Bob Birch_13", "Cleo Cox_14", "Dan Day_15", "Dan Day_16")
    write(tmp_path, {f"hw/{name}_assignsubmission_file_/x.txt": A for name in names})
    write(tmp_path, {"hw/Ann Ash_11_assignsubmission_onlinetext_/y.txt": A})
    table = "name,team\nAnn Ash,red\nBob Birch,red\nDan Day_15,red\nDan Day,red\n"
    write(tmp_path, {"class.csv": table})
    content, done = scan(tmp_path, "hw", "--by", "dir", "--metadata", "class.csv")
    sides = {tuple(sorted(name[3:].partition("_assign")[0] for name in pair)) for pair in pairs(content)}
    assert sides == {
        ("Ann Ash_11", "Cleo Cox_14"), ("Ann Ash_11", "Dan Day_16"), ("Bob Birch_13", "Cleo Cox_14"),
        ("Bob Birch_13", "Dan Day_16"), ("Cleo Cox_14", "Dan Day_15"), ("Cleo Cox_14", "Dan Day_16"),
        ("Dan Day_15", "Dan Day_16"),
    }  # fmt: skip
    assert done.err == (
        "copysift: skipped class.csv, line 5: 'Dan Day' names 2 submissions: give more of the path\n"
    )


@pytest.mark.parametrize("by", ["file", "dir"])
def test_canvas_attempts_of_one_author_are_not_compared(tmp_path, by):
    write(
        tmp_path,
        {"hw/ashann_1_10_x.txt": A, "hw/ashann_LATE_1_11_x-1.txt": A, "hw/birchbob_2_12_x.txt": A + B},
    )
    content, _ = scan(tmp_path, "hw", "--by", by)
    sides = {tuple(sorted(name.partition("_")[0] for name in pair)) for pair in pairs(content)}
    assert sides == {("hw/ashann", "hw/birchbob")}
    assert len(content["pairs"]) == (2 if by == "file" else 1)
