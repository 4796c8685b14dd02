import bz2
import gzip
import io
import json
import lzma
import os
import random
import struct
import tarfile
import tracemalloc
import zipfile

import pytest

from copysift.errors import UsageError
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources.container_limits import ArchiveLimits, Budget, LimitReachedError, TooSlowMemberError
from copysift.sources.containers import ZIP
from copysift.sources.inputs import members
from copysift.sources.source import Reading
from copysift.sources.walk import WalkSettings
from tests.cli.program import copysift, write
from tests.sources.packing import NOISE, PACKED, opened, tarred, zipped, zstd
from tests.sources.quine import quine

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


def test_an_archive_that_contains_itself_ends_at_the_depth_and_its_neighbours_are_compared(tmp_path):
    data = quine()
    assert zipfile.ZipFile(io.BytesIO(data)).read("self.zip") == data
    text = " ".join(random.Random(1).choices(("tide", "moon", "sea", "pull", "water", "shore"), k=200))
    write(tmp_path, {"d/a.txt": text, "d/b.txt": text + " at last"})
    (tmp_path / "d/self.zip").write_bytes(data)
    inner = "self.zip" + "!self.zip" * 3 + ": is an archive inside 3 others, which is too deep\n"
    for command in (("scan", "d"), ("index", "add", "x.sift", "d"), ("cluster", "d", "-o", "run", "-q")):
        done = copysift(tmp_path, *command)
        assert done.status == 3
        assert f"copysift: skipped d/{inner}" in done.err
    (pair,) = json.loads(copysift(tmp_path, "scan", "d", "--format", "json").out)["pairs"]
    assert (pair["left"], pair["right"]) == ("d/a.txt", "d/b.txt")


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
    assert skipped == [("bomb", "is truncated or damaged inside the archive")]


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

    monkeypatch.setattr("copysift.sources.zip_members.zipfile.ZipFile", refuse)
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
    assert skipped == [("the archive", "is truncated or damaged: what came before was kept")]
    assert peak < 16 << 20


@pytest.mark.parametrize("field", ["member_bytes", "total_bytes", "ratio", "members", "depth"])
def test_limits_below_one_are_refused(field):
    with pytest.raises(UsageError, match="limits"):
        ArchiveLimits(**{field: 0})


@pytest.mark.parametrize(
    ("packed", "most"), [(0, 64 << 20), (10, 64 << 20), (1 << 20, 100 << 20), (1 << 30, 4 << 30)]
)
def test_a_small_archive_may_unpack_to_64_mib_a_large_one_to_100_times_its_size(packed, most):
    budget = Budget(ArchiveLimits(), packed)
    budget.unpack(most)
    with pytest.raises(LimitReachedError, match=f"more than {most:,} bytes"):
        budget.unpack(1)


def test_members_are_counted_up_to_the_limit():
    budget = Budget(ArchiveLimits(members=3), 0)
    budget.member(2)
    budget.member()
    with pytest.raises(LimitReachedError, match="more than 3 members"):
        budget.member()


def test_every_member_has_its_own_time(monkeypatch):
    now = 100.0
    monkeypatch.setattr("copysift.sources.container_limits.time.thread_time", lambda: now)
    budget = Budget(ArchiveLimits(), 0, seconds=2.0)
    now = 102.0
    budget.unpack(1)
    budget.member()
    now = 104.0
    budget.unpack(1)
    budget.restart()
    now = 106.5
    with pytest.raises(TooSlowMemberError):
        budget.unpack(1)
    Budget(ArchiveLimits(), 0).unpack(1)  # without a limit on time


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
    assert skipped == [("b", "is truncated or damaged inside the archive")]


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
    assert "is truncated or damaged" in skipped[-1][1]


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
    assert "is truncated or damaged" in skipped[-1][1]
    # A member that is not wanted is still passed over rightly.
    document = Document.of("x.zip", data[: len(data) * 7 // 10])
    reading = Reading(walking=WalkSettings(exclude=("1.bin",)))
    names = [one.name for one in ZIP.open(document, reading) if isinstance(one, Document)]
    assert "x.zip!2.bin" in names
    assert "x.zip!1.bin" not in names


def test_damage_inside_a_tar_is_told():
    data = bytearray(tarred(NOISE))
    data[data.index(b"5.bin") + 10] ^= 1  # the checksum of a header no longer fits
    good, skipped = opened(bytes(data))
    assert list(good) == [f"{n}.bin" for n in range(5)]
    assert skipped == [("the archive", "is truncated or damaged: what came before was kept")]


@pytest.mark.parametrize(
    ("data", "kind", "inner"),
    [
        (b"", Document, ""),
        (b"text", Document, ""),
        (b"\x1f\x8bnot", Document, ""),
        (gzip.compress(b"text " * 500, mtime=0), Document, "!x.zip"),
        (b"PK\3\4", Skipped, ""),
    ],
)
def test_what_a_file_is_called_does_not_make_it_an_archive(data, kind, inner, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    out = list(members(str(path)))
    assert [(type(one), one.name) for one in out] == [(kind, f"{path}{inner}")]


def test_a_missing_archive_and_a_pipe_are_named(tmp_path):
    os.mkfifo(tmp_path / "p.zip")
    assert [one.reason for one in members(str(tmp_path / "p.zip"))] == ["is a named pipe (FIFO), not a file"]
    assert [one.reason for one in members(str(tmp_path / "none.zip"))] == ["no such file or folder"]


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
                assert isinstance(one, Document | Skipped)
