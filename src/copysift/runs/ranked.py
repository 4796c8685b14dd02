"""Names in a ranked list: which document of a run a line of a search result represents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from copysift.runs.checksums import read_table
from copysift.runs.scan_run import TABLES
from copysift.sources.fields import ID_FIELDS
from copysift.sources.replacement import parsed


def name_in(line: str) -> str:
    """Give the name in a line: a field of a JSON object, or what is before the first tab."""
    if line.startswith("{"):
        try:
            record = parsed(line)
        except (ValueError, RecursionError):
            return line
        return next((str(record[key]) for key in ID_FIELDS if key in record), line)
    return line.partition("\t")[0].strip()


def known(path: Path, names: Iterable[str]) -> set[str]:
    """Give those of some names that documents of a run have."""
    wanted = pa.array(list(set(names)), pa.string())
    documents = read_table(path, TABLES[0], ["document"])["document"]
    return set(documents.filter(pc.is_in(documents, value_set=wanted)).to_pylist())


def named(path: Path, ranked: list[str]) -> tuple[list[str], int]:
    """Give a ranked list as names of documents, and how many of them the run does not know."""
    spelled = {line: name_in(line) for line in ranked}
    found = known(path, [*spelled, *spelled.values()])
    names = [line if line in found else spelled[line] for line in ranked]
    return names, sum(name not in found for name in names)
