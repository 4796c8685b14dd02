"""The law of the product: every command works on every source with every kind, or says why not.

Each cell of the table runs a command on three documents, two of which are copies. It must find just that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from copysift.cli.main import main
from tests.law.contents import CONTENTS, PROSE, SOURCES, TEXT_ONLY, TEXTS

KINDS = tuple(CONTENTS)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command in this process; give its status and what it printed."""
    capsys.readouterr()
    status = main([str(each) for each in arguments])
    done = capsys.readouterr()
    return status, done.out, done.err


def stem(name: str) -> str:
    """Give the letter that names a document, whatever it is wrapped in."""
    return re.split(r"[/!:#]", name)[-1].partition(".")[0]


def options(kind: str) -> list[str]:
    return [] if kind == "auto" else ["--kind", kind]


def scan(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    status, out, err = run(capsys, "scan", source, "--format", "json", *options(kind))
    assert status == 0, err
    found = json.loads(out)
    assert sorted(stem(each["name"]) for each in found["documents"]) == ["a", "b", "c"]
    return {tuple(sorted((stem(pair["left"]), stem(pair["right"])))) for pair in found["pairs"]}


def index(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    status, _, err = run(capsys, "index", "add", place / "i.sift", source, "-q", *options(kind))
    assert status == 0, err
    status, out, err = run(capsys, "scan", place / "i.sift", "--format", "json")
    assert status == 0, err
    found = json.loads(out)
    assert sorted(stem(each["name"]) for each in found["documents"]) == ["a", "b", "c"]
    return {tuple(sorted((stem(pair["left"]), stem(pair["right"])))) for pair in found["pairs"]}


def query(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    status, _, err = run(capsys, "index", "add", place / "i.sift", source, "-q", *options(kind))
    assert status == 0, err
    status, out, err = run(capsys, "query", place / "i.sift", source, "--format", "json")
    assert status == 0, err
    pairs = {(stem(hit["left"]), stem(hit["right"])) for hit in json.loads(out)["hits"]}
    assert pairs >= {("a", "a"), ("b", "b"), ("c", "c")}  # each finds itself
    return {tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1]}


def cluster(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    status, _, err = run(capsys, "cluster", source, "-o", place / "run", "-q", *options(kind))
    assert status == 0, err
    status, out, err = run(capsys, "show", place / "run", "--format", "json")
    assert status == 0, err
    return {tuple(sorted(map(stem, each["members"]))) for each in json.loads(out)["clusters"]}


def dedup(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    out = place / "clean.jsonl"
    status, _, err = run(capsys, "dedup", source, "-o", out, "-q", *options(kind))
    assert status == 0, err
    kept = [stem(json.loads(line)["id"]) for line in out.read_text().split("\n")[:-1]]
    assert kept in (["a", "c"], ["b", "c"], ["c", "a"])
    return {("a", "b")}


def sweep(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    status, _, err = run(
        capsys, "sweep", place / "s.sift", source, "--date", "2026-01-01", "--keep-text", "-q", *options(kind)
    )
    assert status == 0, err
    status, out, err = run(capsys, "index", "list", place / "s.sift", "--format", "json")
    assert status == 0, err
    names = [json.loads(line)["name"] for line in out.splitlines()]
    assert sorted(map(stem, names)) == ["a", "b", "c"]
    first = next(name for name in names if stem(name) == "a")
    status, out, err = run(capsys, "copies", place / "s.sift", first, "--format", "json")
    assert status == 0, err
    found = {stem(each["uri"]) for each in json.loads(out)["holders"]}
    return {("a", other) for other in found - {"a"}}


def compare(capsys, source: Path, place: Path, kind: str) -> set[tuple[str, str]]:
    """Compare the source with itself, where every document is equal to itself, and with one without a."""
    status, out, err = run(capsys, "compare", source, source, "--format", "json", *options(kind))
    assert status == 0, err
    found = json.loads(out)
    same = {(stem(pair["left"]), stem(pair["right"])) for pair in found["equal"]}
    assert same == {("a", "a"), ("b", "b"), ("c", "c")}
    less = getattr(source, "less", None) or place / "less" / source.name
    status, out, err = run(capsys, "compare", source, less, "--format", "json", *options(kind))
    assert status == 0, err
    found = json.loads(out)
    assert [(stem(pair["left"]), stem(pair["right"])) for pair in found["equal"]] == [("b", "b"), ("c", "c")]
    return {(stem(pair["left"]), stem(pair["right"])) for pair in found["similar"]}


COMMANDS: dict[str, Callable[..., set[tuple[str, str]]]] = {
    "scan": scan, "index": index, "query": query, "cluster": cluster, "dedup": dedup, "sweep": sweep,
    "compare": compare,
}  # fmt: skip
CELLS = [
    (command, source, kind)
    for command in COMMANDS
    for source in SOURCES
    for kind in KINDS
    if not (kind in ("bytes", "executable") and source in TEXT_ONLY)  # such records hold text
    if not (kind == "executable" and source == "warc")  # whose records are pages and texts
    if source not in PROSE or kind in ("auto", "text", "words")
]


@pytest.mark.parametrize(("command", "source", "kind"), CELLS, ids=lambda value: str(value).replace(" ", "-"))
def test_a_command_finds_the_copy(command, source, kind, tmp_path, capsys):
    if source == "warc":
        pytest.importorskip("fastwarc")
    place = SOURCES[source](tmp_path, CONTENTS[kind])
    (tmp_path / "less").mkdir()
    SOURCES[source](tmp_path / "less", dict(list(CONTENTS[kind].items())[1:]))
    assert COMMANDS[command](capsys, place, tmp_path, kind) == {("a", "b")}


def test_the_copies_of_the_table_are_not_equal():
    for contents in CONTENTS.values():
        assert len(set(contents.values())) == 3
    assert TEXTS["a.txt"] != TEXTS["b.txt"]
