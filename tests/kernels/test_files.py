"""Many files at once are read as each is by itself."""

import os
from pathlib import Path

import pytest

from copysift.kernels import _files as compiled
from copysift.kernels.reference import files as reference


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


both = pytest.mark.parametrize("kernel", [compiled, reference])


@both
def test_files_come_with_their_time(tmp_path, kernel):
    contents = [b"", b"x", os.urandom(300_000), b"line\n" * 7]
    for number, data in enumerate(contents):
        (tmp_path / str(number)).write_bytes(data)
        os.utime(tmp_path / str(number), ns=(0, 10**18 + number))
    paths = [os.fsencode(tmp_path / str(number)) for number in range(len(contents))]
    assert kernel.read_files(paths, [False] * 4, 1 << 20) == [
        (data, 10**18 + number) for number, data in enumerate(contents)
    ]


@both
def test_what_is_no_small_regular_file_is_left_to_the_caller(tmp_path, kernel):
    (tmp_path / "small").write_bytes(b"1234")
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("small")
    os.mkfifo(tmp_path / "pipe")
    names = ["gone", "small", "large", "link", "pipe", "."]
    paths = [os.fsencode(tmp_path / name) for name in names]
    read = kernel.read_files(paths, [False] * len(paths), 4)
    assert [each and each[0] for each in read] == [None, b"1234", None, None, None, None]
    followed = kernel.read_files(paths, [True] * len(paths), 4)
    assert [each and each[0] for each in followed] == [None, b"1234", None, b"1234", None, None]


def test_a_name_with_a_nul_does_not_name_what_stands_before_it(tmp_path):
    (tmp_path / "name").write_bytes(b"data")
    assert compiled.read_files([os.fsencode(tmp_path / "name") + b"\0more"], [False], 100) == [None]


def test_no_descriptor_stays_open(tmp_path):
    (tmp_path / "a").write_bytes(b"data")
    before = descriptors()
    compiled.read_files([os.fsencode(tmp_path / "a"), os.fsencode(tmp_path), b"gone"] * 20, [False] * 60, 2)
    compiled.read_files([os.fsencode(tmp_path / "a")] * 20, [False] * 20, 100)
    assert descriptors() == before


def test_what_is_no_bytes_is_refused(tmp_path):
    with pytest.raises(TypeError):
        compiled.read_files([str(tmp_path)], [False], 100)


@both
@pytest.mark.parametrize("most", [1, 2, 5, 512])
def test_a_look_at_regular_files_gives_their_status_and_first_bytes(tmp_path, kernel, most):
    contents = {"none": b"", "one": b"1", "five": b"12345", "long": bytes(range(256)) * 9}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link").symlink_to("five")
    os.mkfifo(tmp_path / "pipe")
    names = [*contents, "link", "pipe", "gone", "."]
    paths = [os.fsencode(tmp_path / name) for name in names]
    looks = []
    for name, data in contents.items():
        status = (tmp_path / name).stat()
        looks.append((len(data), status.st_mtime_ns, status.st_dev, status.st_ino, data[:most]))
    assert kernel.look_at(paths, [False] * 8, most) == [*looks, None, None, None, None]
    assert kernel.look_at(paths, [True] * 8, most) == [*looks, looks[2], None, None, None]
    assert kernel.look_at([], [], most) == []


@both
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no file that says it is empty")
def test_a_file_that_says_it_is_empty_is_not_read(kernel):
    (look,) = kernel.look_at([b"/proc/self/status"], [False], 100)
    assert (look[0], look[4]) == (0, b"")


@both
def test_a_name_with_a_nul_is_not_looked_at(tmp_path, kernel):
    (tmp_path / "name").write_bytes(b"data")
    assert kernel.look_at([os.fsencode(tmp_path / "name") + b"\0more"], [False], 100) == [None]


def test_no_descriptor_stays_open_after_a_look(tmp_path):
    (tmp_path / "a").write_bytes(b"data")
    before = descriptors()
    compiled.look_at([os.fsencode(tmp_path / "a"), os.fsencode(tmp_path), b"gone"] * 20, [False] * 60, 2)
    assert descriptors() == before
