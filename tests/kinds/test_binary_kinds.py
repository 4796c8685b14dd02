"""A kind of another package is offered binary files, by their first bytes or names, in every command."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

PLUG_IN = '''
"""Pictures of a made-up format: pairs of bytes, with the order of the two ignored."""
import numpy as np
from copysift.kinds.kind import Kind, joined, placed, stream
from copysift.kinds.positions import Explicit
from copysift.model.traits import KindTraits, Thresholds
from copysift.model.values import Canonical


def step(data, offset, final):
    used = len(data) // 2 * 2
    both = np.frombuffer(bytes(data[:used]), np.uint8).reshape(-1, 2).astype(np.uint64)
    starts = np.arange(offset, offset + used, 2, dtype=np.uint32)
    return Canonical(both.min(axis=1) * 256 + both.max(axis=1), Explicit(starts, starts + np.uint32(2))), (
        len(data) if final else used
    )


class Pixels:
    def blocks(self, chunks):
        return (block for block in stream(chunks, placed(step)) if len(block.symbols))

    def whole(self, data):
        return joined(self.blocks([data]))


KIND = Kind(
    KindTraits(
        "pixels", "pictures", "pixels", Thresholds(20, 40), raw=True, magic=(b"\\\\x89PIX",),
        suffixes=(".pix",),
    ),
    Pixels,
)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pictures that are alike only as the plug-in sees them, one without a name, and other bytes."""
    data = random.Random(1).randbytes(20_000).replace(b"\n", b"\0")
    turned = b"".join(bytes([b, a]) for a, b in zip(data[::2], data[1::2], strict=True))
    place = tmp_path / "pictures"
    place.mkdir()
    (place / "a.pix").write_bytes(b"\x00\xff" + data)
    (place / "b").write_bytes(b"\x89PIX" + turned)
    (place / "c.bin").write_bytes(random.Random(2).randbytes(20_000))
    return place


def run(tmp_path: Path, *arguments: object) -> str:
    """Run a command with the plug-in installed."""
    package = tmp_path / "package"
    info = package / "pixels-1.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (package / "pixels.py").write_text(PLUG_IN.replace("\\\\", "\\"))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pixels\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[copysift.kinds]\npixels = pixels:KIND\n")
    paths = os.pathsep.join([str(package), *(each for each in sys.path if each)])
    done = subprocess.run(
        [sys.executable, "-m", "copysift", *map(str, arguments)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_kind_of_a_plug_in_is_chosen_for_binary_files(folder, tmp_path):
    found = json.loads(run(tmp_path, "scan", folder, "--format", "json"))
    kinds = {Path(each["name"]).name: each["kind"] for each in found["documents"]}
    assert kinds == {"a.pix": "pixels", "b": "pixels", "c.bin": "bytes"}
    assert [sorted(Path(each[side]).name for side in ("left", "right")) for each in found["pairs"]] == [
        ["a.pix", "b"]
    ]


def test_an_index_has_kinds_of_plug_ins(folder, tmp_path):
    run(tmp_path, "index", "add", tmp_path / "i.sift", folder, "-q")
    found = json.loads(run(tmp_path, "query", tmp_path / "i.sift", folder / "b", "--format", "json"))
    assert {Path(each["right"]).name for each in found["hits"]} == {"a.pix", "b"}
