"""The settings of a corpus: cluster, recluster and dedup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.commands import CONTENTS, MAKE_RUN, OUTPUT, REPORTED, SOURCES
from copysift.settings.comparison import Settings
from copysift.settings.contents import Contents
from copysift.settings.declaration import alias, declare, make, settings_of, with_default
from copysift.settings.parsing import count, flag, fraction, text
from copysift.settings.selection import CORPUS_FLOOR, MADE_LATER, SAME, PairFilters, Selection, lower_floor

POLICIES = ("component", "representative", "complete")
WIDTH = 10  # words of a shingle, unless the documents are short


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """How candidate pairs are found and clusters are formed."""

    features: str = declare(
        "", "--features",
        "Compare sets of features instead of text: a list column, or `module:function`.",
        CONTENTS, text, "NAME", commands=MAKE_RUN, default_text="none",
    )  # fmt: skip
    candidates: str = declare(
        "shared", "--candidates",
        "How to find candidate pairs: shared (shingles) or super (super shingles; faster, finds fewer).",
        CONTENTS, text, "HOW", choices=("shared", "super"), commands=MAKE_RUN,
        aliases=(alias("--method", values={"mod": "shared"}),),
    )  # fmt: skip
    template: int = declare(
        10, "--template",
        "Pairs that share little but text in more than N documents, and have passages of their own, do not "
        "count (0: all count).",
        CONTENTS, count, "N", limits=(0, 1_000_000_000), commands=MAKE_RUN,
    )  # fmt: skip
    super_size: int = declare(
        6, "--super-size", "Shingles per super shingle.", CONTENTS, count, "N", limits=(1, 1000),
        commands=MAKE_RUN,
    )  # fmt: skip
    estimate: bool = declare(
        False, "--estimate", "Estimate measures from sketches and skip the exact check.", REPORTED, flag,
        commands=MAKE_RUN,
    )  # fmt: skip
    policy: str = declare(
        "", "--policy",
        "How to form clusters: component (single link), representative or complete.",
        REPORTED, text, "NAME", choices=POLICIES,
        commands=f"{MAKE_RUN} recluster", default_text="component", default_for={"dedup": "representative"},
    )  # fmt: skip
    slim: bool = declare(
        False, "--slim",
        "Make RUN smaller. You cannot extend or query it, or use it with dedup --against later.",
        OUTPUT, flag, commands="cluster",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CutOptions:
    """Which passages dedup cuts."""

    min_passage: int = declare(
        0, "--min-passage", "With --passages: leave passages of fewer words.", REPORTED, count, "N",
        limits=(0, 100_000), commands="dedup", default_text="20; with --against and --test one shingle",
    )  # fmt: skip
    near: float = declare(
        1.0, "--near",
        "With --max-copies: lines, sentences or paragraphs with this resemblance (word pairs that both have) "
        "count as copies.",
        REPORTED, fraction, "X", commands="dedup", default_text="only equal ones",
    )  # fmt: skip
    min_overlap: float = declare(
        0.0, "--min-overlap",
        "With --test: count an item only in documents that have at least this share of its words.",
        REPORTED, fraction, "X", commands="dedup", default_text="any passage",
    )  # fmt: skip
    test_field: str = declare(
        "", "--test-field",
        "Field with the text of an item of --test, or several: question,choices[*].",
        SOURCES, text, "NAME", commands="dedup",
        default_text="the text field, question, prompt, problem or input",
    )  # fmt: skip
    cut_at: str = declare(
        "word", "--cut-at",
        "With --passages: cut copied words, or only whole lines, sentences or paragraphs that are copies.",
        REPORTED, text, "UNIT", choices=("word", "line", "sentence", "paragraph"), commands="dedup",
    )  # fmt: skip
    max_copies: int = declare(
        0, "--max-copies",
        "With --passages: cut what is in more than N documents (1: all that comes again, in one document "
        "too). Lines, sentences or paragraphs are compared whole, short ones too; with --cut-at word, "
        "paragraphs of fewer than --min-passage words are compared whole.",
        REPORTED, count, "N", limits=(0, 1_000_000_000), commands="dedup", default_text="by --min-passage",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(CutOptions, ClusterOptions, Settings):
    """What decides the clusters of a corpus, and what they may cost."""

    COMMANDS: ClassVar[str] = f"{MAKE_RUN} recluster"
    SHARE: ClassVar[float] = SAME

    shingle: int = with_default(Contents, "shingle", 0, f"{WIDTH}, fewer for short texts")
    scheme: str = with_default(Contents, "scheme", "mod")
    modulus: int = with_default(Contents, "modulus", 25)
    max_shared: int | float = with_default(Contents, "max_shared", 1000)
    measure: str = with_default(Selection, "measure", "resemblance")
    floor: float = with_default(PairFilters, "floor", CORPUS_FLOOR)

    @staticmethod
    def complete(values: dict[str, object]) -> dict[str, object]:
        """Add what given values imply."""
        return lower_floor(_expand_scheme(values), CORPUS_FLOOR)

    def most_shared(self, documents: int = 0) -> int:
        """Give the number of documents that may share a shingle; a share of all is at least two.

        Where `documents` is left out, it is a number already.
        """
        most = self.max_shared
        return most if isinstance(most, int) else max(2, int(most * documents))

    # Names that the engines use.

    @property
    def width(self) -> int:
        """The words of a shingle."""
        return self.shingle or WIDTH

    @property
    def resemblance(self) -> float:
        """The threshold of the measure."""
        return self.cut

    @property
    def contained(self) -> bool:
        """Whether documents of which one contains the other are near-duplicates too."""
        return self.measure == "containment"

    @property
    def html(self) -> str:
        """Whether texts are HTML: auto, always or never."""
        return {"html": "always", "html-words": "always", "words": "never"}.get(self.kind, "auto")

    @property
    def method(self) -> str:
        """How candidates are found, as run.json names it: mod or super."""
        return "super" if self.candidates == "super" else "mod"

    @property
    def input(self) -> str:
        """The format of the sources."""
        return self.input_format


def finished_here(settings: CorpusSettings) -> list[str]:
    """Name the options for which this machine does the last phase of a run that Spark has made."""
    asked = ["--by dir"] if settings.by == "dir" else []
    asked += [f"--{name}" for name in ("metadata", "earlier") if getattr(settings, name)]
    return [*asked, *([f"--measure {settings.measure}"] if settings.measure in MADE_LATER else [])]


def refuse_far(settings: CorpusSettings, where: str) -> None:
    """Raise UsageError for options that need the folder of a run, which this machine reads."""
    asked = finished_here(settings)
    if asked:
        raise UsageError(
            f"{asked[0]} needs the shingles of a run, in a folder that this machine reads: {where} has none",
            hint="use files, with -o in a folder that every executor sees, or --engine local",
        )


def _expand_scheme(values: dict[str, object]) -> dict[str, object]:
    """Give --scheme all as what it is in a corpus: --modulus 1. Candidates share any shingle then."""
    if values.get("scheme") != "all":
        return values
    if values.get("modulus") not in (None, 1):
        raise UsageError("--scheme all takes every shingle", hint="leave out --modulus")
    return {**values, "scheme": "mod", "modulus": 1}


# Settings that change what a run costs or how it is clustered, but not the pairs that it finds.
NO_ANSWER = (
    "memory", "jobs", "slim", "threshold", "measure", "policy", "min_passage", "cut_at", "max_copies",
    "min_overlap", "test_field", "near",
)  # fmt: skip
# Present option → its name in run.json, with the values that differ.
_STORED: dict[str, tuple[str, dict[object, object]]] = {
    "kind": ("html", {"always": "html-words", "never": "words"}),
    "candidates": ("method", {"mod": "shared"}),
    "input_format": ("input", {}),
}


def stored_settings(settings: CorpusSettings) -> dict[str, Any]:
    """Give the settings that decide which pairs a run finds, as run.json has them; the seed is left out."""
    names = [name for name in settings_of(CorpusSettings) if name not in (*NO_ANSWER, "seed")]
    values = {name: getattr(settings, name) for name in names}
    values |= {old: getattr(settings, old) for old, _ in _STORED.values()} | {"shingle": settings.width}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def from_stored(stored: Mapping[str, Any]) -> CorpusSettings:
    """Give the settings of a run, of this version or an earlier one, from its run.json; no seed."""
    known = settings_of(CorpusSettings)
    values = {
        name: value for name, value in stored.items() if name in known and name not in (*NO_ANSWER, "seed")
    }
    for name, (old, renamed) in _STORED.items():
        if name not in values and old in stored:
            values[name] = renamed.get(stored[old], stored[old])
    return make(CorpusSettings, values)
