"""Where a command writes: reports to standard output or a file, all else to standard error."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.settings.output import Door

if TYPE_CHECKING:
    from copysift.runtime.progress import Progress

AT_ONCE = 1 << 20  # bytes of a report that are written together
DONE = 0
NOTHING_FOUND = 1
SOME_SKIPPED = 3


def status(found: bool, skipped: Iterable[object]) -> int:
    """Give the exit status: skipped input matters more than nothing found."""
    return SOME_SKIPPED if any(True for _ in skipped) else DONE if found else NOTHING_FOUND


def width(door: Door) -> int | None:
    """Give the columns of the terminal that the report goes to, or None if it goes elsewhere."""
    if door.output or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def color(door: Door) -> bool:
    """Say whether the report is coloured; NO_COLOR counts unless --color is given."""
    if door.color != "auto":
        return door.color == "always"
    return width(door) is not None and not os.environ.get("NO_COLOR")


def check_output(door: Door) -> None:
    """Raise UsageError unless the report's file can be written: better before the work than after it."""
    if door.output and Path(door.output).is_dir() and door.format != "moss":
        raise UsageError(f"cannot write {door.output}: it is a folder", hint="choose a file name")
    if door.output and door.output != "-" and not Path(door.output).absolute().parent.is_dir():
        raise UsageError(
            f"cannot write {door.output}: there is no folder {Path(door.output).parent}",
            hint="create it first",
        )


def write(content: str | Iterable[str], door: Door) -> None:
    """Write a report, in parts or not: a file is put in place only when it is complete."""
    parts = [content] if isinstance(content, str) else content
    encoded = (part.encode("utf-8", "surrogateescape") for part in parts)
    if not door.output or door.output == "-":
        try:
            _print(encoded)
        except BrokenPipeError:
            raise
        except OSError as error:
            # What is still buffered would raise again when Python closes standard output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise _unwritten("the report", error) from None
        return
    target = Path(door.output)
    if target.exists() and not target.is_file():  # a pipe or a device, /dev/stdout for example
        try:
            _write_file(target, encoded)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritten(door.output, error) from None
        return
    part = target.with_name(f".{target.name}.{os.urandom(16).hex()}.part")
    try:
        _write_file(part, encoded)
        part.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {door.output}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink()


def _write_file(target: Path, parts: Iterable[bytes]) -> None:
    with target.open("wb", AT_ONCE) as file:
        file.writelines(parts)


def _print(parts: Iterable[bytes]) -> None:
    sys.stdout.flush()
    for each in parts:
        left = memoryview(each)
        while left:  # under PYTHONUNBUFFERED this is the bare file, which may take a part only
            left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def _unwritten(target: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write {target}: {error.strerror}; the report is incomplete")


def note(message: str) -> None:
    """Print a message to standard error."""
    from copysift.report.wording import visible

    print(f"copysift: {visible(message)}", file=sys.stderr)


def name_skipped(skipped: Iterable[Skipped]) -> None:
    """Name what was skipped, one per line; a name that would fill the screen is shortened."""
    from copysift.report.wording import spelled

    for each in skipped:
        name = each.name if len(each.name) <= 400 else f"{each.name[:200]} … {each.name[-150:]}"
        note(f"skipped {spelled(name)}: {each.reason}")


def name_notes(notes: Iterable[str], door: Door) -> None:
    """Print what an answer may lack although nothing was skipped."""
    for each in () if door.quiet else notes:
        note(each)


@contextmanager
def progress(door: Door) -> Iterator[Progress]:
    """Show a bar for every phase, on a terminal only."""
    from copysift.runtime.progress import NullProgress

    if door.quiet or not sys.stderr.isatty():
        yield NullProgress()
        return
    from copysift.cli.bars import bars

    with bars() as shown:
        yield shown
