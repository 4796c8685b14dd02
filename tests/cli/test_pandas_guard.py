"""Commands do without pandas, but for Spark, which needs it."""

import subprocess
import sys

import pytest

GUARDED = """
from copysift.cli.pandas_guard import keep_pandas_out
keep_pandas_out()
"""


def output(code):
    done = subprocess.run([sys.executable, "-c", GUARDED + code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_spark_finds_pandas_in_a_command():
    pytest.importorskip("pandas")
    pytest.importorskip("pyspark")
    code = "from copysift.engines.spark.session import missing; print('pandas' in missing())"
    assert output(code) == "False"
