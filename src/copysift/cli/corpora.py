"""What the commands on a corpus share: their settings, skipped records, Spark."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping

from copysift.cli import console
from copysift.cli.options import of_class, values_from
from copysift.errors import UsageError
from copysift.model.values import TAKEN, Skipped
from copysift.settings.corpus import CorpusSettings
from copysift.settings.output import Door

NAMED = 20  # skipped records that are named on the terminal; run.json has more


def corpus_settings(
    command: str, given: Mapping[str, object]
) -> tuple[CorpusSettings, Door, dict[str, object]]:
    """Make the settings; also give the values that were given, without defaults."""
    values = values_from(command, given)
    return of_class(CorpusSettings, values, command), of_class(Door, values, command), values


class _NoPandas:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def spare_pandas() -> None:
    """Let pyarrow look for pandas once and not find it: loading it delays the start noticeably.

    Nothing that these commands do needs it; code that imports pandas later still gets it.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(finder)


def name_skipped(named: Iterable[tuple[str, str]], total: int, where: str) -> None:
    """Name the first records that were left out or changed, and say where the others are named."""
    shown = list(named)
    for name, reason in shown[:NAMED]:
        if reason in TAKEN:
            console.note(f"noted {name}: {reason}")
        else:
            console.name_skipped([Skipped(name, reason)])
    if total > NAMED:
        console.note(f"… and {total - min(NAMED, len(shown)):,} more{where}")


def check_engine(sources: Iterable[str], door: Door) -> None:
    """Refuse what only Spark can do."""
    if door.engine == "spark":
        return
    if "://" in door.output:
        raise UsageError(
            "only Spark writes to a URI", hint="add --engine spark, or write to a file or folder"
        )
    for source in sources:
        if "://" in source:
            raise UsageError(f"only Spark reads a URI: {source}", hint="add --engine spark, or use a file")


def log_rounds() -> None:
    """Print what phases log on the way, such as the rounds of the components on Spark."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("copysift").setLevel(logging.INFO)
