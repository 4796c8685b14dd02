"""A Spark session for the command line, or one line that says what to install."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from copysift.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "2g",
}


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
    made: SparkSession = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def _split(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise UsageError(f"--conf {setting} is not K=V", hint="such as --conf spark.driver.memory=3g")
    return key, value
