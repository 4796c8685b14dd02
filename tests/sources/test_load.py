import hashlib
import os
import resource
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from copysift.errors import InputError
from copysift.model.values import Skipped
from copysift.sources import files as load_module
from copysift.sources import opening
from copysift.sources.files import SMALL, load, load_many
from copysift.sources.walk import walk


def entry_of(path, data=b"some bytes"):
    path.write_bytes(data)
    (entry,) = walk([path.parent])
    return entry


@pytest.mark.parametrize("data", [b"", b"x", b"nul\0nul", b"line\n" * 1000])
def test_a_small_file_is_held_with_its_checksum(tmp_path, data):
    loaded = load(entry_of(tmp_path / "f", data))
    assert (loaded.content.data, loaded.size) == (data, len(data))
    assert loaded.checksum == hashlib.blake2b(data, digest_size=16).digest()
    assert b"".join(loaded.content.chunks()) == data
    assert b"".join(loaded.content.chunks()) == data  # as often as asked


def test_a_large_file_is_read_in_chunks_and_not_held(tmp_path):
    data = os.urandom(1 << 20) * 8 + b"tail"
    assert len(data) > SMALL
    entry = entry_of(tmp_path / "f", data)
    tracemalloc.start()
    loaded = load(entry)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    assert loaded.content.data is None
    assert loaded.checksum == hashlib.blake2b(data, digest_size=16).digest()
    chunks = list(loaded.content.chunks())
    assert b"".join(chunks) == data
    assert max(map(len, chunks)) <= 1 << 20


def test_no_file_is_lost_where_few_may_be_open(tmp_path):
    for number in range(300):
        (tmp_path / str(number)).write_text(str(number))
    entries = list(walk([tmp_path]))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(64, len(os.listdir("/proc/self/fd")) + 20), before[1]))
    try:
        with ThreadPoolExecutor(8) as pool:
            read = list(pool.map(load_many, [entries] * 16))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not [each for files in read for each in files if isinstance(each, Skipped)]


def test_a_file_of_exactly_the_limit_is_held(tmp_path):
    assert len(load(entry_of(tmp_path / "f", b"x" * SMALL)).content.data) == SMALL


def test_a_large_file_that_changed_since_raises(tmp_path):
    entry = entry_of(tmp_path / "f", b"x" * (SMALL + 1))
    loaded = load(entry)
    os.truncate(tmp_path / "f", SMALL)
    with pytest.raises(InputError, match="changed while it was read"):
        list(loaded.content.chunks())


