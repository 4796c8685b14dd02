"""What became of the files of a folder."""

import subprocess

import pytest

import copysift
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.texts import prose
from tests.workflows.test_folder_groups import HOSTILE

LICENCE = prose(99, words=120)


def versions(tmp_path, left, right, **settings):
    write(tmp_path, {f"l/{name}": text for name, text in left.items()})
    write(tmp_path, {f"r/{name}": text for name, text in right.items()})
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r", **settings)
    return {(each.relation, each.left, each.right) for each in found.changes}, found


def test_a_new_file_is_not_paired_with_a_stranger_by_their_licence(tmp_path):
    around = {f"f{number}.h": LICENCE + prose(number, words=60) for number in range(30)}
    left = {**around, "rolling_buffer.h": LICENCE + prose(40, words=60)}
    right = {**around, "keyring-type.h": LICENCE + prose(41, words=60)}
    changes, _ = versions(tmp_path, left, right)
    assert ("gone", ("rolling_buffer.h",), ()) in changes
    assert ("new", (), ("keyring-type.h",)) in changes


def test_a_renamed_file_is_found_under_a_licence_that_many_have(tmp_path):
    around = {f"f{number}.h": LICENCE + prose(number, words=60) for number in range(30)}
    own = prose(40, words=90)
    left = {**around, "old.h": LICENCE + own}
    right = {**around, "unlike.h": LICENCE + own[:-80] + prose(41, words=10)}
    changes, _ = versions(tmp_path, left, right)
    assert ("renamed", ("old.h",), ("unlike.h",)) in changes


def test_names_count_as_evidence_beside_content(tmp_path):
    part = prose(1, words=60)
    left = {"driver.h": part + prose(2, words=70)}
    for name, relation in (("sub/driver.h", "moved"), ("sub/unlike.h", "new")):
        changes, _ = versions(tmp_path / relation, left, {name: part + prose(3, words=70)})
        assert relation in {each[0] for each in changes}


def test_names_that_are_alike_in_part_need_less_content_than_strangers(tmp_path):
    part = prose(1, words=75)
    left = {"iterators/base.h": part + prose(2, words=60)}
    for name, relation in (("iterators/detail/iterator_base.h", "renamed"), ("view/closing.h", "new")):
        changes, _ = versions(tmp_path / relation, left, {name: part + prose(3, words=60)})
        assert relation in {each[0] for each in changes}


def test_a_file_in_two_halves_is_split_and_two_in_one_are_merged(tmp_path):
    one, other = prose(1, words=200), prose(2, words=200)
    changes, _ = versions(tmp_path / "a", {"all.txt": one + other}, {"x.txt": one, "y.txt": other})
    assert changes == {("split", ("all.txt",), ("x.txt", "y.txt"))} or changes == {
        ("split", ("all.txt",), ("y.txt", "x.txt"))
    }
    changes, _ = versions(tmp_path / "b", {"x.txt": one, "y.txt": other}, {"x.txt": one + other})
    assert changes == {("merged", ("x.txt", "y.txt"), ("x.txt",))}
    changes, _ = versions(tmp_path / "c", {"x.txt": one + other}, {"x.txt": one, "y.txt": other})
    assert changes == {("split", ("x.txt",), ("x.txt", "y.txt"))}


def test_a_new_file_that_is_a_short_header_is_not_split_off_a_file_with_that_header(tmp_path):
    header = prose(1, words=15)
    left = {"no.po": header + prose(2, words=200)}
    right = {"no.po": prose(2, words=200), "de.po": header}
    changes, _ = versions(tmp_path, left, right)
    assert {each[0] for each in changes} == {"changed", "new"}


def test_hidden_files_that_are_not_compared_are_counted(tmp_path):
    texts = {"a.txt": prose(1), ".b.txt": prose(2), ".c/d.txt": prose(3), ".git/e": prose(4)}
    versions(tmp_path, texts, {"a.txt": prose(1)})
    assert "2 hidden files were not compared: add --hidden" in run(tmp_path, "compare", "l", "r").err
    done = run(tmp_path, "compare", "l", "r", "--hidden")
    assert "hidden" not in done.err
    assert "1 same, 2 gone" in done.out


