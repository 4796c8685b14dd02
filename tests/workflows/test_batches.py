"""Files that are read many at a time are what each is by itself."""

import dataclasses
import zipfile

import pytest

from copysift.model.values import Skipped
from copysift.runtime.threads import Failed
from copysift.settings.comparison import Settings
from copysift.sources.inputs import Inputs
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.walk import walk
from copysift.workflows.batches import LARGEST, read_batch
from copysift.workflows.reading import Reader
from tests.cli.texts import prose

CONTENTS = {
    "a.txt": prose(1).encode(),
    "again.txt": prose(1).encode(),
    "b.html": f"<p>{prose(2)} &eacute; <b>bold</b></p><script>{prose(3)}</script>".encode(),
    "bytes.bin": bytes(range(256)) * 50,
    "c.py": b"def f(x):\n    return x + 1\n" * 20,
    "d.py": "".join(
        f"def g{n}(s):\n    print('message {n}', s)\n    return {n} * s\n" for n in range(40)
    ).encode(),
    "empty": b"",
    "empty.py": b"",
    "f.js": "".join(
        f"function f{n}(a) {{ return `${{a}} and ${{{n} + a}}`; }}\n" for n in range(40)
    ).encode(),
    "g.unclosed.c": b"int main(void) { return f(1, /* 2);",
    "h.c": "".join(f'int f{n}(int x) {{ puts("é {n}"); return x + {n}; }}\n' for n in range(40)).encode(),
    "latin.txt": ("où êtes-vous, " * 200).encode("cp1252"),
    "long.txt": prose(4, words=5000).encode() * (LARGEST // 20_000),
    "notes.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = 1\\n"]}]}',
    "page": b"<!doctype html><html><body>" + prose(5).encode(),
    "short": b"x",
    "sixteen.txt": prose(6).encode("utf-16"),
    "wide.txt": ("naïve " + prose(7)).encode(),
}


def plain(read):
    """Give what was read as a value that can be compared."""
    if isinstance(read, Skipped | Failed):
        return read
    views = [
        (
            view.kind,
            [value for piece in view.hashes for value in piece.tolist()],
            None if view.whole is None else view.whole.tolist(),
            None if view.lexemes is None else [each.tolist() for each in view.lexemes],
        )
        for view in read.views
    ]
    return dataclasses.replace(read, views=views)


def put(folder):
    for name, data in CONTENTS.items():
        (folder / name).write_bytes(data)
    return list(walk([folder]))


@pytest.mark.parametrize(
    "settings",
    [{}, {"scheme": "winnow"}, {"scheme": "open-closed"}, {"scheme": "mod"}, {"scheme": "min"}]
    + [{"kind": kind} for kind in ("text", "words", "code", "html", "bytes")]
    + [{"noise": 10, "guarantee": 12, "seed": 7}],
    ids=str,
)
def test_a_batch_equals_its_files_one_by_one(tmp_path, settings):
    entries = put(tmp_path)
    alone, together = Reader(Settings(**settings)), Reader(Settings(**settings))
    expected = [plain(alone.read(entry)) for entry in entries]
    assert [plain(each) for each in read_batch(together, entries)] == expected
    assert any(each.views for each in expected)


def test_of_equal_files_one_has_the_hashes_unless_they_do_not_collapse(tmp_path):
    entries = put(tmp_path)[:2]
    assert [len(each.views) for each in read_batch(Reader(Settings()), entries)] == [1, 0]
    apart = Reader(Settings(), collapse=False)
    assert [len(each.views) for each in read_batch(apart, entries)] == [1, 1]


def test_a_file_that_cannot_be_read_is_skipped_and_one_that_fails_says_so(tmp_path, monkeypatch):
    entries = put(tmp_path)
    (tmp_path / "a.txt").unlink()
    reader = Reader(Settings())

    def fail(loaded):
        raise ValueError("no")

    monkeypatch.setattr(reader, "read_loaded", fail)
    read = dict(zip(CONTENTS, read_batch(reader, entries), strict=True))
    assert read["a.txt"] == Skipped(str(tmp_path / "a.txt"), "no such file or folder")
    assert isinstance(read["latin.txt"], Failed)
    assert read["latin.txt"].item.path.endswith("latin.txt")
    assert read["b.html"].views


def test_members_of_archives_stand_among_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("inside.txt", prose(9))
    (tmp_path / "a.txt").write_text(prose(1))
    (tmp_path / "z.txt").write_text(prose(2))
    first, member, last = Inputs(Reading(), Spool()).documents([tmp_path])
    reader = Reader(Settings())
    read = read_batch(reader, [first, member, last])
    assert [each.entry for each in read] == [first, member, last]
    assert all(each.views for each in read)


def test_files_of_a_size_of_their_own_are_not_summed_unless_they_are_submissions(tmp_path):
    entries = put(tmp_path)
    for collapse, unsummed in ((True, len(entries) - 4), (False, 0)):
        reader = Reader(Settings(), collapse=collapse)
        reader.learn(entries)
        assert sum(each.checksum == b"" for each in read_batch(reader, entries)) == unsummed
