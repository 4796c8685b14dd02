"""Sizes and formats mean the same in every command: --max-bytes-per-file and --input-format."""

import gzip
import json
import zipfile

import pytest

import copysift
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.texts import prose

LIMIT = ("--max-bytes-per-file", "5KB")
SAID = "is larger than 5,000 bytes (--max-bytes-per-file)"
LARGE = "".join(prose(seed) for seed in range(30, 50))
COMMANDS = {
    "scan": ("scan", "d", "--format", "json"),
    "compare": ("compare", "d", "d", "--format", "json"),
    "index": ("index", "add", "new.sift", "d"),
    "query": ("query", "x.sift", "d", "--format", "json"),
    "sweep": ("sweep", "s.sift", "d", "--date", "2026-01-01"),
    "cluster": ("cluster", "d", "-o", "run"),
    "dedup": ("dedup", "d", "-o", "clean.jsonl"),
}


@pytest.fixture
def sizes(here):
    """Two small files and a large one, as files, members of an archive and records."""
    small, other = prose(1), prose(2)
    assert len(LARGE) > 6000
    write(here, {"d/a.txt": small, "d/large.txt": LARGE, "x/a.txt": small})
    with zipfile.ZipFile(here / "d/z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b.txt", other)
        archive.writestr("big.txt", LARGE + "b")
    (here / "d/p.txt.gz").write_bytes(gzip.compress((LARGE + "p").encode()))
    rows = [{"id": "r1", "text": prose(3)}, {"id": "r2", "text": LARGE + "r"}]
    write(here, {"d/r.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    run(here, "index", "add", "x.sift", "x")
    return here


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_that_is_too_large_is_a_named_skip(sizes, command):
    done = run(sizes, *COMMANDS[command], *LIMIT)
    assert done.status == 3, done.err
    skipped = [line for line in done.err.splitlines() if SAID in line]
    named = {
        each for each in ("large.txt", "big.txt", "p.txt", "r2") if any(each in line for line in skipped)
    }
    assert named == {"large.txt", "big.txt", "p.txt", "r2"}, done.err
    assert len(skipped) == (5 if command == "compare" else 4), done.err  # its folder is named twice
    if command == "index":
        assert "3 added" in done.out
    if command in ("cluster", "sweep"):
        assert "3 document" in done.err + done.out
    if command == "dedup":
        assert len((sizes / "clean.jsonl").read_text().splitlines()) == 3


def test_two_files_are_too_large_to_be_compared(sizes):
    done = run(sizes, "compare", "d/large.txt", "d/a.txt", *LIMIT)
    assert (done.status, f"d/large.txt: {SAID}" in done.err) == (2, True)


def test_python_leaves_out_what_is_too_large(sizes):
    found = copysift.scan("d", max_bytes_per_file=5000)
    assert len(found.skipped) == 4
    assert len(found.documents) == 3
    with copysift.Index("i.sift", max_bytes_per_file="5KB") as index:
        assert len(index.add("d").skipped) == 4


LINES = "".join(f"{' '.join(prose(seed).split()[:60])}\n" for seed in (1, 2, 1, 4))
ROWS = "".join(
    json.dumps({"id": f"n{at}", "text": line}) + "\n" for at, line in enumerate(LINES.splitlines())
)


@pytest.mark.parametrize(
    ("form", "name", "content"), [("lines", "corpus.dat", LINES), ("jsonl", "rows.log", ROWS)]
)
def test_a_named_file_is_read_in_the_format_that_is_given(here, form, name, content):
    write(here, {name: content})
    given = ("--input-format", form)
    scanned = json.loads(run(here, "scan", name, *given, "--format", "json").out)
    assert len(scanned["documents"]) == 4
    assert len(scanned["pairs"]) == 1
    assert len(json.loads(run(here, "scan", name, "--format", "json").out)["documents"]) == 1
    assert run(here, "index", "add", "x.sift", name, *given).out.startswith("4 added")
    asked = json.loads(run(here, "query", "x.sift", name, *given, "--format", "json").out)
    assert (len(asked["queries"]), len(asked["hits"])) == (4, 6)
    both = json.loads(run(here, "compare", name, name, *given, "--format", "json").out)
    assert len(both["equal"]) == 4
    assert "4 documents" in run(here, "cluster", name, "-o", "run", *given).err
    assert len(copysift.scan(name, input_format=form).documents) == 4


def test_a_folder_of_records_may_be_read_as_a_folder_of_texts(here):
    write(here, {"d/a.jsonl": ROWS, "d/b.txt": prose(7)})
    assert len(copysift.scan("d").documents) == 5
    assert len(copysift.scan("d", input_format="folder").documents) == 2


@pytest.mark.parametrize("command", [("scan", "d"), ("cluster", "d", "-o", "run")])
def test_a_format_and_the_wish_for_no_records_exclude_each_other(here, command):
    write(here, {"d/a.txt": LINES})
    done = run(here, *command, "--input-format", "lines", "--records", "no")
    assert (done.status, "--records no and --input-format lines exclude each other" in done.err) == (2, True)


def test_an_index_remembers_how_its_sources_are_read(here):
    rows = [{"key": str(at), "body": text} for at, text in enumerate((prose(1), prose(2)))]
    write(here, {"a.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    write(
        here, {"b.jsonl": json.dumps({"key": "9", "body": prose(3)}) + "\n", "q.jsonl": json.dumps(rows[0])}
    )
    run(here, "index", "add", "x.sift", "a.jsonl", "--text-field", "body", "--id-field", "key")
    done = run(here, "index", "add", "x.sift", "b.jsonl")
    assert (done.status, done.out) == (0, "1 added, 0 changed, 0 unchanged\n"), done.err
    write(here, {"b.jsonl": json.dumps({"key": "9", "body": prose(4)}) + "\n"})
    assert run(here, "index", "update", "x.sift").out == "0 added, 1 changed, 2 unchanged\n"
    found = json.loads(run(here, "query", "x.sift", "q.jsonl", "--format", "json").out)
    assert [hit["right"] for hit in found["hits"]] == ["a.jsonl!0"]


def test_an_index_of_submissions_keeps_adding_submissions(here):
    write(here, {"2024/ann/a.txt": prose(1), "2024/bob/b.txt": prose(2), "2025/eve/c.txt": prose(3)})
    with zipfile.ZipFile(here / "2024/dan.zip", "w") as archive:
        archive.writestr("one.txt", prose(5))
        archive.writestr("two.txt", prose(6))

    def units():
        with copysift.Index("x.sift") as index:
            return {each.name: each.unit for each in index.documents()}

    run(here, "index", "add", "x.sift", "2024", "--by", "dir")
    run(here, "index", "add", "x.sift", "2025")
    assert units()["2025/eve/c.txt"] == "2025/eve"
    write(here, {"2024/ann/a.txt": prose(8)})
    with zipfile.ZipFile(here / "2024/dan.zip", "w") as archive:
        for at, name in enumerate(("one.txt", "two.txt", "three.txt"), 10):
            archive.writestr(name, prose(at))
    done = run(here, "index", "update", "x.sift")
    assert done.status == 0, done.err
    assert units() == {
        "2024/ann/a.txt": "2024/ann", "2024/bob/b.txt": "2024/bob", "2025/eve/c.txt": "2025/eve",
        **{f"2024/dan.zip!{name}.txt": "2024/dan.zip" for name in ("one", "two", "three")},
    }  # fmt: skip
