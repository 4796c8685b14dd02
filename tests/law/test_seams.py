"""Small things that must be the same in every command: statuses, what is named first, what a pair is."""

import json

import pytest

import copysift
from copysift.cli.main import main
from copysift.errors import UsageError
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.workflows.test_programs import PROGRAM, RENAMED


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write(tmp_path, {
        "d/a.txt": essay(1), "d/b.txt": essay(1), "d/c.txt": essay(1) + "more", "d/e.txt": essay(2),
        "class/ann/a.py": PROGRAM, "class/ann/t.txt": essay(3), "class/bob/b.py": RENAMED,
        "class/bob/u.txt": essay(3), "class/eve/z.txt": essay(4), "who.csv": "name,author\nann,K\nbob,K\n",
    })  # fmt: skip
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "empty"), ("cluster", "empty", "-o", "run"), ("dedup", "empty", "-o", "o.jsonl"),
        ("index", "add", "i.sift", "empty"), ("compare", "empty", "empty"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_source_without_documents_is_status_1(here, command):
    assert main([*command]) == 1


def test_a_missing_source_is_named_before_an_output_without_a_format(here, capsys):
    assert main(["dedup", "nosuch.jsonl", "-o", "x"]) == 2
    assert "nosuch.jsonl: no such file or folder" in capsys.readouterr().err


def test_cluster_counts_the_pairs_that_a_run_has(here, capsys):
    assert main(["cluster", "d", "-o", "run"]) == 0
    run = copysift.Run("run")
    assert f"{len(run.pairs)} pairs (1 identical): run" in capsys.readouterr().err
    assert f"{len(run.pairs)} pairs" in repr(run)
    assert len(run.pairs) == 2


def test_a_wrong_keep_is_said_without_the_words_of_the_command_line(here):
    with pytest.raises(UsageError, match=r"^'oldest' does not say which document to keep") as raised:
        copysift.dedup(["a", "b"], keep="oldest")
    assert "--" not in str(raised.value)


def test_compare_takes_two_folders_as_submissions(here, capsys):
    assert main(["compare", "class/ann", "class/bob", "--by", "dir", "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["left"], pair["right"]) == ("class/ann", "class/bob")
    assert pair["similarity"] > 0.9
    assert pair["regions"][0]["left"]["file"] == "class/ann/t.txt"
    assert main(["compare", "class/ann", "class/eve", "--by", "dir"]) == 1
    assert main(["compare", "class/ann", "class/bob", "--by", "dir", "--metadata", "who.csv"]) == 1
    assert copysift.compare("class/ann", "class/bob", by="dir").similarity == pair["similarity"]
    assert copysift.compare("class/ann", "class/eve", by="dir").shared == 0
    with pytest.raises(UsageError, match="file by file"):
        copysift.compare_folders("class/ann", "class/bob", by="dir")
