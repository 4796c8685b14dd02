"""Files whose size is not true: below /proc, below /sys, and files of holes. Each is one named skip."""

import os
import re
import sys
from pathlib import Path

import pytest

from copysift.errors import InputError
from copysift.model.document import Document
from copysift.sources.file_content import read_chunks
from copysift.sources.inputs import Inputs
from copysift.sources.opening import open_regular
from copysift.sources.source import Reading
from tests.cli.program import copysift, write
from tests.cli.texts import prose

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and files with holes")
COMMANDS = {
    "scan": ("scan", "in"),
    "index": ("index", "add", "x.sift", "in"),
    "cluster": ("cluster", "in", "-o", "run"),
    "dedup": ("dedup", "in", "-o", "out.jsonl"),
    "sweep": ("sweep", "y.sift", "in", "--date", "2026-01-01"),
    "compare": ("compare", "in", "other"),
    "order": ("order", "in"),
}


@pytest.fixture
def here(tmp_path):
    write(
        tmp_path,
        {"in/a.txt": prose(1), "in/b.txt": prose(1) + prose(2), "in/empty.txt": "", "other/c.txt": prose(2)},
    )
    return tmp_path


def holes(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terabyte_of_holes_is_one_named_skip(here, command):
    holes(here / "in/holes.txt", 1 << 40)
    done = copysift(here, *COMMANDS[command], timeout=100)
    assert done.status == 3, done.err
    assert "holes.txt: is a file of holes: 1,099,511,627,776 bytes, of which 0 are on disk" in done.err
    assert done.err.count("skipped") == 1  # and not the file that is empty


def test_holes_are_read_if_a_limit_allows_them_and_in_small_files(here):
    holes(here / "in/holes.txt", 1 << 22)
    assert copysift(here, "scan", "in").status == 0
    holes(here / "in/holes.txt", (1 << 30) + 5)
    refused = copysift(here, "scan", "in", "--max-bytes-per-file", "1G")
    assert "is larger than 1,073,741,824 bytes (--max-bytes-per-file)" in refused.err
    found = list(Inputs(Reading(max_bytes=1 << 31)).documents([here / "in"]))
    assert [type(each) for each in found] == [Document] * 4


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "in", "STATUS"),
        ("index", "add", "x.sift", "in", "STATUS"),
        ("cluster", "in", "STATUS", "-o", "run"),
        ("compare", "STATUS", "in/a.txt"),
        ("query", "x.sift", "in/a.txt", "STATUS"),
        ("scan", "in", "--base", "STATUS"),
    ],
    ids=" ".join,
)
def test_a_file_below_proc_is_not_taken_for_an_empty_one(here, command):
    if command[0] == "query":
        assert copysift(here, "index", "add", "x.sift", "in").status == 0
    done = copysift(here, *(each if each != "STATUS" else "/proc/self/status" for each in command))
    assert done.status in (2, 3), done.err
    assert re.search("/proc/self/status:? has content, although the system says that it is empty", done.err)


@pytest.mark.parametrize(
    "option", ["--config", "--language-file", "--files-from", "--metadata", "--seed-file"]
)
def test_a_file_without_end_that_an_option_names_is_refused(here, option):
    done = copysift(here, "scan", "in", option, "/dev/zero")
    assert done.status == 2
    assert re.match(
        r"copysift: cannot read the [a-z ]+ /dev/zero: it has more than [0-9,]+ bytes\n", done.err
    )


def short_file() -> str:
    """Give a file that has fewer bytes than its size says, as those below /sys."""
    for path in ("/sys/kernel/profiling", "/sys/kernel/uevent_seqnum", "/sys/kernel/fscaps"):
        try:
            with open(path, "rb") as file:
                if 0 < len(file.read()) < Path(path).stat().st_size:
                    return path
        except OSError:
            continue
    pytest.skip("no such file on this machine")


def test_a_file_that_is_shorter_than_its_size_did_not_change(here):
    path = short_file()
    done = copysift(here, "scan", "in", path)
    assert done.status == 3
    assert f"skipped {path}: ends before the size that the system gives for it\n" in done.err


def test_a_large_file_that_is_shorter_than_its_size_did_not_change(here):
    descriptor, status = open_regular(short_file(), follow=False)
    try:
        with pytest.raises(InputError, match="ends before the size"):
            list(read_chunks(descriptor, status, "x"))
    finally:
        os.close(descriptor)


def test_a_file_that_grew_while_it_was_read_has_changed(here):
    descriptor, status = open_regular(str(here / "in/a.txt"), follow=False)
    with (here / "in/a.txt").open("a") as file:
        file.write("more")
    try:
        with pytest.raises(InputError, match="changed while it was read"):
            list(read_chunks(descriptor, status, "x"))
    finally:
        os.close(descriptor)
