import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources import walk as walk_module
from copysift.sources.file_content import FileContent
from copysift.sources.inputs import File, Inputs
from copysift.sources.source import Reading
from copysift.sources.walk import Unseen, Walker, WalkSettings, walk
from tests.sources.trees import found, tree


def test_a_file_is_listed_with_size_time_and_place(tmp_path):
    tree(tmp_path, "a.txt")
    (entry,) = walk([tmp_path])
    status = (tmp_path / "a.txt").stat()
    path = str(tmp_path / "a.txt")
    assert entry == Document(path, FileContent(path, 5, status.st_mtime_ns, status.st_dev, status.st_ino))


def test_files_that_others_look_at_are_the_same_as_those_that_the_walk_asks_for(tmp_path):
    tree(tmp_path, "a.txt", "empty", "folder/b.txt", "closed")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "closed").chmod(0)
    os.link(tmp_path / "a.txt", tmp_path / "linked")
    (tmp_path / "pipe.txt").symlink_to("a.txt")
    os.mkfifo(tmp_path / "pipe")
    unseen = [
        each for each in Walker(WalkSettings(unseen=True)).below([tmp_path]) if isinstance(each, Unseen)
    ]
    assert [Path(each.path).name for each in unseen] == ["a.txt", "closed", "empty", "b.txt", "linked"]
    looked = Inputs(Reading()).files([tmp_path])
    assert [each.document if isinstance(each, File) else each for each in looked] == list(walk([tmp_path]))


def test_a_file_that_is_gone_or_another_when_it_is_looked_at_is_skipped(tmp_path):
    (tmp_path / "folder").mkdir()
    walker = Walker(WalkSettings(unseen=True))
    for name, reason in (("gone", "no such file or folder"), ("folder", "is a folder, not a file")):
        skipped = walker.seen(Unseen(str(tmp_path / name), False), None)
        assert isinstance(skipped, Skipped)
        assert skipped.reason == reason


def test_order_is_by_raw_bytes_depth_first(tmp_path):
    tree(tmp_path, "b", "a/z", "a/c/x", "a.txt", "B", "é", "z", "\N{CJK UNIFIED IDEOGRAPH-4E00}")
    assert found(tmp_path) == ["B", "a/c/x", "a/z", "a.txt", "b", "z", "é", "一"]


def test_order_of_given_paths_is_kept(tmp_path):
    tree(tmp_path, "a/1", "b/2", "c")
    out = [one.path for one in walk([tmp_path / "c", tmp_path / "b", tmp_path / "a"])]
    assert out == [str(tmp_path / "c"), str(tmp_path / "b/2"), str(tmp_path / "a/1")]


def test_paths_are_shown_as_the_user_typed_them(tmp_path, monkeypatch):
    tree(tmp_path, "d/x")
    monkeypatch.chdir(tmp_path)
    assert [one.path for one in walk(["d"])] == ["d/x"]
    assert [one.path for one in walk(["d/"])] == ["d/x"]
    assert [one.path for one in walk(["."])] == ["./d/x"]


def test_hidden_files_and_folders_are_off_by_default(tmp_path):
    tree(tmp_path, ".a", "b", ".c/d")
    assert found(tmp_path) == ["b"]
    assert found(tmp_path, hidden=True) == [".a", ".c/d", "b"]


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj"])
def test_vcs_folders_are_off_even_when_hidden_files_are_on(tmp_path, name):
    tree(tmp_path, f"{name}/x", "y", f"deep/{name}/z")
    assert found(tmp_path) == ["y"]
    assert found(tmp_path, hidden=True) == ["y"]
    assert sorted(found(tmp_path, vcs=True)) == sorted([f"{name}/x", f"deep/{name}/z", "y"])


def test_a_file_that_is_called_like_a_vcs_folder_is_a_file(tmp_path):
    tree(tmp_path, "CVS")
    assert found(tmp_path) == ["CVS"]


