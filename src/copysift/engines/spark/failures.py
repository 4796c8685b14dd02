"""What Spark throws, in one line: a job that fails names its cause at the end of many stack traces."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from copysift import errors

P = ParamSpec("P")
R = TypeVar("R")
LENGTH = 300
SCHEME = "give Spark the package of that scheme: --spark-conf spark.jars.packages=GROUP:NAME:VERSION"
_OURS = re.compile(r"^copysift\.errors\.(\w+): (.*)$", re.MULTILINE)
_CAUSE = re.compile(r"^(?:: |Caused by: )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b.*)$", re.MULTILINE)


@contextlib.contextmanager
def in_words() -> Iterator[None]:
    """Turn what Spark raises into an error of ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise told(str(error)) from error


def told(trace: str) -> errors.CopysiftError:
    """Give the error that a trace of Spark's names: one of ours that a task raised, or the first cause."""
    ours = _OURS.findall(trace)
    if ours:
        kind, message = ours[-1]
        found: errors.CopysiftError = getattr(errors, kind, errors.EngineError)(message)
        return found
    causes = (
        _CAUSE.findall(trace) or [line for line in trace.splitlines() if line.strip()] or ["no reason given"]
    )
    cause = causes[-1].strip()[:LENGTH]
    unknown = "No FileSystem for scheme" in cause or "org.apache.hadoop.fs" in cause
    hint = SCHEME if unknown else "-vv shows all that Spark says"
    return errors.EngineError(f"Spark failed: {cause}", hint=hint)


def worded(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function that raises errors of ours alone."""

    def call(*arguments: P.args, **named: P.kwargs) -> R:
        with in_words():
            return function(*arguments, **named)

    return call
