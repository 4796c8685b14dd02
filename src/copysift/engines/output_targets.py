"""Where what stays of a corpus is written: a file, shards of it, files of the same names, standard output."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from copysift.engines.reading import files_of
from copysift.engines.record_writers import (
    STANDARD_OUTPUT,
    USUAL,
    Packing,
    SameTable,
    Writer,
    maker,
    name_parts,
)
from copysift.errors import InputError, UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.sources.formats import format_of
from copysift.sources.places import exists, is_uri
from copysift.sources.record_segments import Origin

_FACTS = ("state.json", "dataset_info.json", "dataset_dict.json")  # of a saved Hugging Face data set
_OWN = ("run.json", "catalog.sqlite")  # which a folder has that is a run, or an index
_CODECS = {"UNCOMPRESSED": "NONE"}  # which the writer names otherwise than the reader
_TABLES = {".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow"}


def same_schema(sources: Iterable[str], path: Path | None) -> pa.Schema | None:
    """Give the schema of sources that are tables with one schema, where the output is such a table too."""
    found: pa.Schema | None = None
    form = "" if path is None else _TABLES.get(path.suffix, "")
    for file in _files(sources) if form else ():
        schema = _schema_of(file, form)
        if schema is None or (found is not None and not schema.equals(found)):
            return None
        found = schema if found is None else found
    return found


def _files(sources: Iterable[str]) -> Iterator[Path]:
    for source in sources:
        place = Path(source)
        yield from (
            (each for each in sorted(place.rglob("*")) if not each.is_dir()) if place.is_dir() else [place]
        )


def packing_of(file: Path) -> Packing:
    """Give how the columns of a Parquet file are compressed; as usual for what is none, or has no rows."""
    try:
        facts = pq.read_metadata(file)
        if not facts.num_row_groups:
            return USUAL
        columns = [facts.row_group(0).column(at) for at in range(facts.num_columns)]
    except (pa.ArrowException, OSError):
        return USUAL
    return {each.path_in_schema: _CODECS.get(each.compression, each.compression) for each in columns}


def _schema_of(file: Path, form: str) -> pa.Schema | None:
    if not form:
        return None
    try:
        if form == "parquet":
            return pq.read_schema(file)
        with pa.memory_map(str(file)) as opened:
            return pa.ipc.open_stream(opened).schema
    except (pa.ArrowException, OSError):
        return None


def output_place(name: str | os.PathLike[str], *, make: bool = True) -> Path:
    """Give the path of an output; the folder of a name that ends with a slash is made."""
    path = Path(name)
    if make and os.fspath(name).endswith("/"):
        path.mkdir(parents=True, exist_ok=True)
    return path


def check_output(path: Path, sources: list[str], shards: int, settings: CorpusSettings) -> None:
    """Refuse before the work an output that has no format, or is one of the sources, if these are there."""
    for source in sources:
        if source != "-" and not exists(source):
            raise InputError(f"{source}: no such file or folder")
    if is_folder(path):
        if any((path / each).exists() for each in _OWN):
            raise UsageError(
                f"{path} is a run or an index", hint="choose another folder, or name a file with -o"
            )
        if shards > 1:
            raise UsageError("--shards and a folder exclude each other", hint="name a file with -o")
        for origin, _ in files_of((each for each in sources if each != "-"), settings):
            maker(Path(origin.name), lines="text" if format_of(origin.name) == "lines" else "")
            target = path / origin.name
            if target.exists() and not is_uri(origin.place) and target.samefile(origin.place):
                raise UsageError(f"{target} is one of the sources", hint="choose another folder with -o")
    elif path == STANDARD_OUTPUT:
        if shards > 1:
            raise UsageError("standard output is one file", hint="leave out --shards, or name a file with -o")
    else:
        maker(path)
    lists = (removed_path(path), passages_path(path), repeated_path(path))
    for target in (*shard_paths(path, shards), *lists):
        for source in sources:
            if source != "-" and target.exists() and Path(source).exists() and target.samefile(source):
                raise UsageError(f"{target} is one of the sources", hint="choose another output with -o")


def refuse_existing(
    name: str | os.PathLike[str], sources: Sequence[str], shards: int, settings: CorpusSettings
) -> None:
    """Refuse to write over files that are there already: the records, and the lists beside them."""
    path = output_place(name)
    if path == STANDARD_OUTPUT:
        return
    check_output(path, list(sources), shards, settings)  # what --overwrite does not allow is named first
    targets = [removed_path(path), passages_path(path), repeated_path(path)]
    if is_folder(path):
        named = [each for each in sources if each != "-"]
        targets = [*(path / origin.name for origin, _ in files_of(named, settings)), *targets]
    else:
        targets = [*shard_paths(path, shards), *targets]
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} exists already", hint="choose another output, or add --overwrite")


def is_folder(path: Path) -> bool:
    """Say whether an output is a folder, which gets a file for every file of the sources."""
    return path.is_dir()


def named_beside(path: Path, what: str) -> Path:
    """Name a file that belongs to an output: NAME.what.jsonl; that of standard output is not written."""
    if path == STANDARD_OUTPUT:
        return path
    if is_folder(path):
        return path.absolute().with_name(f"{path.absolute().name}.{what}.jsonl")
    stem, suffix = name_parts(path)
    return path.with_name(f"{stem}.{what}{suffix}")


def shard_paths(path: Path, shards: int) -> list[Path]:
    """Name the shards: NAME-00000-of-00004.jsonl."""
    if shards == 1:
        return [path]
    stem, suffix = name_parts(path)
    return [path.with_name(f"{stem}-{n:05d}-of-{shards:05d}{suffix}") for n in range(shards)]


def removed_path(path: Path) -> Path:
    """Name the list of removed documents."""
    return named_beside(path, "removed")


def passages_path(path: Path) -> Path:
    """Name the list of passages that were cut or flagged."""
    return named_beside(path, "passages")


def repeated_path(path: Path) -> Path:
    """Name the list of lines, sentences or paragraphs that many documents have."""
    return named_beside(path, "repeated")


@contextlib.contextmanager
def whole(paths: list[Path]) -> Iterator[list[Path]]:
    """Write beside, and put in place when everything is written."""
    # A name that no other writer of the same file has.
    parts = [
        path if path == STANDARD_OUTPUT else path.with_name(f"{os.urandom(8).hex()}-{path.name}.part")
        for path in paths
    ]
    try:
        yield parts
        for part, path in zip(parts, paths, strict=True):
            if part != path and part.exists():
                part.replace(path)
    finally:
        for part in parts:
            if part != STANDARD_OUTPUT:
                part.unlink(missing_ok=True)


class Target(Protocol):
    """Gives the writer of each record in turn."""

    def begin(self, origin: Origin) -> None:
        """Take note that the records of another file follow."""

    def writer(self, written: int) -> Writer:
        """Give what writes the next record, after `written` others."""

    def finish(self) -> None:
        """Close all files."""


def target_of(
    path: Path,
    shards: int,
    settings: CorpusSettings,
    total: int,
    sources: list[str],
    stack: contextlib.ExitStack,
    *,
    same: bool,
) -> Target:
    """Open an output; the `stack` puts its files in place when all is written, and else removes them."""
    if is_folder(path):
        return _SameNames(path, settings, stack, same=same)
    schema = same_schema(sources, path) if same else None
    fixed = same and bool(sources) and all(format_of(each) in ("csv", "tsv") for each in sources)
    packing = USUAL if schema is None else packing_of(next(_files(sources)))
    make = _maker(path, schema, settings, fixed=fixed, packing=packing)
    return _Shards(shard_paths(path, shards), make, total, stack)


def _maker(
    path: Path,
    schema: pa.Schema | None,
    settings: CorpusSettings,
    *,
    fixed: bool,
    lines: bool = False,
    packing: Packing = USUAL,
) -> Callable[[Path], Writer]:
    if schema is not None:
        form = _TABLES[path.suffix]
        return lambda part: SameTable(part, schema, settings.text_field, form, packing)
    return maker(path, fixed=fixed, lines=settings.text_field if lines else "")


class _Shards:
    """Files of about as many records each, in order; most often one."""

    def __init__(
        self, paths: list[Path], make: Callable[[Path], Writer], total: int, stack: contextlib.ExitStack
    ) -> None:
        self._make, self._total, self._at = make, total, 0
        self._parts = stack.enter_context(whole(paths))
        self._writer: Writer | None = None
        stack.callback(self._close)
        self._open()

    def begin(self, origin: Origin) -> None:
        pass

    def writer(self, written: int) -> Writer:
        shards = len(self._parts)
        while self._at + 1 < shards and written >= (self._at + 1) * self._total // shards:
            self._close()
            self._at += 1
            self._open()
        assert self._writer is not None
        return self._writer

    def finish(self) -> None:
        self._close()
        for part in self._parts[self._at + 1 :]:
            self._make(part).close()

    def _open(self) -> None:
        self._writer = self._make(self._parts[self._at])

    def _close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


class _SameNames:
    """A folder with a file for every file of the sources, of the same name and format."""

    def __init__(
        self, folder: Path, settings: CorpusSettings, stack: contextlib.ExitStack, *, same: bool
    ) -> None:
        self._folder, self._settings, self._stack, self._same = folder, settings, stack, same
        self._writer: Writer | None = None
        self._folders: dict[Path, Path] = {}  # of the sources → of the output
        stack.callback(self._close)

    def begin(self, origin: Origin) -> None:
        self._close()
        target, place = self._folder / origin.name, Path(origin.place)
        schema = _schema_of(place, _TABLES.get(target.suffix, "")) if self._same else None
        form = format_of(origin.name)
        fixed = self._same and form in ("csv", "tsv")
        packing = USUAL if schema is None else packing_of(place)
        make = _maker(target, schema, self._settings, fixed=fixed, lines=form == "lines", packing=packing)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._folders.setdefault(place.parent, target.parent)
        if target.parent != self._folder:
            self._folders.setdefault(place.parent.parent, target.parent.parent)
        self._writer = make(self._stack.enter_context(whole([target]))[0])

    def writer(self, written: int) -> Writer:
        assert self._writer is not None
        return self._writer

    def finish(self) -> None:
        self._close()
        for source, target in self._folders.items():
            _copy_facts(source, target)

    def _close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def _copy_facts(source: Path, target: Path) -> None:
    """Copy what makes a folder of Arrow files a data set, which must not be taken for the old one."""
    for name in _FACTS:
        try:
            facts = json.loads((source / name).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(facts, dict) and "_fingerprint" in facts:
            facts["_fingerprint"] = os.urandom(8).hex()
        (target / name).write_text(json.dumps(facts, indent=2), encoding="utf-8")
