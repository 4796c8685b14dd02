"""The settings of a corpus (cluster, recluster, dedup), declared as those in settings.py are."""

from __future__ import annotations

from dataclasses import dataclass

from copysift.errors import UsageError
from copysift.settings.declaration import check_limits, declare
from copysift.settings.parsing import count, flag, fraction, secret, size, text, texts

_WHAT = "What is compared"
_SOURCE = "Which records are read"
_ALIKE = "What is alike"
_MACHINE = "Memory and processors"
_KEEP = "What is kept"

MAKE = "cluster dedup"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSettings:
    """What decides the clusters of a corpus, and what they may cost."""

    id_field: str = declare(
        "",
        "--id-field",
        "Field that names a record.",
        _SOURCE,
        text,
        "NAME",
        commands=MAKE,
        shown="id, uri or url; else file and line",
    )
    text_field: str = declare(
        "text", "--text-field", "Field that holds the text.", _SOURCE, text, "NAME", commands=MAKE
    )
    date_field: str = declare(
        "", "--date-field", "Field that holds the date.", _SOURCE, text, "NAME", commands=MAKE, shown="none"
    )
    input: str = declare(
        "auto",
        "--input",
        "Format of the sources.",
        _SOURCE,
        text,
        "FORMAT",
        commands=MAKE,
        choices=("auto", "folder", "jsonl", "parquet", "csv", "tsv", "warc", "lines", "arrow"),
    )
    records: str = declare(
        "auto",
        "--records",
        "Whether JSONL, CSV, Parquet and WARC files contain many documents: auto, yes or no (one text per "
        "file).",
        _SOURCE,
        text,
        "WHEN",
        choices=("auto", "yes", "no"),
        commands=MAKE,
    )
    containers: bool = declare(
        True, "--containers", "Whether archives and packed files are opened.", _SOURCE, flag, commands=MAKE
    )
    include: tuple[str, ...] = declare(
        (),
        "--include",
        "In folders, only files whose name or path matches the glob; may be repeated.",
        _SOURCE,
        texts,
        "GLOB",
        commands=MAKE,
        shown="all",
    )
    exclude: tuple[str, ...] = declare(
        (),
        "--exclude",
        "In folders, no files or folders that match the glob; may be repeated.",
        _SOURCE,
        texts,
        "GLOB",
        commands=MAKE,
        shown="none",
    )
    hidden: bool = declare(
        False, "--hidden", "In folders, read hidden files too.", _SOURCE, flag, commands=MAKE
    )
    html: str = declare(
        "auto",
        "--html",
        "Whether texts are HTML, whose markup does not count.",
        _WHAT,
        text,
        "WHEN",
        choices=("auto", "always", "never"),
        commands=MAKE,
        shown="auto: those that begin like it",
    )
    shingle: int = declare(
        10, "--shingle", "Words in a shingle.", _WHAT, count, "W", limits=(1, 1000), commands=MAKE
    )
    features: str = declare(
        "",
        "--features",
        "Compare sets of features instead: a column of lists, or module:function of a record.",
        _WHAT,
        text,
        "NAME",
        commands=MAKE,
        shown="shingles of words",
    )
    modulus: int = declare(
        25,
        "--modulus",
        "Sketches keep about one shingle in M.",
        _WHAT,
        count,
        "M",
        limits=(1, 100_000),
        commands=MAKE,
    )
    method: str = declare(
        "mod",
        "--method",
        "How candidates are found: shared shingles of sketches, or super shingles (faster).",
        _WHAT,
        text,
        "NAME",
        choices=("mod", "super"),
        commands=MAKE,
    )
    super_size: int = declare(
        6, "--super-size", "Shingles in a super shingle.", _WHAT, count, "N", limits=(1, 1000), commands=MAKE
    )
    estimate: bool = declare(
        False,
        "--estimate",
        "Take the measures from the sketches, without the exact check.",
        _WHAT,
        flag,
        commands=MAKE,
    )
    max_shared: int = declare(
        1000,
        "--max-shared",
        "Shingles in more documents than this form no pairs by themselves.",
        _WHAT,
        count,
        "N",
        limits=(2, None),
        commands=MAKE,
    )
    seed: int = declare(
        0,
        "--seed",
        "Secret that makes sketches unpredictable: a number or any text; 0 is none.",
        _WHAT,
        secret,
        "SECRET",
        commands=f"{MAKE} query",
    )
    resemblance: float = declare(
        0.5,
        "--resemblance",
        "Documents of at least this resemblance belong together.",
        _ALIKE,
        fraction,
        "X",
        limits=(0, 1),
        commands=f"{MAKE} recluster",
    )
    contained: bool = declare(
        False,
        "--contained",
        "So do documents of which one contains that share of the other.",
        _ALIKE,
        flag,
        commands=f"{MAKE} recluster",
    )
    policy: str = declare(
        "",
        "--policy",
        "Which documents make a cluster.",
        _ALIKE,
        text,
        "NAME",
        choices=("", "component", "representative", "complete"),
        commands=f"{MAKE} recluster",
        shown="component; representative for dedup",
    )
    floor: float = declare(
        0.3,
        "--floor",
        "Keep pairs whose resemblance or a containment reaches this.",
        _ALIKE,
        fraction,
        "X",
        limits=(0, 1),
        commands=f"{MAKE} query",
    )
    slim: bool = declare(
        False,
        "--slim",
        "Keep no shingles in RUN: smaller, but no --onto, --against or query later.",
        _KEEP,
        flag,
        commands="cluster",
    )
    memory: int = declare(
        2_000_000_000,
        "--memory",
        "Memory that the work may take; the rest lies on disk.",
        _MACHINE,
        size,
        "SIZE",
        limits=(16_000_000, None),
        commands=MAKE,
        shown="2GB",
    )
    jobs: int = declare(
        0,
        "-j --jobs",
        "Threads; 0 is one a processor.",
        _MACHINE,
        count,
        "N",
        limits=(0, 1024),
        commands=MAKE,
    )

    def __post_init__(self) -> None:
        check_limits(self)
        if self.resemblance < self.floor - 1e-12:
            raise UsageError(
                f"--resemblance {self.resemblance:g} is below the --floor {self.floor:g} of the pairs kept",
                hint="lower --floor too",
            )


