"""Compare two trees, and check the answer against `git diff -M` and `diff -rq`.

    python benches/folders.py OLD NEW

prints how many renames git finds, how many of them copysift finds, which it finds besides, and whether the
paths that only one tree has are those that diff names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Print the comparison; the exit status is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    given = parser.parse_args()
    old, new = given.old.resolve(), given.new.resolve()
    begun, used = time.perf_counter(), os.times()
    changes = compared(old, new)
    seconds, after = time.perf_counter() - begun, os.times()
    cpu = after.children_user + after.children_system - used.children_user - used.children_system
    partners = {(left, right) for each in changes for left in each["left"] for right in each["right"]}
    ours = {pair for pair in partners if pair[0] != pair[1]}
    moved = [each for each in changes if each["relation"] in ("moved", "renamed")]
    found_by_git = renames(old, new)
    git = {pair for pair in found_by_git if (old / pair[0]).stat().st_size}  # git pairs any two empty files
    gone = {path for each in changes for path in each["left"]} - {p for e in changes for p in e["right"]}
    gone = {path.partition("!")[0] for path in gone}  # diff does not look into archives
    added = {path for each in changes for path in each["right"]} - {p for e in changes for p in e["left"]}
    added = {path.partition("!")[0] for path in added}
    only_old, only_new = only(old, new), only(new, old)
    print(f"{seconds:.1f} s, {cpu:.1f} CPU s for {len(changes):,} changes")
    print(f"renames of git diff -M: {len(git)}, of them found: {len(git & ours)}", end="")
    print(f"; of empty files, not counted: {len(found_by_git - git)}")
    print(
        f"moved or renamed: {len(moved)}; further pairs of split and merged files: {len(ours) - len(moved)}"
    )
    for each in moved:
        pair = each["left"][0], each["right"][0]
        if pair not in git:
            print(f"  not in git: {pair[0]} → {pair[1]}")
    for pair in sorted(git - ours):
        print(f"  missed: {pair[0]} → {pair[1]}")
    print(f"paths only in the old tree: {len(gone):,}, as in diff -rq: {gone == only_old}")
    print(f"paths only in the new tree: {len(added):,}, as in diff -rq: {added == only_new}")
    return int(bool(git - ours) or gone != only_old or added != only_new)


def compared(old: Path, new: Path) -> list[dict[str, list[str]]]:
    """Give the changes that copysift finds."""
    command = [
        sys.executable,
        "-m",
        "copysift",
        "compare",
        f"{old}",
        f"{new}",
        "--hidden",
        "--format",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, check=False)
    found: list[dict[str, list[str]]] = json.loads(done.stdout)["changes"]
    return found


def renames(old: Path, new: Path) -> set[tuple[str, str]]:
    """Give the renames that git finds; it has no limit on their number."""
    command = ["git", "diff", "--no-index", "-z", "-l0", "-M", "--name-status", f"{old}/", f"{new}/"]
    fields = subprocess.run(command, capture_output=True, check=False).stdout.decode().split("\0")
    found = set()
    at = 0
    while at < len(fields) - 1:
        if fields[at].startswith("R"):
            left, right = (os.path.relpath(fields[at + 1], old), os.path.relpath(fields[at + 2], new))
            found.add((left, right))
            at += 3
        else:
            at += 2
    return found


def only(tree: Path, other: Path) -> set[str]:
    """Give the paths of files and links that `diff -rq` names as being in one tree only."""
    done = subprocess.run(["diff", "-rq", tree, other], capture_output=True, check=False)
    found = set()
    for line in done.stdout.decode().splitlines():
        if line.startswith(f"Only in {tree}"):
            folder, _, name = line.removeprefix("Only in ").partition(": ")
            place = Path(folder) / name
            if place.is_dir() and not place.is_symlink():
                found.update(str(each.relative_to(tree)) for each in place.rglob("*") if not each.is_dir())
            else:
                found.add(str(place.relative_to(tree)))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
