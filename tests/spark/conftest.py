"""One Spark session for all tests of the folder; without Java or PySpark they are skipped, and say why."""

import os
import sys

import pytest

from copysift.engine.spark.session import missing

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
