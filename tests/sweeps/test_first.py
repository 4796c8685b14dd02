"""A first sweep that commits nothing leaves no index, whose settings would bind the next one."""

import subprocess
import sys

import pytest

import copysift
from copysift.errors import InputError
from tests.cli.program import copysift as command
from tests.cli.program import environment, write
from tests.cli.texts import prose

KILLED = """
import os, signal, sys
import copysift

def pages():
    yield "a", "some words " * 90
    os.kill(os.getpid(), signal.SIGKILL)

copysift.Index(sys.argv[1]).sweep(pages(), date="2026-01-01")
"""


def test_a_first_sweep_that_is_refused_leaves_nothing(tmp_path):
    write(tmp_path, {"empty.jsonl": "", "a.jsonl": '{"uri": "a", "text": "some words"}\n'})
    done = command(tmp_path, "sweep", "x.sift", "empty.jsonl", "--date", "2026-01-01")
    assert (done.status, (tmp_path / "x.sift").exists()) == (2, False)
    done = command(tmp_path, "sweep", "x.sift", "a.jsonl", "--date", "2026-01-01", "--keep-text")
    assert (done.status, done.err) == (0, "")


def test_what_is_swept_after_a_refusal_is_there(tmp_path):
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as index:
        for _ in range(2):
            with pytest.raises(InputError):
                index.sweep([], date="2026-01-01")
        index.sweep([("a", prose(1))], date="2026-01-01")
        index.sweep([("b", prose(1))], date="2026-01-02")
    with copysift.Index(tmp_path / "x.sift") as index:
        assert index.locate("a").now.uri == "b"
        with pytest.raises(InputError):
            index.sweep([], date="2026-01-03")
    assert (tmp_path / "x.sift").exists()


def test_a_first_sweep_that_is_killed_binds_nobody(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "x.sift")], env=environment(), check=False
    )
    assert done.returncode == -9
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as index:
        assert index.sweep([("a", prose(1))], date="2026-01-01").documents == 1
