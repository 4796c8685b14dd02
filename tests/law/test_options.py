"""The law for options: in every command an option works, or is refused with a reason, or is none of its.

An option works if it changes the answer, where the documents are such that it must.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from copysift.cli.options import declared
from copysift.settings.refusals import REFUSALS
from copysift.settings.selection import COUNTS, MEASURES
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.cli.texts import prose
from tests.law.test_table import run
from tests.workflows.test_programs import PROGRAM, RENAMED

KIT, SITE = essay(90, 90), essay(91, 90)
LINES = "".join(" ".join(prose(seed).split()[:70]) + "\n" for seed in (1, 2, 1))
SIDES = "name,author\nd,Kim\ne,Kim\n"
METADATA = "name,author\nann,Kim\nbob,Kim\n"
Pick = Callable[[dict[str, object]], object]


def documents(here: Path) -> None:
    """Write programs of which one is renamed, texts with starter code, a large file and lines."""
    write(here, {
        "d/ann/a.py": PROGRAM, "d/bob/b.py": RENAMED, "d/ann/t.txt": KIT + essay(1),
        "d/bob/u.txt": KIT + essay(2),
        "d/ann/v.txt": essay(3), "d/bob/w.txt": essay(3)[: len(essay(3)) // 2] + essay(4, 200),
        "e/ann/a.py": PROGRAM + "print(1)\n", "e/x/t.txt": KIT + essay(5), "e/y/s.txt": essay(3) + essay(6),
        "d/cem/x.txt": KIT + essay(8), "bare/one": PROGRAM, "bare/two": RENAMED, "bare1/one": PROGRAM,
        "bare2/two": RENAMED, "tiny.jsonl": tiny(),
        "lines.dat": LINES, "kit.txt": KIT, "who.csv": METADATA, "sides.csv": SIDES,
        "new.py": RENAMED, "new": RENAMED,
        "mix.txt": KIT + essay(7, 30), "large.txt": KIT + essay(3),
    })  # fmt: skip


def tiny() -> str:
    """Give pairs of records that share so little that a sample misses some."""
    texts = [essay(100 + at, 16) + essay(300 + 2 * at + side, 600) for at in range(12) for side in (0, 1)]
    return "".join(json.dumps({"id": str(at), "text": text}) + "\n" for at, text in enumerate(texts))


def parsed(out: str, *keys: str) -> object:
    """Give some parts of JSON, without the settings that it repeats."""
    found = json.loads(out)
    return [found.get(key) for key in keys]


class Bench:
    """Runs commands in a folder, each with a name of its own for what it writes."""

    def __init__(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.here, self._capsys, self._count = here, capsys, 0

    def fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def call(self, *arguments: object) -> tuple[int, str, str]:
        return run(self._capsys, *arguments)

    def done(self, *arguments: object) -> str:
        status, out, err = self.call(*arguments)
        assert status in (0, 1, 3), err
        return out


def scan(bench: Bench, source: str, *given: str) -> object:
    return parsed(
        bench.done("scan", source, "--format", "json", "--no-regions", *given), "documents", "pairs"
    )


def show(bench: Bench, source: str, *given: str) -> object:
    saved = bench.fresh("run")
    bench.done("scan", source, "--save", saved, "-q")
    return parsed(bench.done("show", saved, "--format", "json", "--no-regions", *given), "pairs")


def compare(bench: Bench, source: str, *given: str) -> object:
    other = {"d": "e", "bare1": "bare2"}.get(source, source)
    done = bench.done("compare", source, other, "--format", "json", *given)
    return parsed(done, "equal", "similar", "pairs")


def index(bench: Bench, source: str, *given: str) -> object:
    made = bench.fresh("i") + ".sift"
    bench.done("index", "add", made, source, "-q", *given)
    listed = bench.done("index", "list", made, "--format", "json")
    return listed, scan(bench, made)


def query(bench: Bench, source: str, *given: str) -> object:
    made = bench.fresh("i") + ".sift"
    bench.done("index", "add", made, "d", "-q")
    return parsed(
        bench.done("query", made, source, "--format", "json", "--no-regions", *given), "queries", "hits"
    )


def swept(bench: Bench, source: str, *given: str) -> str:
    made = bench.fresh("s") + ".sift"
    bench.done("sweep", made, source, "--date", "2026-01-01", "--keep-text", "-q", *given)
    return made


def locate(bench: Bench, source: str, *given: str) -> object:
    made = swept(bench, "d", "--kind", "code") if source.startswith("new") else swept(bench, "d")
    return json.loads(bench.done("locate", made, source, "--file", "--format", "json", *given))


def copies(bench: Bench, source: str, *given: str) -> object:
    made = swept(bench, "d", "--kind", "code") if source.startswith("new") else swept(bench, "d")
    return parsed(bench.done("copies", made, source, "--format", "json", *given), "holders")


def sweep(bench: Bench, source: str, *given: str) -> object:
    made = swept(bench, source, *given)
    located = bench.done("locate", made, "mix.txt", "--file", "--format", "json", "--threshold", ".2")
    listed = bench.done("index", "list", made, "--format", "json")
    return listed, parsed(located, "now", "copies"), scan(bench, made)


def cluster(bench: Bench, source: str, *given: str) -> object:
    made = bench.fresh("c")
    bench.done("cluster", source, "-o", made, "-q", *given)
    counts = json.loads((bench.here / made / "run.json").read_text())["counts"]
    return counts, parsed(bench.done("show", made, "--format", "json"), "pairs", "clusters")


def dedup(bench: Bench, source: str, *given: str) -> object:
    made = bench.fresh("clean") + ".jsonl"
    bench.done("dedup", source, "-o", made, "-q", *given)
    removed = made.replace(".jsonl", ".removed.jsonl")
    return [(bench.here / name).read_text() for name in (made, removed)]


def check(bench: Bench, source: str, *given: str) -> object:
    known = ("--earlier", {"d": "e", "bare1": "bare2"}.get(source, source), "--threshold", ".01")
    done = bench.done("check", source, *known, "--format", "json", "--no-regions", "--noise", "8", *given)
    return parsed(done, "documents", "pairs")


COMMANDS: dict[str, Callable[..., object]] = {
    "scan": scan, "show": show, "compare": compare, "index": index, "query": query, "locate": locate,
    "copies": copies, "sweep": sweep, "cluster": cluster, "dedup": dedup,
    "check": check,
}  # fmt: skip
# What is read where, and the option; "" is any other command.
LOW = ("--floor", ".1", "--threshold", ".1")
CASES: dict[str, dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    # source, options of both runs, the option
    "kind": {
        "": ("d", (), ("--kind", "words")), "query": ("new.py", (), ("--kind", "text")),
        "compare": ("d", (), ("--kind", "bytes")),
        "locate": ("mix.txt", ("--threshold", ".1"), ("--kind", "bytes")),
        "copies": ("mix.txt", ("--threshold", ".1"), ("--kind", "bytes")),
        "cluster": ("d", LOW, ("--kind", "text")), "dedup": ("d", LOW, ("--kind", "text")),
    },
    "language": {
        "": ("bare", (), ("--language", "python")), "compare": ("bare1", (), ("--language", "python")),
        "query": ("new", (), ("--language", "python")),
        "locate": ("new", (), ("--language", "python")), "copies": ("new", (), ("--language", "python")),
    },
    "scheme": {
        "": ("d", (), ("--scheme", "all")), "cluster": ("d", LOW, ("--scheme", "all")),
        "dedup": ("tiny.jsonl", ("--floor", ".002", "--threshold", ".002"), ("--scheme", "all")),
    },
    "measure": {
        "": ("d", (), ("--measure", "resemblance")),
        "query": ("large.txt", (), ("--measure", "containment-right")),
        "compare": ("d", ("--threshold", ".6"), ("--measure", "containment-right")),
        "cluster": ("d", ("--floor", ".1", "--threshold", ".3"), ("--measure", "containment")),
        "dedup": ("d", ("--floor", ".1", "--threshold", ".3"), ("--measure", "containment")),
    },
    "base": {
        "": ("d", (), ("--base", "kit.txt")), "query": ("mix.txt", (), ("--base", "kit.txt")),
        "locate": ("mix.txt", ("--threshold", ".1"), ("--base", "kit.txt")),
        "copies": ("mix.txt", (), ("--base", "kit.txt")),
        "cluster": ("d", LOW, ("--base", "kit.txt")), "dedup": ("d", LOW, ("--base", "kit.txt")),
    },
    "by": {"": ("d", (), ("--by", "dir"))},
    "metadata": {
        "": ("d", ("--by", "dir"), ("--metadata", "who.csv")),
        "compare": ("d", ("--by", "dir"), ("--metadata", "sides.csv")),
        "cluster": ("d", ("--by", "dir", *LOW), ("--metadata", "who.csv")),
        "dedup": ("d", ("--by", "dir", *LOW), ("--metadata", "who.csv")),
    },
    "earlier": {"": ("d", (), ("--earlier", "e"))},
    "max-shared": {
        "": ("d", (), ("--max-shared", "2")), "query": ("mix.txt", (), ("--max-shared", "2")),
        "cluster": ("d", LOW, ("--max-shared", "2")), "dedup": ("d", LOW, ("--max-shared", "2")),
    },
    "max-bytes-per-file": {
        "": ("d", (), ("--max-bytes-per-file", "1500")),
        "query": ("large.txt", (), ("--max-bytes-per-file", "1500")),
    },
    "input-format": {"": ("lines.dat", (), ("--input-format", "lines"))},
}  # fmt: skip
WORKS, REFUSED, NONE = "works", "refused", "not an option"
TABLE = {
    #                      scan show compare index query locate copies sweep cluster dedup
    "kind":               "w    -    w       w     w     w      w      w     w       w",
    "language":           "w    -    w       w     w     w      w      w     w       w",
    "scheme":             "w    -    w       w     -     -      -      w     w       w",
    "measure":            "w    w    w       -     w     -      -      -     w       w",
    "base":               "w    -    w       w     w     w      w      w     w       w",
    "by":                 "w    -    w       w     w     -      -      w     w       w",
    "metadata":           "w    -    w       w     -     -      -      w     w       w",
    "earlier":            "w    -    -       -     -     -      -      -     w       w",
    "max-shared":         "w    -    -       -     w     -      -      w     w       w",
    "max-bytes-per-file": "w    -    w       w     w     -      -      w     w       w",
    "input-format":       "w    -    w       w     w     -      -      w     w       w",
}  # fmt: skip
CHECK = dict.fromkeys(TABLE, "w") | dict.fromkeys(("measure", "by", "metadata", "input-format"), "-")
del CHECK["earlier"]  # which a check always has here
MARKS = {"w": WORKS, "r": REFUSED, "-": NONE}
CELLS = [
    (option, command, MARKS[mark])
    for option, marks in TABLE.items()
    for command, mark in zip(COMMANDS, [*marks.split(), CHECK.get(option, "")], strict=True)
    if mark
]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    monkeypatch.chdir(tmp_path)
    documents(tmp_path)
    return Bench(tmp_path, capsys)


@pytest.mark.parametrize(
    ("option", "command", "expected"), CELLS, ids=lambda value: str(value).replace(" ", "-")
)
def test_an_option_works_or_is_refused_with_a_reason(option, command, expected, bench):
    cases = CASES[option]
    source, common, given = cases.get(command, cases[""])
    if expected == WORKS:
        plain = COMMANDS[command](bench, source, *common)
        assert COMMANDS[command](bench, source, *common, *given) != plain
        return
    assert (option.replace("-", "_") in declared(command)) == (expected == REFUSED)
    names = {
        "index": ("index", "add", "i.sift", "d"),
        "show": ("show", "run"),
        "compare": ("compare", "d", "e"),
    }
    words = names.get(command, (command, "d", "x"))
    status, _, err = bench.call(*words, *given)
    assert status == 2
    assert "yet" not in err
    if expected == REFUSED:
        assert f"--{option} is not possible in {command}: " in err
        assert "hint: " in err


def test_every_refusal_is_in_the_table_or_about_values():
    whole = {
        (row.option, command)
        for row in REFUSALS
        for command in row.commands.split()
        if not row.values and row.when is None and row.option in TABLE
    }
    assert whole == {(option, command) for option, command, mark in CELLS if mark == REFUSED}


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_selects_in_every_command_that_has_one(measure, bench):
    low = ("--measure", measure, "--threshold", "5" if measure in COUNTS else ".05")
    high = ("--measure", measure, "--threshold", "100000" if measure in COUNTS else "1")
    for command, source in (
        ("scan", "d"), ("compare", "d/ann/v.txt"), ("query", "large.txt"), ("cluster", "d"), ("dedup", "d"),
    ):  # fmt: skip
        if command == "compare":
            words = ("compare", source, "d/bob/w.txt", "-q")
            assert (bench.call(*words, *low)[0], bench.call(*words, *high)[0]) == (0, 1)
        else:
            assert COMMANDS[command](bench, source, *low) != COMMANDS[command](bench, source, *high)
    bench.done("scan", "d", "--save", "saved", "-q", *low)
    shown = [bench.done("show", "saved", "--format", "json", *given) for given in (low, high)]
    assert parsed(shown[0], "pairs") != parsed(shown[1], "pairs")
    bench.done("cluster", "d", "-o", "run", "-q", "--floor", ".05")
    assert bench.done("recluster", "run", *low) != bench.done("recluster", "run", *high)
