"""Similar folders, equal files and the scripts that act on them."""

import json
import subprocess

import pytest

from copysift import scan
from tests.cli.program import copysift, write
from tests.cli.texts import prose

TREE = {
    f"{folder}/{number}.txt": prose(number + 10 * at)
    for at, folder in enumerate("xyz")
    for number in range(3)
}
HOSTILE = (
    "-rf",
    "a b'c\"d",
    "new\nline; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "*",
    "# x",
    "\\n",
    "ü",
)


def answer(tmp_path, *more):
    done = copysift(tmp_path, "scan", ".", "--format", "json", *more)
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_the_largest_equal_folders_are_reported_once(tmp_path):
    write(tmp_path, {f"a/{name}": text for name, text in TREE.items()})
    write(tmp_path, {f"b/c/{name}": text for name, text in TREE.items()})
    found = answer(tmp_path, "--folders")
    assert [each["members"] for each in found["folder_sets"]] == [["./a", "./b/c"]]
    (each,) = found["folder_sets"]
    assert (each["files"], each["wasted"]) == (9, sum(len(text) for text in TREE.values()))
    assert found["folder_pairs"] == []


def test_a_folder_with_a_third_copy_elsewhere_is_reported_beside_the_larger_ones(tmp_path):
    for top in ("a", "b"):
        write(tmp_path, {f"{top}/{name}": text for name, text in TREE.items()})
    write(tmp_path, {f"q/{name}": text for name, text in TREE.items() if name.startswith("x/")})
    members = [each["members"] for each in answer(tmp_path, "--folders")["folder_sets"]]
    assert members == [["./a", "./b"], ["./a/x", "./b/x", "./q/x"]]


def test_similar_folders_have_a_share_by_bytes_and_are_reported_once(tmp_path):
    write(tmp_path, {f"a/{name}": text for name, text in TREE.items()})
    changed = {name: text for name, text in TREE.items() if name != "z/2.txt"} | {"z/new.txt": prose(99)}
    changed["y/1.txt"] = changed["y/1.txt"][:-100]
    write(tmp_path, {f"b/{name}": text for name, text in changed.items()})
    found = answer(tmp_path, "--folders")
    (pair,) = found["folder_pairs"]
    assert (pair["left"], pair["right"], pair["files"]) == ("./a", "./b", 8)
    assert 0.7 < pair["similarity"] < 0.82  # eight of ten files, one of them with changes
    assert [each["members"] for each in found["folder_sets"]] == [["./a/x", "./b/x"]]


def test_a_folder_with_a_version_in_its_name_is_not_reported_below_a_similar_one(tmp_path):
    for top, version in (("a", "1.0"), ("b", "1.10")):
        write(tmp_path, {f"{top}/site/{name}": text for name, text in TREE.items()})
        write(tmp_path, {f"{top}/site/pip-{version}.info/{at}.txt": prose(50 + at) for at in range(3)})
        write(tmp_path, {f"{top}/site/pip-{version}.info/RECORD": prose(70) + version})
    found = answer(tmp_path, "--folders")
    assert [(each["left"], each["right"]) for each in found["folder_pairs"]] == [("./a/site", "./b/site")]


def test_a_folder_that_is_also_in_the_other_tree_is_no_version_of_another(tmp_path):
    write(tmp_path, {f"a/site/{name}": text for name, text in TREE.items()})
    write(tmp_path, {f"b/site/{name}": text for name, text in TREE.items()})
    write(tmp_path, {f"a/site/part1/{at}.txt": prose(50 + at) for at in range(4)})
    write(tmp_path, {f"b/site/part1/{at}.txt": prose(60 + at) for at in range(4)})
    write(tmp_path, {f"b/site/part2/{at}.txt": prose(50 + at) for at in range(3)})
    found = answer(tmp_path, "--folders")
    named = [(each["left"], each["right"]) for each in found["folder_pairs"]]
    assert ("./a/site/part1", "./b/site/part2") in named


def test_a_folder_is_not_similar_to_the_one_that_it_is_in(tmp_path):
    write(tmp_path, {"a/b/one.txt": prose(1), "a/two.txt": prose(2)[:50]})
    done = copysift(tmp_path, "scan", ".", "--folders")
    assert "Similar folders" not in done.out


