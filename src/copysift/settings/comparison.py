"""Every setting, declared once: default, flag, limits, help.

The command line, the config file, the Python keywords and docs/settings.md are made from the two
classes below. Making one only validates; nothing is opened or built here, and a stage gets its own
settings from the engine, never the whole object. Names of kinds, schemes and report formats are
checked by the registry, where plug-ins add theirs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from copysift.errors import UsageError
from copysift.settings.declaration import Setting, check_limits, declare, settings_of
from copysift.settings.parsing import (
    check_max_shared,
    count,
    count_or_share,
    flag,
    fraction,
    ratio,
    secret,
    size,
    text,
    texts,
)

SHARES = ("similarity", "resemblance", "containment")
COUNTS = ("shared", "longest")


class Thresholds(NamedTuple):
    """Noise threshold k and guarantee threshold t, in symbols; the window is w = t − k + 1."""

    noise: int
    guarantee: int

    @property
    def window(self) -> int:
        return self.guarantee - self.noise + 1


# Characters, shingles of 10 words, bytes at one fingerprint in about 128, tokens.
THRESHOLDS: dict[str, Thresholds] = {
    "text": Thresholds(25, 50),
    "html": Thresholds(25, 50),
    "words": Thresholds(10, 10),
    "html-words": Thresholds(10, 10),
    "bytes": Thresholds(50, 305),
    "code": Thresholds(8, 12),
}
DEFAULT_THRESHOLD = {"shared": 10.0, "longest": 100.0}  # a share, 25 %, for every other measure
DEFAULT_SHARE = 0.25
# Those of copysift itself: a scheme of a plug-in may heed what it likes.
_SCHEMES = ("robust", "winnow", "open-closed", "mod", "safe-mod", "all", "min", "adaptive-mod", "anchor")


_WHAT = "What is compared"
_PAIRS = "Which pairs are reported"
_FILES = "Which files are read"
_MACHINE = "Memory and processors"
_OUTPUT = "Output"
EVERYWHERE = (
    "scan show compare query index index-care index-list index-check sweep locate history changes holders"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides the answer, and what it may cost."""

    kind: str = declare(
        "auto", "--kind",
        "How files are understood: auto (by content and name), text, words, code, html or bytes.",
        _WHAT, text, "KIND",
    )  # fmt: skip
    language: str = declare(
        "", "--language", "Programs of this language, whatever their names; `copysift languages` lists them.",
        _WHAT, text, "NAME", shown="by the file name",
    )  # fmt: skip
    language_file: tuple[str, ...] = declare(
        (), "--language-file", "A language of your own, as docs/languages.md describes; may be repeated.",
        _WHAT, texts, "FILE", commands="scan compare index query index-check sweep locate holders",
        shown="none",
    )  # fmt: skip
    by: str = declare(
        "file", "--by", "What is compared: each file, or each first-level folder or archive of a PATH.",
        _WHAT, text, "UNIT", choices=("file", "dir"), commands="scan index",
    )  # fmt: skip
    base: tuple[str, ...] = declare(
        (), "--base", "Code that was handed out, which counts for nothing; may be repeated.",
        _WHAT, texts, "PATH", commands="scan sweep", shown="none",
    )  # fmt: skip
    earlier: tuple[str, ...] = declare(
        (), "--earlier", "Earlier submissions, compared with the new ones only; may be repeated.",
        _WHAT, texts, "PATH", commands="scan", shown="none",
    )  # fmt: skip
    metadata: str = declare(
        "", "--metadata", "CSV that tells label, author, team, time and attempt of each submission; "
        "those of one author or team are not compared.",
        _WHAT, text, "FILE", commands="scan index", shown="none",
    )  # fmt: skip
    noise: int | None = declare(
        None, "--noise", "Noise threshold k: nothing shorter is ever reported, in symbols of the kind.",
        _WHAT, count, "K", limits=(1, 100_000), shown="by kind",
    )  # fmt: skip
    guarantee: int | None = declare(
        None, "--guarantee", "Guarantee threshold t: anything at least this long is always found.",
        _WHAT, count, "T", limits=(1, 1_000_000), shown="by kind",
    )  # fmt: skip
    scheme: str = declare(
        "robust", "--scheme", "Which k-grams become fingerprints; `copysift formats` lists the schemes. "
        "min and adaptive-mod keep a sketch of each file: they estimate resemblance, and miss small parts "
        "of large files.",
        _WHAT, text, "NAME",
    )  # fmt: skip
    modulus: int | None = declare(
        None, "--modulus", "Keep about one k-gram in P, for the schemes mod, safe-mod and adaptive-mod.",
        _WHAT, count, "P", limits=(1, 2**32), shown="from the window",
    )  # fmt: skip
    sketch: int = declare(
        100, "--sketch", "Size of the sketches of the schemes min and adaptive-mod.",
        _WHAT, count, "S", limits=(1, 1_000_000), commands="scan compare",
    )  # fmt: skip
    anchor: tuple[str, ...] = declare(
        (), "--anchor", "An anchor string of the scheme anchor; may be repeated.",
        _WHAT, texts, "TEXT", shown="learned from the files",
    )  # fmt: skip
    disjoint: bool = declare(
        False, "--disjoint", "With the scheme mod, fingerprints do not overlap, as in sif.", _WHAT, flag
    )
    seed: int = declare(
        0, "--seed", "Secret that makes fingerprints unpredictable: a number or any text; 0 is none.",
        _WHAT, secret, "SECRET", commands="scan compare query index index-check sweep locate holders",
    )  # fmt: skip
    threshold: float | None = declare(
        None, "--threshold",
        "Report pairs whose measure reaches this: 25% or .25; a number for the measures shared and longest.",
        _PAIRS, fraction, "X", commands="scan show compare",
        shown="25%; 10 fingerprints for shared, 100 symbols for longest; anything for two files",
    )  # fmt: skip
    measure: str = declare(
        "similarity", "--measure", "What ranks and selects pairs (containment: the larger of the two).",
        _PAIRS, text, "NAME", choices=SHARES + COUNTS, commands="scan show compare",
    )  # fmt: skip
    min_shared: int | None = declare(
        None, "--min-shared",
        "Fewer shared fingerprints than this are no evidence, unless both files have no more.",
        _PAIRS, count, "N", limits=(1, None), commands="scan show",
        shown="2; 1 with --threshold 0, and by shared or longest",
    )  # fmt: skip
    min_match: int | None = declare(
        None, "--min-match", "Report a pair whose longest match has this many symbols, whatever its measure.",
        _PAIRS, count, "N", limits=(1, None), commands="scan show", shown="off",
    )  # fmt: skip
    same_suffix: bool = declare(
        False, "--same-suffix", "Only pairs of files with the same suffix.", _PAIRS, flag,
        commands="scan show",
    )  # fmt: skip
    size_ratio: float | None = declare(
        None, "--size-ratio", "Only pairs whose larger file has at most X times the bytes of the smaller.",
        _PAIRS, ratio, "X", limits=(1, None), commands="scan show", shown="off",
    )  # fmt: skip
    max_shared: int | float = declare(
        1000, "--max-shared", "Ignore fingerprints that more files or folders than this have, a number or a "
        "share (20%); they are counted and shown.",
        _PAIRS, count_or_share, "N", commands="scan",
    )  # fmt: skip
    floor: float = declare(
        0.05, "--floor", "Lowest share that --save keeps, and that `copysift show` can ask for later.",
        _PAIRS, fraction, "X", limits=(0, 1), commands="scan",
    )  # fmt: skip
    limit: int | None = declare(
        None, "--limit", "List at most N pairs, or groups, the best first; 0 lists all.",
        _PAIRS, count, "N", limits=(0, None), commands="scan show", shown="1,000 in a table, 500 in pages",
    )  # fmt: skip
    id_field: str = declare(
        "", "--id-field", "In JSON lines, Parquet and the like, the field that names a record.",
        _FILES, text, "NAME", commands="scan sweep", shown="id, uri or url; uri first for sweep",
    )  # fmt: skip
    text_field: str = declare(
        "text", "--text-field", "The field that holds the text of a record.", _FILES, text, "NAME",
        commands="scan sweep",
    )  # fmt: skip
    include: tuple[str, ...] = declare(
        (), "--include", "Only files whose name or path matches the glob; may be repeated.",
        _FILES, texts, "GLOB", shown="all",
    )  # fmt: skip
    exclude: tuple[str, ...] = declare(
        (), "--exclude", "No files or folders that match the glob; may be repeated.",
        _FILES, texts, "GLOB", shown="none",
    )  # fmt: skip
    hidden: bool = declare(False, "--hidden", "Read hidden files and folders too.", _FILES, flag)
    gitignore: bool = declare(False, "--gitignore", "Leave out what .gitignore files name.", _FILES, flag)
    follow: bool = declare(False, "--follow", "Follow symbolic links.", _FILES, flag)
    one_file_system: bool = declare(
        False, "--one-file-system", "Do not enter other file systems.", _FILES, flag
    )
    memory: int = declare(
        2_000_000_000, "--memory", "Memory that fingerprints may take before they go to disk.",
        _MACHINE, size, "SIZE", limits=(16_000_000, None), shown="2GB",
    )  # fmt: skip
    tmp_dir: str = declare(
        "", "--tmp-dir", "Folder for what does not fit in memory.", _MACHINE, text, "DIR",
        shown="the system's",
    )  # fmt: skip
    jobs: int = declare(
        0, "-j --jobs", "Threads; 0 is one a processor.", _MACHINE, count, "N", limits=(0, 1024)
    )

    def __post_init__(self) -> None:
        check_limits(self)
        if self.noise is not None and self.guarantee is not None and self.noise > self.guarantee:
            raise UsageError(
                f"the noise threshold {self.noise} is above the guarantee threshold {self.guarantee}",
                hint="the window is guarantee − noise + 1 and must be at least 1: "
                "lower --noise or raise --guarantee",
            )
        _check_threshold(self)
        _check_effect(self)
        check_max_shared(self.max_shared)
        if self.language and self.kind not in ("auto", "code"):
            raise UsageError(
                f"--language {self.language} and --kind {self.kind} exclude each other",
                hint="a language means --kind code",
            )

    def thresholds(self, kind: str, defaults: Thresholds | None = None) -> Thresholds:
        """Give k and t for a kind, filling in what was not set.

        A noise threshold alone keeps the kind's window; a guarantee threshold below the kind's noise
        threshold takes half of itself as noise threshold.
        """
        usual = defaults or THRESHOLDS.get(kind.partition(":")[0], THRESHOLDS["text"])
        if self.guarantee is None:
            noise = usual.noise if self.noise is None else self.noise
            return Thresholds(noise, noise + usual.window - 1)
        if self.noise is None:
            fits = usual.noise <= self.guarantee
            return Thresholds(usual.noise if fits else (self.guarantee + 1) // 2, self.guarantee)
        return Thresholds(self.noise, self.guarantee)

    @property
    def cut(self) -> float:
        """The threshold of the measure, filled in where it was not set."""
        if self.threshold is None:
            return DEFAULT_THRESHOLD.get(self.measure, DEFAULT_SHARE)
        return self.threshold

    @property
    def fewest(self) -> int:
        """The shared fingerprints that are evidence, filled in where it was not set."""
        if self.min_shared is None:
            return 2 if self.cut > 0 and self.measure in SHARES else 1
        return self.min_shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where names come from and how the answer is shown; nothing here changes it."""

    files_from: str = declare(
        "", "--files-from", "Read the paths from a list, one a line; - is standard input. Archives and "
        "records in it are files like others.",
        _FILES, text, "FILE", commands="scan", shown="none",
    )  # fmt: skip
    groups: bool = declare(
        False, "--groups", "List groups, each with the file that the others are compared with, as sif did.",
        _OUTPUT, flag, commands="scan show",
    )  # fmt: skip
    passages: int | None = declare(
        None, "--passages", "Print the N longest shared passages with their line numbers.",
        _OUTPUT, count, "N", limits=(0, 1_000_000), commands="scan compare query", shown="0; all for compare",
    )  # fmt: skip
    whole: bool = declare(
        False, "--whole", "Print passages whole, not their first 24 lines.",
        _OUTPUT, flag, commands="scan compare query",
    )  # fmt: skip
    format: str = declare(
        "", "--format", "table, json, csv or sif; scan, show and compare also html and moss (a folder); "
        "locate and history table or json, holders also csv, changes also html.",
        _OUTPUT, text, "NAME", commands="scan show compare query index-list locate history changes holders",
        shown="by the suffix of -o, else table", told={
            "locate": "table or json.", "history": "table or json.", "holders": "table, json or csv.",
            "changes": "table, json or html.",
        },
    )  # fmt: skip
    output: str = declare(
        "", "-o --output", "Write the report to a file.", _OUTPUT, text, "FILE",
        commands="scan show compare query locate history changes holders", shown="standard output",
    )  # fmt: skip
    title: str = declare(
        "", "--title", "Title of the page that --format html makes.", _OUTPUT, text, "TEXT",
        commands="scan", shown="none",
    )  # fmt: skip
    anonymise: bool = declare(
        False, "--anonymise", "Put pseudonyms in the place of names; the key goes to a file of its own.",
        _OUTPUT, flag, commands="scan",
    )  # fmt: skip
    key: str = declare(
        "", "--key", "File for the key of --anonymise; pseudonyms that it holds are used again.",
        _OUTPUT, text, "FILE", commands="scan", shown="beside the report",
    )  # fmt: skip
    save: str = declare(
        "", "--save", "Keep the run in the folder RUN, for `copysift show`.", _OUTPUT, text, "RUN",
        commands="scan", shown="not kept",
    )  # fmt: skip
    null: bool = declare(
        False, "-0 --null", "Names end with NUL: those of --files-from, and those printed, not a table.",
        _OUTPUT, flag, commands="scan show query index-list",
    )  # fmt: skip
    quiet: bool = declare(
        False, "-q --quiet", "No progress, no summary, no notes; skipped files are still named.",
        _OUTPUT, flag, commands=EVERYWHERE,
    )  # fmt: skip
    verbose: int = declare(
        0, "-v --verbose", "Say more: settings and times; twice: the traceback of an error.",
        _OUTPUT, count, limits=(0, 9),
        commands=EVERYWHERE,
    )  # fmt: skip
    color: str = declare(
        "auto", "--color", "Colours: auto (on a terminal), always or never.",
        _OUTPUT, text, "WHEN", choices=("auto", "always", "never"),
        commands="scan show compare query locate history changes holders",
    )  # fmt: skip
    server: str = declare(
        "", "--server", "Let a copysift server do it; a token stands in the variable COPYSIFT_TOKEN.",
        _MACHINE, text, "URL", commands="scan query", shown="here",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_limits(self)


def read_config(path: Path, classes: Iterable[type[Any]] = ()) -> dict[str, object]:
    """Read a config file: the names of settings, with - or _, and their values.

    It is read only when it is named: no answer depends on a file that happens to lie in a folder.
    """
    try:
        loaded = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the config file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    known: dict[str, Setting] = {}
    for kind in (Settings, Door, *classes):
        known = settings_of(kind) | known
    values = {key.replace("-", "_"): value for key, value in loaded.items()}
    for key, value in values.items():
        if key not in known:
            import difflib  # slow to load, and hardly ever needed

            named = key.replace("_", "-")
            keys = [entry.key for entry in known.values()]
            near = difflib.get_close_matches(named, keys, n=1, cutoff=0.75)
            hint = f"did you mean {near[0]}?" if near else f"settings: {', '.join(keys)}"
            raise UsageError(f"{path}: there is no setting {named!r}", hint=hint)
        known[key].parse(f"{path}: {known[key].key}", value)
    return values


# Settings that only some schemes heed; elsewhere they would silently do nothing.
_HEEDED = {"anchor": ("anchor",), "disjoint": ("mod",), "modulus": ("mod", "safe-mod", "adaptive-mod")}


def _check_effect(settings: Settings) -> None:
    for name, schemes in _HEEDED.items():
        if getattr(settings, name) and settings.scheme in _SCHEMES and settings.scheme not in schemes:
            raise UsageError(
                f"--{name} has no effect with the scheme {settings.scheme}",
                hint=f"leave it out, or choose --scheme {' or '.join(schemes)}",
            )


def _check_threshold(settings: Settings) -> None:
    value = settings.threshold
    if value is None:
        return
    if settings.measure in COUNTS:
        if value < 0 or value != int(value):
            raise UsageError(
                f"--threshold is {value:g}, but --measure {settings.measure} needs a whole number",
                hint="for example --threshold 100",
            )
    elif not 0 <= value <= 1:
        raise UsageError(
            f"--threshold is {value:g}, but must be between 0 and 1, or 0% and 100%",
            hint=f"write {value:g}% or {value / 100:g}" if 1 < value <= 100 else "write 25% or .25",
        )
