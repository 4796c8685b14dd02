"""Arrays in temporary files."""

from __future__ import annotations

import numpy as np
import pytest

from copysift.errors import UsageError
from copysift.runtime import mapped
from copysift.runtime.mapped import ArrayFile, mapped_array


def test_pieces_come_back_as_one_array_that_is_in_a_file(tmp_path):
    file = ArrayFile(tmp_path)
    for piece in ([1, 2], [], [3]):
        file.append(np.array(piece, np.uint8))
    found = file.array()
    assert isinstance(found, np.memmap)
    assert (found.tolist(), found.dtype, len(file)) == ([1, 2, 3], np.uint8, 3)
    assert list(tmp_path.iterdir()) == []  # a file without a name: nothing is left behind


def test_pieces_of_different_widths_get_the_widest(monkeypatch):
    monkeypatch.setattr(mapped, "AT_ONCE", 2)
    file = ArrayFile()
    for piece in (np.arange(5, dtype=np.uint8), np.array([70_000], np.uint32), np.arange(3, dtype=np.uint8)):
        file.append(piece)
    found = file.array()
    assert (found.tolist(), found.dtype) == ([0, 1, 2, 3, 4, 70_000, 0, 1, 2], np.uint32)


def test_what_fits_in_the_room_stays_in_memory(tmp_path):
    for room, mapped_too in ((3, False), (2, True)):
        file = ArrayFile(tmp_path, room)
        for piece in ([1, 2], [3]):
            file.append(np.array(piece, np.uint8))
        found = file.array()
        assert (found.tolist(), isinstance(found, np.memmap)) == ([1, 2, 3], mapped_too)


def test_no_pieces_give_an_empty_array():
    assert ArrayFile().array(np.uint32).dtype == np.uint32


def test_a_mapped_array_is_zero_and_can_be_written():
    array = mapped_array(1000, np.uint32)
    assert not array.any()
    array[7] = 8
    assert array.sum() == 8
    assert len(mapped_array(0, np.uint8)) == 0


def test_a_folder_that_is_not_there_is_named(tmp_path):
    for make in (
        lambda: ArrayFile(tmp_path / "gone").append(np.ones(1)),
        lambda: mapped_array(1, np.uint8, tmp_path / "gone"),
    ):
        with pytest.raises(UsageError, match="gone"):
            make()
