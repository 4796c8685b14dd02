"""Measured pairs on disk, in chunks: a corpus may have more of them than fit into memory."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.match.sets import Measured

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

CHUNK = 1 << 17  # pairs that are held at a time
COLUMNS = tuple(Measured.__dataclass_fields__)


class PairWriter:
    """Writes pairs to a file in the order in which they come."""

    def __init__(self, path: Path) -> None:
        self._file = zipfile.ZipFile(path, "w")
        self._parts: list[Measured] = []
        self._held = self._chunks = 0

    def write(self, pairs: Measured) -> None:
        """Add pairs."""
        if len(pairs):
            self._parts.append(pairs)
            self._held += len(pairs)
        if self._held >= CHUNK:
            self._flush()

    def _flush(self) -> None:
        pairs = Measured.joined(self._parts)
        for name in COLUMNS:
            with self._file.open(f"{name}_{self._chunks}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, getattr(pairs, name), allow_pickle=False)
        self._parts, self._held, self._chunks = [], 0, self._chunks + 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._parts:
            self._flush()
        self._file.close()


class StoredPairs:
    """The pairs of some files, one after another; every loop over them reads them again."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)

    def __iter__(self) -> Iterator[Measured]:
        for path in self._paths:
            with np.load(path) as loaded:
                for number in range(len(loaded.files) // len(COLUMNS)):
                    yield Measured(*(loaded[f"{name}_{number}"] for name in COLUMNS))

    def __len__(self) -> int:
        return sum(len(each) for each in self.columns("left"))

    def columns(self, *names: str) -> Iterator[NDArray[Any]]:
        """Give these columns of every chunk in turn."""
        for path in self._paths:
            with np.load(path) as loaded:
                for number in range(len(loaded.files) // len(COLUMNS)):
                    yield from (loaded[f"{name}_{number}"] for name in names)
