import gzip
import hashlib
import os
import subprocess
import time

import pytest

from copysift.model.values import Skipped
from copysift.sources.container_limits import ArchiveLimits
from copysift.sources.container_paths import Names, safe_name
from copysift.sources.files import load
from copysift.sources.formats import is_archive
from copysift.sources.inputs import Inputs, members
from copysift.sources.source import Reading
from copysift.sources.walk import WalkSettings
from tests.sources.packing import FILES, NOISE, PACKED, opened, tarred, zipped


@pytest.mark.parametrize("kind", PACKED)
def test_members_are_read_in_place(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "archive"
    path.write_bytes(PACKED[kind])
    assert opened(str(path)) == (FILES, [])
    assert opened(PACKED[kind]) == (FILES, [])
    assert os.listdir(tmp_path) == ["archive"]  # nothing was written


@pytest.mark.parametrize("data", [zipped(), tarred()])
def test_members_carry_their_time(data):
    assert {one.content.mtime_ns for one in members(data)} == {1055160000 * 10**9}


def test_a_time_that_makes_no_sense_is_no_time():
    data = bytearray(zipped({"a": b"x"}))
    at = data.index(b"PK\1\2")
    data[at + 12 : at + 16] = b"\0\0\0\0"  # month 0, day 0
    assert [one.content.mtime_ns for one in members(bytes(data))] == [0]


def test_archives_are_told_by_their_names():
    assert all(
        is_archive(name) for name in ["a.zip", "A.ZIP", "x.tar", "x.tar.gz", "x.tgz", "x.tar.zst", "x.txz"]
    )
    assert not any(is_archive(name) for name in ["a.docx", "zip", "a.gz", "a.zip.txt"])


def test_names_can_be_put_below_the_name_of_the_archive():
    assert list(opened(zipped(), name="work.zip")[0]) == [
        "work.zip!a.c",
        "work.zip!src/b.c",
        "work.zip!empty",
    ]


# names


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a/b.c", "a/b.c"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("a/../../b", "a/b"),
        ("./a//b", "a/b"),
        ("C:\\Windows\\x.ini", "Windows/x.ini"),
        ("C:x", "x"),
        ("C:D:/x", "x"),
        ("\\\\host\\share\\x", "host/share/x"),
        ("..\\..\\x", "x"),
        ("C:..\\x", "x"),
        ("x\0y", "xy"),
        (".\0./x", "x"),
        ("..", ""),
        ("", ""),
        ("two\nlines", "two\nlines"),
    ],
)
def test_names_become_safe_and_relative(name, safe):
    assert safe_name(name) == safe


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_climb_are_labels_inside_the_archive(pack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good, skipped = opened(pack([("../../up", b"1"), ("/abs", b"2"), ("..", b"3")]))
    assert good == {"up": b"1", "abs": b"2"}
    why = "is named '../../up' in the archive, which leads out of it: it was read under this name"
    assert skipped == [("up", why), ("'..'", "has a name that leads nowhere")]
    assert os.listdir(tmp_path) == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_come_twice_are_kept_apart(pack):
    files = [
        ("a.c", b"1"),
        ("a.c", b"2"),
        ("a#2.c", b"3"),
        ("./a.c", b"4"),
        ("README", b"5"),
        ("README", b"6"),
    ]
    expected = {"a.c": b"1", "a#2.c": b"2", "a#2#2.c": b"3", "a#3.c": b"4", "README": b"5", "README#2": b"6"}
    assert opened(pack(files)) == (expected, [])


def test_one_name_many_times_costs_little():
    names = Names()
    begun = time.process_time()
    assert len({names.take("a.c") for _ in range(50_000)}) == 50_000
    assert time.process_time() - begun < 5


def test_folders_are_no_members():
    data = zipped([("d/", b""), ("d\\", b""), ("d/x", b"1")])
    assert opened(data) == ({"d/x": b"1"}, [])


# nesting


def test_archives_inside_an_archive_are_opened():
    alice = zipped({"main.c": b"alice"})
    bob = gzip.compress(tarred({"main.c": b"bob"}))
    good, skipped = opened(zipped({"alice.zip": alice, "bob.tar.gz": bob, "list.txt": b"2"}))
    assert good == {"alice.zip!main.c": b"alice", "bob.tar.gz!main.c": b"bob", "list.txt": b"2"}
    assert skipped == []


def test_nesting_ends_at_the_depth():
    data = zipped({"x": b"deep"})
    for level in (4, 3, 2):
        data = zipped({f"{level}.zip": data, f"at{level}": b""})
    good, skipped = opened(data)
    assert list(good) == ["2.zip!3.zip!at4", "2.zip!at3", "at2"]
    assert skipped == [("2.zip!3.zip!4.zip", "is an archive inside 3 others, which is too deep")]
    assert "2.zip!3.zip!4.zip!x" in opened(data, ArchiveLimits(depth=4))[0]


def test_what_is_only_called_an_archive_is_a_file():
    assert opened(zipped({"notes.zip": b"plain text"})) == ({"notes.zip": b"plain text"}, [])


def test_a_document_that_is_a_zip_is_not_taken_apart():
    docx = zipped({"[Content_Types].xml": b"<t/>", "word/document.xml": b"<w><p><t>one</t></p></w>"})
    assert opened(zipped({"essay.docx": docx})) == ({"essay.docx": b"one\n"}, [])


# members as documents


def test_members_are_loaded_like_files_below_the_archive(tmp_path):
    (tmp_path / "work.zip").write_bytes(zipped({"a.c": b"hello"}))
    (member,) = Inputs(Reading()).documents([tmp_path])
    loaded = load(member)
    assert member.name == f"{tmp_path}/work.zip!a.c"
    assert member.file == f"{tmp_path}/work.zip/a.c"
    assert member.read_as == "member of a zip archive"
    assert (loaded.content.data, loaded.size, list(loaded.content.chunks())) == (b"hello", 5, [b"hello"])
    assert loaded.checksum == hashlib.blake2b(b"hello", digest_size=16).digest()


def test_the_filters_of_a_walk_hold_inside_an_archive(tmp_path):
    inner = zipped({"x.c": b"1", "x.h": b"2"})
    names = [
        ".hidden",
        "a.c",
        "a.o",
        ".d/a.c",
        ".git/config",
        "CVS/Root",
        "__MACOSX/._a.c",
        "gen/a.c",
        "d/gen.c",
    ]
    files = {name: name.encode() for name in names} | {"in.zip": inner}
    (tmp_path / "w.zip").write_bytes(zipped(files))
    path = str(tmp_path / "w.zip")

    def names_with(**settings):
        out = Inputs(Reading(walking=WalkSettings(**settings))).documents([path])
        return [one.name.removeprefix(f"{path}!") for one in out]

    assert names_with() == ["a.c", "a.o", "gen/a.c", "d/gen.c", "in.zip!x.c", "in.zip!x.h"]
    assert names_with(hidden=True)[:4] == [".hidden", "a.c", "a.o", ".d/a.c"]
    assert names_with(include=("*.c",), exclude=("gen",)) == ["a.c", "d/gen.c", "in.zip!x.c"]
    assert ".git/config" in names_with(vcs=True)
    assert names_with(exclude=("in.zip/*.h", "*.o", "gen*")) == ["a.c", "in.zip!x.c"]


def test_what_is_skipped_carries_the_name_of_the_archive(tmp_path):
    (tmp_path / "w.zip").write_bytes(zipped(NOISE)[:5000])
    path = str(tmp_path / "w.zip")
    skipped = [one for one in Inputs(Reading()).documents([path]) if isinstance(one, Skipped)]
    assert [one.name for one in skipped] == [f"{path}!1.bin", path]


def test_archives_of_other_programs_are_read(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.txt").write_text("hello")
    (tmp_path / "d" / ("long" * 40)).write_text("long")
    expected = {"d/a.txt": b"hello", "d/" + "long" * 40: b"long"}
    for kind in ("gnu", "posix"):
        subprocess.run(["tar", f"--format={kind}", "-czf", "x.tar.gz", "d"], cwd=tmp_path, check=True)
        assert opened(str(tmp_path / "x.tar.gz")) == (expected, [])
