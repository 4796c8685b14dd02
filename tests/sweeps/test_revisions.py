"""A folder inside a git repository is swept by itself."""

import subprocess

import pytest

import copysift
from copysift.errors import InputError
from tests.cli.texts import prose


def test_a_folder_of_a_repository_gives_its_own_files(tmp_path):
    for number, name in enumerate(("top.txt", "docs/ü.txt", "docs/deep/b.txt", "src/c.txt")):
        (tmp_path / "r" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / name).write_text(prose(number))
    git = ["git", "-C", str(tmp_path / "r"), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "r" / "new").mkdir()
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(tmp_path / "r" / "docs", revision="HEAD", date="2026-01-01")
        assert {each.name for each in index.documents()} == {"ü.txt", "deep/b.txt"}
        done = index.sweep(tmp_path / "r" / "docs", date="2026-01-02")  # the folder itself, without git
        assert (done.unchanged, done.new, done.gone) == (2, 0, 0)
        with pytest.raises(InputError, match="has no documents"):
            index.sweep(tmp_path / "r" / "new", revision="HEAD", date="2026-01-03")
    with copysift.Index(tmp_path / "y.sift") as index:
        assert index.sweep(tmp_path / "r", revision="HEAD").documents == 4
