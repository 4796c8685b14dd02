"""The sets of a part written as a run keeps them, while they are made: by the task that sketches the part."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from copysift.engine.corpus.sets import Sets, Sketched, write_facts
from copysift.engine.corpus.spill import write_all

FACTS = pa.schema(
    [(name, pa.string()) for name in ("id", "date", "other")]
    + [(name, pa.int64()) for name in ("bytes", "words", "shingles", "sampled")]
    + [(name, pa.uint64()) for name in ("content", "lexical", "sets")]
)


class SetsWriter:
    """Writes one part of the sets; a part whose task is repeated is written again, the same."""

    def __init__(self, folder: Path, part: int) -> None:
        sets = Sets(folder)
        self._paths = {name: sets._path(name, part) for name in ("samples", "shingles", "documents")}
        self._parts = {name: path.with_suffix(f".{os.getpid()}.part") for name, path in self._paths.items()}
        self._files = {name: self._parts[name].open("wb", buffering=0) for name in ("samples", "shingles")}
        self._tables: list[pa.Table] = []

    def add(self, sketched: Sketched) -> None:
        """Write the shingles of some documents; their facts are held, which are small."""
        for name, array in (("samples", sketched.samples), ("shingles", sketched.values)):
            write_all(self._files[name].fileno(), array, self._paths[name])
        self._tables.append(sketched.table.select(FACTS.names).cast(FACTS))

    def __enter__(self) -> SetsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, file in self._files.items():
            file.close()
            if kind is None:
                self._parts[name].replace(self._paths[name])
        if kind is None:
            table = pa.concat_tables(self._tables) if self._tables else FACTS.empty_table()
            write_facts(table, self._parts["documents"], self._paths["documents"])
