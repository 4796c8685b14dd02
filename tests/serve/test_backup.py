"""The page on backup and restore: its commands bring a server back as it was."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from copysift.serve.access import secret
from copysift.serve.incoming import uploaded
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits

DOCS = Path(__file__).parents[2] / "docs" / "howto-server.md"


def commands(restoring: bool, folder: Path) -> str:
    """Give a block of the page, for a data folder below `folder` and without systemd."""
    page = DOCS.read_text(encoding="utf-8")
    blocks = re.search(r"## Backup and restore\n.*?```\n(.*?)```.*?```\n(.*?)```", page, re.DOTALL)
    assert blocks is not None
    lines = [line for line in blocks[1 + restoring].splitlines() if not line.startswith("systemctl")]
    assert any(line.startswith("tar ") for line in lines)
    script = "\n".join(lines).replace("/var/lib", str(folder))
    return re.sub(r"copysift-(\$\(date \+%F\)|[\d-]+)\.tar\.gz", f"{folder}/backup.tar.gz", script)


def test_a_data_folder_is_as_it_was_after_the_commands_of_the_page(tmp_path: Path) -> None:
    data = tmp_path / "copysift"
    jobs = Jobs(data, Limits())
    with jobs.incoming("ann") as upload:
        upload.add("one.py", b"x = 1\n")
        job = jobs.accept(upload, "ann", "scan", {"settings": {}})
    key = secret(data / "secret")
    jobs.close()
    subprocess.run(["sh", "-euc", commands(False, tmp_path)], check=True, capture_output=True)
    (data / "jobs.sqlite").write_bytes(b"no database any more")
    subprocess.run(["sh", "-euc", commands(True, tmp_path)], check=True, capture_output=True)
    assert (tmp_path / "copysift.broken" / "jobs.sqlite").read_bytes() == b"no database any more"
    assert not (data / "incoming").exists()
    restored = Jobs(data, Limits())
    restored.recover()
    assert restored.get(job.id) == job
    assert [path.read_bytes() for _, path in uploaded(data / "jobs" / job.id / "in")] == [b"x = 1\n"]
    with restored.incoming("ann") as upload:  # the folder for uploads is made again
        upload.add("two.py", b"y = 2\n")
        restored.accept(upload, "ann", "scan", {"settings": {}})
    assert secret(data / "secret") == key
    restored.close()
