"""The log: one line per event, as text or JSON, with nothing secret in it.

Tokens, cookies and the random addresses of shared results are never written: a path loses what lets a
stranger read a result.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

log = logging.getLogger("copysift.serve")
_SECRET = re.compile(r"^(.*/results/)[^/]+")
_PLAIN = re.compile(r"[A-Za-z0-9_./:@+%-]+")


def event(name: str, level: int = logging.INFO, **fields: object) -> None:
    """Log that something happened; the fields are names and values, without secrets."""
    if log.isEnabledFor(level):  # `log.log` would look for its caller, which takes longer
        log.handle(log.makeRecord(log.name, level, "", 0, name, (), None, extra={"fields": fields}))


def public_path(path: str) -> str:
    """Give a path without the part that is a secret."""
    return _SECRET.sub(r"\1…", path)


def start_log(form: str, level: int) -> None:
    """Write the log to standard error from now on."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line says them
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)


class TextLines(logging.Formatter):
    """A line: time, level, event, and name=value; what could be mistaken is quoted."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line of a record."""
        fields = getattr(record, "fields", {})
        words = [f"{name}={_quoted(value)}" for name, value in fields.items()]
        line = " ".join([_time(record), record.levelname, _one_line(record.getMessage()), *words])
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    """A JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line of a record."""
        found = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found, default=str)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _quoted(value: object) -> str:
    written = str(value)
    return written if _PLAIN.fullmatch(written) else json.dumps(written)


def _one_line(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)
