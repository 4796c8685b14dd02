"""A Spark session for the command line, or one line that says what to install."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from copysift.errors import EngineError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
}
CONF = {  # what the phases rely on
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 << 20),  # one is made while one is worked on
    "spark.sql.parquet.compression.codec": "lz4_raw",
}
PARTITIONS = "spark.sql.shuffle.partitions"
MASTERS = re.compile(r"(local(\[.+\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+)$")


def missing() -> str:
    """Say what Spark needs and this machine has not, with what to install; "" when all is there."""
    if importlib.util.find_spec("pyspark") is None:
        return "--engine spark needs PySpark 4: pip install 'copysift[spark]'"
    if importlib.util.find_spec("pandas") is None:
        return "--engine spark needs pandas, which PySpark asks for: pip install 'copysift[spark]'"
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        return "--engine spark needs Java 17 or newer: install openjdk-17-jre-headless, or set JAVA_HOME"
    return ""


def session(master: str = "", conf: Iterable[str] = ()) -> SparkSession:
    """Give the session that is there, or a new one; `conf` holds K=V."""
    lack = missing()
    if lack:
        message, _, hint = lack.partition(": ")
        raise UsageError(message, hint=hint)
    if master and not MASTERS.match(master):
        raise UsageError(
            f"--spark-master {master} is not a cluster",
            hint="such as spark://host:7077, yarn, k8s://host or local[4]",
        )
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # tasks need the packages that are installed here
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("copysift")
    given = dict(_split(each) for each in conf)
    if "SPARK_ENV_LOADED" not in os.environ:  # else spark-submit has set these
        for key, value in DEFAULTS.items():
            builder = builder.config(key, value)
        builder = builder.master(master or "local[*]")
    elif master:
        builder = builder.master(master)
    for key, value in given.items():
        builder = builder.config(key, value)
    made = _started(builder, master)
    made.sparkContext.setLogLevel("ERROR")
    return made


def _started(builder: Any, master: str) -> SparkSession:
    """Start Spark; what it throws when it cannot is many pages long."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        made: SparkSession = builder.getOrCreate()
    except (Py4JError, PySparkException) as error:
        raise EngineError(
            "Spark could not be started",
            hint=f"is {master or 'local[*]'} up, and is Java 17 or newer installed?",
        ) from error
    return made


def _split(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise UsageError(
            f"--spark-conf {setting} is not K=V", hint="such as --spark-conf spark.driver.memory=3g"
        )
    return key, value


@contextlib.contextmanager
def configured(spark: SparkSession, partitions: int) -> Iterator[None]:
    """Set what the phases rely on, and put back what was there."""
    wanted = CONF | {PARTITIONS: str(partitions)}
    before: dict[str, str | None] = {key: spark.conf.get(key, None) for key in wanted}
    for key, value in wanted.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)
