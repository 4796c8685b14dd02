"""Options for which this machine does the last phase: Spark's run is the one that the local engine makes."""

import json

import pytest

from copysift.cli.main import main
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.corpus.texts import rows

TABLES = ("documents", "pairs", "clusters")
LOW = ("--floor", ".1", "--threshold", ".15")


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shared = essay(50, 60)
    write(tmp_path, {
        "d/ann/1.txt": essay(1), "d/ann/2.txt": shared + essay(2), "d/bob/1.txt": essay(1) + essay(3, 50),
        "d/cem/a/1.txt": essay(4), "d/dee/1.txt": essay(4, 160) + essay(5), "d/eve/1.txt": shared + essay(6),
        "old/x/1.txt": essay(4), "old/y/1.txt": essay(4) + essay(7, 30), "old/z/1.txt": essay(8),
        "old/w/1.txt": essay(8),
        "who.csv": "name,author\ncem,Kim\ndee,Kim\nnobody,Lee\n",
        "files.csv": "name,author\ncem/a/1.txt,Kim\ndee/1.txt,Kim\n",
    })  # fmt: skip
    return tmp_path


CASES = {
    "submissions": ("--by", "dir", *LOW),
    "authors of submissions": ("--by", "dir", "--metadata", "who.csv", *LOW),
    "authors of files": ("--metadata", "files.csv", *LOW),
    "earlier files": ("--earlier", "old", *LOW),
    "earlier submissions": ("--by", "dir", "--earlier", "old", "--metadata", "who.csv", *LOW),
    "an earlier run": ("--earlier", "known", *LOW),
    "similarity": ("--measure", "similarity", *LOW),
    "sif": ("--measure", "sif", *LOW),
    "longest": ("--measure", "longest", "--threshold", "30", "--floor", ".01"),
    "all together": (
        "--measure", "longest", "--threshold", "30", "--by", "dir", "--earlier", "old", "--floor", ".01",
    ),
}  # fmt: skip


def options(case, here):
    """Give the options of a case; tasks of Spark have another current folder."""
    files = {"old", "known", "who.csv", "files.csv"}
    return [str(here / each) if each in files else each for each in CASES[case]]


@pytest.mark.parametrize("case", CASES)
def test_the_run_is_that_of_the_local_engine(case, spark, here):
    if case == "an earlier run":
        assert main(["cluster", str(here / "old"), "-o", "known", "-q", "--floor", ".1"]) == 0
    skipped = 3 if "who.csv" in CASES[case] else 0
    for engine in ("local", "spark"):
        given = ["cluster", str(here / "d"), *options(case, here), "-o", engine, "--engine", engine, "-q"]
        assert main(given) == skipped
    for name in TABLES:
        assert rows(here / "spark", name) == rows(here / "local", name)
    assert rows(here / "local", "clusters")
    one, other = (json.loads((here / name / "run.json").read_text()) for name in ("local", "spark"))
    assert other["engine"] == "spark"
    for name in ("counts", "settings", "sources", "skipped", "reasons"):
        assert other[name] == one[name]


@pytest.mark.parametrize("case", ["authors of submissions", "earlier files", "longest"])
def test_dedup_keeps_what_the_local_engine_keeps(case, spark, here):
    kept = []
    for engine in ("local", "spark"):
        out = ["-o", f"{engine}.jsonl", "--engine", engine, "-q"]
        main(["dedup", str(here / "d"), *options(case, here), *out])
        kept.append([(here / f"{engine}{end}").read_text() for end in (".jsonl", ".removed.jsonl")])
    assert kept[0] == kept[1]
    assert len(kept[0][1].splitlines()) > 0


def test_a_slim_run_has_no_shingles_in_the_end(spark, here):
    assert (
        main(
            [
                "cluster",
                str(here / "d"),
                "--by",
                "dir",
                *LOW,
                "-o",
                "run",
                "--engine",
                "spark",
                "--slim",
                "-q",
            ]
        )
        == 0
    )
    assert not list((here / "run" / "sketches").glob("shingles-*"))


def test_what_has_no_folder_of_shingles_is_refused_with_a_reason(spark, here, capsys):
    uri = (here / "d").as_uri()
    for given in (
        ["cluster", uri, "--by", "dir", "-o", "run"],
        ["cluster", "d", "--measure", "longest", "-o", f"{here.as_uri()}/far"],
        ["dedup", "d", "--earlier", "old", "-o", f"{here.as_uri()}/far.jsonl"],
    ):
        assert main([*given, "--engine", "spark"]) == 2
        assert "--engine local" in capsys.readouterr().err