def test_a_named_path_is_always_taken(tmp_path):
    tree(tmp_path, ".hidden", ".git/config", "x.o")
    named = [tmp_path / ".hidden", tmp_path / ".git", tmp_path / "x.o"]
    out = [one.path for one in walk(named, WalkSettings(exclude=("*.o",)))]
    assert out == [str(tmp_path / ".hidden"), str(tmp_path / ".git/config"), str(tmp_path / "x.o")]


def test_exclude_globs_prune_files_and_folders(tmp_path):
    tree(tmp_path, "a.c", "a.o", "build/b.c", "src/build/c.c", "src/gen/d.c", "src/d.c")
    assert found(tmp_path, exclude=("*.o", "build")) == ["a.c", "src/d.c", "src/gen/d.c"]
    assert found(tmp_path, exclude=("src/gen",)) == ["a.c", "a.o", "build/b.c", "src/build/c.c", "src/d.c"]
    assert found(tmp_path, exclude=("**/gen/", "a.?")) == ["build/b.c", "src/build/c.c", "src/d.c"]
    assert found(tmp_path, exclude=("src/*.c",)) == [
        "a.c",
        "a.o",
        "build/b.c",
        "src/build/c.c",
        "src/gen/d.c",
    ]


def test_include_globs_choose_files_in_any_folder(tmp_path):
    tree(tmp_path, "a.c", "a.h", "sub/b.c", "sub/b.txt")
    assert found(tmp_path, include=("*.c",)) == ["a.c", "sub/b.c"]
    assert found(tmp_path, include=("*.[ch]", "sub/*.txt")) == ["a.c", "a.h", "sub/b.c", "sub/b.txt"]
    assert found(tmp_path, include=("*.c",), exclude=("sub",)) == ["a.c"]


def test_symbolic_links_are_not_followed_by_default(tmp_path):
    tree(tmp_path, "t/a", "other/b")
    (tmp_path / "t/link").symlink_to("a")
    (tmp_path / "t/folder").symlink_to(tmp_path / "other")
    (tmp_path / "t/broken").symlink_to("nowhere")
    assert found(tmp_path / "t") == ["a"]


def test_a_named_symbolic_link_is_followed(tmp_path):
    tree(tmp_path, "a", "d/b")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "folder").symlink_to("d")
    out = list(walk([tmp_path / "link", tmp_path / "folder"]))
    assert [one.path for one in out] == [str(tmp_path / "link"), str(tmp_path / "folder/b")]


def test_links_are_followed_on_request(tmp_path):
    tree(tmp_path, "t/a", "other/b")
    (tmp_path / "t/folder").symlink_to(tmp_path / "other")
    assert found(tmp_path / "t", follow=True) == ["a", "folder/b"]


def test_a_broken_link_is_named_when_links_are_followed(tmp_path):
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "self").symlink_to("self")
    out = list(walk([tmp_path], WalkSettings(follow=True)))
    assert [type(one) for one in out] == [Skipped, Skipped]
    assert [Path(one.name).name for one in out] == ["broken", "self"]


def test_loops_of_links_are_survived(tmp_path):
    tree(tmp_path, "a/b/x")
    (tmp_path / "a/b/up").symlink_to("../..")
    (tmp_path / "a/b/here").symlink_to(".")
    assert found(tmp_path, follow=True) == ["a/b/x"]


def test_ways_that_multiply_through_links_are_walked_once(tmp_path):
    for level in range(30):  # 2**30 ways to the last folder
        tree(tmp_path, f"{level}/file")
        for link in ("p", "q"):
            (tmp_path / f"{level}/{link}").symlink_to(f"../{level + 1}")
    (tmp_path / "30").mkdir()
    out = list(walk([tmp_path / "0"], WalkSettings(follow=True)))
    assert len(out) == 30


def test_hard_links_are_one_file_and_later_names_are_told(tmp_path):
    tree(tmp_path, "a", "c")
    os.link(tmp_path / "a", tmp_path / "b")
    out = list(walk([tmp_path]))
    assert [one.same_as for one in out] == ["", str(tmp_path / "a"), ""]
    assert out[1].name == str(tmp_path / "b")


