"""Write a report that is a folder of files: completely or not at all, and never over other files."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from copysift.errors import UsageError
from copysift.settings.output import Door

_OURS = re.compile(r"index\.html|match\d+(-top|-[01])?\.html")


def check_folder(door: Door) -> None:
    """Raise UsageError unless a folder of pages can be written: better before the work than after it."""
    if not door.output or door.output == "-":
        raise UsageError("--format moss writes a folder", hint="add -o DIR")
    target = Path(door.output)
    if not target.exists():
        if not target.absolute().parent.is_dir():
            raise UsageError(f"the folder {target.absolute().parent} does not exist", hint="create it first")
        return
    if not target.is_dir() or any(not _OURS.fullmatch(each.name) for each in target.iterdir()):
        raise UsageError(f"{target} exists and is not a report", hint="choose another folder, or remove it")


def write_folder(files: Mapping[str, str], door: Door) -> None:
    """Write the files to a temporary folder, then move it into place."""
    check_folder(door)
    target = Path(door.output).absolute()
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            for name, content in files.items():
                (part / name).write_text(content, encoding="utf-8", errors="surrogateescape")
            part.chmod(0o755)
            if target.exists():
                shutil.rmtree(target)  # it contains only an earlier report: see check_folder
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"cannot write {door.output}: {error.strerror}") from None
