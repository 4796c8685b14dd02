"""Write a report that is a folder of files: whole or not at all, and never over files of another kind."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from copysift.errors import UsageError
from copysift.settings.comparison import Door

_OURS = re.compile(r"index\.html|match\d+(-top|-[01])?\.html")


def check_folder(door: Door) -> None:
    """Raise UsageError unless a folder of pages can be written: better before the work than after it."""
    if not door.output or door.output == "-":
        raise UsageError("--format moss writes a folder", hint="name it by -o DIR")
    target = Path(door.output)
    if not target.exists():
        if not target.absolute().parent.is_dir():
            raise UsageError(f"the folder {target.absolute().parent} does not exist", hint="make it first")
        return
    if not target.is_dir() or any(not _OURS.fullmatch(each.name) for each in target.iterdir()):
        raise UsageError(f"{target} exists and is not a report", hint="name another folder, or remove it")


def write_folder(files: Mapping[str, str], door: Door) -> None:
    """Write the files beside their place, then put the folder there."""
    check_folder(door)
    target = Path(door.output).absolute()
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            for name, content in files.items():
                (part / name).write_text(content, encoding="utf-8", errors="surrogateescape")
            part.chmod(0o755)
            if target.exists():
                shutil.rmtree(target)  # it holds nothing but an earlier report: see check_folder
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"cannot write {door.output}: {error.strerror}") from None
