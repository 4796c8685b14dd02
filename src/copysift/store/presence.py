"""Whether a folder may be an index, for commands that need nothing else of one."""

from __future__ import annotations

import os
from pathlib import Path

CATALOG = "catalog.sqlite"


def has_catalog(folder: Path) -> bool:
    """Say whether a folder has the catalog of an index, finished or not."""
    # Not Path.is_file, which raises for a name that is too long.
    return os.path.isfile(folder / CATALOG)  # noqa: PTH113
