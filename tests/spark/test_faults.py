"""An executor that is killed in the middle changes nothing; needs processes of its own, so it is slow."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import copysift
from tests.corpus.texts import mixed, rows, run, write_jsonl

PROGRAM = """
import os, signal, subprocess, sys, threading, time
from pathlib import Path
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from copysift.engines.spark import corpus
from copysift.engines.spark.run import cluster
from copysift.settings.corpus import CorpusSettings
spark = (SparkSession.builder.master("local-cluster[2,1,800]").config("spark.driver.memory", "1g")
    .config("spark.executor.memory", "800m").config("spark.ui.enabled", "false")
    .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"]).getOrCreate())
spark.sparkContext.setLogLevel("OFF")
def executors():
    listed = subprocess.run(["pgrep", "-P", str(os.getpid()), "-a"], capture_output=True, text=True).stdout
    java = [int(line.split()[0]) for line in listed.splitlines() if "java" in line]
    found = []
    for parent in java:
        below = subprocess.run(["pgrep", "-P", str(parent), "-a"], capture_output=True, text=True).stdout
        found += [int(l.split()[0]) for l in below.splitlines() if "CoarseGrainedExecutorBackend" in l]
    return found
real = corpus.SparkCorpus._choose
def choose(self):
    os.kill(executors()[0], signal.SIGKILL)
    Path(sys.argv[3]).write_text("killed")
    real(self)
corpus.SparkCorpus._choose = choose
cluster(spark, [sys.argv[1]], Path(sys.argv[2]), CorpusSettings())
spark.stop()
"""


@pytest.mark.slow
def test_an_executor_that_is_killed_does_not_change_the_answer(tmp_path):
    import pyspark

    source = write_jsonl(tmp_path / "c.jsonl", mixed(80, seed=2))
    run(source, tmp_path / "local")
    here = str(Path(copysift.__file__).parents[1])  # executors run elsewhere
    home = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "PYTHONPATH": here}
    arguments = [str(source), str(tmp_path / "run"), str(tmp_path / "killed")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=os.environ | home,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "killed").exists()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["counts"]["documents"] == 80
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "run", name) == rows(tmp_path / "local", name)
