import os

import copysift
from tests.cli.program import write
from tests.cli.texts import prose


def old(folder, *names):
    """Make files old enough to be trusted by their time."""
    for name in names:
        os.utime(folder / name, (10**9, 10**9))


def test_adding_again_reads_only_what_changed_in_size_or_time(here):
    write(here, {"a.txt": prose(1), "b.txt": prose(2), "c.txt": prose(3)})
    old(here, "a.txt", "b.txt", "c.txt")
    with copysift.Index("x.sift") as index:
        first = index.add(here)
        assert (first.added, first.changed, first.unchanged) == (3, 0, 0)
        swapped = prose(2).replace("a", "e", 1)
        write(here, {"b.txt": swapped})
        old(here, "b.txt")  # same size and time: believed to be the same
        write(here, {"c.txt": prose(3) + "more"})
        again = index.add(here)
        assert (again.added, again.changed, again.unchanged) == (0, 1, 2)
        assert not any(hit.equal for hit in index.query("b.txt"))


def test_a_file_that_was_only_touched_is_read_and_found_the_same(here):
    write(here, {"a.txt": prose(1)})
    old(here, "a.txt")
    with copysift.Index("x.sift") as index:
        index.add(here)
        os.utime("a.txt", (10**9 + 5, 10**9 + 5))
        done = index.add(here)
        assert (done.added, done.changed, done.unchanged) == (0, 0, 1)
        assert next(index.documents()).checksum


def test_a_file_that_was_indexed_the_moment_it_was_written_is_read_again(here):
    """Its time says nothing: it may have been written again in the same moment."""
    write(here, {"a.txt": prose(1)})
    status = os.stat("a.txt")
    with copysift.Index("x.sift") as index:
        index.add("a.txt")
        write(here, {"a.txt": prose(1).replace("a", "e", 1)})
        os.utime("a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
        assert index.add("a.txt").changed == 1


def test_update_adds_what_is_new_and_removes_what_has_vanished(here):
    write(here, {"d/a.txt": prose(1), "d/b.txt": prose(2), "e/c.txt": prose(3)})
    with copysift.Index("x.sift") as index:
        index.add(["d", "e"])
        (here / "d/a.txt").unlink()
        (here / "e/c.txt").unlink()
        write(here, {"d/new.txt": prose(4)})
        done = index.update("d")
        assert (done.added, done.changed, done.unchanged, done.removed) == (1, 0, 1, 1)
        assert sorted(each.name for each in index.documents()) == ["d/b.txt", "d/new.txt", "e/c.txt"]
        assert list(index.query(prose(1), text=True)) == []
        done = index.update()
        assert (done.added, done.changed, done.unchanged, done.removed) == (0, 0, 2, 1)
        assert [each.name for each in index.update(["none"]).skipped] == ["none"]


def test_update_of_the_folder_itself_finds_all_below_it(here):
    write(here, {"a.txt": prose(1), "b.txt": prose(2)})
    with copysift.Index("x.sift") as index:
        index.add(".")
        (here / "a.txt").unlink()
        assert index.update(".").removed == 1


def test_an_update_with_filters_does_not_take_what_is_filtered_for_vanished(here):
    write(here, {"a.txt": prose(1), "b.md": prose(2)})
    with copysift.Index("x.sift") as index:
        index.add(".")
    with copysift.Index("x.sift", include="*.txt") as index:
        assert index.update(".").removed == 0
        assert len(list(index.documents())) == 2


def test_remove_takes_names_paths_and_folders(here):
    write(here, {"d/a.txt": prose(1), "d/e/b.txt": prose(2), "c.txt": prose(3), "dd.txt": prose(6)})
    with copysift.Index("x.sift") as index:
        index.add(["d", "c.txt", "dd.txt"])
        index.add([("web", prose(4))])
        assert index.remove("nothing") == 0
        assert index.remove("web") == 1
        assert index.remove(here / "c.txt") == 1
        assert index.remove(["d"]) == 2
        assert [each.name for each in index.documents()] == ["dd.txt"]
        assert list(index.query("d/a.txt")) == []


def test_a_file_that_moved_is_a_move_not_an_addition_and_a_removal(tmp_path):
    texts = {"a.txt": prose(1), "b.txt": prose(2)}
    for name, text in texts.items():
        (tmp_path / "t").mkdir(exist_ok=True)
        (tmp_path / "t" / name).write_text(text)
        (tmp_path / "t" / f"copy-{name}").write_text(text)
    with copysift.Index(tmp_path / "i.sift") as index:
        index.add(tmp_path / "t")
        (tmp_path / "t/sub").mkdir()
        (tmp_path / "t/a.txt").rename(tmp_path / "t/sub/a.txt")
        (tmp_path / "t/copy-a.txt").rename(tmp_path / "t/sub/0.txt")
        (tmp_path / "t/b.txt").unlink()
        done = index.update(tmp_path / "t")
        moved = {(old.rpartition("/")[2], new.rpartition("/")[2]) for old, new in done.moved}
        assert moved == {("a.txt", "a.txt"), ("copy-a.txt", "0.txt")}
        assert (done.added, done.removed, done.unchanged) == (0, 1, 1)
        names = sorted(each.name.rpartition("/")[2] for each in index.documents())
        assert names == ["0.txt", "a.txt", "copy-b.txt"]
        assert [hit.right.rpartition("/")[2] for hit in index.query(tmp_path / "t/sub/a.txt") if hit.equal]
        again = index.update(tmp_path / "t")
        assert (again.moved, again.unchanged) == ([], 3)


def test_equal_files_that_moved_keep_as_much_of_their_paths_as_they_can(tmp_path):
    (tmp_path / "t/doc/x").mkdir(parents=True)
    (tmp_path / "t/lib/x").mkdir(parents=True)
    for place in ("doc", "lib"):
        (tmp_path / "t" / place / "x/a.txt").write_text(prose(1))
    with copysift.Index(tmp_path / "i.sift") as index:
        index.add(tmp_path / "t")
        (tmp_path / "t/new/b").mkdir(parents=True)
        (tmp_path / "t/doc").rename(tmp_path / "t/new/b/doc")
        (tmp_path / "t/lib").rename(tmp_path / "t/new/a")
        done = index.update(tmp_path / "t")
    moved = {(old.partition("t/")[2], new.partition("t/")[2]) for old, new in done.moved}
    assert moved == {("doc/x/a.txt", "new/b/doc/x/a.txt"), ("lib/x/a.txt", "new/a/x/a.txt")}
