"""Small trees of files for the tests of reading."""

import os
from pathlib import Path

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources.walk import WalkSettings, walk


def tree(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)  # every file differs
    return folder


def found(folder: Path, **settings: object) -> list[str]:
    """Relative paths of the entries below a folder; nothing may be skipped."""
    out = list(walk([folder], WalkSettings(**settings)))
    assert not [one for one in out if isinstance(one, Skipped)]
    return [os.path.relpath(one.path, folder) for one in out if isinstance(one, Document)]
