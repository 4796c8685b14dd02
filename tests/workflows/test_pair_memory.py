"""Memory does not grow with the number of pairs: the peak of a process that runs the command is measured."""

import json
import random
import subprocess
import sys
from contextlib import contextmanager

import pytest

import copysift

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
MEMORY = 32 << 20
PYTHON = 110 << 20  # what a scan of so many documents takes without their pairs
PARQUET = 80 << 20  # what reading and writing tables takes more
COMMAND = """
import re, sys
from copysift.cli.main import main
sys.argv[0] = "copysift"
try:
    main()
finally:
    # not ru_maxrss, which a process takes over from the one that started it
    held = re.search("VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())
    print("peak", int(held[1]) * 1024, file=sys.stderr)
"""


def write_notes(path, documents, alike, longest=14):
    """Write records, `alike` of which share up to `longest` words: nearly all of these are pairs."""
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(5000)]
    with path.open("w") as file:
        for number in range(documents):
            if number % alike == 0:
                common = " ".join(chance.choices(words, k=chance.randint(14, longest)))
            text = f"{common} {' '.join(chance.choices(words, k=3))}"
            file.write(json.dumps({"id": f"n{number}", "text": text}) + "\n")


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, int(done.stderr.rsplit("peak ", 1)[1])


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    path = tmp_path_factory.mktemp("notes") / "notes.jsonl"
    write_notes(path, documents=8000, alike=500)
    return path


def test_two_million_pairs_stay_within_the_memory(notes):
    shown, peak = run("scan", notes, "--memory", MEMORY, "--limit", 3)
    assert "1,9" in shown
    assert peak < MEMORY + PYTHON


def test_saved_runs_and_reports_of_many_pairs_stay_within_the_memory(notes, tmp_path):
    saved = tmp_path / "run"
    crowded = ("--scheme", "robust")  # of notes as short as these it lists far more pairs than the default
    shown, peak = run("scan", notes, "--memory", MEMORY, "--limit", 3, "--save", saved, *crowded)
    assert peak < MEMORY + PYTHON + PARQUET
    again, peak = run("show", saved, "--memory", MEMORY, "--limit", 3)
    assert peak < MEMORY + PYTHON + PARQUET
    assert again == shown
    report = tmp_path / "pairs.json"
    asked = ("--memory", MEMORY, "--threshold", "60%", "--format", "json", "--no-regions", "-o", report)
    _, peak = run("show", saved, *asked)
    assert peak < MEMORY + PYTHON + PARQUET
    assert len(json.loads(report.read_bytes())["pairs"]) > 100_000


SMALLEST = 16_000_000  # of --memory
SETTINGS = [
    {},
    {"measure": "shared", "threshold": 5},
    {"measure": "resemblance", "threshold": 0.7},
    {"measure": "longest", "threshold": 30},
    {"min_match": 60},
    {"scheme": "min", "threshold": 0.5},
    {"same_suffix": True, "size_ratio": 1.05},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_answer_does_not_depend_on_the_memory(tmp_path, settings):
    texts = tmp_path / "texts"
    texts.mkdir()
    write_notes(tmp_path / "notes.jsonl", documents=120, alike=15, longest=80)
    for number, line in enumerate((tmp_path / "notes.jsonl").read_text().splitlines()):
        text = json.loads(line)["text"]
        (texts / f"{number:03}.{('txt', 'md', 'py')[number % 3]}").write_text(text)
        if number % 10 == 0:  # equal files, which stand for each other
            (texts / f"{number:03}-copy.{'txt' if number % 20 else 'md'}").write_text(text)
    expected = copysift.scan(texts, regions=True, groups=True, **settings)
    assert len(expected.pairs) > 100
    with little_memory():
        assert copysift.scan(texts, regions=True, groups=True, memory=SMALLEST, **settings) == expected


@contextmanager
def little_memory():
    """Give every share of the memory next to nothing."""
    shares = {
        "workflows.channels.FORMED": 1e-9, "workflows.channels.FEWEST": 20, "workflows.selection.PAIRS": 1e-9,
        "workflows.longest_matches.MATCHED": 50, "workflows.matches.REGIONS": 1e-9,
        "match.pair_table.FEWEST": 16, "match.pair_table.HEAD": 10,
        "join.rows.LOOSE": 1 << 30,  # ranges of rows end early
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in shares.items():
            patch.setattr(f"copysift.{name}", value)
        yield
