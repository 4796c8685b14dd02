import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from tests.cli.program import copysift, write
from tests.cli.texts import prose

A, B = prose(1), prose(2)


@pytest.fixture
def run(tmp_path):
    write(
        tmp_path,
        {
            "in/a.txt": A, "in/b.txt": A[:700] + B, "in/c.md": A[:200] + prose(3, words=300), "in/d.txt": A,
            "in/empty.txt": "",
        },
    )  # fmt: skip
    done = copysift(tmp_path, "scan", "in", "--save", "run")
    assert done.status == 0
    return tmp_path


def rows(done):
    return [(row["left"], row["right"]) for row in csv.DictReader(io.StringIO(done.out))]


def test_a_run_is_parquet_and_json(run):
    assert sorted(path.name for path in (run / "run").iterdir()) == [
        "clusters.parquet", "documents.parquet", "pairs.parquet", "run.json",
    ]  # fmt: skip
    described = json.loads((run / "run" / "run.json").read_text())
    assert described["version"] == 1
    assert described["counts"]["documents"] == 5
    documents = pq.read_table(run / "run" / "documents.parquet").to_pydict()
    assert documents["document"] == ["in/a.txt", "in/b.txt", "in/c.md", "in/d.txt", "in/empty.txt"]
    assert documents["bytes"][4] == 0
    pairs = pq.read_table(run / "run" / "pairs.parquet").to_pydict()
    assert set(pairs) >= {"left", "right", "shared", "resemblance", "containment_left", "containment_right"}
    assert ("in/a.txt", "in/c.md") in zip(pairs["left"], pairs["right"], strict=True)
    clusters = pq.read_table(run / "run" / "clusters.parquet").to_pydict()
    assert clusters == {
        "cluster": ["in/a.txt"] * len(clusters["cluster"]),
        "document": ["in/a.txt", "in/b.txt", "in/d.txt"],
        "representative": ["in/a.txt"] * 3,
        "joined": ["representative", "similar", "identical"],
    }


def test_show_gives_what_scan_gave_and_needs_no_files(run):
    scanned = copysift(run, "scan", "in", "--format", "csv").out
    for path in (run / "in").iterdir():
        path.unlink()
    assert copysift(run, "show", "run", "--format", "csv").out == scanned


def test_show_answers_another_threshold_measure_and_filter(run):
    asked = ("show", "run", "--format", "csv", "--threshold", "5%", "--measure", "containment")
    assert rows(copysift(run, *asked)) == [
        ("in/a.txt", "in/d.txt"), ("in/a.txt", "in/b.txt"), ("in/a.txt", "in/c.md"), ("in/b.txt", "in/c.md"),
    ]  # fmt: skip
    same = [("in/a.txt", "in/d.txt"), ("in/a.txt", "in/b.txt")]
    assert rows(copysift(run, *asked, "--same-suffix")) == same
    assert len(rows(copysift(run, *asked, "--limit", "2"))) == 2
    high = copysift(run, "show", "run", "--format", "csv", "--threshold", "99%", "--measure", "resemblance")
    assert rows(high) == [("in/a.txt", "in/d.txt")]
    grouped = copysift(run, "show", "run", "--groups", "-q")
    assert "R100 in/" in grouped.out


def test_show_below_the_floor_says_so(run):
    done = copysift(run, "show", "run", "--threshold", "1%")
    assert done.status == 2
    assert done.err == (
        "copysift: --threshold is 1%, but run has no pairs below 5%\n"
        "hint: raise --threshold, or scan again with a lower --floor\n"
    )


def test_a_run_is_replaced_whole_and_nothing_else_is_overwritten(run):
    assert copysift(run, "scan", "in/a.txt", "in/d.txt", "--save", "run", "--overwrite").status == 0
    assert pq.read_table(run / "run" / "documents.parquet").num_rows == 2
    assert sorted(path.name for path in run.iterdir()) == ["in", "run"]
    done = copysift(run, "scan", "in", "--save", "in")
    assert done.status == 2
    assert done.err == "copysift: in exists and is not a run\nhint: choose another folder, or remove it\n"


