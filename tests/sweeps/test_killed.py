"""A sweep that is killed at any step leaves the sweep before, whole, and can be repeated."""

import shutil
import subprocess
import sys

import copysift
from tests.cli.program import ROOT, environment
from tests.sweeps.test_sweep import make, state
from tests.sweeps.web import DATES, sweeps

KILLED = """
import os, sys
import copysift
from copysift.runtime import durable as disk
from tests.sweeps.web import DATES, sweeps

left = int(sys.argv[2])
with copysift.Index(sys.argv[1]) as index:
    index._writing()
    def watch(step):
        global left
        if not left:
            os._exit(9)
        left -= 1
    disk.watch = watch
    index.sweep(sweeps()[1].items(), date=DATES[1])
"""


def test_a_sweep_that_is_killed_at_any_step_is_there_whole_or_not_at_all(tmp_path):
    make(tmp_path / "first.sift", range(1))
    before, after = state(tmp_path / "first.sift"), state(make(tmp_path / "second.sift", range(2)))
    met = set()
    for steps in range(50):
        shutil.copytree(tmp_path / "first.sift", tmp_path / "x.sift")
        command = [sys.executable, "-c", KILLED, str(tmp_path / "x.sift"), str(steps)]
        done = subprocess.run(command, env=environment(PYTHONPATH=f"{ROOT / 'src'}:{ROOT}"), check=False)
        now = state(tmp_path / "x.sift")
        assert now in (before, after)
        met.add(now == after)
        if now == before:
            with copysift.Index(tmp_path / "x.sift") as index:
                index.sweep(sweeps()[1].items(), date=DATES[1])
                assert index.check() == ([], [])
            assert state(tmp_path / "x.sift") == after
        shutil.rmtree(tmp_path / "x.sift")
        if done.returncode == 0:
            break
    assert done.returncode == 0
    assert steps >= 5
    assert met == {False, True}