def test_a_large_file_that_changes_during_reading_raises(tmp_path):
    loaded = load(entry_of(tmp_path / "f", b"x" * (SMALL + 1)))
    chunks = loaded.content.chunks()
    next(chunks)
    os.truncate(tmp_path / "f", SMALL // 2)
    with pytest.raises(InputError, match="changed while it was read"):
        list(chunks)


def test_a_large_file_that_vanished_raises(tmp_path):
    loaded = load(entry_of(tmp_path / "f", b"x" * (SMALL + 1)))
    (tmp_path / "f").unlink()
    with pytest.raises(InputError, match="no such file"):
        list(loaded.content.chunks())


@pytest.mark.parametrize("size", [100, SMALL + 100])
def test_a_file_that_shrinks_while_it_is_read_is_skipped(tmp_path, monkeypatch, size):
    entry = entry_of(tmp_path / "f", b"x" * size)
    real = opening.os.fstat

    def fstat(descriptor):  # the file is cut just after its size was asked for
        status = real(descriptor)
        os.truncate(tmp_path / "f", size - 50)
        return status

    monkeypatch.setattr(opening.os, "fstat", fstat)
    assert load(entry) == Skipped(entry.path, "changed while it was read")


def test_a_small_file_that_grows_is_taken_as_it_was(tmp_path, monkeypatch):
    entry = entry_of(tmp_path / "log", b"first")
    real = load_module._read

    def read(descriptor, size):
        with open(tmp_path / "log", "ab") as log:
            log.write(b"second")
        return real(descriptor, size)

    monkeypatch.setattr(load_module, "_read", read)
    assert load(entry).content.data == b"first"


def test_short_reads_are_continued(tmp_path, monkeypatch):
    entry = entry_of(tmp_path / "f", b"abcdefgh" * 10)
    real = os.read
    monkeypatch.setattr(load_module.os, "read", lambda descriptor, size: real(descriptor, min(size, 3)))
    assert load(entry).content.data == b"abcdefgh" * 10


def test_a_vanished_file_is_skipped(tmp_path):
    entry = entry_of(tmp_path / "f")
    (tmp_path / "f").unlink()
    assert load(entry) == Skipped(entry.path, "no such file or folder")


def test_an_unreadable_file_is_skipped(tmp_path, monkeypatch):
    entry = entry_of(tmp_path / "f")

    def refuse(path, flags):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(opening.os, "open", refuse)
    assert load(entry) == Skipped(entry.path, "permission denied")


def test_a_disk_error_while_reading_is_skipped(tmp_path, monkeypatch):
    entry = entry_of(tmp_path / "f")

    def fail(descriptor, size):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(load_module.os, "read", fail)
    assert load(entry) == Skipped(entry.path, "the disk reports an input/output error")


def test_a_pipe_that_took_the_place_of_a_file_does_not_block(tmp_path):
    entry = entry_of(tmp_path / "f")
    (tmp_path / "f").unlink()
    os.mkfifo(tmp_path / "f")
    assert load(entry) == Skipped(entry.path, "is a named pipe (FIFO), not a file")


def test_a_folder_that_took_the_place_of_a_file_is_skipped(tmp_path):
    entry = entry_of(tmp_path / "f")
    (tmp_path / "f").unlink()
    (tmp_path / "f").mkdir()
    assert load(entry) == Skipped(entry.path, "is a folder, not a file")


def test_a_link_that_took_the_place_of_a_file_is_not_followed(tmp_path):
    entry = entry_of(tmp_path / "f")
    (tmp_path / "f").rename(tmp_path / "g")
    (tmp_path / "f").symlink_to("g")
    assert "symbolic link" in load(entry).reason
    (named,) = walk([tmp_path / "f"])  # but one that the user named is
    assert load(named).content.data == b"some bytes"


@pytest.mark.slow
def test_a_file_of_over_4_gib_is_read_in_chunks(tmp_path):
    entry = entry_of(tmp_path / "f")
    os.truncate(tmp_path / "f", 2**32 + 1)  # sparse: no disk is used
    loaded = load(entry)
    assert (loaded.content.data, loaded.size) == (None, 2**32 + 1)


def test_descriptors_are_closed_whatever_happens(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    entry = entry_of(tmp_path / "f", b"x" * (SMALL + 1))
    loaded = load(entry)
    chunks = loaded.content.chunks()
    next(chunks)
    chunks.close()
    (tmp_path / "f").unlink()
    os.mkfifo(tmp_path / "f")
    load(entry)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_read_that_ends_early_is_not_taken_for_the_whole_file(tmp_path, monkeypatch):
    loaded = load(entry_of(tmp_path / "f", b"x" * (SMALL + 1)))
    chunks = loaded.content.chunks()
    next(chunks)
    monkeypatch.setattr(load_module.os, "read", lambda descriptor, size: b"")
    with pytest.raises(InputError, match="ends before the size that the system gives for it"):
        list(chunks)


def test_many_files_are_loaded_as_each_is_by_itself(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}").write_bytes(b"some bytes" * number)
    (tmp_path / "large").write_bytes(b"x" * (SMALL + 1))
    (tmp_path / "vanishes").write_bytes(b"x")
    (tmp_path / "becomes a link").write_bytes(b"x")
    entries = list(walk([tmp_path]))
    (tmp_path / "vanishes").unlink()
    (tmp_path / "becomes a link").unlink()
    (tmp_path / "becomes a link").symlink_to("0")
    many = load_many(entries)
    assert many == [load(entry) for entry in entries]
    assert sum(isinstance(each, Skipped) for each in many) == 2
    assert [each.reason for each in many if isinstance(each, Skipped)] == [
        "has become a symbolic link since the folder was listed",
        "no such file or folder",
    ]


def test_many_files_with_names_that_are_not_utf_8_are_loaded(tmp_path):
    with open(os.fsencode(tmp_path) + b"/caf\xe9", "wb") as file:
        file.write(b"data")
    (loaded,) = load_many(list(walk([tmp_path])))
    assert loaded.content.data == b"data"


def test_a_lonely_size_needs_no_checksum_while_it_stays_so(tmp_path):
    (tmp_path / "grows").write_bytes(b"123")
    (tmp_path / "stays").write_bytes(b"1234")
    grows, stays = walk([tmp_path])
    (tmp_path / "grows").write_bytes(b"1234")
    found = load_many([grows, stays], {3, 4})
    assert [each.checksum for each in found] == [load(grows).checksum, b""]
    assert [each.checksum for each in load_many([grows, stays])] == [load(grows).checksum] * 2
