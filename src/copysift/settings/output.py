"""Output: where names come from, where results go and how they are shown; nothing here changes them."""

from __future__ import annotations

from copysift.runtime import registry
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import (
    CONTENTS,
    FILES,
    INDEX,
    LOOK_UP,
    MAKE_RUN,
    OUTPUT,
    REPORTED,
    RESOURCES,
    SOURCES,
)
from copysift.settings.declaration import alias, check_limits, declare
from copysift.settings.parsing import count, flag, text, texts

OVER_TIME = "locate history changes copies"
RUNS = "recluster cluster-of collapse"
ALL = f"{FILES} order show browse {INDEX} query {OVER_TIME} {RUNS} languages formats serve worker"
_LISTS = f"scan show compare check query index-list index-info {OVER_TIME} {RUNS} languages"
_FILED = "scan show compare check query locate history changes copies"
_PASSAGES = "scan compare check query"


def _formats(command: str) -> str:
    """Name the built-in formats of a command."""
    every = (registry.load(registry.REPORTS, name) for name in registry.built_in(registry.REPORTS))
    names = [f"{each.name} (a folder)" if each.folder else each.name for each in every if each.shows(command)]
    return f"{', '.join(names[:-1])} or {names[-1]}"


@dataclass(frozen=True, kw_only=True)
class Door:
    """Where names come from and how the answer is shown."""

    seed_file: str = declare(
        "", "--seed-file",
        "Read the secret seed from FILE. Indexes and runs store only a checksum of it.",
        CONTENTS, text, "FILE", commands=f"{FILES} {LOOK_UP} index-check", default_text="none",
    )  # fmt: skip
    groups: bool = declare(
        False, "--groups", "Report groups around a reference file, as sif does.", REPORTED, flag,
        commands="scan show",
    )  # fmt: skip
    folders: bool = declare(
        False, "--folders", "Report folders that are the same or similar, instead of pairs of files.",
        REPORTED, flag, commands="scan show",
    )  # fmt: skip
    sets: bool = declare(
        False, "--sets",
        "Report sets of files that all share --min-shared fingerprints (10) or more, and no larger sets do.",
        REPORTED, flag, commands="scan",
    )  # fmt: skip
    against: str = declare(
        "", "--against",
        "Remove only what this run, index, folder or file already has. (To list it, use `copysift query`.)",
        CONTENTS, text, "RUN|SOURCE", commands="dedup", default_text="none",
    )  # fmt: skip
    test: tuple[str, ...] = declare(
        (), "--test",
        "Cut what the corpus has of this benchmark, instead of its near-duplicates: records or a run of "
        "them. Repeatable.",
        CONTENTS, texts, "SOURCE", commands="dedup", default_text="none",
    )  # fmt: skip
    report: str = declare(
        "", "--report",
        "With --test: write what the corpus has of each item to FILE: .html, .json or .csv.",
        OUTPUT, text, "FILE", commands="dedup", default_text="none",
    )  # fmt: skip
    from_run: str = declare(
        "", "--from", "Apply a finished run instead of comparing SOURCE again.",
        CONTENTS, text, "RUN", commands="dedup", default_text="none",
    )  # fmt: skip
    keep: str = declare(
        "", "--keep", "Which document of a cluster to keep: first, longest, newest or best:FIELD.",
        REPORTED, text, "WHICH", commands="dedup", default_text="first; longest with --measure containment",
    )  # fmt: skip
    cut_passages: str = declare(
        "", "--passages",
        "Cut (or flag) passages that came before in the corpus; with --against, those that RUN has.",
        REPORTED, text, "HOW", choices=("cut", "flag"), commands="dedup", default_text="only documents",
        aliases=(alias("", key="passages"),),
    )  # fmt: skip
    query_text: tuple[str, ...] = declare(
        (), "--text", "Look up this text. Repeatable.", SOURCES, texts, "TEXT", commands="query",
        default_text="none",
    )  # fmt: skip
    is_file: bool = declare(
        False, "--file", "Read the argument as a file name, not a URI.", SOURCES, flag, commands="locate"
    )
    since_commit: str = declare(
        "", "--since", "Only check lines that are new since COMMIT (a branch, tag or commit of git).",
        CONTENTS, text, "COMMIT", commands="check", default_text="all lines",
    )  # fmt: skip
    files_from: str = declare(
        "", "--files-from", "Read paths from FILE, one per line (-: standard input).",
        SOURCES, text, "FILE", commands="scan check order", default_text="none",
    )  # fmt: skip
    engine: str = declare(
        "local", "--engine", "Where to run: local or spark (pip install 'copysift[spark]').",
        RESOURCES, text, "NAME", choices=("local", "spark"), commands=MAKE_RUN,
    )  # fmt: skip
    spark_master: str = declare(
        "", "--spark-master", "Spark cluster, such as spark://host:7077 or yarn.",
        RESOURCES, text, "URL", commands=MAKE_RUN, default_text="local[*]", aliases=(alias("--master"),),
    )  # fmt: skip
    spark_conf: tuple[str, ...] = declare(
        (), "--spark-conf", "Spark setting. Repeatable.",
        RESOURCES, texts, "K=V", commands=MAKE_RUN, default_text="none", aliases=(alias("--conf"),),
    )  # fmt: skip
    server: str = declare(
        "", "--server", "Run on a copysift server. Reads the token from COPYSIFT_TOKEN.",
        RESOURCES, text, "URL", commands="scan query", default_text="none",
    )  # fmt: skip
    format: str = declare(
        "", "--format", "Output format.", OUTPUT, text, "NAME", commands=_LISTS,
        default_text="table", default_for={_FILED: "by extension of -o, else table"},
        help_for={name: f"Output format: {_formats(name)}." for name in _LISTS.split()},
        aliases=(
            alias("--json", RUNS, values={True: "json"}), alias("--json", "query", values={True: "list"}),
        ),
    )  # fmt: skip
    output: str = declare(
        "", "-o --output", "Write the result to PATH.", OUTPUT, text, "PATH",
        commands=f"{_FILED} order browse recluster {MAKE_RUN}", default_text="standard output",
        default_for={MAKE_RUN: "none", "recluster": "RUN itself", "browse": "marked.csv"},
        help_for={
            "browse": "File for the pairs that you mark, as CSV.",
            "cluster": "Folder for the run.", "dedup": "Write the remaining records to PATH.",
            "recluster": "Write the clusters to a Parquet file instead of changing RUN.",
        },
    )  # fmt: skip
    script: str = declare(
        "", "--script",
        "Write a shell script for files that are equal byte for byte: remove, hardlink or reflink all but "
        "the first of each. It compares them again when it runs: read it first. Implies --equal-only.",
        OUTPUT, text, "HOW", choices=("remove", "hardlink", "reflink"), commands="scan",
        default_text="none",
    )  # fmt: skip
    sync_plan: str = declare(
        "", "--sync-plan",
        "For two folders: write a shell script to FILE that makes A like B. Read it before you run it.",
        OUTPUT, text, "FILE", commands="compare", default_text="none",
    )  # fmt: skip
    save: str = declare(
        "", "--save", "Keep the run in folder RUN, for `copysift show`.", OUTPUT, text, "RUN",
        commands="scan dedup", default_text="not kept", aliases=(alias("--run", "dedup"),),
        help_for={"dedup": "Keep the run in folder RUN, for `copysift show` and `copysift query`."},
    )  # fmt: skip
    extend: str = declare(
        "", "--extend", "Add the documents to an existing run without reading its texts again.",
        OUTPUT, text, "RUN", commands="cluster", default_text="none", aliases=(alias("--onto"),),
    )  # fmt: skip
    overwrite: bool = declare(
        False,
        "--overwrite",
        "Replace an existing run.",
        OUTPUT,
        flag,
        commands="scan cluster dedup",
        help_for={"dedup": "Replace existing output files, or an existing run of --save."},
    )
    passages: int | None = declare(
        None, "--passages", "Print the N longest shared passages with line numbers.",
        OUTPUT, count, "N", limits=(0, 1_000_000), commands=_PASSAGES, default_text="0",
        default_for={"compare": "all"},
    )  # fmt: skip
    whole: bool = declare(
        False, "--whole", "Print passages in full, not just 24 lines.", OUTPUT, flag, commands=_PASSAGES
    )
    no_regions: bool = declare(
        False, "--no-regions", "Leave the positions of passages out of JSON.", OUTPUT, flag,
        commands="scan show compare check query",
    )  # fmt: skip
    title: str = declare(
        "", "--title", "Title of the HTML report.", OUTPUT, text, "TEXT", commands="scan show compare check",
        default_text="none",
    )  # fmt: skip
    decisions: str = declare(
        "", "--decisions", "Decisions on pairs, exported from an earlier HTML report.", OUTPUT, text, "FILE",
        commands="scan show", default_text="none",
    )  # fmt: skip
    anonymise: bool = declare(
        False, "--anonymise", "Replace names with pseudonyms.", OUTPUT, flag, commands="scan",
        aliases=(alias("--anonymize", values={True: True}),),
    )  # fmt: skip
    key_file: str = declare(
        "", "--key-file", "File that maps pseudonyms to names. Existing pseudonyms are reused.",
        OUTPUT, text, "FILE", commands="scan", default_text="next to the report", aliases=(alias("--key"),),
    )  # fmt: skip
    keep_text: bool = declare(
        False, "--keep-text",
        "Store a compressed copy of each text, to show passages after the files are gone.",
        OUTPUT, flag, commands="index sweep",
    )  # fmt: skip
    shards: int = declare(
        1, "--shards", "Number of output files.", OUTPUT, count, "N", limits=(1, 100_000), commands="dedup"
    )
    dry_run: bool = declare(
        False, "--dry-run", "Show what would change, and change nothing.", OUTPUT, flag, commands="dedup"
    )
    repair: bool = declare(
        False, "--repair", "Repair damage by reading the affected documents again.", OUTPUT, flag,
        commands="index-check",
    )  # fmt: skip
    new_seed_file: str = declare(
        "", "--new-seed-file", "Read the new secret seed from FILE. Required.", OUTPUT, text, "FILE",
        commands="index-resample", default_text="none", aliases=(alias("--resample"),),
    )  # fmt: skip
    null: bool = declare(
        False, "-0 --null", "Separate names with NUL instead of newline; without --format, print only names.",
        OUTPUT, flag, commands="scan show query order index-list",
        help_for={"order": "Separate names with NUL instead of newline."},
    )  # fmt: skip
    quiet: bool = declare(
        False, "-q --quiet", "Print results, errors and skipped files only.", OUTPUT, flag, commands=ALL,
        help_for={"serve worker": "Log warnings and errors only."},
    )  # fmt: skip
    verbose: int = declare(
        0, "-v --verbose", "Print settings and timings. Twice: also tracebacks.",
        OUTPUT, count, limits=(0, 9), commands=ALL,
        help_for={"serve worker": "Print the settings. Twice: also tracebacks."},
    )  # fmt: skip
    color: str = declare(
        "auto", "--color", "Use colours: auto, always or never.",
        OUTPUT, text, "WHEN", choices=("auto", "always", "never"), commands=_FILED,
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)
