"""Lost and found where nobody had looked before: four revisions of documentation as four sweeps.

    python experiments/sweeps/renames.py CASE REPOSITORY [--threshold 50%]

CASE is kubernetes (github.com/kubernetes/website), ansible (ansible/ansible), celery (celery/celery) or
flask (pallets/flask); REPOSITORY is a clone of it with all commits and tags. Every page that the last
revision does not have is asked for. What is right is told by what the authors did between the revisions:
for Kubernetes by the redirections that they wrote for readers, which know nothing of texts; for the others
by the renames that git sees in single commits, followed to the end. The sweeps see the four revisions alone.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import copysift


@dataclass(frozen=True)
class Case:
    """Four revisions of a repository: which folder of them, and which files."""

    revisions: tuple[str, str, str, str]
    below: str
    ending: str
    redirects: str = ""


CASES = {
    "kubernetes": Case(
        ("snapshot-initial-v1.12", "snapshot-initial-v1.16", "snapshot-initial-v1.20",
         "snapshot-initial-v1.26"),
        "content/en/docs/", ".md", "static/_redirects",
    ),
    "ansible": Case(("v2.4.0.0-1", "v2.6.0", "v2.8.0", "v2.10.0"), "docs/docsite/rst/", ".rst"),
    "flask": Case(("0.12", "1.0", "2.0.0", "3.0.0"), "docs/", ".rst"),
    "celery": Case(("v3.0.0", "v3.1.0", "v4.0.0", "v5.0.0"), "docs/", ".rst"),
}  # fmt: skip


def git(repository: Path, *arguments: str) -> str:
    """Give what git says."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "surrogateescape")


def pages(case: Case, repository: Path, revision: str) -> set[str]:
    """Give the pages of a revision."""
    listed = git(repository, "ls-tree", "-r", "-z", "--name-only", revision, case.below).split("\0")
    hidden = [name for name in listed if "/." in name]
    return {name for name in listed if name.endswith(case.ending)} - set(hidden)


def renames(case: Case, repository: Path, before: str, after: str) -> list[tuple[str, str]]:
    """Give the renames of single commits from one revision to another, oldest first."""
    told = git(
        repository, "log", "--no-merges", "--reverse", "--topo-order", "--name-status", "-z", "-M", "-l0",
        "--diff-filter=R", "--format=", f"{before}..{after}", "--", case.below,
    ).split("\0")  # fmt: skip
    made = []
    at = 0
    while at < len(told):
        if told[at].strip().startswith("R") and at + 2 < len(told):
            made.append((told[at + 1], told[at + 2]))
            at += 3
        else:
            at += 1
    return made


def followed(case: Case, repository: Path, every: list[set[str]]) -> dict[str, str]:
    """Give where the pages went that the last revision does not have, by the renames of commits."""
    steps = [renames(case, repository, *case.revisions[at : at + 2]) for at in range(len(case.revisions) - 1)]
    moved = {}
    for number, known in enumerate(every[:-1]):
        for uri in known - every[-1] - every[number + 1]:
            at = uri
            for old, new in (pair for step in steps[number:] for pair in step):
                at = new if at == old else at
            if at in every[-1]:
                moved[uri] = at
    return moved


def redirected(case: Case, repository: Path, every: list[set[str]]) -> dict[str, str]:
    """Give where readers are sent to by the redirections of the last revision."""
    lines = git(repository, "show", f"{case.revisions[-1]}:{case.redirects}").splitlines()
    rows = [line.split() for line in lines if line.startswith("/docs/")]
    to = {row[0].rstrip("/"): row[1].partition("#")[0].rstrip("/") for row in rows if len(row) > 1}
    now = {_address(case, page): page for page in every[-1]}
    moved = {}
    for uri in set().union(*every[:-1]) - every[-1]:
        at, seen = _address(case, uri), set()
        while at in to and at not in seen:
            seen.add(at)
            at = to[at]
        if seen and at in now:
            moved[uri] = now[at]
    return moved


def _address(case: Case, page: str) -> str:
    path = "/docs/" + page.removeprefix(case.below).removesuffix(case.ending)
    return path.removesuffix("/_index").removesuffix("/index").rstrip("/")


def told(index: copysift.Index, name: str, moved: dict[str, str], threshold: str) -> None:
    """Print what share was found, and where it was wrong."""
    found = {uri: index.locate(uri, threshold=threshold) for uri in sorted(moved)}
    right = [uri for uri, place in found.items() if place.now and place.now.uri == moved[uri]]
    lost = [uri for uri, place in found.items() if place.now is None]
    wrong = [uri for uri in found if uri not in right and uri not in lost]
    close = [uri for uri in wrong if any(each.uri == moved[uri] for each in found[uri].copies)]
    share = len(right) / len(moved) if moved else 0.0
    print(
        f"{name}: {len(moved)} moved; {len(right)} ({share:.0%}) at the right place, {len(wrong)} elsewhere "
        f"({len(close)} of them name it second or later), {len(lost)} said to be gone"
    )
    for uri in wrong:
        place = found[uri].now
        print(f"  {uri} is {moved[uri]}, said: {place.uri} ({place.relation} {place.confidence:.0%})")
    for uri in lost:
        print(f"  {uri} is {moved[uri]}, said: gone")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=CASES)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--threshold", default="50%")
    options = parser.parse_args()
    case = CASES[options.case]
    every = [pages(case, options.repository, revision) for revision in case.revisions]
    with tempfile.TemporaryDirectory() as scratch:
        include = [f"/{case.below}**/*{case.ending}"]
        with copysift.Index(Path(scratch) / "x.sift", include=include) as index:
            for revision in case.revisions:
                done = index.sweep(options.repository, revision=revision)
                print(
                    f"{revision} ({done.date}): {done.documents} pages, {done.new} new, "
                    f"{done.changed} changed, {done.unchanged} unchanged, {done.gone} gone"
                )
            print(f"pages that the last does not have: {len(set().union(*every[:-1]) - every[-1])}")
            name, truth = ("redirections", redirected) if case.redirects else ("renames", followed)
            told(index, name, truth(case, options.repository, every), options.threshold)


if __name__ == "__main__":
    main()
