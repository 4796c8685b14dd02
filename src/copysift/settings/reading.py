"""What to read: sources, formats, fields and files, each option declared once."""

from __future__ import annotations

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import FILES, MAKE_RUN, READ, RESOURCES, SOURCES
from copysift.settings.declaration import alias, declare
from copysift.settings.parsing import count, flag, ratio, size, text, texts

FORMATS = ("auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines")
_RECORDS = f"{READ} query"
_LIMITED = f"{_RECORDS} order check"


@dataclass(frozen=True, kw_only=True)
class SourceFormat:
    """How a source is taken apart."""

    input_format: str = declare(
        "auto", "--input-format", "Format of the files that you name, whatever their names.",
        SOURCES, text, "NAME", choices=FORMATS, commands=_RECORDS,
        aliases=(alias("--input", f"sweep {MAKE_RUN}"),),
    )  # fmt: skip
    records: str = declare(
        "auto", "--records",
        "Whether JSONL, CSV, Parquet and WARC files contain many documents: auto, yes or no (one text per "
        "file).",
        SOURCES, text, "WHEN", choices=("auto", "yes", "no"), commands=_RECORDS,
    )  # fmt: skip
    no_containers: bool = declare(
        False, "--no-containers",
        "Do not open archives, compressed files, mail or office documents: compare all files as they are.",
        SOURCES, flag, commands=_RECORDS,
    )  # fmt: skip
    filter: tuple[str, ...] = declare(
        (), "--filter",
        "Compare the output of COMMAND instead of files that match GLOB. It reads the file from standard "
        "input, or from the path that {} becomes. Repeatable.",
        SOURCES, texts, "GLOB=COMMAND", commands=f"{_RECORDS} check", default_text="none",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reading(SourceFormat):
    """Which documents are read from a source."""

    id_field: str = declare(
        "", "--id-field", "Field with the ID of a record.",
        SOURCES, text, "NAME", commands=READ, default_text="id, uri or url",
        default_for={"sweep": "uri, url or id", MAKE_RUN: "id, uri or url; else file and line"},
    )  # fmt: skip
    text_field: str = declare(
        "text", "--text-field",
        "Field with the text: body, meta.text, messages[*].content, or several: title,body.",
        SOURCES, text, "NAME", commands=READ,
    )  # fmt: skip
    date_field: str = declare(
        "", "--date-field", "Field with the date.", SOURCES, text, "NAME", commands=MAKE_RUN,
        default_text="none",
    )  # fmt: skip
    include: tuple[str, ...] = declare(
        (), "--include", "Only read files that match GLOB. Repeatable.",
        SOURCES, texts, "GLOB", commands=FILES, default_text="all",
    )  # fmt: skip
    exclude: tuple[str, ...] = declare(
        (), "--exclude", "Do not read files and folders that match GLOB. Repeatable.",
        SOURCES, texts, "GLOB", commands=FILES, default_text="none",
    )  # fmt: skip
    hidden: bool = declare(False, "--hidden", "Read hidden files.", SOURCES, flag, commands=FILES)
    follow: bool = declare(False, "--follow", "Follow symbolic links.", SOURCES, flag, commands=FILES)
    gitignore: bool = declare(
        False, "--gitignore", "Skip files that .gitignore excludes.", SOURCES, flag, commands=FILES
    )
    one_file_system: bool = declare(
        False, "--one-file-system", "Stay on one file system.", SOURCES, flag, commands=FILES
    )


@dataclass(frozen=True, kw_only=True)
class TimeLimit:
    """How long one document may take; what takes longer is skipped, and named."""

    max_seconds_per_file: float | None = declare(
        None, "--max-seconds-per-file",
        "Skip a file or a member of an archive that takes longer than this to read.",
        RESOURCES, ratio, "N", limits=(0.001, 1_000_000), commands=f"{_LIMITED} serve",
        default_text="60 for --filter and formats that libraries read, else none",
        default_for={"serve": "60"},
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Machine(TimeLimit):
    """What the work may cost; nothing here but the limits of one document changes the answer."""

    max_bytes_per_file: int | None = declare(
        None, "--max-bytes-per-file",
        "Skip a file, a member of an archive or a record that is larger than this, unpacked.",
        RESOURCES, size, "SIZE", limits=(1, None), commands=_LIMITED, default_text="none",
        aliases=(alias("--max-bytes"),),
    )  # fmt: skip
    memory: int = declare(
        2_000_000_000, "--memory",
        "Memory to use for the whole command, pairs and passages included. The rest is written to disk.",
        RESOURCES, size, "SIZE", limits=(16_000_000, None), commands=f"{FILES} order show",
        default_text="2GB",
    )  # fmt: skip
    tmp_dir: str = declare(
        "", "--tmp-dir", "Folder for temporary files.", RESOURCES, text, "DIR",
        commands="scan show compare check order index sweep", default_text="the system's",
    )  # fmt: skip
    jobs: int = declare(
        0, "-j --jobs", "Number of threads (0: one per CPU).", RESOURCES, count, "N", limits=(0, 1024),
        commands=f"{FILES} order",
    )  # fmt: skip


def check_reading(settings: Reading) -> None:
    """Raise UsageError where a format and the wish for records exclude each other."""
    if settings.records == "no" and settings.input_format not in ("auto", "folder"):
        raise UsageError(
            f"--records no and --input-format {settings.input_format} exclude each other",
            hint="leave one of them out",
        )
    if settings.records == "yes" and settings.input_format == "folder":
        raise UsageError(
            "--records yes and --input-format folder exclude each other", hint="leave one of them out"
        )