def test_a_changed_file_has_the_share_of_what_is_in_both(tmp_path):
    text = prose(1, words=400)
    _, found = versions(tmp_path, {"a.txt": text}, {"a.txt": text[: len(text) // 2]})
    (change,) = found.changes
    assert change.relation == "changed"
    assert change.resemblance == pytest.approx(0.5, abs=0.1)


def test_equal_files_move_to_the_name_that_is_most_alike(tmp_path):
    text = prose(1)
    changes, _ = versions(
        tmp_path, {"a/one.txt": text, "a/two.txt": text}, {"b/two.txt": text, "b/one.txt": text}
    )
    assert changes == {
        ("moved", ("a/one.txt",), ("b/one.txt",)),
        ("moved", ("a/two.txt",), ("b/two.txt",)),
    }


def test_a_threshold_decides_whatever_the_names(tmp_path):
    part = prose(1, words=60)
    left, right = {"x.txt": part + prose(2, words=70)}, {"unlike": part + prose(3, words=70)}
    changes, _ = versions(tmp_path / "a", left, right, threshold=0.1)
    assert changes == {("renamed", ("x.txt",), ("unlike",))}
    changes, _ = versions(tmp_path / "b", left, right, threshold=0.9)
    assert {each[0] for each in changes} == {"gone", "new"}


def test_symbolic_links_are_compared_by_their_targets(tmp_path):
    write(tmp_path, {"l/a.txt": prose(1), "r/a.txt": prose(1)})
    for side, name, target in (("l", "same", "a.txt"), ("r", "same", "a.txt"), ("l", "gone", "a.txt")):
        (tmp_path / side / name).symlink_to(target)
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert {(each.relation, each.place) for each in found.changes} == {
        ("same", "a.txt"), ("same", "same"), ("gone", "gone"),
    }  # fmt: skip


def test_the_sync_plan_makes_the_left_folder_like_the_right_one_with_any_name(tmp_path):
    left = {f"{name}.txt": prose(number) for number, name in enumerate(HOSTILE)}
    right = {f"moved/{name}.txt": text for name, text in left.items()}
    left |= {f"sub/{name}": prose(40 + number) for number, name in enumerate(HOSTILE)}
    right |= {f"sub/{name}": prose(40 + number) + "changed" for number, name in enumerate(HOSTILE)}
    right |= {f"new/{name}": prose(80 + number) for number, name in enumerate(HOSTILE)}
    left |= {f"gone/{name}": prose(120 + number) for number, name in enumerate(HOSTILE)}
    write(tmp_path, {f"l/{name}": text for name, text in left.items()})
    write(tmp_path, {f"r/{name}": text for name, text in right.items()})
    done = run(tmp_path, "compare", "l", "r", "--sync-plan", "plan.sh")
    assert done.status == 0
    made = subprocess.run(["sh", "plan.sh"], cwd=tmp_path, capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert {each.relation for each in found.changes} == {"same", "gone"}
    assert len(found.only_left) == len(HOSTILE)
    assert not list(tmp_path.rglob("pwned"))
    again = subprocess.run(["sh", "plan.sh"], cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 1  # nothing is as it was
    assert "not done: move" in again.stderr


def test_the_sync_plan_leaves_a_file_alone_that_changed_since(tmp_path):
    write(tmp_path, {"l/a.txt": prose(1), "r/a.txt": prose(1) + "more"})
    run(tmp_path, "compare", "l", "r", "--sync-plan", "plan.sh")
    write(tmp_path, {"l/a.txt": "mine"})
    made = subprocess.run(["sh", "plan.sh"], cwd=tmp_path, capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (1, "not done: copy a.txt\n")
    assert (tmp_path / "l/a.txt").read_text() == "mine"


def test_the_tree_has_one_line_for_a_folder_that_is_new(tmp_path):
    write(tmp_path, {"l/a.txt": prose(1), "r/a.txt": prose(1)})
    write(tmp_path, {f"r/deep/down/{number}.txt": prose(50 + number) for number in range(3)})
    out = run(tmp_path, "compare", "l", "r").out
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "new deep/ (3 files)", "", "l → r: 1 same, 3 new",
    ]  # fmt: skip


def test_empty_files_move_with_the_files_beside_them(tmp_path):
    for folder in ("old/core", "old/stay", "new/inner", "new/stay", "new/other"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    for folder in ("old/core", "new/inner"):
        (tmp_path / folder / "a.txt").write_text(prose(1))
    found = copysift.compare_folders(tmp_path / "old", tmp_path / "new")
    moved = [(each.left, each.right) for each in found.changes if each.relation == "moved"]
    assert moved == [
        (("core/__init__.py",), ("inner/__init__.py",)),
        (("core/a.txt",), ("inner/a.txt",)),
    ]
    assert [each.right for each in found.changes if each.relation == "new"] == [("other/__init__.py",)]
