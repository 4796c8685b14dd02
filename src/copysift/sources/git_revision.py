"""The files of a revision of a git repository, read through git itself: no checkout, nothing is written."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import IO

from copysift.errors import InputError
from copysift.model.values import Skipped
from copysift.sources.globs import Globs
from copysift.sources.walk import WalkSettings

LARGEST = 2**32 - 1  # bytes of a blob, which is held whole
FILES = (b"100644", b"100755", b"100664")


def commit_of(repository: str, revision: str) -> tuple[str, int]:
    """Give the commit that a revision names, and when it was made, in seconds since 1970."""
    commit = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    if not commit:
        raise InputError(
            f"{repository} has no revision {revision!r}", hint="git log lists them, and git tag the tags"
        )
    # Not `git show`, which looks into the files of a merge, and fails in a clone that has not all of them.
    told = _git(repository, "rev-list", "--max-count=1", "--timestamp", commit)
    return commit, int(told.split()[0])


def tree(repository: str, commit: str, walking: WalkSettings) -> Iterator[tuple[str, bytes] | Skipped]:
    """Give every file of a commit with its path; links and submodules are no files.

    Of a folder inside a repository these are its own files, with their paths below it, as without git.
    """
    listed = git_output(repository, "ls-tree", "-r", "-z", commit)
    include, exclude = Globs(walking.include), Globs(walking.exclude)
    try:
        blobs = subprocess.Popen(
            ["git", "-C", repository, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    except OSError as error:
        raise InputError(f"git cannot be run: {error.strerror}") from None
    with blobs:
        assert blobs.stdin is not None
        assert blobs.stdout is not None
        try:
            for row in listed.split(b"\0")[:-1]:
                facts, _, raw = row.partition(b"\t")
                mode, _, name = facts.split(b" ")
                path = raw.decode("utf-8", "surrogateescape")
                if mode in FILES and _wanted(path, include, exclude, walking.hidden):
                    blobs.stdin.write(name + b"\n")
                    blobs.stdin.flush()
                    data = _blob(blobs.stdout)
                    yield Skipped(path, "git cannot give it") if data is None else (path, data)
        finally:
            blobs.stdin.close()


def _blob(stream: IO[bytes]) -> bytes | None:
    head = stream.readline().split()
    if len(head) != 3 or head[1] != b"blob" or int(head[2]) > LARGEST:
        return None
    data = stream.read(int(head[2]) + 1)
    return data[:-1] if len(data) == int(head[2]) + 1 else None


def _wanted(path: str, include: Globs, exclude: Globs, hidden: bool) -> bool:
    *folders, name = path.split("/")
    if not hidden and any(part.startswith(".") for part in (*folders, name)):
        return False
    prefix = ""
    for folder in folders:
        if not exclude.empty and exclude.matches(prefix, folder, folder=True):
            return False
        prefix += folder + "/"
    if not exclude.empty and exclude.matches(prefix, name, folder=False):
        return False
    return include.empty or include.matches(prefix, name, folder=False)


def _git(repository: str, *arguments: str) -> str:
    return git_output(repository, *arguments).decode("utf-8", "replace").strip()


def git_output(repository: str, *arguments: str) -> bytes:
    """Give what git prints; its error is ours."""
    try:
        done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"git cannot be run: {error.strerror}", hint="install git") from None
    if done.returncode and done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1]
        raise InputError(f"{repository}: {said.removeprefix('fatal: ')}")
    return done.stdout
