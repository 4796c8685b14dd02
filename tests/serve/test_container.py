"""The Containerfile builds where there is no registry of images, and the server in it works.

The base image is made of Debian's packages under the name that the Containerfile has. Both are built by
buildah in a chroot, which needs root, but no engine and no kernel features of containers. It takes
minutes, and up to 12 GB for the copies of the layers: set COPYSIFT_CONTAINER to a folder for it. What is in
that folder is used again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = os.environ.get("COPYSIFT_CONTAINER", "")
TOOLS = ("buildah", "mmdebstrap")
PORT = 18_690
BASE = """FROM scratch
ADD base.tar /
RUN rm -f /usr/lib/python3*/EXTERNALLY-MANAGED && ln -s /usr/bin/python3 /usr/bin/python
"""
# As the host reaches packages: its certificates and the configurations of pip and apt.
MOUNTS = (
    "/etc/ssl/certs",
    "/etc/pip.conf",
    "/opt/wheels",
    "/opt/pypi",
    "/etc/apt/apt.conf.d",
    "/etc/apt/sources.list.d",
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="COPYSIFT_CONTAINER names no folder to build in"),
    pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {' and '.join(TOOLS)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root to build in a chroot"),
]


class Builder:
    """buildah with all its files below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "policy.json").write_text(json.dumps({"default": [{"type": "insecureAcceptAnything"}]}))

    def command(self, verb: str, *arguments: str) -> list[str]:
        places = ["--root", str(self.folder / "images"), "--runroot", str(self.folder / "run")]
        return ["buildah", *places, "--storage-driver", "vfs", verb, *arguments]

    def run(self, verb: str, *arguments: str) -> str:
        done = subprocess.run(self.command(verb, *arguments), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def build(self, file: Path, tag: str, context: Path) -> None:
        mounts = [f"--volume={place}:{place}:ro" for place in MOUNTS if Path(place).exists()]
        policy = f"--signature-policy={self.folder / 'policy.json'}"
        how = [policy, "--isolation=chroot", "--network=host", "--layers", "--pull-never", "--format=docker"]
        self.run("bud", *how, *mounts, "-f", str(file), "-t", tag, str(context))


@pytest.fixture(scope="module")
def image() -> Builder:
    """Make the base image of packages, and the one of the Containerfile on it."""
    builder = Builder(Path(FOLDER))
    own = builder.folder / "base"
    own.mkdir(exist_ok=True)
    if not (own / "base.tar").exists():
        packages = "--include=python3,python3-dev,python3-pip,python3-venv,ca-certificates"
        part = own / "part.tar"
        lists = [str(path) for path in Path("/etc/apt/sources.list.d").glob("*.sources")]
        codename = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())
        assert codename
        subprocess.run(
            ["mmdebstrap", "--variant=minbase", "--mode=root", packages, codename[1], str(part), *lists],
            check=True, capture_output=True,
        )  # fmt: skip
        part.replace(own / "base.tar")
    (own / "Containerfile").write_text(BASE)
    names = set(re.findall(r"^FROM (\S+)", (ROOT / "deploy" / "Containerfile").read_text(), re.MULTILINE))
    for name in names:
        builder.build(own / "Containerfile", f"docker.io/library/{name}", own)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    context = builder.folder / "context"
    shutil.rmtree(context, ignore_errors=True)
    for name in filter(None, listed.decode().split("\0")):
        (context / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, context / name)
    builder.build(context / "deploy" / "Containerfile", "copysift", context)
    return builder


@pytest.fixture
def container(image: Builder) -> Iterator[str]:
    """Make a container of the image."""
    policy = f"--signature-policy={image.folder / 'policy.json'}"
    name = image.run("from", policy, "--pull-never", "localhost/copysift").strip()
    yield name
    image.run("rm", name)


def ask(path: str, token: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def eventually(wanted: Any, seconds: float = 60) -> Any:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found := wanted():
                return found
        except OSError:
            pass
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.5)


def test_the_image_runs_a_server_as_its_own_user_that_checks_files(image: Builder, container: str) -> None:
    def inside(*command: str) -> str:
        return image.run("run", "--isolation=chroot", container, "--", *command)

    assert inside("id", "-un").strip() == "copysift"
    token = inside("copysift", "serve", "token", "add", "ann").split()[-1]
    place = Path(image.run("mount", container).strip())
    listening = f"COPYSIFT_SERVE_HOST=127.0.0.1 COPYSIFT_SERVE_PORT={PORT} COPYSIFT_SERVE_MOSS_PORT=-1"
    start = f"echo $$ > /tmp/pid; exec env {listening} copysift serve"
    command = image.command("run", "--isolation=chroot", container, "--", "sh", "-c", start)
    with (image.folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            assert eventually(lambda: ask("/api/v1/health", token))["status"] == "ok"
            text = " ".join(f"word{number}" for number in range(100))
            documents = [{"name": f"{name}.txt", "text": text} for name in ("a", "b")]
            job = ask("/api/v1/jobs", token, {"documents": documents})
            done = lambda: (found := ask(f"/api/v1/jobs/{job['id']}", token))["state"] == "done" and found  # noqa: E731
            assert eventually(done)["summary"]["pairs"] == 1
            check = re.search(r"HEALTHCHECK CMD (\[.*\])", (ROOT / "deploy" / "Containerfile").read_text())
            assert check
            inside(*(word.replace("8690", str(PORT)) for word in json.loads(check[1])))
        finally:
            os.kill(int((place / "tmp" / "pid").read_text()), signal.SIGTERM)
            server.wait(30)
