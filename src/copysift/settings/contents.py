"""What to compare: kinds, languages, units, thresholds and schemes, each option declared once."""

from __future__ import annotations

from copysift.errors import UsageError
from copysift.model.traits import (
    DEFAULT_SCHEME,
    SCHEME_OPTIONS,
    Thresholds,
    kind_traits,
    scheme_traits,
    schemes_with,
)
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import CONTENTS, FILES, LOOK_UP, MAKE_RUN, READ
from copysift.settings.declaration import alias, declare, settings_of
from copysift.settings.parsing import check_max_shared, count, count_or_share, flag, secret, text, texts


@dataclass(frozen=True, kw_only=True)
class LookUp:
    """How one document is read; for a look-up, the settings of the index decide the rest."""

    kind: str = declare(
        "auto", "--kind",
        "How to read documents: auto (by content, then name), text, words, code, html, html-words, bytes or "
        "executable.",
        CONTENTS, text, "KIND", commands=f"{FILES} {LOOK_UP}",
        help_for={
            LOOK_UP: "How to read what you look up: auto (by content, then name), or a kind that the index "
            "has."
        },
        aliases=(alias("--html", MAKE_RUN, values={"always": "html-words", "never": "words"}),),
    )  # fmt: skip
    language: str = declare(
        "", "--language", "Treat all programs as this language. See `copysift languages`.",
        CONTENTS, text, "NAME", commands=f"{FILES} {LOOK_UP}", default_text="by file name",
        help_for={LOOK_UP: "Treat what you look up as a program in this language. See `copysift languages`."},
        aliases=(alias("--as", "query"),),
    )  # fmt: skip
    base: tuple[str, ...] = declare(
        (), "--base", "Starter code to ignore. Repeatable.",
        CONTENTS, texts, "PATH", commands=f"{FILES} {LOOK_UP}", default_text="none",
        help_for={
            "index": "Starter code to ignore, also in later queries and scans of the index. Repeatable.",
            LOOK_UP: "Starter code to ignore, besides that of the index. Repeatable.",
        },
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Contents(LookUp):
    """What in a document counts, and which of it becomes fingerprints."""

    language_file: tuple[str, ...] = declare(
        (), "--language-file", "Add a language of your own (see docs/languages.md). Repeatable.",
        CONTENTS, texts, "FILE", commands=f"{FILES} {LOOK_UP} index-check languages", default_text="none",
    )  # fmt: skip
    by: str = declare(
        "file", "--by",
        "What counts as one document: file, or dir (each first-level folder or archive is one submission).",
        CONTENTS, text, "UNIT", choices=("file", "dir"), commands=f"{READ} query",
    )  # fmt: skip
    earlier: tuple[str, ...] = declare(
        (), "--earlier",
        "Also compare with these known documents, but not those with each other: files, folders or an index. "
        "Repeatable.",
        CONTENTS, texts, "SOURCE", commands=f"scan check {MAKE_RUN}", default_text="none",
        help_for={
            "check": "Compare with these files, folders or an index. Repeatable.",
            MAKE_RUN: "Also compare with these known documents, but not those with each other: files, "
            "folders or one run. Repeatable.",
        },
        default_for={"check": "the other files of the git repository"},
        aliases=(alias("--against", "scan"),),
    )  # fmt: skip
    metadata: str = declare(
        "", "--metadata",
        "CSV file with the label, author, team, time and attempt of each submission. Work of one author or "
        "team is not compared.",
        CONTENTS, text, "FILE", commands=READ, default_text="none",
    )  # fmt: skip
    noise: int | None = declare(
        None, "--noise", "Noise threshold: ignore matches shorter than K symbols.",
        CONTENTS, count, "K", limits=(1, 100_000), commands=FILES, default_text="by kind",
    )  # fmt: skip
    guarantee: int | None = declare(
        None, "--guarantee", "Guarantee threshold: always find matches of at least T symbols.",
        CONTENTS, count, "T", limits=(1, 1_000_000), commands=FILES, default_text="by kind",
    )  # fmt: skip
    shingle: int | None = declare(
        None, "--shingle", "Words per shingle. Same as --kind words --noise W --guarantee W.",
        CONTENTS, count, "W", limits=(1, 1000), commands=FILES, default_text="10",
        help_for={MAKE_RUN: "Words per shingle."},
    )  # fmt: skip
    scheme: str = declare(
        DEFAULT_SCHEME, "--scheme", "How to choose fingerprints. See `copysift formats`.",
        CONTENTS, text, "NAME", commands=FILES, default_for={MAKE_RUN: "mod"},
    )  # fmt: skip
    modulus: int | None = declare(
        None, "--modulus", "Keep about 1 k-gram in P (schemes mod, safe-mod), at most 1 in P (adaptive-mod).",
        CONTENTS, count, "P", limits=(1, 2**32), commands=FILES, default_text="from the window",
        default_for={MAKE_RUN: "25"},
    )  # fmt: skip
    sketch: int = declare(
        100, "--sketch", "Sketch size (schemes min, adaptive-mod).",
        CONTENTS, count, "S", limits=(1, 1_000_000), commands=f"scan compare {MAKE_RUN}",
    )  # fmt: skip
    anchor: tuple[str, ...] = declare(
        (), "--anchor", "Anchor string (scheme anchor). Repeatable.",
        CONTENTS, texts, "TEXT", commands=FILES, default_text="learned", default_for={"index sweep": "none"},
    )  # fmt: skip
    disjoint: bool = declare(
        False, "--disjoint", "Do not let fingerprints overlap (scheme mod).", CONTENTS, flag, commands=FILES
    )
    max_shared: int | float = declare(
        1000, "--max-shared",
        "Ignore fingerprints found in more than N documents (or a share such as 20%). They are counted and "
        "shown.",
        CONTENTS, count_or_share, "N", commands=f"scan check query {MAKE_RUN}",
        default_for={"check": "10"},
        help_for={
            "check": "Ignore what more than N files have (or a share such as 20%), such as a licence header.",
            MAKE_RUN: "Shingles found in more than N documents do not form pairs on their own.",
            "query": "Ignore fingerprints found in more than N documents of the index (or a share such as "
            "20%). They are counted.",
        },
    )  # fmt: skip
    seed: int = declare(
        0, "--seed",
        "Secret number or text that makes fingerprints unpredictable. Other users can see it in the process "
        "list: prefer --seed-file.",
        CONTENTS, secret, "SECRET", commands=f"{FILES} {LOOK_UP} index-check", default_text="none",
    )  # fmt: skip

    def thresholds(self, kind: str, defaults: Thresholds | None = None) -> Thresholds:
        """Give k and t for a kind, with defaults for what was not set.

        A noise threshold alone keeps the kind's window; a guarantee threshold below the kind's noise
        threshold takes half of itself as noise threshold.
        """
        usual = defaults or kind_traits(kind).thresholds
        if self.guarantee is None:
            noise = usual.noise if self.noise is None else self.noise
            return Thresholds(noise, noise + usual.window - 1)
        if self.noise is None:
            fits = usual.noise <= self.guarantee
            return Thresholds(usual.noise if fits else (self.guarantee + 1) // 2, self.guarantee)
        return Thresholds(self.noise, self.guarantee)


def expand_shingle(values: dict[str, object]) -> dict[str, object]:
    """Give --shingle W as what it is short for: --kind words --noise W --guarantee W."""
    width = values.get("shingle")
    if width is None:
        return values
    kind = values.get("kind", "auto")
    if kind != "auto" and kind_traits(str(kind)).symbols != "words":
        raise UsageError(f"--shingle does not fit --kind {kind}", hint="shingles are made of words")
    for name in ("noise", "guarantee"):
        if values.get(name) not in (None, width):
            raise UsageError(f"--shingle {width} sets --{name} too", hint=f"leave out --{name}")
    return {**values, "kind": "words" if kind == "auto" else kind, "noise": width, "guarantee": width}


def check_contents(settings: Contents) -> None:
    """Raise UsageError where options contradict each other or have no effect."""
    if settings.noise is not None and settings.guarantee is not None and settings.noise > settings.guarantee:
        raise UsageError(
            f"the noise threshold {settings.noise} is above the guarantee threshold {settings.guarantee}",
            hint="the window is guarantee − noise + 1 and must be at least 1: "
            "lower --noise or raise --guarantee",
        )
    for name in SCHEME_OPTIONS:
        usual = settings_of(type(settings))[name].default
        if getattr(settings, name) != usual and name not in scheme_traits(settings.scheme).options:
            raise UsageError(
                f"--{name} has no effect with the scheme {settings.scheme}",
                hint=f"leave it out, or choose --scheme {' or '.join(schemes_with(name))}",
            )
    check_max_shared(settings.max_shared)
    if settings.language and settings.kind != "auto" and not kind_traits(settings.kind).languages:
        raise UsageError(
            f"--language {settings.language} and --kind {settings.kind} exclude each other",
            hint="a language means --kind code",
        )
