"""The same bytes come out for any number of threads, any memory, and files made in any order."""

import functools
import os
import shutil

import pytest

from tests.cli.program import copysift, write
from tests.cli.submissions import essay
from tests.workflows.test_programs import PROGRAM, RENAMED

run = functools.partial(copysift, fresh=True)  # each process with another seed of `hash`
WAYS = {"one": ("-j", "1"), "many": ("-j", "5"), "little": ("-j", "3", "--memory", "16MB")}
FILES = {
    f"d/{at:02}/{part}.txt": essay(at % 17) + essay(100 + at + part) for at in range(40) for part in range(3)
}
FILES |= {"d/ann/a.py": PROGRAM, "d/bob/b.py": RENAMED, "d/cem/c.py": PROGRAM + "print(1)\n"}


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """The same files in two folders, made in opposite orders."""
    made = {}
    for name, files in (("forth", FILES), ("back", dict(reversed(FILES.items())))):
        made[name] = tmp_path_factory.mktemp(name)
        write(made[name], files)
        for number, path in enumerate(sorted(made[name].rglob("*.txt"))):
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    return made


def ways(trees):
    """Give every folder and way of running a command."""
    yield trees["back"], WAYS["many"]
    for way in WAYS.values():
        yield trees["forth"], way


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "d", "--format", "json"), ("scan", "d", "--format", "csv"), ("scan", "d", "--by", "dir"),
        ("scan", "d", "--format", "json", "--scheme", "mod", "--threshold", "5%"), ("order", "d"),
        ("compare", "d/00", "d/17", "--format", "json"),
    ],
)  # fmt: skip
def test_a_report_has_the_same_bytes(trees, command):
    found = {run(here, *command, *way).out for here, way in ways(trees)}
    assert len(found) == 1
    assert len(found.pop()) > 300


def test_a_corpus_has_the_same_tables_and_the_same_records(trees):
    found = set()
    for here, way in ways(trees):
        for name in ("run", "clean.jsonl", "clean.removed.jsonl"):
            path = here / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        assert run(here, "cluster", "d", "-o", "run", *way).status in (0, 1)
        tables = [
            (here / "run" / f"{name}.parquet").read_bytes() for name in ("documents", "pairs", "clusters")
        ]
        assert run(here, "dedup", "d", "-o", "clean.jsonl", *way).status in (0, 1)
        found.add((*tables, (here / "clean.jsonl").read_bytes(), (here / "clean.removed.jsonl").read_bytes()))
    assert len(found) == 1


def test_an_index_gives_the_same_answers(trees):
    found = set()
    for here, way in ways(trees):
        shutil.rmtree(here / "x.sift", ignore_errors=True)
        assert run(here, "index", "add", "x.sift", "d", *way).status == 0
        outputs = [
            run(here, "query", "x.sift", "d/00", "--format", "json").out,
            run(here, "scan", "x.sift", "--format", "csv", *way).out,
        ]
        found.add(tuple(outputs))
    assert len(found) == 1
