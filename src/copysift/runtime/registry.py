"""Name → definition: kinds, fingerprint schemes, report formats, sources and languages.

Built-ins are entry points like those of plug-ins and are loaded by the same door, only when they are needed.
A scheme, report or source is built in by its file alone: the files of its folder are the names. The sources
listed here are those that `sources/detection.py` knows by heart. A package adds its own under the group's
name in its pyproject.toml, for example `[project.entry-points."copysift.kinds"]`; a built-in name cannot be
taken over.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copysift.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_PACKAGE = Path(__file__).parents[1]

KINDS = "copysift.kinds"
SCHEMES = "copysift.schemes"
REPORTS = "copysift.reports"
LANGUAGES = "copysift.languages"
SOURCES = "copysift.sources"

_WORDS = {
    KINDS: "kind",
    SCHEMES: "scheme",
    REPORTS: "report format",
    LANGUAGES: "language",
    SOURCES: "source",
}


def _in_folder(folder: str, attribute: str, suffix: str, first: str) -> dict[str, str]:
    """Give what the files of a folder define, by name: `safe_mod.py` defines safe-mod.

    Lists start with the names in `first`; the others follow in order of their names.
    """
    package = f"copysift.{folder.replace('/', '.')}"
    end = f"{suffix}.py"
    inside = os.listdir(_PACKAGE / folder)  # noqa: PTH208 # a Path of each would take longer
    files = sorted(each[:-3] for each in inside if each.endswith(end) and "a" <= each[0] <= "z")
    found = {file.removesuffix(suffix).replace("_", "-"): f"{package}.{file}:{attribute}" for file in files}
    return {name: found.pop(name) for name in first.split() if name in found} | found


_BUILT_IN: dict[str, dict[str, str]] = {
    KINDS: {
        "text": "copysift.kinds.text:KIND",
        "words": "copysift.kinds.words:KIND",
        "code": "copysift.kinds.programs:KIND",
        "html": "copysift.kinds.markup:HTML",
        "html-words": "copysift.kinds.markup:HTML_WORDS",
        "bytes": "copysift.kinds.raw_bytes:KIND",
        "executable": "copysift.kinds.executable:KIND",
    },
    SCHEMES: _in_folder(
        "fingerprints/schemes",
        "SCHEME",
        "",
        "robust winnow mod safe-mod min adaptive-mod anchor open-closed all",
    ),
    REPORTS: _in_folder("report/formats", "FORMAT", "_format", "table json csv sif html moss"),
    SOURCES: {
        "zip": "copysift.sources.containers:ZIP",
        "tar": "copysift.sources.containers:TAR",
        "compressed": "copysift.sources.containers:PACKED",
        "7z": "copysift.sources.readers.seven_zip:SEVEN_ZIP",
        "docx": "copysift.sources.readers.docx:DOCX",
        "pptx": "copysift.sources.readers.pptx:PPTX",
        "xlsx": "copysift.sources.readers.xlsx:XLSX",
        "odt": "copysift.sources.readers.opendocument:ODT",
        "ods": "copysift.sources.readers.opendocument:ODS",
        "odp": "copysift.sources.readers.opendocument:ODP",
        "fodt": "copysift.sources.readers.opendocument:FLAT",
        "epub": "copysift.sources.readers.epub:EPUB",
        "rtf": "copysift.sources.readers.rtf:RTF",
        "compound": "copysift.sources.readers.compound:COMPOUND",
        "packed": "copysift.sources.readers.packed:PACKED_READER",
        "pdf": "copysift.sources.readers.pdf:PDF",
        "postscript": "copysift.sources.readers.postscript:POSTSCRIPT",
        "markdown": "copysift.sources.readers.markdown:MARKDOWN",
        "rst": "copysift.sources.readers.rst:RST",
        "tex": "copysift.sources.readers.tex:TEX",
        "troff": "copysift.sources.readers.troff:TROFF",
        "mail": "copysift.sources.readers.mail:MAIL",
        "mbox": "copysift.sources.readers.mailbox_messages:MAILBOX",
        "subrip": "copysift.sources.readers.subtitles:SUBRIP",
        "webvtt": "copysift.sources.readers.subtitles:WEBVTT",
        "json": "copysift.sources.readers.json_values:JSON",
        "xml": "copysift.sources.readers.xml_values:XML",
        "yaml": "copysift.sources.readers.yaml_values:YAML",
        "table": "copysift.sources.readers.table_values:TABLE",
        "sqlite": "copysift.sources.readers.sqlite_rows:SQLITE",
        "executable": "copysift.sources.readers.executable:EXECUTABLE",
        "class": "copysift.sources.readers.java_class:CLASS",
        "pyc": "copysift.sources.readers.python_bytecode:BYTECODE",
        "jsonl": "copysift.sources.record_sources:JSONL",
        "lines": "copysift.sources.record_sources:LINES",
        "csv": "copysift.sources.record_sources:CSV",
        "tsv": "copysift.sources.record_sources:TSV",
        "parquet": "copysift.sources.record_sources:PARQUET",
        "arrow": "copysift.sources.record_sources:ARROW",
        "warc": "copysift.sources.record_sources:WARC",
        "index": "copysift.workflows.index_source:SOURCE",
        **_in_folder("sources", "SOURCE", "_source", ""),
        **_in_folder("sources/readers", "SOURCE", "_source", ""),
    },
    LANGUAGES: {},  # the built-in ones are files, found by their own heads
}


def entry_points(group: str) -> Iterable[EntryPoint]:
    """Give what other packages declare; slow, for all of them are read, so only plug-ins pay for it."""
    from importlib.metadata import entry_points as declared

    return declared(group=group)


def plug_in_names(group: str) -> tuple[str, ...]:
    """Give the names that other packages declare in a group.

    Reading all that is installed takes longer than a small scan, so that is done only where the group is
    named in an entry_points.txt on the path.
    """
    if f"[{group}]".encode() not in _declared():
        return ()
    return tuple(name for name in names(group) if name not in _BUILT_IN[group])


@cache
def _declared() -> bytes:
    """Give all that packages on the path declare."""
    found = []
    for folder in dict.fromkeys(sys.path):
        infos: list[str] = []
        with suppress(OSError):  # not pathlib, which takes three times as long
            infos = [name for name in os.listdir(folder or ".") if name.endswith("-info")]  # noqa: PTH208
        for name in infos:
            with suppress(OSError), open(f"{folder or '.'}/{name}/entry_points.txt", "rb") as file:
                found.append(file.read())
    return b"\n".join(found)


@cache
def table(group: str) -> dict[str, EntryPoint]:
    """Give all entry points of a group by name, built-ins first."""
    from importlib.metadata import EntryPoint

    found = {name: EntryPoint(name, value, group) for name, value in _BUILT_IN[group].items()}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        found.setdefault(entry.name, entry)
    return found


def files_named(group: str, end: str) -> dict[str, Path]:
    """Give the files of built-ins by name, of those whose file name ends so."""
    found = {}
    for name, value in _BUILT_IN[group].items():
        module = value.partition(":")[0]
        if module.endswith(end):
            found[name] = _PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return found


def built_in(group: str) -> tuple[str, ...]:
    """Give the names of a group that are not of plug-ins."""
    return tuple(_BUILT_IN[group])


def names(group: str) -> tuple[str, ...]:
    """Give the names of a group: built-ins in their order, then plug-ins by name."""
    return tuple(table(group))


def check(group: str, name: str) -> str:
    """Give the name back, or raise UsageError when the group has no such name."""
    if name not in _BUILT_IN[group] and name not in table(group):
        raise UsageError(
            f"there is no {_WORDS[group]} {name!r}",
            hint=f"{_WORDS[group]}s: {', '.join(names(group))}",
        )
    return name


def load(group: str, name: str) -> Any:
    """Load the factory behind a name."""
    if name in _BUILT_IN[group]:
        module, _, attribute = _BUILT_IN[group][name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    return table(group)[check(group, name)].load()
