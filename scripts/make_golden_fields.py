"""Write the fields of the JSON of every command, as a version gives them, to tests/golden/fields.json.

It was run once, with version 0.1: later versions may add fields, but never lose one. Usage:
python scripts/make_golden_fields.py path/to/copysift
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.golden.commands import answers


def run(*arguments: object, stdin: str = "") -> str:
    """Run the version that is asked for."""
    done = subprocess.run(
        [sys.argv[1], *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as place:
    found = {name: sorted(fields) for name, fields in answers(run, Path(place)).items()}
target = Path(__file__).parents[1] / "tests" / "golden" / "fields.json"
target.write_text(json.dumps(found, indent=1) + "\n")