_OUTPUT = "Output"
EVERY = f"{MAKE} recluster cluster-of collapse query"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDoor:
    """Where the answer goes and what dedup keeps; nothing here changes which documents are alike."""

    output: str = declare(
        "",
        "-o --output",
        "Where the answer is written.",
        _OUTPUT,
        text,
        "PATH",
        commands=f"{MAKE} recluster query",
        shown="none",
    )
    threshold: float | None = declare(
        None,
        "--threshold",
        "Report documents whose resemblance or a containment reaches this: 50% or .5.",
        _ALIKE,
        fraction,
        "X",
        limits=(0, 1),
        commands="query",
        shown="that of --floor",
    )
    format: str = declare(
        "",
        "--format",
        "table, json (as an index answers) or csv.",
        _OUTPUT,
        text,
        "NAME",
        choices=("", "table", "json", "csv"),
        commands="query",
        shown="by the suffix of -o, else table",
    )
    onto: str = declare(
        "",
        "--onto",
        "Add the documents to an earlier run, whose texts are not read again.",
        _SOURCE,
        text,
        "RUN",
        commands="cluster",
        shown="none",
    )
    engine: str = declare(
        "local",
        "--engine",
        "Where the work is done: on this machine, or by Spark (pip install 'copysift[spark]').",
        _MACHINE,
        text,
        "NAME",
        choices=("local", "spark"),
        commands=MAKE,
    )
    master: str = declare(
        "",
        "--master",
        "With --engine spark: the cluster, such as spark://host:7077, yarn or local[4].",
        _MACHINE,
        text,
        "URL",
        commands=MAKE,
        shown="local[*]",
    )
    conf: tuple[str, ...] = declare(
        (),
        "--conf",
        "With --engine spark: a setting of Spark; may be repeated.",
        _MACHINE,
        texts,
        "K=V",
        commands=MAKE,
        shown="none",
    )
    keep: str = declare(
        "first",
        "--keep",
        "Which of a cluster stays: first, longest, newest or best:FIELD.",
        _KEEP,
        text,
        "WHICH",
        commands="dedup",
    )
    against: str = declare(
        "",
        "--against",
        "Drop what the run RUN has, and nothing else.",
        _KEEP,
        text,
        "RUN",
        commands="dedup",
        shown="none",
    )
    passages: str = declare(
        "",
        "--passages",
        "With --against: cut the passages that RUN has out of the texts, or only flag them.",
        _KEEP,
        text,
        "HOW",
        choices=("", "cut", "flag"),
        commands="dedup",
        shown="drop documents",
    )
    shards: int = declare(
        1, "--shards", "Files to write.", _OUTPUT, count, "N", limits=(1, 100_000), commands="dedup"
    )
    dry_run: bool = declare(
        False, "--dry-run", "Only say what would be removed.", _OUTPUT, flag, commands="dedup"
    )
    run: str = declare(
        "",
        "--run",
        "Keep the run of the clustering in this folder.",
        _OUTPUT,
        text,
        "RUN",
        commands="dedup",
        shown="not kept",
    )
    json: bool = declare(
        False, "--json", "Answer in JSON.", _OUTPUT, flag, commands="recluster cluster-of collapse query"
    )
    limit: int | None = declare(
        None,
        "--limit",
        "List at most N documents, the best first.",
        _OUTPUT,
        count,
        "N",
        limits=(1, None),
        commands="query",
        shown="all",
    )
    quiet: bool = declare(
        False,
        "-q --quiet",
        "No progress, no summary; skipped records are still named.",
        _OUTPUT,
        flag,
        commands=EVERY,
    )
    verbose: int = declare(
        0,
        "-v --verbose",
        "Say more: times; twice: the traceback of an error.",
        _OUTPUT,
        count,
        limits=(0, 9),
        commands=EVERY,
    )

    def __post_init__(self) -> None:
        check_limits(self)


# Settings that change what a run costs or where it comes from, but not the pairs that it finds.
NO_ANSWER = ("memory", "jobs", "slim", "resemblance", "contained", "policy")