@pytest.mark.parametrize("name", ["documents.parquet", "pairs.parquet", "clusters.parquet", "run.json"])
@pytest.mark.parametrize("damage", ["missing", "short", "flipped"])
def test_a_damaged_run_is_named(run, name, damage):
    target = run / "run" / name
    content = target.read_bytes()
    if damage == "missing":
        target.unlink()
    elif damage == "short":
        target.write_bytes(content[: len(content) // 2])
    else:
        middle = len(content) // 2
        target.write_bytes(content[:middle] + bytes([content[middle] ^ 0x80]) + content[middle + 1 :])
    done = copysift(run, "show", "run")
    assert done.status == 2
    assert done.err.startswith("copysift: run")
    assert "Traceback" not in done.err


def test_a_run_of_another_version_says_so(run):
    described = json.loads((run / "run" / "run.json").read_text())
    described |= {"version": 2, "copysift": "9.0"}
    (run / "run" / "run.json").write_text(json.dumps(described))
    done = copysift(run, "show", "run")
    assert done.status == 2
    assert done.err == (
        "copysift: run is a run of version 2, made by copysift 9.0; this copysift reads version 1\n"
        "hint: recreate the run with copysift scan --save\n"
    )


def test_names_that_are_not_utf_8_survive_a_run(tmp_path):
    (tmp_path / "in").mkdir()
    for name in (b"caf\xe9.txt", b"caf\\xe9.txt"):
        with open(bytes(tmp_path / "in") + b"/" + name, "wb") as file:
            file.write(A.encode())
    assert copysift(tmp_path, "scan", "in", "--save", "run").status == 0
    done = copysift(tmp_path, "show", "run", "-0")
    assert sorted(done.out.split("\0")) == ["", "in/caf\\xe9.txt", "in/caf\udce9.txt"]


@pytest.mark.parametrize(
    "options",
    [
        ("--measure", "similarity"),
        ("--measure", "resemblance", "--threshold", "10%"),
        ("--measure", "containment", "--threshold", "10%"),
        ("--measure", "shared", "--threshold", "5"),
        ("--measure", "longest", "--threshold", "60"),
        ("--min-match", "60"),
        ("--min-match", "60", "--min-shared", "1"),
        ("--min-shared", "20"),
        ("--threshold", "6%", "--min-shared", "1"),
        ("--threshold", "6%", "--same-suffix"),
        ("--threshold", "6%", "--size-ratio", "1.5"),
        ("--measure", "longest", "--same-suffix"),
        ("--min-match", "60", "--size-ratio", "1.5"),
    ],
    ids=" ".join,
)
def test_show_answers_what_scan_answers(run, options):
    scanned = copysift(run, "scan", "in", "--format", "csv", *options)
    assert copysift(run, "scan", "in", "--save", "other", *options, "-q").status == 0
    shown = copysift(run, "show", "other", "--format", "csv", *options)
    assert (shown.status, shown.out) == (scanned.status, scanned.out)
    assert len(rows(shown)) >= 1


@pytest.mark.parametrize("options", [("--measure", "longest"), ("--min-match", "60")], ids=" ".join)
def test_show_refuses_longest_matches_that_the_run_does_not_know(run, options):
    done = copysift(run, "show", "run", *options)
    assert (done.status, done.out) == (2, "")
    asked = " ".join(options).removesuffix(" 60")
    assert done.err == (
        f"copysift: {asked} needs match lengths, which run lacks\n"
        f"hint: scan again with {' '.join(options)} --save RUN\n"
    )


def test_show_refuses_longest_matches_that_a_filter_left_out(run):
    copysift(run, "scan", "in", "--min-match", "60", "--same-suffix", "--save", "suffix")
    copysift(run, "scan", "in", "--min-match", "60", "--size-ratio", "1.5", "--save", "ratio")
    assert "only for pairs with the same suffix" in copysift(run, "show", "suffix", "--min-match", "60").err
    for wider in ((), ("--size-ratio", "2")):
        done = copysift(run, "show", "ratio", "--min-match", "60", *wider)
        assert "only for pairs within --size-ratio 1.5" in done.err


def test_show_by_shared_fingerprints_refuses_when_pairs_may_be_missing(tmp_path):
    write(
        tmp_path,
        {"in/a.txt": A + prose(11, words=6000), "in/b.txt": A + prose(12, words=6000), "in/c.txt": A + B},
    )
    assert copysift(tmp_path, "scan", "in", "--save", "run", "-q").status == 0
    done = copysift(tmp_path, "show", "run", "--measure", "shared")
    assert (done.status, done.out) == (2, "")
    assert "run was not saved for --measure shared: pairs below 0.05 are missing" in done.err
    asked = ("--measure", "shared", "--format", "csv")
    assert copysift(tmp_path, "scan", "in", *asked, "--save", "kept").status == 0
    shown = copysift(tmp_path, "show", "kept", *asked)
    assert len(rows(shown)) == 3
    assert copysift(tmp_path, "show", "kept", *asked, "--threshold", "3").status == 2
