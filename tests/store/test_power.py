"""Power loss at any instant: what was committed is there, nothing else is, and the index is sound."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment

pytestmark = [pytest.mark.thorough, pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")]


@pytest.fixture
def folder():
    """Memory where there is some: nothing is lost there, the losses are made."""
    top = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="copysift-test-", dir=top if top.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def replayed(folder, subject, commits, defect, times):
    given = [str(folder), "replay", subject, str(commits), defect, str(times)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.outages", *given],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("subject", "commits", "times", "states"),
    [
        ("index", 3, 2, 400),
        ("run", 2, 2, 100),
        ("jobs", 2, 2, 100),
        pytest.param("index", 12, 40, 9000, marks=pytest.mark.slow),
        pytest.param("run", 4, 6, 5000, marks=pytest.mark.slow),
        pytest.param("jobs", 6, 20, 1000, marks=pytest.mark.slow),
    ],
)
def test_what_was_done_survives_the_loss_of_what_was_not_synced(folder, subject, commits, times, states):
    found = replayed(folder, subject, commits, "", times)
    assert found["wrong"] == []
    assert found["states"] >= states  # that many different disks were looked at


@pytest.mark.parametrize(
    ("subject", "defect"),
    [
        ("index", "segment"), ("index", "postings folder"), ("index", "index folder"), ("index", "sums"),
        ("index", "synchronous"), ("run", "table"), ("jobs", "upload"), ("jobs", "synchronous"),
    ],
)  # fmt: skip
def test_a_sync_that_is_left_out_is_noticed(folder, subject, defect):
    assert replayed(folder, subject, 2, defect, 3)["wrong"]
