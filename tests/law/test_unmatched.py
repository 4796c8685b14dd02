"""A folder of which --include takes nothing is named, in every command that reads documents."""

from __future__ import annotations

import pytest

from tests.cli.program import copysift

COMMANDS = (
    ("scan", "folder"),
    ("index", "add", "all.sift", "folder"),
    ("cluster", "folder", "-o", "run"),
    ("dedup", "folder", "-o", "kept.jsonl"),
)


@pytest.fixture
def folder(tmp_path):
    deep = tmp_path / "folder" / "deep" / "deeper"
    deep.mkdir(parents=True)
    for name in ("one.txt", "two.txt"):
        deep.joinpath(name).write_text(f"some words in the file {name} of a folder")
    return tmp_path / "folder"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_glob_that_takes_no_file_is_named_with_one_that_would(folder, command):
    said = copysift(folder.parent, *command, "--include", "deeper/*").err
    assert "no file in folder matches --include deeper/*" in said
    assert "**/deeper/* matches anywhere below it" in said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_glob_that_takes_a_file_is_not_named(folder, command):
    said = copysift(folder.parent, *command, "--include", "**/deeper/*").err
    assert "matches" not in said
