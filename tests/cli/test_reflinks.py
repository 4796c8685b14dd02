"""The script of `--script reflink` on a file system that has reflinks, and groups in JSON."""

import json
import os
import shutil
import subprocess

import pytest

from tests.cli.program import copysift
from tests.cli.texts import prose


@pytest.fixture
def btrfs(tmp_path):
    """Give a folder on btrfs, in a file of 120 MB, where this may be mounted."""
    if os.geteuid() or shutil.which("mkfs.btrfs") is None:
        pytest.skip("needs root and btrfs-progs")
    image, folder = tmp_path / "image", tmp_path / "mounted"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(120 << 20)
    subprocess.run(["mkfs.btrfs", "-q", image], check=True, capture_output=True)
    if subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True, check=False).returncode:
        pytest.skip("no loop device")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_reflinks_share_blocks_and_keep_owner_mode_and_time(btrfs):
    data = os.urandom(4 << 20)
    for name in ("first.bin", "it's a $copy.bin"):
        (btrfs / name).write_bytes(data)
    copy = btrfs / "it's a $copy.bin"
    copy.chmod(0o640)
    os.chown(copy, 1234, 2345)
    os.utime(copy, (1e9, 1e9))
    script = copysift(btrfs.parent, "scan", btrfs, "--equal-only", "--script", "reflink").out
    done = subprocess.run(["sh"], input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert copy.read_bytes() == data
    stat = copy.stat()
    assert (stat.st_uid, stat.st_gid, stat.st_mode & 0o777, stat.st_mtime) == (1234, 2345, 0o640, 1e9)
    extents = subprocess.run(["filefrag", "-v", copy], text=True, capture_output=True, check=True).stdout
    assert "shared" in extents


def test_groups_are_in_json(tmp_path):
    for name, seeds in {"a.txt": (1, 2), "b.txt": (1, 2, 3), "c.txt": (9,)}.items():
        (tmp_path / name).write_text("\n".join(prose(seed) for seed in seeds))
    found = json.loads(copysift(tmp_path, "scan", ".", "--groups", "--format", "json").out)
    assert [each["reference"].rpartition("/")[2] for each in found["groups"]] == ["a.txt"]
    (member,) = found["groups"][0]["members"]
    assert member["name"].endswith("b.txt")
    assert member["share"] > 0.9
    assert "groups" not in json.loads(copysift(tmp_path, "scan", ".", "--format", "json").out)
