"""Lost and found on real versions: four releases of a package as four sweeps.

    python experiments/sweeps/releases.py [--folder FOLDER] [--only NAME]

Downloads source distributions by name with pip, sweeps a folder of each in order of release, and asks for
every file that is not there any more where it is now. What is right is told without likeness of texts. A
page of documentation has moved to the only page of the last release, at an address that was not there
before, that has the same title, or the same label above its title. A test of Django has moved to the file
whose path ends alike, once modeltests/ and regressiontests/ were given up. Prints what share of those is
found at the right place.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import copysift


@dataclass(frozen=True)
class Case:
    """Four releases of a package: which folder of them, which files, and how moves are known."""

    package: str
    versions: tuple[str, ...]
    below: str
    glob: str
    tests: bool = False


CASES = {
    "django-docs": Case("Django", ("1.8.19", "2.2.28", "3.2.25", "4.2.16"), "docs", "*.txt"),
    "django-tests": Case("Django", ("1.5.12", "1.8.19", "2.2.28", "3.2.25"), "tests", "*.py", tests=True),
    "sphinx-docs": Case("Sphinx", ("1.5.6", "1.8.5", "3.5.4", "7.2.6"), "doc", "*.rst"),
    "pytest-docs": Case("pytest", ("5.4.3", "6.2.5", "7.4.4", "8.3.3"), "doc/en", "*.rst"),
}


def download(case: Case, version: str, folder: Path) -> Path:
    """Give the folder of a release that is swept."""
    target = folder / f"{case.package}-{version}"
    if not target.is_dir():
        if not _packed(case, version, folder):
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-binary",
                ":all:",
                "--no-deps",
            ]
            subprocess.run([*command, "--dest", str(folder), f"{case.package}=={version}"], check=True)
        with tarfile.open(_packed(case, version, folder)[0]) as archive:
            archive.extractall(target, filter="data")
    (found,) = target.glob(f"*/{case.below}")
    return found


def _packed(case: Case, version: str, folder: Path) -> list[Path]:
    wanted = f"{case.package}-{version}.tar.gz".lower()
    return [path for path in folder.glob("*.tar.gz") if path.name.lower() == wanted]


def marks(case: Case, docs: Path) -> dict[str, set[str]]:
    """Give what tells a file from others: title and top labels of a page, the path of a test."""
    if case.tests:
        paths = [path.relative_to(docs).as_posix() for path in docs.rglob(case.glob)]
        return {path: {re.sub(r"^(modeltests|regressiontests)/", "", path)} for path in sorted(paths)}
    found = {}
    for path in sorted(docs.rglob(case.glob)):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        under = next(
            (at for at, line in enumerate(lines) if re.fullmatch(r"([=\-~*#])\1{2,}", line.strip()) and at),
            None,
        )
        if under is None:
            continue
        if not lines[under - 1].strip():  # a line above the title, too
            under += 2
        title = lines[min(under - 1, len(lines) - 1)].strip().lower()
        labels = {match.group(1) for line in lines[:under] if (match := re.match(r"\.\. _([\w-]+):$", line))}
        found[path.relative_to(docs).as_posix()] = {f"title {title}", *(f"label {each}" for each in labels)}
    return found


def truth(pages: list[dict[str, set[str]]]) -> dict[str, str]:
    """Give the pages that are gone from the last release and have one page there of their title or label."""
    now = pages[-1]
    moved = {}
    for at, before in enumerate(pages[:-1]):
        for uri, own in before.items():
            if uri in now or uri in pages[at + 1]:
                continue
            heirs = {to for to, theirs in now.items() if own & theirs and to not in before}
            if len(heirs) == 1:
                moved[uri] = heirs.pop()
    return moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--threshold", default="50%")
    parser.add_argument("--only", choices=CASES, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, case in CASES.items():
            if options.only in (None, name):
                print(f"\n{name}")
                run(case, folder, Path(scratch) / f"{name}.sift", options.threshold)


def run(case: Case, folder: Path, path: Path, threshold: str) -> None:
    """Sweep the releases of a package and print what is found again."""
    releases = [download(case, version, folder) for version in case.versions]
    with copysift.Index(path, include=[case.glob]) as index:
        for number, (docs, version) in enumerate(zip(releases, case.versions, strict=True), 1):
            began = time.perf_counter()
            done = index.sweep(docs, date=f"2020-01-{number:02}")
            print(
                f"{version}: {done.documents} files, {done.new} new, {done.changed} changed, "
                f"{done.unchanged} unchanged, {done.gone} gone; {done.sketched} sketched, "
                f"{time.perf_counter() - began:.2f} s"
            )
        told(index, [marks(case, docs) for docs in releases], threshold)


def told(index: copysift.Index, pages: list[dict[str, set[str]]], threshold: str) -> None:
    """Print what was found, and where it was wrong."""
    moved = truth(pages)
    gone = sorted({uri for each in pages[:-1] for uri in each} - set(pages[-1]))
    found = {uri: index.locate(uri, threshold=threshold) for uri in gone}
    right = [uri for uri, to in moved.items() if found[uri].now and found[uri].now.uri == to]
    close = [uri for uri, to in moved.items() if any(each.uri == to for each in found[uri].copies)]
    lost = [uri for uri in moved if found[uri].now is None]
    wrong = [uri for uri in moved if uri not in right and found[uri].now is not None]
    beyond = [uri for uri in gone if uri not in moved and found[uri].now is not None]
    print(f"files gone from the last release: {len(gone)}")
    print(f"known to have moved: {len(moved)}")
    share = len(right) / len(moved) if moved else 0.0
    print(
        f"found at the right place: {len(right)} of {len(moved)} ({share:.0%}); "
        f"named among others: {len(close)}"
    )
    print(f"said to be gone: {len(lost)}; said to be elsewhere: {len(wrong)}")
    for uri in wrong:
        place = found[uri].now
        print(
            f"  {uri} is {moved[uri]}, but was said to be {place.uri} "
            f"({place.relation} {place.confidence:.0%})"
        )
    for uri in lost:
        print(f"  {uri} is {moved[uri]}, but was said to be gone")
    print(f"found elsewhere, and not known to have moved: {len(beyond)}")
    for uri in beyond:
        place = found[uri].now
        print(f"  {uri} -> {place.uri} ({found[uri].status}, {place.relation} {place.confidence:.0%})")
    changes = index.changes(threshold=threshold)
    for turn in changes.turns:
        moved_now = turn.between_folders + turn.renamed
        print(
            f"changes: {turn.appeared} appeared, {turn.died} died, {moved_now} moved, "
            f"{turn.changed} changed, {turn.unchanged} unchanged"
        )
    print(f"resemblance of changed ones by tenths: {list(changes.resemblances)}")


if __name__ == "__main__":
    main()
