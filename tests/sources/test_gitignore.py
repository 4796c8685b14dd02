import os
import random
import shutil
import subprocess

import pytest

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources import gitignore
from copysift.sources.walk import WalkSettings, walk
from tests.sources.trees import found, tree


def test_gitignore_is_not_looked_at_unless_asked(tmp_path):
    tree(tmp_path, "a.o")
    (tmp_path / ".gitignore").write_text("*.o\n")
    assert found(tmp_path) == ["a.o"]
    assert found(tmp_path, gitignore=True) == []


def test_gitignore_negation_anchoring_and_folders(tmp_path):
    tree(
        tmp_path, "a.log", "keep.log", "build/x", "src/build", "top", "src/top", "doc/a/b/c.txt", "doc/c.txt"
    )
    (tmp_path / ".gitignore").write_text("# comment\n*.log\n!keep.log\nbuild/\n/top\ndoc/**/c.txt\n\\#x\n")
    assert found(tmp_path, gitignore=True) == ["keep.log", "src/build", "src/top"]


def test_nested_gitignore_files_win_over_outer_ones(tmp_path):
    tree(tmp_path, "a.o", "sub/a.o", "sub/b.c", "sub/deep/b.c", "b.c")
    (tmp_path / ".gitignore").write_text("*.o\r\n")
    (tmp_path / "sub/.gitignore").write_text("\ufeff!a.o\n/b.c\n")
    assert found(tmp_path, gitignore=True) == ["b.c", "sub/a.o", "sub/deep/b.c"]


def test_nothing_in_an_ignored_folder_is_taken_back(tmp_path):
    tree(tmp_path, "out/a", "out/b")
    (tmp_path / ".gitignore").write_text("out/\n!out/a\n")
    assert found(tmp_path, gitignore=True) == []


def test_rules_of_the_repository_above_a_named_folder_count(tmp_path):
    tree(tmp_path, ".git/HEAD", "src/lib/a.o", "src/lib/a.c", "src/lib/gen")
    (tmp_path / ".gitignore").write_text("*.o\n/src/lib/gen\n")
    assert found(tmp_path / "src/lib", gitignore=True) == ["a.c"]


def test_outside_a_repository_nothing_above_counts(tmp_path):
    tree(tmp_path, "src/a.o")
    (tmp_path / ".gitignore").write_text("*.o\n")
    assert found(tmp_path / "src", gitignore=True) == ["a.o"]


def test_a_gitignore_that_is_a_pipe_is_named_and_does_not_block(tmp_path):
    tree(tmp_path, "a")
    os.mkfifo(tmp_path / ".gitignore")
    out = list(walk([tmp_path], WalkSettings(gitignore=True)))
    assert out[0] == Skipped(str(tmp_path / ".gitignore"), "is a named pipe (FIFO), not a file")
    assert [type(one) for one in out] == [Skipped, Document]


def test_a_line_that_makes_no_sense_in_gitignore_is_passed_over(tmp_path):
    tree(tmp_path, "a.o", "b")
    (tmp_path / gitignore.NAME).write_text("!\n/\n\\\n*.o\n[\n")
    assert found(tmp_path, gitignore=True) == ["b"]


LINES = [
    *("*", "!*/", "*.c", "!*.c", "/*", "a", "!a", "a/", "!a/", "/a", "a/*", "!a/*", "a/**", "!a/b", "a/b/"),
    *("**/b", "**/b/*.c", "a/**/c.c", "b/**", "!/a/b/c.c", "a**c", "**", "a//b", "*/b", "*b*/c.?", "!b/c.c"),
    *("[ab].c", "[!a].c", "[[:alpha:]].c", "[a", "?", "x\\", "!", "/"),
    *("\\!odd", "\\#odd", "#odd", "*.o ", "a\\ "),
]
FILES = [
    *("a.c", "b.c", "c.c", "x.o", "xy.c", "!odd", "#odd", "b/c.c", "b/a", "a /x", "[a", "x\\"),
    *("a/b/c.c", "a/b/b/c.c", "a/abc", "a/c.c", "a/x/c.c", "a/x/b", "d/a/b/c.c", "d/a/b/x.o", "d/b"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="git, the judge, is not installed")
def test_gitignore_agrees_with_git(tmp_path):
    repository = tree(tmp_path, *FILES)
    git = ["git", "-C", str(repository), "-c", "core.excludesFile="]
    subprocess.run([*git, "init", "-q"], check=True)
    chance = random.Random(1994)
    for _ in range(150):
        (repository / ".gitignore").write_text("\n".join(chance.choices(LINES, k=chance.randint(1, 5))))
        (repository / "a/.gitignore").write_text("\n".join(chance.choices(LINES, k=chance.randint(0, 2))))
        listed = subprocess.run(
            [*git, "ls-files", "-z", "--others", "--exclude-standard"], check=True, capture_output=True
        ).stdout.decode()
        expected = [name for name in listed.split("\0") if name and not name.endswith(".gitignore")]
        rules = [(repository / place).read_text() for place in (".gitignore", "a/.gitignore")]
        assert sorted(found(repository, gitignore=True)) == sorted(expected), rules
