"""One Spark session for all tests of the folder; without Java or PySpark they are skipped, and say why."""

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from copysift.engines.spark.session import missing

CONF = {
    "spark.driver.memory": "1500m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # start fast, run briefly
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.hadoop.fs.viewfs.mounttable.tests.linkFallback": "file:///",  # a file system that is not file:
}


def pytest_collection_modifyitems(items):
    lack = missing()
    for item in items:
        if "/spark/" in str(item.path) and lack and "without_spark" not in item.name:
            item.add_marker(pytest.mark.skip(reason=lack))


@pytest.fixture(scope="session")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("copysift tests")
    for key, value in CONF.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    yield made
    made.stop()


@pytest.fixture(scope="session")
def corpus_sample():
    """Give 2,000 documents of the corpus that the benches use, where it is."""
    beside = Path(__file__).resolve().parents[3] / "data" / "corpus"
    source = Path(os.environ.get("COPYSIFT_CORPUS", beside)) / "corpus.jsonl"
    if not source.is_file():
        pytest.skip("no corpus: COPYSIFT_CORPUS names no folder with corpus.jsonl")
    with source.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in itertools.islice(lines, 2000)]
