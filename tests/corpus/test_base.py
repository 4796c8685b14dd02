"""Starter code of --base is left out of every document of a corpus, in each channel."""

import json

import pytest

from copysift.cli.main import main
from copysift.engines.cluster_run import cluster
from copysift.errors import InputError, UsageError
from copysift.runs.workspace import job_of
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.workflows.run_query import query
from tests.corpus.test_kinds import PROGRAM, members, renamed
from tests.corpus.texts import rows, run, text, write_jsonl

STARTER = """
class Reader:
    def __init__(self, path):
        self.path = path
        self.lines = []
        with open(path) as file:
            for line in file:
                self.lines.append(line.strip().split(","))

    def rows(self, key):
        return [line for line in self.lines if line[0] == key and len(line) > 2]
"""
OTHER = """
import math

def area(radius, height):
    if radius < 0 or height < 0:
        raise ValueError("negative")
    return math.pi * radius ** 2 * height / 3
"""


@pytest.fixture
def course(tmp_path):
    """Two who share nothing but starter code, and two who share more."""
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "one.py").write_text(STARTER + OTHER)
    (folder / "two.py").write_text(STARTER + "\nprint([x * x for x in range(100) if x % 3 != 1 or x > 50])\n")
    (folder / "cheat.py").write_text(STARTER + PROGRAM)
    (folder / "copied.py").write_text(STARTER + renamed())
    base = tmp_path / "starter"
    base.mkdir()
    (base / "reader.py").write_text(STARTER)
    return folder, base


def test_programs_that_share_starter_code_alone_are_not_clustered(tmp_path, course):
    folder, base = course
    run([str(folder)], tmp_path / "with")
    assert members(tmp_path / "with") == [["cheat.py", "copied.py"], ["one.py", "two.py"]]
    made = run([str(folder)], tmp_path / "without", base=str(base))
    assert members(tmp_path / "without") == [["cheat.py", "copied.py"]]
    assert all(row["shared"] > 0 for row in rows(tmp_path / "without", "pairs"))
    assert made.described["boilerplate"]["base"] > 100
    assert "shingles of --base are ignored" in made.described["notes"][0]


def test_a_base_is_left_out_of_records_without_a_name_too(tmp_path):
    shared = text(60, "letterhead")
    records = [{"id": name, "text": f"{shared} {text(40, name)}"} for name in "ab"]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    assert len(rows(run(source, tmp_path / "with").path, "pairs")) == 1
    (tmp_path / "head.py").write_text(shared)  # read as a program, and as words
    assert not rows(run(source, tmp_path / "without", base=str(tmp_path / "head.py")).path, "pairs")


def test_what_is_added_or_looked_up_later_is_without_the_base_of_the_run(tmp_path, course):
    folder, base = course
    run([str(folder)], tmp_path / "run", base=str(base))
    (base / "reader.py").unlink()  # the run has its shingles
    late = tmp_path / "late.py"
    late.write_text(STARTER + "\nfor name in sorted(globals()):\n    print(name, '=', len(name), sep='')\n")
    assert query(tmp_path / "run", late.read_bytes(), "late.py", 0.05) == []
    (found,) = query(tmp_path / "run", (folder / "one.py").read_bytes(), "late.py", 0.5)
    assert found.containment_left == 1.0
    cluster([str(late)], tmp_path / "more", CorpusSettings(), onto=tmp_path / "run")
    assert members(tmp_path / "more") == [["cheat.py", "copied.py"]]
    other = make(CorpusSettings, {"base": [str(late)]})
    with pytest.raises(UsageError, match="was created with base"):
        cluster([str(late)], tmp_path / "x", other, onto=tmp_path / "run")


def test_a_base_that_is_not_there_or_empty_is_refused(tmp_path, course):
    (tmp_path / "empty.txt").write_text("")
    for path, why in ((tmp_path / "gone", "file or folder not found"), (tmp_path / "empty.txt", "^base ")):
        with pytest.raises(InputError, match=why):
            run([str(course[0])], tmp_path / "run", base=str(path))
        assert not (tmp_path / "run").exists()


def test_a_changed_base_begins_the_run_again(tmp_path, course):
    folder, base = course
    settings = make(CorpusSettings, {"base": str(base)})
    before = job_of([str(folder)], settings)
    (base / "more.py").write_text(OTHER)
    assert job_of([str(folder)], settings) != before


def test_dedup_keeps_what_shares_starter_code_alone(tmp_path, course):
    folder, base = course
    out = tmp_path / "out.jsonl"
    assert main(["dedup", str(folder), "--base", str(base), "-o", str(out)]) == 0
    kept = [json.loads(line)["id"].rpartition("/")[2] for line in out.read_text().splitlines()]
    assert kept == ["cheat.py", "one.py", "two.py"]