def test_overlapping_paths_give_each_file_once_and_silently(tmp_path, monkeypatch):
    tree(tmp_path, "d/a", "d/e/b")
    monkeypatch.chdir(tmp_path)
    assert [one.path for one in walk(["d/e", "d", "./d", "d/a"])] == ["d/e/b", "d/a"]


def test_special_files_are_named_and_never_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's path is limited to about 100 bytes
        server.bind("sock")
        in_tree = list(walk(["."]))
        named = list(walk(["pipe", "sock", "/dev/null"]))
    assert in_tree == [
        Skipped("./pipe", "is a named pipe (FIFO), not a file"),
        Skipped("./sock", "is a socket, not a file"),
    ]
    assert [one.reason for one in named] == [
        "is a named pipe (FIFO), not a file",
        "is a socket, not a file",
        "is a character device, not a file",
    ]


def test_a_missing_path_is_skipped_with_a_reason(tmp_path):
    assert list(walk([tmp_path / "no", "nul\0name", ""])) == [
        Skipped(str(tmp_path / "no"), "no such file or folder"),
        Skipped("nul\0name", "the path holds a NUL character"),
        Skipped("", "no such file or folder"),
    ]


def test_an_unreadable_folder_is_named_and_the_rest_goes_on(tmp_path, monkeypatch):
    tree(tmp_path, "a/x", "b/y", "c/z")
    real = os.scandir

    def scandir(path):
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(walk_module.os, "scandir", scandir)
    out = list(walk([tmp_path]))
    assert out[1] == Skipped(str(tmp_path / "b"), "permission denied")
    assert [Path(one.path).name for one in (out[0], out[2])] == ["x", "z"]


def test_a_file_that_vanishes_after_listing_is_named(tmp_path):
    tree(tmp_path, "a", "b")
    out = walk([tmp_path])
    next(out)
    (tmp_path / "b").unlink()
    assert next(out) == Skipped(str(tmp_path / "b"), "no such file or folder")


def test_names_that_are_not_utf8_and_names_with_newlines_survive(tmp_path):
    raw = os.fsencode(tmp_path)
    for name in (b"caf\xe9", b"two\nlines", b"\xff"):
        with open(os.path.join(raw, name), "wb") as file:
            file.write(name)
    out = [os.fsencode(one.path) for one in walk([tmp_path])]
    assert out == [os.path.join(raw, name) for name in (b"caf\xe9", b"two\nlines", b"\xff")]
    assert [one.path for one in walk([os.fsdecode(out[0])])] == [os.fsdecode(out[0])]


def test_one_file_system_leaves_out_what_lies_on_another(tmp_path, monkeypatch):
    tree(tmp_path, "a", "mounted/b", "other/c")
    real = walk_module.Walker._descend
    asked = []

    class Other:
        """Stands for the folder `mounted` with another device."""

        def __init__(self, entry):
            self.entry = entry

        def stat(self):
            status = list(self.entry.stat())
            status[stat.ST_DEV] += 1
            return os.stat_result(status)

    def descend(self, entry, device):
        asked.append(entry.name)
        return real(self, Other(entry) if entry.name == "mounted" else entry, device)

    monkeypatch.setattr(walk_module.Walker, "_descend", descend)
    assert found(tmp_path, one_file_system=True) == ["a", "other/c"]
    assert found(tmp_path) == ["a", "mounted/b", "other/c"]
    assert asked == ["mounted", "other"] * 2


def test_trees_deeper_than_the_recursion_limit_are_walked(tmp_path, monkeypatch):
    depth = sys.getrecursionlimit() + 100
    monkeypatch.chdir(tmp_path)
    folders = ["d" + "/d" * level for level in range(depth)]
    for folder in folders:
        os.mkdir(folder)
    file = Path(folders[-1]) / "x"
    file.write_text("x")
    out = [one.path for one in walk(["."])]
    file.unlink()
    for folder in reversed(folders):  # shutil.rmtree is recursive
        os.rmdir(folder)
    assert out == [f"./{file}"]


def test_empty_folders_give_nothing(tmp_path):
    (tmp_path / "empty").mkdir()
    assert list(walk([tmp_path])) == []
    assert list(walk([])) == []
