"""Who may write an index, and what is said when nobody can lock."""

import errno
import json
import os
import platform
import sys
import time
from types import SimpleNamespace

import pytest

from copysift.errors import StoreError
from copysift.store import lock
from copysift.store.lock import NAME, WriterLock


def test_a_second_writer_is_told_who_has_the_lock(tmp_path):
    held = WriterLock(tmp_path)
    with pytest.raises(StoreError, match=f"is being written by process {os.getpid()}"):
        WriterLock(tmp_path)
    held.release()
    WriterLock(tmp_path).release()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP, errno.EIO])
def test_a_file_system_without_locks_is_not_taken_for_another_writer(tmp_path, monkeypatch, code):
    (tmp_path / lock.NAME).write_text('{"pid": 1, "host": "elsewhere", "since": 0}', encoding="utf-8")

    def refuse(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(lock, "_lock", refuse)
    with pytest.raises(StoreError, match="cannot lock") as caught:
        WriterLock(tmp_path)
    assert os.strerror(code) in caught.value.message
    assert "process 1" not in str(caught.value)


def test_a_lock_is_released_once_and_leaves_no_file_open(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    held = WriterLock(tmp_path)
    with pytest.raises(StoreError):
        WriterLock(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    held.release()
    held.release()
    assert len(os.listdir("/proc/self/fd")) == before
    assert (tmp_path / NAME).read_bytes() == b""
    WriterLock(tmp_path).release()


def test_the_note_says_who_has_the_lock_since_when(tmp_path):
    held = WriterLock(tmp_path)
    note = json.loads((tmp_path / NAME).read_bytes())
    assert (note["pid"], note["host"]) == (os.getpid(), platform.node())
    assert abs(note["since"] - time.time()) < 600
    since = time.strftime("%H:%M:%S", time.localtime(note["since"]))
    with pytest.raises(StoreError, match=rf"process {os.getpid()} on .* since {since}"):
        WriterLock(tmp_path)
    held.release()


@pytest.mark.parametrize("note", [b"", b"[]", b"{}", b"7", b"\xff", b'{"pid": 1, "host": "x", "since": "y"}'])
def test_a_note_that_says_nothing_is_another_process(tmp_path, note):
    held = WriterLock(tmp_path)
    (tmp_path / NAME).write_bytes(note)
    with pytest.raises(StoreError, match="is being written by another process"):
        WriterLock(tmp_path)
    held.release()


@pytest.mark.parametrize("code", [errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK])
def test_every_answer_that_the_lock_is_held_counts_as_that(tmp_path, monkeypatch, code):
    def refuse(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(lock, "_lock", refuse)
    with pytest.raises(StoreError, match="is being written by another process"):
        WriterLock(tmp_path)


def test_windows_locks_a_byte_beyond_the_note(tmp_path, monkeypatch):
    asked = []

    def locking(descriptor, how, count):
        asked.append((os.lseek(descriptor, 0, os.SEEK_CUR), how, count))

    monkeypatch.setattr(lock, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    held = WriterLock(tmp_path)
    assert asked == [(1 << 30, 2, 1)]
    assert json.loads((tmp_path / NAME).read_bytes())["pid"] == os.getpid()
    held.release()


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(StoreError, match=r"cannot write to .*: No such file or directory"):
        WriterLock(tmp_path / "nowhere")
