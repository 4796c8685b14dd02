import os
from dataclasses import replace

from copysift.model.document import Document
from copysift.sources.equal import Checksums, EqualFiles, equal_files
from copysift.sources.files import load
from copysift.sources.walk import Entry, walk


def loaded(folder):
    return [load(one) for one in walk([folder]) if isinstance(one, Entry)]


def test_equal_files_are_grouped_in_input_order_with_their_waste(tmp_path):
    for name, data in [
        ("a", "x" * 10),
        ("b", "y" * 10),
        ("c", "x" * 10),
        ("d", "y" * 10),
        ("e", "x" * 10),
        ("f", "z"),
    ]:
        (tmp_path / name).write_text(data)
    names = {name: str(tmp_path / name) for name in "abcdef"}
    assert equal_files(loaded(tmp_path)) == [
        EqualFiles((names["a"], names["c"], names["e"]), 10, 20),
        EqualFiles((names["b"], names["d"]), 10, 10),
    ]
    assert equal_files(loaded(tmp_path))[0].representative == names["a"]


def test_files_of_one_size_that_differ_are_not_equal(tmp_path):
    (tmp_path / "a").write_text("ab")
    (tmp_path / "b").write_text("ba")
    assert equal_files(loaded(tmp_path)) == []


def test_hard_links_waste_nothing(tmp_path):
    (tmp_path / "a").write_text("xyz")
    os.link(tmp_path / "a", tmp_path / "b")
    one, *rest = loaded(tmp_path)
    assert rest == []  # the walk gives one of them
    other = replace(one, entry=replace(one.entry, name="b"))  # and if both are given, there is no waste
    assert [group.wasted for group in equal_files([one, other])] == [0]


def test_members_without_an_inode_are_places_of_their_own(tmp_path):
    (tmp_path / "a").write_text("xyz")
    (one,) = loaded(tmp_path)
    member = replace(one, entry=Document.of("a.zip!a", "xyz"))
    assert [group.wasted for group in equal_files([member, member, one])] == [6]


def test_each_file_is_told_of_the_first_one_equal_to_it(tmp_path):
    for name, data in [("a", "x"), ("b", "y"), ("c", "x"), ("d", "x")]:
        (tmp_path / name).write_text(data)
    checksums = Checksums()
    first = str(tmp_path / "a")
    assert [checksums.add(one) for one in loaded(tmp_path)] == [None, None, first, first]


def test_empty_files_are_equal_and_waste_nothing(tmp_path):
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    assert [(len(group.members), group.wasted) for group in equal_files(loaded(tmp_path))] == [(2, 0)]
