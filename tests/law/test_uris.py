"""The law holds at URIs: every command reads what fsspec reads, as it reads files."""

from __future__ import annotations

import pytest

from copysift.sources import places
from tests.law.contents import CONTENTS
from tests.law.test_table import COMMANDS
from tests.law.uris import bucket, local, memory, s3_server, source_at

pytest.importorskip("fsspec", reason="fsspec is not installed")

SOURCES = (
    "folder", "folder by a glob", "zip", "zip in a folder", "jsonl", "jsonl.gz", "shards", "csv",
    "parquet shards", "warc", "docx",
)  # fmt: skip


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    monkeypatch.setattr(places, "_forbidden", False)  # a server in this process forbids it for good


CELLS = [
    (command, source)
    for command in COMMANDS
    for source in SOURCES
    if (command, source) != ("compare", "folder by a glob")  # which takes two places
]


@pytest.mark.parametrize(("command", "source"), CELLS)
def test_a_command_finds_the_copy_in_memory(command, source, tmp_path, capsys):
    if source == "warc":
        pytest.importorskip("fastwarc")
    place = source_at(memory, source, tmp_path, CONTENTS["auto"])
    assert COMMANDS[command](capsys, place, tmp_path, "auto") == {("a", "b")}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["code", "html", "bytes"])
def test_a_command_finds_the_copy_behind_a_file_uri(command, kind, tmp_path, capsys):
    place = source_at(local, "folder", tmp_path, CONTENTS[kind])
    assert COMMANDS[command](capsys, place, tmp_path, kind) == {("a", "b")}


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with s3_server(tmp_path_factory.mktemp("s3") / "log"):
        yield


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_finds_the_copy_in_a_bucket(command, s3, tmp_path, capsys):
    place = source_at(bucket, "zip in a folder", tmp_path, CONTENTS["auto"])
    assert COMMANDS[command](capsys, place, tmp_path, "auto") == {("a", "b")}


def test_record_files_in_a_bucket_are_found_by_a_glob(s3, tmp_path, capsys):
    place = source_at(bucket, "parquet shards by a glob", tmp_path, CONTENTS["auto"])
    assert COMMANDS["dedup"](capsys, place, tmp_path, "auto") == {("a", "b")}
