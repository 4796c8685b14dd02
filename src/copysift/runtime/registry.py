"""Name → factory tables: kinds, fingerprint schemes, report formats, sources and languages.

Built-ins are entry points like those of plug-ins and are loaded by the same door, only when asked
for. A package adds its own under the group's name in its pyproject.toml, for example
`[project.entry-points."copysift.kinds"]`; a built-in name cannot be taken over.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copysift.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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

_BUILT_IN: dict[str, dict[str, str]] = {
    KINDS: {
        "text": "copysift.kinds:Text",
        "words": "copysift.kinds:Words",
        "code": "copysift.kinds:code",
        "html": "copysift.kinds:html",
        "html-words": "copysift.kinds:html_words",
        "bytes": "copysift.kinds:Raw",
    },
    SCHEMES: {
        "robust": "copysift.fingerprints.schemes:Windows",
        "winnow": "copysift.fingerprints.schemes:winnow",
        "mod": "copysift.fingerprints.schemes:Mod",
        "safe-mod": "copysift.fingerprints.schemes:SafeMod",
        "min": "copysift.fingerprints.schemes:Min",
        "adaptive-mod": "copysift.fingerprints.schemes:AdaptiveMod",
        "anchor": "copysift.fingerprints.anchor:Anchor",
        "open-closed": "copysift.fingerprints.schemes:open_closed",
        "all": "copysift.fingerprints.schemes:All",
    },
    REPORTS: {
        "table": "copysift.report.table:report",
        "json": "copysift.report.json_report:report",
        "csv": "copysift.report.csv_report:report",
        "sif": "copysift.report.listing:report",
        "html": "copysift.report.page:report",
        "moss": "copysift.report.moss:report",
    },
    SOURCES: {
        "zip": "copysift.sources.containers:ZIP",
        "tar": "copysift.sources.containers:TAR",
        "compressed": "copysift.sources.containers:PACKED",
        "ar": "copysift.sources.unix_archives:AR",
        "cpio": "copysift.sources.unix_archives:CPIO",
        "7z": "copysift.sources.readers.seven_zip:SEVEN_ZIP",
        "docx": "copysift.sources.readers.docx:DOCX",
        "pptx": "copysift.sources.readers.pptx:PPTX",
        "xlsx": "copysift.sources.readers.xlsx:XLSX",
        "odt": "copysift.sources.readers.opendocument:ODT",
        "ods": "copysift.sources.readers.opendocument:ODS",
        "odp": "copysift.sources.readers.opendocument:ODP",
        "epub": "copysift.sources.readers.epub:EPUB",
        "rtf": "copysift.sources.readers.rtf:RTF",
        "compound": "copysift.sources.readers.compound:COMPOUND",
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
        "sqlite": "copysift.sources.readers.sqlite_rows:SQLITE",
        "jsonl": "copysift.sources.record_sources:JSONL",
        "lines": "copysift.sources.record_sources:LINES",
        "csv": "copysift.sources.record_sources:CSV",
        "tsv": "copysift.sources.record_sources:TSV",
        "parquet": "copysift.sources.record_sources:PARQUET",
        "arrow": "copysift.sources.record_sources:ARROW",
        "warc": "copysift.sources.record_sources:WARC",
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
    wanted = f"[{group}]".encode()
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError):
            for place in Path(folder or ".").glob("*.*-info/entry_points.txt"):
                if wanted in place.read_bytes():
                    return tuple(name for name in names(group) if name not in _BUILT_IN[group])
    return ()


@cache
def table(group: str) -> dict[str, EntryPoint]:
    """Give all entry points of a group by name, built-ins first."""
    from importlib.metadata import EntryPoint

    found = {name: EntryPoint(name, value, group) for name, value in _BUILT_IN[group].items()}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        found.setdefault(entry.name, entry)
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
