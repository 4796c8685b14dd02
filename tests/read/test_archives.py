import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import struct
import subprocess
import tarfile
import time
import tracemalloc
import zipfile

import pyarrow
import pytest

from copysift.errors import UsageError
from copysift.read.archives import ArchiveLimits, Member, documents_in_archive, is_archive, members
from copysift.read.archives.paths import Names, safe_name
from copysift.read.load import Loaded
from copysift.read.walk import WalkSettings, walk
from copysift.values import Skipped

FILES = {"a.c": b"int main() {}\n", "src/b.c": b"x" * 5000, "empty": b""}


def zipped(files=FILES, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(zipfile.ZipInfo(name, (2003, 6, 9, 12, 0, 0)), data, method)
    return out.getvalue()


def tarred(files=FILES):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1055160000
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd(data):
    return pyarrow.Codec("zstd").compress(data).to_pybytes()


def opened(data, limits=None, **options):
    """Members by name, and the (name, reason) of what was skipped."""
    out = list(members(data, limits, **options))
    good = [(one.name, one.data) for one in out if isinstance(one, Member)]
    assert len(dict(good)) == len(good)
    return dict(good), [(one.name, one.reason) for one in out if isinstance(one, Skipped)]


PACKED = {
    "zip": zipped(),
    "zip, stored": zipped(method=zipfile.ZIP_STORED),
    "zip, bzip2": zipped(method=zipfile.ZIP_BZIP2),
    "zip, lzma": zipped(method=zipfile.ZIP_LZMA),
    "tar": tarred(),
    "tar.gz": gzip.compress(tarred()),
    "tar.bz2": bz2.compress(tarred()),
    "tar.xz": lzma.compress(tarred()),
    "tar.zst": zstd(tarred()),
}


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
    assert {one.mtime_ns for one in members(data)} == {1055160000 * 10**9}


def test_a_time_that_makes_no_sense_is_no_time():
    data = bytearray(zipped({"a": b"x"}))
    at = data.index(b"PK\1\2")
    data[at + 12 : at + 16] = b"\0\0\0\0"  # month 0, day 0
    assert [one.mtime_ns for one in members(bytes(data))] == [0]


def test_archives_are_told_by_their_names():
    assert all(
        is_archive(name) for name in ["a.zip", "A.ZIP", "x.tar", "x.tar.gz", "x.tgz", "x.tar.zst", "x.txz"]
    )
    assert not any(is_archive(name) for name in ["a.docx", "a.jar", "zip", "a.gz", "a.zip.txt"])


def test_names_can_be_put_below_the_name_of_the_archive():
    assert list(opened(zipped(), name="work.zip")[0]) == [
        "work.zip/a.c",
        "work.zip/src/b.c",
        "work.zip/empty",
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
    begun = time.perf_counter()
    assert len({names.take("a.c") for _ in range(50_000)}) == 50_000
    assert time.perf_counter() - begun < 5


def test_folders_are_no_members():
    data = zipped([("d/", b""), ("d\\", b""), ("d/x", b"1")])
    assert opened(data) == ({"d/x": b"1"}, [])


# nesting


def test_archives_inside_an_archive_are_opened():
    alice = zipped({"main.c": b"alice"})
    bob = gzip.compress(tarred({"main.c": b"bob"}))
    good, skipped = opened(zipped({"alice.zip": alice, "bob.tar.gz": bob, "list.txt": b"2"}))
    assert good == {"alice.zip/main.c": b"alice", "bob.tar.gz/main.c": b"bob", "list.txt": b"2"}
    assert skipped == []


def test_nesting_ends_at_the_depth():
    data = zipped({"x": b"deep"})
    for level in (4, 3, 2):
        data = zipped({f"{level}.zip": data, f"at{level}": b""})
    good, skipped = opened(data)
    assert list(good) == ["2.zip/3.zip/at4", "2.zip/at3", "at2"]
    assert skipped == [("2.zip/3.zip/4.zip", "is an archive inside 3 others, which is too deep")]
    assert "2.zip/3.zip/4.zip/x" in opened(data, ArchiveLimits(depth=4))[0]


def test_what_is_only_called_an_archive_is_a_file():
    assert opened(zipped({"notes.zip": b"plain text"})) == ({"notes.zip": b"plain text"}, [])


def test_a_document_that_is_a_zip_is_not_taken_apart():
    docx = zipped({"word/document.xml": b"<w/>"})
    assert opened(zipped({"essay.docx": docx})) == ({"essay.docx": docx}, [])


# bombs


@pytest.mark.parametrize(
    "bomb",
    [
        lambda: zipped({"bomb": bytes(80 << 20)}),
        lambda: gzip.compress(tarred({"bomb": bytes(80 << 20)}), 9),
        lambda: lzma.compress(tarred({"bomb": bytes(80 << 20)}), preset=0),
        lambda: zipped({"inner.zip": zipped({f"{n}": bytes(20 << 20) for n in range(4)})}),
    ],
)
def test_bombs_are_stopped_while_they_unpack(bomb):
    data = bomb()
    assert len(data) < 1 << 20
    good, skipped = opened(data, ArchiveLimits(member_bytes=1 << 30))
    assert skipped[-1][0] == "the archive"
    assert "unpacks to more than" in skipped[-1][1]
    assert sum(map(len, good.values())) <= 64 << 20


def test_a_bomb_is_never_held_in_memory():
    data = zipped({"bomb": bytes(50 << 20)})
    tracemalloc.start()
    _, skipped = opened(data, ArchiveLimits(member_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert skipped == [("bomb", "is larger than 1,048,576 bytes")]
    assert peak < 8 << 20


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_the_total_is_limited_and_what_came_before_is_kept(pack):
    data = pack({f"{n}": os.urandom(100_000) for n in range(10)})
    good, skipped = opened(data, ArchiveLimits(total_bytes=550_000))
    assert list(good) == ["0", "1", "2", "3", "4"]
    assert skipped == [
        (
            "the archive",
            "unpacks to more than 550,000 bytes, which may be an attack; the rest of it was not read",
        )
    ]


def test_a_header_that_lies_about_the_size_does_not_raise_the_limit():
    data = bytearray(zipped({"bomb": bytes(10 << 20)}))
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<L", 10)  # the unpacked size
    good, skipped = opened(bytes(data), ArchiveLimits(member_bytes=100))
    assert good == {}
    assert skipped == [("bomb", "is cut short or damaged inside the archive")]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_the_number_of_members_is_limited(pack):
    good, skipped = opened(pack({f"{n}": b"x" for n in range(20)}), ArchiveLimits(members=10))
    assert len(good) == 10
    assert skipped == [("the archive", "has more than 10 members; the rest of it was not read")]


def test_members_of_inner_archives_count_too():
    inner = zipped({f"{n}": b"x" for n in range(6)})
    good, skipped = opened(zipped({"a.zip": inner, "b.zip": inner}), ArchiveLimits(members=10))
    assert len(good) == 8  # and the two archives
    assert "more than 10 members" in skipped[0][1]


def test_a_huge_table_of_contents_is_not_even_read(monkeypatch):
    data = zipped({f"{n}": b"" for n in range(2000)})

    def refuse(file):
        raise AssertionError("the table of contents was read")

    monkeypatch.setattr("copysift.read.archives.zips.zipfile.ZipFile", refuse)
    good, skipped = opened(data, ArchiveLimits(members=100))
    assert (good, len(skipped)) == ({}, 1)
    assert "has more than 100 members" in skipped[0][1]


def test_a_tar_header_that_asks_for_much_memory_is_refused():
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    data = gzip.compress(tarred({"a": b"1"})[:1024] + info.tobuf() + bytes(30 << 20))
    tracemalloc.start()
    good, skipped = opened(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert good == {"a": b"1"}
    assert skipped == [("the archive", "is cut short or damaged: what came before was kept")]
    assert peak < 16 << 20


@pytest.mark.parametrize("field", ["member_bytes", "total_bytes", "ratio", "members", "depth"])
def test_limits_below_one_are_refused(field):
    with pytest.raises(UsageError, match="limits"):
        ArchiveLimits(**{field: 0})


# members that cannot be had


def test_a_member_with_a_password_is_named():
    data = bytearray(zipped({"open": b"1", "secret": b"2"}))
    at = data.rindex(b"PK\1\2")
    data[at + 8] |= 1
    assert opened(bytes(data)) == ({"open": b"1"}, [("secret", "is protected by a password")])


def test_links_and_devices_are_named_and_not_followed():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in [("sym", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("dev", tarfile.CHRTYPE),
                           ("pipe", tarfile.FIFOTYPE), ("dir", tarfile.DIRTYPE)]:  # fmt: skip
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    link = "is a link inside an archive"
    device = "is a device or a pipe inside an archive"
    assert opened(out.getvalue()) == ({}, [("sym", link), ("hard", link), ("dev", device), ("pipe", device)])


def test_a_symbolic_link_in_a_zip_is_named():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert opened(out.getvalue()) == ({}, [("link", "is a symbolic link inside an archive")])


def test_a_damaged_member_is_named_and_the_others_are_kept():
    data = bytearray(zipped({"a": b"1" * 100, "b": b"2" * 100, "c": b"3" * 100}, zipfile.ZIP_STORED))
    data[data.index(b"222")] ^= 1
    good, skipped = opened(bytes(data))
    assert list(good) == ["a", "c"]
    assert skipped == [("b", "is cut short or damaged inside the archive")]


NOISE = {f"{n}.bin": random.Random(n).randbytes(3000) for n in range(10)}


@pytest.mark.parametrize(
    "data",
    [zipped(NOISE), zipped(NOISE, zipfile.ZIP_STORED), tarred(NOISE), gzip.compress(tarred(NOISE), mtime=0),
     bz2.compress(tarred(NOISE)), lzma.compress(tarred(NOISE)), zstd(tarred(NOISE))],
    ids=["zip", "zip stored", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"],
)  # fmt: skip
def test_what_could_be_read_of_an_archive_cut_short_is_kept(data):
    good, skipped = opened(data[: len(data) * 7 // 10])
    assert good.items() <= NOISE.items()
    # bzip2 and zstd unpack block by block, and this archive is one block.
    assert len(good) >= (0 if data.startswith((b"BZh", b"\x28\xb5")) else 5)
    assert skipped[-1][0] == "the archive"
    assert "is cut short or damaged" in skipped[-1][1]


def test_a_zip_that_was_written_to_a_pipe_and_cut_short_is_read():
    class Pipe(io.RawIOBase):  # without seek the sizes stand behind the members
        def __init__(self):
            self.parts = []

        def writable(self):
            return True

        def write(self, data):
            self.parts.append(bytes(data))
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in NOISE.items():
            archive.writestr(name, data)
    data = b"".join(pipe.parts)
    assert opened(data) == (NOISE, [])
    good, skipped = opened(data[: len(data) * 7 // 10])
    assert good.items() <= NOISE.items()
    assert len(good) >= 5
    assert "is cut short or damaged" in skipped[-1][1]
    # A member that is not wanted is still passed over rightly.
    good, _ = opened(data[: len(data) * 7 // 10], wanted=lambda name, archive: name != "1.bin")
    assert "2.bin" in good


def test_damage_inside_a_tar_is_told():
    data = bytearray(tarred(NOISE))
    data[data.index(b"5.bin") + 10] ^= 1  # the checksum of a header no longer fits
    good, skipped = opened(bytes(data))
    assert list(good) == [f"{n}.bin" for n in range(5)]
    assert skipped == [("the archive", "is cut short or damaged: what came before was kept")]


@pytest.mark.parametrize(
    "data", [b"", b"text", b"\x1f\x8bnot", gzip.compress(b"text " * 500, mtime=0), b"PK\3\4"]
)
def test_what_is_no_archive_is_named(data, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    out = list(members(str(path)))
    assert [(type(one), one.name) for one in out] == [(Skipped, str(path))]


def test_a_missing_archive_and_a_pipe_are_named(tmp_path):
    os.mkfifo(tmp_path / "p.zip")
    assert [one.reason for one in members(str(tmp_path / "p.zip"))] == ["is a named pipe (FIFO), not a file"]
    assert [one.reason for one in members(str(tmp_path / "none.zip"))] == ["there is no such file or folder"]


@pytest.mark.parametrize("kind", PACKED)
def test_damage_anywhere_never_raises(kind):
    chance = random.Random(kind)
    nested = zipped({"a.c": b"x", "inner.zip": PACKED["zip"], "t.tar": PACKED["tar"]}, zipfile.ZIP_STORED)
    for whole in (PACKED[kind], nested):
        for _ in range(150):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.choice(
                    [0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)]
                )
            cut = bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
            for one in members(cut, ArchiveLimits(total_bytes=1 << 20)):
                assert isinstance(one, Member | Skipped)


# members as documents


def test_members_are_loaded_like_files_below_the_archive(tmp_path):
    (tmp_path / "work.zip").write_bytes(zipped({"a.c": b"hello"}))
    (entry,) = walk([tmp_path])
    (loaded,) = documents_in_archive(entry)
    assert isinstance(loaded, Loaded)
    assert loaded.entry.path == f"{entry.path}/a.c"
    assert loaded.entry.root == entry.path
    assert (loaded.data, loaded.size, list(loaded.open())) == (b"hello", 5, [b"hello"])
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
    (entry,) = walk([tmp_path])

    def names_with(**settings):
        out = documents_in_archive(entry, settings=WalkSettings(**settings))
        return [one.entry.path.removeprefix(entry.path + "/") for one in out]

    assert names_with() == ["a.c", "a.o", "gen/a.c", "d/gen.c", "in.zip/x.c", "in.zip/x.h"]
    assert names_with(hidden=True)[:4] == [".hidden", "a.c", "a.o", ".d/a.c"]
    assert names_with(include=("*.c",), exclude=("gen",)) == ["a.c", "d/gen.c", "in.zip/x.c"]
    assert ".git/config" in names_with(vcs=True)
    assert names_with(exclude=("in.zip/*.h", "*.o", "gen*")) == ["a.c", "in.zip/x.c"]


def test_what_is_skipped_carries_the_name_of_the_archive(tmp_path):
    (tmp_path / "w.zip").write_bytes(zipped(NOISE)[:5000])
    (entry,) = walk([tmp_path])
    skipped = [one for one in documents_in_archive(entry) if isinstance(one, Skipped)]
    assert [one.name for one in skipped] == [f"{entry.path}/1.bin", entry.path]


def test_archives_of_other_programs_are_read(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.txt").write_text("hello")
    (tmp_path / "d" / ("long" * 40)).write_text("long")
    expected = {"d/a.txt": b"hello", "d/" + "long" * 40: b"long"}
    for kind in ("gnu", "posix"):
        subprocess.run(["tar", f"--format={kind}", "-czf", "x.tar.gz", "d"], cwd=tmp_path, check=True)
        assert opened(str(tmp_path / "x.tar.gz")) == (expected, [])
