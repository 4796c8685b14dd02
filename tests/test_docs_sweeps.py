"""The examples of docs/howto-sweeps.md run, and docs/format.md names the tables of sweeps."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from copysift.store import timeline
from tests.cli.program import copysift, environment, write
from tests.cli.texts import prose

DOCS = Path(__file__).parents[1] / "docs"
HOWTO = (DOCS / "howto-sweeps.md").read_text(encoding="utf-8")


def test_every_command_of_the_how_to_runs(tmp_path):
    texts = {"start/install.txt": prose(1) + prose(9, 10), "b.txt": prose(2)}
    moved = [{"uri": uri, "text": text} for uri, text in texts.items()]
    files = {
        "january/guide/install.txt": prose(1), "january/b.txt": prose(2), "old.txt": prose(2),
        "licence.txt": prose(2),
        "february.jsonl": "\n".join(map(json.dumps, moved)), "march/start/install.txt": prose(1),
        "march/copy/b.txt": prose(2) + prose(3, 20),
    }  # fmt: skip
    write(tmp_path, files)
    commands = re.findall(r"^\$ (.*)$", HOWTO, re.MULTILINE)
    assert len(commands) >= 9
    for command in commands:
        name, *arguments = shlex.split(command)
        assert name == "copysift"
        done = copysift(tmp_path, *arguments)
        assert (done.status, done.err) == (0, ""), command
    assert "<svg" in (tmp_path / "changes.html").read_text(encoding="utf-8")


def test_the_python_of_the_how_to_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", HOWTO, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "http://b/1"), done.stderr


def test_the_format_names_every_table_with_its_columns():
    written = (DOCS / "format.md").read_text(encoding="utf-8")
    for name, columns in re.findall(
        r"CREATE TABLE (\w+) \((.*?)(?:,\s*PRIMARY KEY \(.*?\)\s*)?\)[ A-Z]*;", timeline.TABLES, re.DOTALL
    ):
        fields = [column.split()[0] for column in columns.split(",") if column.strip()]
        assert re.search(rf"^{name} +\({', '.join(fields)}\)", written, re.MULTILINE), name