def test_equal_only_finds_what_a_scan_finds_equal_and_nothing_else(tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1), "c.txt": prose(1) + "x", "d.bin": b"\0" * 9})
    write(tmp_path, {"e.bin": b"\0" * 9, "f.bin": b"\1" * 9})
    whole, equal = answer(tmp_path), answer(tmp_path, "--equal-only")
    assert equal["equal"] == whole["equal"]
    assert [each["members"] for each in equal["equal"]] == [["./a.txt", "./b.txt"], ["./d.bin", "./e.bin"]]
    assert all(pair["equal"] for pair in equal["pairs"])
    assert not all(pair["equal"] for pair in whole["pairs"])
    assert "similar files were not looked for" in copysift(tmp_path, "scan", ".", "--equal-only").out


@pytest.mark.parametrize("how", ["remove", "hardlink"])
def test_the_script_keeps_the_first_of_every_set_with_any_name(tmp_path, how):
    write(tmp_path, {f"keep/{name}": prose(number) for number, name in enumerate(HOSTILE)})
    write(tmp_path, {f"z/copy {name}": prose(number) for number, name in enumerate(HOSTILE)})
    write(tmp_path, {"keep/alike.txt": prose(50), "z/alike.txt": prose(50).upper()})  # 100 % alike, not equal
    write(tmp_path, {"t/x/1": prose(60), "t/x/2": prose(61), "u/x/1": prose(60), "u/x/2": prose(61)})
    done = copysift(tmp_path, "scan", ".", "--script", how, "-o", "script.sh")
    assert done.status == 0
    made = subprocess.run(["sh", "script.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert not list(tmp_path.rglob("pwned"))
    assert (tmp_path / "keep/alike.txt").read_text() != (tmp_path / "z/alike.txt").read_text()
    for number, name in enumerate(HOSTILE):
        assert (tmp_path / "keep" / name).read_text() == prose(number)
        copy = tmp_path / "z" / f"copy {name}"
        assert not copy.exists() if how == "remove" else copy.samefile(tmp_path / "keep" / name)
    assert (tmp_path / "t/x/1").exists()
    assert (tmp_path / "u").exists() == (how != "remove")
    assert not list(tmp_path.rglob("*.copysift-*"))


def test_the_script_leaves_a_file_alone_that_changed_since(tmp_path):
    write(tmp_path, {"a": prose(1), "b": prose(1), "c": prose(1)})
    copysift(tmp_path, "scan", ".", "--script", "remove", "-o", "script.sh")
    write(tmp_path, {"b": prose(1)[:-2] + "!\n"})
    made = subprocess.run(["sh", "script.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 1
    assert "b: is not equal" in made.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b", "script.sh"]


def test_the_script_says_what_it_does_not_go_with(tmp_path):
    write(tmp_path, {"a": prose(1)})
    done = copysift(tmp_path, "scan", ".", "--script", "remove", "--format", "json")
    assert (done.status, "--script does not go with --format" in done.err) == (2, True)
    assert copysift(tmp_path, "scan", ".", "--script", "shred").status == 2


def test_python_gives_folders_and_sets_too(tmp_path):
    for top in ("a", "b"):
        write(tmp_path, {f"{top}/{name}": text for name, text in TREE.items()})
    write(tmp_path, {"more.txt": TREE["x/0.txt"] + prose(90)})
    found = scan(tmp_path, folders=True, sets=True)
    assert [len(each.members) for each in found.folder_sets] == [2]
    assert {len(each.members) for each in found.sets} == {3}  # two equal files and the one with more


def test_sets_of_an_index_are_those_of_its_files(tmp_path):
    write(tmp_path, {"t/a.txt": prose(1), "t/b.txt": prose(1) + prose(2), "t/c.txt": prose(3)})
    copysift(tmp_path, "index", "add", "i.sift", "t")
    for place in ("t", "i.sift"):
        found = json.loads(copysift(tmp_path, "scan", place, "--sets", "--format", "json").out)["sets"]
        assert [each["members"] for each in found] == [["t/a.txt", "t/b.txt"]]


def test_what_a_server_cannot_do_is_refused(tmp_path):
    done = copysift(tmp_path, "scan", ".", "--folders", "--server", "http://127.0.0.1:9")
    assert (done.status, "do not go with --server" in done.err) == (2, True)
