"""Power loss at any instant: what was committed is there, nothing else is, and the index is sound."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")


@pytest.fixture
def folder():
    """Memory where there is some: nothing is lost there, the losses are made."""
    top = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="copysift-test-", dir=top if top.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def replayed(folder, commits, defect, times):
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.power", str(folder), "replay", str(commits), defect, str(times), "1"],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("commits", "times", "states"), [(3, 2, 400), pytest.param(12, 40, 9000, marks=pytest.mark.slow)]
)
def test_an_index_survives_the_loss_of_what_was_not_synced(folder, commits, times, states):
    found = replayed(folder, commits, "", times)
    assert found["wrong"] == []
    assert found["states"] >= states  # that many different disks were looked at


@pytest.mark.parametrize("defect", ["segment", "postings folder", "index folder", "sums", "synchronous"])
def test_a_sync_that_is_left_out_is_noticed(folder, defect):
    assert replayed(folder, 2, defect, 3)["wrong"]
