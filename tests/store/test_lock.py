"""Who may write an index, and what is said when nobody can lock."""

import errno
import os

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
