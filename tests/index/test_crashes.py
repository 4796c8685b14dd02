"""`kill -9` and a full disk at any instant: what was committed is there, and nothing else."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment

pytestmark = pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")


@pytest.fixture
def folder():
    """Memory where there is some: a kill is as sudden there, and a sync costs nothing."""
    top = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="copysift-test-", dir=top if top.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.index.crashes", str(folder), *arguments],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_writer_killed_before_any_of_its_steps_leaves_the_last_commit(folder):
    assert run(folder, "kill") > 100


@pytest.mark.slow
def test_a_writer_killed_at_200_random_moments_leaves_the_last_commit(folder):
    assert run(folder, "moments", "200") == 200


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_write_loses_nothing(folder):
    assert run(folder, "full") > 50


def test_a_disk_that_is_full_for_the_catalog_or_the_segments_loses_nothing(folder):
    assert run(folder, "small") > 10
