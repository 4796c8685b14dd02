"""The base code of an index: k-grams, statements and strings that `index add --base` ignores.

Each is one sorted array. Sweeps file their base code with boilerplate instead (`boilerplate.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.store.catalog import VERSION, Catalog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from copysift.model.values import UInt64s

TABLE = "CREATE TABLE base (part INTEGER PRIMARY KEY, hashes BLOB NOT NULL)"
PARTS = 3  # k-grams, statements, strings


def base_of(catalog: Catalog) -> list[UInt64s]:
    """Give k-grams, statements and strings of the base code, each sorted."""
    parts: list[UInt64s] = [np.empty(0, np.uint64) for _ in range(PARTS)]
    if catalog.has_table("base"):
        for part, hashes in catalog.rows("SELECT part, hashes FROM base"):
            parts[part] = np.frombuffer(hashes, "<u8")
    if catalog.has_table("boilerplate"):
        rows = catalog.rows("SELECT hash FROM boilerplate WHERE base")
        swept = np.array([row[0] for row in rows], np.int64).view(np.uint64)
        parts[0] = np.union1d(parts[0], swept)
    return parts


def add_base_code(catalog: Catalog, parts: Sequence[UInt64s]) -> bool:
    """Add base code, inside a transaction; say whether some of it is new."""
    if not catalog.has_table("base"):
        catalog.arrange(TABLE)
        catalog.set_about("version", VERSION)
    changed = False
    for part, (known, more) in enumerate(zip(base_of(catalog), parts, strict=True)):
        every = np.union1d(known, more)
        if len(every) > len(known):
            changed = True
            catalog.run("INSERT OR REPLACE INTO base VALUES (?, ?)", (part, every.astype("<u8").tobytes()))
    return changed
