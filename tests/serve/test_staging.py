"""An upload laid out for a scan: names are kept, and never become paths."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from copysift.errors import UsageError
from copysift.model.values import Group, Pair, Region, Result, Side
from copysift.serve.incoming import IncomingFolder, uploaded
from copysift.serve.limits import Limits
from copysift.serve.staging import StagedScan, stage, suffix_of
from copysift.serve.work import Told, scan


def staged(
    tmp_path: Path, names: list[str], by: str = "auto", roles: dict[str, str] | None = None
) -> StagedScan:
    upload = IncomingFolder(tmp_path / "in", Limits())
    for name in names:
        upload.add(name, b"x", (roles or {}).get(name, "file"))
    upload.seal()
    return stage(uploaded(upload.folder), tmp_path / "work", by)


def layout(tmp_path: Path) -> list[str]:
    work = tmp_path / "work"
    return sorted(str(path.relative_to(work)) for path in work.rglob("*") if path.is_file())


def test_hostile_names_lie_flat_and_come_back(tmp_path: Path) -> None:
    names = ["../../a.py", "/etc/passwd", "a.p/y", "b.c;rm", "…/ü.java", "x" * 300 + ".rs", ".htaccess"]
    made = staged(tmp_path, names, "file")
    assert layout(tmp_path) == [
        "file/f1.py", "file/f2", "file/f3", "file/f4", "file/f5.java", "file/f6.rs", "file/f7.htaccess",
    ]  # fmt: skip
    assert sorted(made.names.values()) == sorted(names)
    assert made.paths == [str(tmp_path / "work" / "file")]


@pytest.mark.parametrize(
    ("names", "by", "groups"),
    [
        (["a/b.c", "a/c.c", "b/d.c"], "dir", {"a": 2, "b": 1}),
        (["../hw/ann/src/m.c", "../hw/ann/n.c", "../hw/bob/m.c"], "dir", {"../hw/ann": 2, "../hw/bob": 1}),
        (["a/b.c", "a/c.c"], "dir", {"a": 2}),
        (["a.c", "b.c"], "dir", {}),
        (["a.c", "b/c.c", "b/d.c"], "dir", {"b": 2}),
    ],
)
def test_the_first_folder_below_the_shared_ones_is_the_submission(
    tmp_path: Path, names: list[str], by: str, groups: dict[str, int]
) -> None:
    made = staged(tmp_path, names, by)
    folders = {path: name for path, name in made.names.items() if Path(path).is_dir()}
    assert {name: len(list(Path(path).iterdir())) for path, name in folders.items()} == groups


@pytest.mark.parametrize(
    ("names", "by"),
    [
        (["class/ann.py", "class/bob.py"], "file"),
        (["class/ann/m.py", "class/bob/m.py"], "dir"),
        (["ann.py", "bob.py"], "file"),
        (["ann/a.py", "ann/b.py", "bob.py"], "dir"),
    ],
)
def test_folders_are_submissions_where_there_are_several(tmp_path: Path, names: list[str], by: str) -> None:
    assert staged(tmp_path, names).by == by


@pytest.mark.parametrize(
    ("members", "by"),
    [
        (["hw/ann.py", "hw/bob.py"], "file"),
        (["hw/ann/m.py", "hw/bob/m.py", "hw/"], "dir"),
        (["ann.zip", "bob.zip"], "dir"),
        (["ann.py", "__MACOSX/ann.py"], "file"),
    ],
)
def test_an_archive_is_looked_into_before_it_is_taken_for_folders(
    tmp_path: Path, members: list[str], by: str
) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in members:
            archive.writestr(name, "x")
    upload = IncomingFolder(tmp_path / "in", Limits())
    upload.add("../Homework.ZIP", held.getvalue())
    upload.seal()
    made = stage(uploaded(upload.folder), tmp_path / "work")
    assert (made.by, made.paths) == (by, [str(tmp_path / "work" / "a1.zip")])
    assert made.name(f"{made.paths[0]}/ann/m.py") == "ann/m.py"


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    made = staged(tmp_path, ["a.py", "a.py", "a.py"])
    assert sorted(made.names.values()) == ["a.py", "a.py (2)", "a.py (3)"]


def test_base_code_and_earlier_years_have_places_of_their_own(tmp_path: Path) -> None:
    roles = {"kit/k.py": "base", "old/o.py": "earlier"}
    made = staged(tmp_path, ["a.py", "kit/k.py", "old/o.py"], roles=roles)
    work = tmp_path / "work"
    assert (made.base, made.earlier) == ([str(work / "base")], [str(work / "earlier")])


def test_every_name_of_a_result_is_given_back(tmp_path: Path) -> None:
    made = staged(tmp_path, ["ann/m.py", "bob/m.py"], "dir")
    files = sorted(path for path in made.names if path.endswith(".py"))
    groups = sorted(path for path in made.names if not path.endswith(".py"))
    region = Region(9, Side(files[0], 0, 1, 1, 1), Side(files[1], 0, 1, 1, 1))
    result = Result(
        {"by": "dir"},
        tuple(Group(file, group, "text", 1, 1) for file, group in zip(files, groups, strict=True)),
        (Pair(groups[0], groups[1], False, 1.0, 1.0, 1.0, 1.0, 1, 9, 1, (region,)),),
        (),
        equal=((groups[0], groups[1]),),
    )
    shown = made.renamed(result)
    assert str(tmp_path) not in repr(shown)
    assert [each.name for each in shown.documents] == ["ann/m.py", "bob/m.py"]
    assert shown.pairs[0].regions == (Region(9, Side("ann/m.py", 0, 1, 1, 1), Side("bob/m.py", 0, 1, 1, 1)),)
    assert made.path("bob/m.py") == files[1]


def test_only_harmless_suffixes_are_kept() -> None:
    assert [suffix_of(name) for name in ("a.py", "a.tar/x", "a.p y", "a.c++", "a." + "x" * 13, "a.py\n")] == [
        ".py", "", "", ".c++", "", "",
    ]  # fmt: skip


def test_an_error_names_what_was_uploaded_and_no_path_of_the_server(tmp_path: Path) -> None:
    names = [f"hw/s{at}/{file}.c" for at in range(12) for file in "ab"]
    made = staged(tmp_path, names, "dir")
    folders = {name: path for path, name in made.names.items() if Path(path).is_dir()}
    with pytest.raises(UsageError) as caught, made.naming():
        raise UsageError(f"1 submission: {folders['hw/s10']}", hint=f"see {folders['hw/s0']}")
    assert (caught.value.message, caught.value.hint) == ("1 submission: hw/s10", "see hw/s0")


def test_a_check_of_one_folder_fails_with_its_own_name(tmp_path: Path) -> None:
    upload = IncomingFolder(tmp_path / "in", Limits())
    for name in ("class/a.c", "class/b.c"):
        upload.add(name, b"int main(void) { return 0; }", "file")
    upload.seal()
    (tmp_path / "out").mkdir()
    told = Told(tmp_path / "progress", 1)
    with pytest.raises(UsageError, match=r"^1 submission: class, with 2 files"):
        scan(tmp_path, tmp_path / "out", {"settings": {"by": "dir"}}, told, 1)
