"""The commands and the Python of docs/howto-corpora.md run, each block on files that it names."""

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.program import copysift, environment
from tests.cli.texts import prose

HOWTO = (Path(__file__).parents[1] / "docs" / "howto-corpora.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", HOWTO, re.MULTILINE | re.DOTALL)
BLOCKS = [content for kind, content in FENCED if kind in ("", "sh") and "copysift " in content]
PAGE = "http://example.org/page"
QUESTION = "If a train leaves at nine and the next one an hour later, which of them arrives first and why?"


def records(*numbers):
    """Give a page, a near-copy of it, and other documents."""
    rows = [{"id": f"doc{number}", "text": prose(number), "score": number} for number in numbers]
    return [
        {"id": PAGE, "text": prose(1), "score": 1},
        {"id": "copy", "text": prose(1) + " And one more sentence at the end.", "score": 2},
        *rows,
    ]


def lines(rows):
    """Write records as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Give a folder with every file and run that the page names."""
    folder = tmp_path_factory.mktemp("corpora")
    (folder / "more").mkdir()
    (folder / "pages").mkdir()
    pages = records(3, 4, 5)
    (folder / "pages.jsonl").write_text(lines(pages))
    (folder / "pages" / "a.jsonl").write_text(lines(pages))
    programs = [{"path": f"{row['id']}.py", "content": row["text"]} for row in pages]
    (folder / "code.jsonl").write_text(lines(programs))
    (folder / "pages.jsonl.gz").write_bytes(gzip.compress(lines(pages).encode()))
    pq.write_table(pa.Table.from_pylist(pages), folder / "pages.parquet")
    pq.write_table(pa.Table.from_pylist([{"id": "m", "text": prose(9)}]), folder / "more" / "m.parquet")
    (folder / "draft.txt").write_text(prose(1))
    (folder / "ranked-list").write_text(f"{PAGE}\ncopy\ndoc3\n")
    (folder / "new.jsonl").write_text(
        lines([{"id": "new", "text": prose(1)}, {"id": "own", "text": prose(7)}])
    )
    (folder / "train.jsonl").write_text(lines([{"id": "t", "text": f"{prose(6)} {QUESTION} {prose(8)}"}]))
    item = {"id": "q1", "question": QUESTION, "answer": "The first one.", "text": QUESTION}
    (folder / "gsm8k.jsonl").write_text(lines([item]))
    pq.write_table(pa.Table.from_pylist([{"id": "q2", "text": prose(11)}]), folder / "mmlu.parquet")
    for name, number in (("class/ann", 3), ("class/bob", 3), ("class/cem", 4), ("class-2025/dee", 4)):
        (folder / name).mkdir(parents=True)
        (folder / name / "essay.txt").write_text(prose(number))
    (folder / "who.csv").write_text("name,author\nann,Ann Lee\nbob,Bob Ray\ncem,Cem Oz\n")
    assert copysift(folder, "cluster", "gsm8k.jsonl", "-o", "TESTSET").status == 0
    assert copysift(folder, "cluster", "pages.jsonl.gz", "more", "-o", "RUN").status == 0
    return folder


@pytest.fixture
def folder(prepared, tmp_path):
    return shutil.copytree(prepared, tmp_path / "corpora")


def test_the_page_can_be_typed_from_top_to_bottom(folder):
    """No command meets the output of another."""
    shutil.rmtree(folder / "RUN")
    for line in "".join(BLOCKS).strip().splitlines():
        command, _, stdin = line.partition(" < ")
        name, *words = shlex.split(command, comments=True)
        assert name == "copysift", line
        expanded = [found for word in words for found in globbed(folder, word)]
        done = copysift(folder, *expanded, stdin=(folder / stdin).read_bytes() if stdin else b"")
        assert done.status == 0, (line, done.out, done.err)


def globbed(folder, word):
    """Expand a pattern as a shell does."""
    found = sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else []
    return found or [word]


def test_every_block_of_the_page_is_run():
    assert sum(block.count("copysift ") for block in BLOCKS) >= 22


def test_the_python_of_the_page_runs(folder):
    (code,) = (content for kind, content in FENCED if kind == "python")
    texts = "texts = [{'text': 'a,b,c'}, {'text': 'a,b,c'}]\n"
    done = subprocess.run(
        [sys.executable, "-c", texts + code], cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
