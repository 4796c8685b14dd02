"""`kill -9` and a full disk at any instant: what was committed is there, and nothing else."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork"),
]


@pytest.fixture
def folder():
    """Memory where there is some: a kill is as sudden there, and a sync costs nothing."""
    top = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="copysift-test-", dir=top if top.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.crashes", str(folder), *arguments],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.slow), 11])
def test_a_writer_killed_before_any_of_its_steps_leaves_the_last_commit(folder, stride):
    assert run(folder, "kill", str(stride)) >= 120 // stride


@pytest.mark.parametrize("times", [pytest.param(200, marks=pytest.mark.slow), 15])
def test_a_writer_killed_at_random_moments_leaves_the_last_commit(folder, times):
    assert run(folder, "moments", str(times)) == times


@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_a_disk_that_is_full_at_any_write_loses_nothing(folder, stride):
    assert run(folder, "full", str(stride)) >= 50 // stride


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_a_writer_killed_at_its_system_calls_leaves_the_last_commit(folder):
    assert run(folder, "calls", "9") > 20


def test_a_disk_that_is_full_for_the_catalog_or_the_segments_loses_nothing(folder):
    assert run(folder, "small") > 10
