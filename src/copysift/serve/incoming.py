"""An upload on its way to disk: numbered files and a list of their names.

Names are data: they are in the list and never become paths. Nothing lasts until `seal`, and what
was not sealed is thrown away, at the latest when the server starts again.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from copysift.errors import InputError, UsageError
from copysift.model.values import Skipped
from copysift.report.wording import shorten, visible
from copysift.runtime import durable
from copysift.serve.limits import LimitError, Limits
from copysift.serve.quotas import Account

ROLES = ("file", "base", "earlier", "metadata")
LIST = "files.json"
MEMBER = b"PK\x03\x04"  # what a file in a zip begins with
NAMED = 60  # characters of a name in a message


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of an upload: its number on disk, the name that its owner gave it, what it is for."""

    number: int
    name: str
    role: str
    bytes: int


class IncomingFolder:
    """A folder that fills up; leaves nothing behind unless it was sealed."""

    def __init__(self, folder: Path, limits: Limits, account: Account | None = None) -> None:
        self.folder = folder
        self.files: list[UploadedFile] = []
        self.bytes = 0
        self.sealed = False
        self._limits, self._account = limits, account
        self._open: BinaryIO | None = None
        self._name = self._role = ""
        self._size = 0
        folder.mkdir(mode=0o700, parents=True)

    def __enter__(self) -> IncomingFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.sealed:
            self.discard()

    def begin(self, name: str, role: str = "file") -> None:
        """Start a file; the one before it must have ended."""
        if len(self.files) >= self._limits.job_files:
            raise LimitError(f"more than {self._limits.job_files:,} files")
        if len(name.encode("utf-8", "surrogateescape")) > self._limits.name_bytes:
            raise LimitError(f"a file name is longer than {self._limits.name_bytes:,} bytes")
        if role not in ROLES:
            raise ValueError(role)
        self._name, self._role, self._size = visible(name), role, 0
        self._open = (self.folder / str(len(self.files) + 1)).open("wb")

    def write(self, data: bytes) -> None:
        """Add a piece to the file that was begun."""
        assert self._open is not None, "no file was begun"
        self._size += len(data)
        self.bytes += len(data)
        if self._account is not None:
            self._account.spend(len(data))
        largest = self._limits.zip_bytes if self._name.lower().endswith(".zip") else self._limits.file_bytes
        if self._size > largest:
            raise LimitError(f"a file is larger than {largest:,} bytes")
        if self.bytes > self._limits.job_bytes:
            raise LimitError(f"the upload is larger than {self._limits.job_bytes:,} bytes")
        self._open.write(data)

    def end(self) -> None:
        """End the file that was begun."""
        assert self._open is not None, "no file was begun"
        self._open.close()
        self._open = None
        self.files.append(UploadedFile(len(self.files) + 1, self._name, self._role, self._size))

    def add(self, name: str, data: bytes, role: str = "file") -> None:
        """Add a whole file."""
        self.begin(name, role)
        self.write(data)
        self.end()

    def check_archives(self) -> None:
        """Refuse a file that is called a zip and is none, or not all of one.

        It would be compared as a text, or with a part of a class only.
        """
        for each in self.files:
            if each.name.lower().endswith(".zip"):
                with (self.folder / str(each.number)).open("rb") as file:
                    if zipfile.is_zipfile(file):  # it looks at the end only, and so takes no time
                        continue
                    file.seek(0)
                    if file.read(len(MEMBER)) == MEMBER:
                        raise UsageError(
                            f"{each.name} is truncated or damaged", hint="send it again, or leave it out"
                        )
                raise UsageError(f"{each.name} is not a zip", hint="make it again, or rename it")

    def adopt(self, source: Path, file: UploadedFile) -> None:
        """Take over a file of an earlier upload, without copying its bytes."""
        number = len(self.files) + 1
        os.link(source, self.folder / str(number))
        self.bytes += file.bytes
        self.files.append(replace(file, number=number))

    def seal(self) -> None:
        """Make it last: write the list, and bring everything to the disk."""
        if self._open is not None:
            raise ValueError("a file was started and not finished")
        listed = json.dumps([asdict(each) for each in self.files])
        (self.folder / LIST).write_text(listed, encoding="utf-8")
        durable.sync_all(self.folder.iterdir())
        durable.sync(self.folder)
        self.sealed = True

    def leave(self) -> None:
        """Count as on its way no more."""
        if self._account is not None:
            self._account.close()

    def discard(self) -> None:
        """Throw everything away."""
        self.leave()
        if self._open is not None:
            self._open.close()
            self._open = None
        shutil.rmtree(self.folder, ignore_errors=True)


def uploaded(folder: Path) -> Iterator[tuple[UploadedFile, Path]]:
    """Give the files of a sealed upload and where their bytes are."""
    for each in json.loads((folder / LIST).read_text(encoding="utf-8")):
        file = UploadedFile(**each)
        yield file, folder / str(file.number)


def nothing_read(skipped: Sequence[Skipped], otherwise: str) -> InputError:
    """Give the error for an upload of which nothing could be read; archives name the files in them."""
    reasons = [
        f"{shorten(each.name, NAMED)}: {each.reason.removesuffix(': what could be read was kept')}"
        for each in skipped[:3]
    ]
    return InputError(f"nothing could be read ({'; '.join(reasons)})" if reasons else otherwise)
