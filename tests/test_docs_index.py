"""The examples of docs/howto-index.md run, and docs/format.md names every table and field."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from copysift.store import catalog
from tests.cli.program import copysift, environment, write
from tests.cli.texts import prose

DOCS = Path(__file__).parents[1] / "docs"
HOWTO = (DOCS / "howto-index.md").read_text(encoding="utf-8")
FORMAT = (DOCS / "format.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    write(
        tmp_path,
        {
            "2023/c.txt": prose(1)[:500], "2024/b.txt": prose(1) + prose(2), "2025/a.txt": prose(3),
            "new/essay.txt": prose(1), "page.html": f"<html><p>{prose(2)}</p></html>",
        },
    )  # fmt: skip
    return tmp_path


def test_every_command_of_the_how_to_runs(folder):
    commands = re.findall(r"^\$ (.*?)(?:\s+#.*)?$", HOWTO, re.MULTILINE)
    assert len(commands) >= 10
    for command in commands:
        piped, _, words = command.rpartition("| ")
        name, *arguments = shlex.split(words)
        assert name == "copysift"
        stdin = (folder / piped.split()[1]).read_bytes() if piped else b""
        done = copysift(folder, *arguments, stdin=stdin)
        assert done.status in (0, 1), (command, done.err)
        assert "skipped" not in done.err


def test_the_python_of_the_how_to_runs(folder):
    (code,) = re.findall(r"```python\n(.*?)```", HOWTO, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_format_names_every_table_with_its_columns():
    for name, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\)[ A-Z]*;", catalog._TABLES, re.DOTALL):
        fields = [column.split()[0] for column in columns.split(",")]
        assert re.search(rf"^{name} +\({', '.join(fields)}\)", FORMAT, re.MULTILINE), name
