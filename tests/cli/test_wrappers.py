"""Containers give two answers: of their content, and of their wrappers."""

import gzip
import io
import json
import zipfile

import pytest

from tests.cli.program import copysift
from tests.cli.texts import prose
from tests.sources import samples
from tests.sources.packing import zipped

TEXT = "\n\n".join(prose(each) for each in range(4))
FILES = {"m.txt": TEXT.encode(), "n.txt": prose(7).encode()}


def saved_again(document):
    """Give an office document as another program would write it."""
    made, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(document))
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("docProps/app.xml", "<Application/>")
    return made.getvalue()


@pytest.fixture
def folder(tmp_path):
    docx = samples.docx(TEXT)
    for name, data in {
        "a.docx": docx,
        "b.docx": saved_again(docx),
        "other.docx": samples.docx(TEXT + "\n\n" + prose(9)),
        "c.pdf": samples.pdf(TEXT),
        "a.gz": gzip.compress(TEXT.encode(), 1),
        "b.gz": gzip.compress(TEXT.encode(), 9),
        "a.zip": zipped(FILES),
        "b.zip": zipped(FILES, zipfile.ZIP_STORED),
        "a.txt": TEXT.encode(),
        "b.txt": TEXT.replace("\n", " ").encode(),
    }.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def pair(folder, left, right):
    done = copysift(folder, "compare", left, right, "--format", "json", "--no-regions")
    return json.loads(done.out)["pairs"][0]


@pytest.mark.parametrize(
    ("left", "right", "equal", "same"),
    [
        ("a.docx", "b.docx", False, True),
        ("a.docx", "c.pdf", False, True),
        ("a.docx", "a.docx", True, True),
        ("a.docx", "other.docx", False, False),
        ("a.gz", "b.gz", False, True),
        ("a.gz", "a.txt", False, True),
    ],
)
def test_content_and_bytes_are_two_answers(folder, left, right, equal, same):
    found = pair(folder, left, right)
    assert (found["equal"], found["same_content"]) == (equal, same)


def test_plain_files_have_no_wrapper(folder):
    assert "same_content" not in pair(folder, "a.txt", "b.txt")
    assert "wrapper" not in copysift(folder, "compare", "a.txt", "b.txt").out


def test_both_answers_are_shown(folder):
    shown = copysift(folder, "compare", "a.docx", "b.docx").out
    assert "content  the same\n" in shown
    assert "wrapper  differs\n" in shown
    shown = copysift(folder, "compare", "a.docx", "other.docx").out
    assert "content  80% the same\n" in shown
    (folder / "copy.docx").write_bytes((folder / "a.docx").read_bytes())
    assert "wrapper  equal byte for byte\n" in copysift(folder, "compare", "a.docx", "copy.docx").out
    page = copysift(folder, "compare", "a.docx", "b.docx", "--format", "html").out
    assert '"sameContent":true' in page


def test_two_archives_have_both_answers(folder):
    shown = copysift(folder, "compare", "a.zip", "b.zip").out
    assert shown.endswith("2 same\ncontent: the same; wrapper: differs\n")
    (folder / "c.zip").write_bytes(zipped({**FILES, "new.txt": prose(8).encode()}))
    assert copysift(folder, "compare", "a.zip", "c.zip").out.endswith("content: differs; wrapper: differs\n")
    found = json.loads(copysift(folder, "compare", "a.zip", "a.zip", "--format", "json").out)
    assert found["equal_wrappers"] is True


def test_folders_tell_the_same_content_from_the_same_bytes(folder):
    for side in ("left", "right"):
        (folder / side).mkdir()
        for end in ("docx", "gz", "zip", "txt"):
            source = folder / f"{'a' if side == 'left' else 'b'}.{end}"
            (folder / side / f"x.{end}").write_bytes(source.read_bytes())
        (folder / side / "kept.zip").write_bytes((folder / "a.zip").read_bytes())
    shown = copysift(folder, "compare", "left", "right").out
    assert shown.splitlines() == [
        "same content   x.docx",
        "same content   x.gz",
        "changed  100%  x.txt",
        "same content   x.zip",
        "",
        "left → right: 5 same, 3 same content, 1 changed",
    ]
    page = copysift(folder, "compare", "left", "right", "--format", "html").out
    assert '<li class="same-content">' in page
    assert 'id="show-same-content"' in page


def test_compressed_files_that_are_not_unpacked_are_named(tmp_path):
    """They were compared as bytes without a word, as if they had been looked into."""
    rar, lzw = (
        b"Rar!\x1a\x07\x01\x00" + bytes(range(256)) * 4,
        b"\x1f\x9d\x90" + bytes(range(255, -1, -1)) * 4,
    )
    for name, data in {"a.rar": rar, "b.rar": rar, "c.Z": lzw}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "t.txt").write_bytes(b"Rar!\x1a\x07 is how such files start, says this text. " * 9)
    done = copysift(tmp_path, "scan", ".", "--format", "json")
    found = json.loads(done.out)
    assert found["equal"][0]["members"] == ["./a.rar", "./b.rar"]
    assert not found["skipped"]
    read_as = {each["name"]: each["read_as"] for each in found["documents"]}
    assert read_as["./c.Z"].startswith("raw bytes: a file compressed by LZW (.Z) is not unpacked")
    assert read_as["./t.txt"] == "plain text"
    assert "2 files were compared as raw bytes: a RAR archive is not unpacked" in done.err
    assert "1 file was compared as raw bytes: a file compressed by LZW (.Z) is not unpacked" in done.err
