"""The law for commands that ask what is on disk, and for frames of Python, on every kind of document."""

from __future__ import annotations

import json

import pytest

import copysift
from tests.law.contents import CONTENTS, TEXTS, folder
from tests.law.test_table import options, run, stem

FRAMES = ("arrow", "pandas", "polars")


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_run_is_asked_about_a_file(kind, tmp_path, capsys):
    files = folder(tmp_path, CONTENTS[kind])
    status, _, err = run(capsys, "cluster", files, "-o", tmp_path / "run", "-q", *options(kind))
    assert status == 0, err
    asked = sorted(files.iterdir())[0]
    status, out, err = run(capsys, "query", tmp_path / "run", asked, "--format", "json")
    assert status == 0, err
    assert {stem(each["right"]) for each in json.loads(out)["hits"]} == {"a", "b"}


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_document_that_moved_is_located(kind, tmp_path, capsys):
    files = folder(tmp_path, CONTENTS[kind])
    index = tmp_path / "s.sift"
    for date in ("2026-01-01", "2026-02-01"):
        sweep = ["sweep", index, files, "--date", date, "-q", *options(kind)]
        status, _, err = run(capsys, *sweep)
        assert status == 0, err
        moved = sorted(files.iterdir())[0]
        if date == "2026-01-01":
            moved.rename(moved.with_stem("moved"))
    status, out, err = run(capsys, "locate", index, f"a{moved.suffix}", "--format", "json")
    assert status == 0, err
    assert "moved" in out


def frame_of(library):
    """Give the texts of the law as a frame."""
    rows = {"id": [*TEXTS], "text": [each.decode() for each in TEXTS.values()]}
    if library == "arrow":
        return pytest.importorskip("pyarrow").table(rows)
    return pytest.importorskip(library).DataFrame(rows)


@pytest.mark.parametrize("library", FRAMES)
def test_frames_are_a_source_of_every_function(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = frame_of(library)
    found = {(pair.left, pair.right) for pair in copysift.scan(frame).pairs}
    assert found == {("a.txt", "b.txt")}
    assert {(pair.left, pair.right) for pair in copysift.cluster(frame).pairs} == found
    kept = copysift.dedup(frame)
    assert (type(kept), len(kept)) == (type(frame), 2)
    with copysift.Index("x.sift") as index:
        index.add(frame)
        assert {hit.right for hit in index.query(TEXTS["b.txt"])} == {"a.txt", "b.txt"}
    with copysift.Index("s.sift", keep_text=True) as index:
        index.sweep(frame, date="2026-01-01")
        assert [each.uri for each in index.copies_of("a.txt").holders] == ["b.txt"]
