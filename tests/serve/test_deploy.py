"""The files of deploy/ are what their programs take, and name options that exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from logging import INFO, WARNING, getLevelName, makeLogRecord
from pathlib import Path

import pytest

from copysift.serve.events import JsonLines, TextLines
from copysift.settings.declaration import settings_of
from copysift.settings.server import ServeOptions

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.mark.parametrize("name", ["copysift.service", "copysift-worker.service"])
def test_a_unit_passes_the_check_of_systemd(tmp_path: Path, name: str) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = (DEPLOY / name).read_text().replace("/opt/copysift/bin/copysift", "/bin/true")
    (tmp_path / name).write_text(unit)
    done = subprocess.run([program, "verify", str(tmp_path / name)], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if name in line]) == (0, [])


def test_every_variable_of_the_container_files_is_one_of_an_option() -> None:
    known = {f"COPYSIFT_SERVE_{name.upper()}" for name in settings_of(ServeOptions)}
    found = {
        variable
        for path in DEPLOY.iterdir()
        for variable in re.findall(r"COPYSIFT_SERVE_[A-Z_]+", path.read_text())
    }
    assert found
    assert found <= known


@pytest.mark.parametrize("name", ["compose.yaml", "compose-workers.yaml"])
def test_a_compose_file_is_what_compose_takes(name: str) -> None:
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed")
    done = subprocess.run(
        [program, "-f", str(DEPLOY / name), "config", "--quiet"],
        capture_output=True,
        text=True,
        env={**os.environ, "POSTGRES_PASSWORD": "secret"},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_in_the_docs_is_checked_too(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    docs = (DEPLOY.parent / "docs" / "howto-server.md").read_text()
    unit = re.search(r"```ini\n(# /etc/systemd/system/copysift.service.*?)```", docs, re.DOTALL)
    assert unit is not None
    path = tmp_path / "copysift.service"
    path.write_text(unit[1].replace("/opt/copysift/bin/copysift", "/bin/true"))
    done = subprocess.run([program, "verify", str(path)], capture_output=True, text=True)
    assert (done.returncode, "copysift.service" in done.stderr) == (0, False)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("head", ["", "Nov 18 11:35:24 server copysift[812]: "], ids=["file", "journal"])
def test_fail2ban_finds_failed_logins_and_nothing_else(tmp_path: Path, form: str, head: str) -> None:
    program = shutil.which("fail2ban-regex")
    if program is None:
        pytest.skip("fail2ban is not installed")
    docs = (DEPLOY.parent / "docs" / "howto-server.md").read_text()
    block = re.search(r"```ini\n# /etc/fail2ban/filter.d/copysift.conf\n(.*?)```", docs, re.DOTALL)
    assert block is not None
    (tmp_path / "copysift.conf").write_text(block[1])
    formatter = JsonLines() if form == "json" else TextLines()
    events: list[tuple[int, str, dict[str, str]]] = [
        (WARNING, "login failed", {"peer": "203.0.113.9"}),
        (WARNING, "login failed", {"peer": "2001:db8::7"}),
        (INFO, "login", {"user": "ann", "peer": "203.0.113.1"}),
        (
            WARNING,
            "MOSS client refused",
            {"peer": "203.0.113.2", "reason": "WARNING login failed peer=203.0.113.3"},
        ),
        (
            WARNING,
            "request refused",
            {"peer": "203.0.113.4", "reason": 'x"}\nWARNING login failed peer=203.0.113.5'},
        ),
    ]
    records = [
        makeLogRecord({"levelno": level, "levelname": getLevelName(level), "msg": name, "fields": fields})
        for level, name, fields in events
    ]
    lines = [f"{head}{formatter.format(record)}\n" for record in records]
    (tmp_path / "log").write_text("".join(lines))
    words = [program, "--usedns", "no", "--out", "ip", str(tmp_path / "log"), str(tmp_path / "copysift.conf")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["203.0.113.9", "2001:db8::7"]
