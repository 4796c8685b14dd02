"""This version beside an older one, in one run, by CPU time: python benches/versions.py [--commit 4cc08f4]

    python benches/versions.py --tree HEADERS --corpus CORPUS.jsonl [--only startup,corpus] [--rounds 3]

The older commit is unpacked and compiled in a cache folder, once, and runs with the same Python and packages.
Both take turns, and the least CPU time of each counts (user and system, all threads and processes), so that
other work on the machine disturbs the ratio little. Bytecode is written to the cache folder, as it would be
after an installation. Without --tree and --corpus small ones are made.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assignment import write as write_class
from corpus_generator import write as write_corpus

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "copysift-versions"
LIMIT = 1.05

# what runs inside a process prints the CPU seconds of what is measured
SELECTION = """
import time
import numpy as np
from copysift.kernels import _selection
try:  # each version by its default scheme
    from copysift.model.traits import DEFAULT_SCHEME
except ImportError:
    DEFAULT_SCHEME = "robust"
INNER = 4 if DEFAULT_SCHEME == "open-closed" else 0
text = np.random.default_rng(1997).integers(97, 123, 16 << 20).astype(np.uint8)
best = 9e9
for _ in range(3):
    begun = time.thread_time()
    for start in range(0, len(text), 1 << 20):
        _selection.winnow(text[start : start + (1 << 20)], 25, 26, 0, True, INNER)
    best = min(best, time.thread_time() - begun)
print(best)
"""
PIPELINE = """
import time
import numpy as np
import copysift
chance = np.random.default_rng(1997)
letters = chance.integers(97, 123, 8 << 20).astype(np.uint8)
letters[chance.integers(0, len(letters), len(letters) // 6)] = 32
text = letters.tobytes()
best = 9e9
for _ in range(3):
    begun = time.thread_time()
    for start in range(0, len(text), 1 << 16):
        copysift.fingerprint(text[start : start + (1 << 16)], kind="text")
    best = min(best, time.thread_time() - begun)
print(best)
"""
SERVE = """
import json, os, re, subprocess, sys, urllib.request
from pathlib import Path
index, data, texts = sys.argv[1:]
command = [sys.executable, "-m", "copysift", "serve", "--data", data, "--port", "0", "--moss-port", "-1"]
server = subprocess.Popen([*command, "--index", index], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
def seconds():
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
try:
    url = next(found[1] for line in server.stdout if (found := re.search(r"serves (\\S+)/ from", line)))
    lines = Path(texts).read_text().splitlines()
    def ask(line):
        body = json.dumps({"text": json.loads(line)["text"], "threshold": 0.2}).encode()
        kind = {"Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/indexes/x/query", body, kind)).read()
    for line in lines[:20]: ask(line)
    begun = seconds()
    for _ in range(4):
        for line in lines[:100]: ask(line)
    print(seconds() - begun)
finally:
    server.terminate()
    server.wait()
"""


@dataclass(frozen=True)
class Version:
    """A tree of copysift, and how its processes are started."""

    name: str
    tree: Path

    def measured(self, arguments: list[str], *, printed: bool = False) -> float:
        """Give the CPU seconds of a process, or what it prints as such."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=kept | {"PYTHONPATH": str(self.tree / "src"), "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        shown, said = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 3):
            raise SystemExit(f"{self.name}: {' '.join(arguments)[:200]}\n{said.decode(errors='replace')}")
        return float(shown.split()[-1]) if printed else usage.ru_utime + usage.ru_stime


def older(commit: str) -> Version:
    """Unpack and compile a commit, if that has not been done."""
    named = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short=12", f"{commit}^{{commit}}"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    tree = CACHE / named
    if not (tree / "built").exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        packed = subprocess.run(["git", "-C", str(ROOT), "archive", named], capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", str(tree)], input=packed.stdout, check=True)
        print(f"compiling {named} …", file=sys.stderr)
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        subprocess.run(command, cwd=tree, check=True, stdout=sys.stderr)
        (tree / "built").touch()
    return Version(commit, tree)


@dataclass(frozen=True)
class Case:
    """Something to measure: `run` gives the arguments of a process of a version in a fresh folder."""

    name: str
    what: str
    run: Callable[[Version, Path], list[str]]
    printed: bool = False


def cases(tree: Path, corpus: Path, work: Path) -> list[Case]:
    """Give all that is measured, with its data made."""
    program = ["-m", "copysift"]
    write_class(work / "class", 300)
    write_corpus(work / "few.jsonl", 500)
    small = work / "small"
    small.mkdir()
    for number, line in enumerate((work / "few.jsonl").read_text().splitlines()[:15]):
        (small / f"{number}.txt").write_text(line)

    def indexed(version: Version) -> Path:
        path = work / f"{version.tree.name}-index" / "x"
        if not path.exists():
            path.parent.mkdir()
            version.measured([*program, "index", "add", str(path), str(work / "few.jsonl"), "-q"])
        return path

    def index(_: Version, folder: Path) -> list[str]:
        return [*program, "index", "add", str(folder / "index"), str(tree), "-q"]

    def serve(version: Version, folder: Path) -> list[str]:
        return ["-c", SERVE, str(indexed(version)), str(folder / "data"), str(work / "few.jsonl")]

    return [
        Case("selection", "winnowing of 16 MB, one core", lambda *_: ["-c", SELECTION], True),
        Case("pipeline", "fingerprints of 8 MB of text, one core", lambda *_: ["-c", PIPELINE], True),
        Case("startup", "`scan` of 15 files", lambda *_: [*program, "scan", str(small)]),
        Case("tree", f"`scan` of {tree.name}", lambda *_: [*program, "scan", str(tree)]),
        Case("code", "`scan` of 300 programs", lambda *_: [*program, "scan", str(work / "class")]),
        Case("index", f"`index add` of {tree.name}", index),
        Case(
            "corpus", f"`cluster` of {corpus.name}",
            lambda _, folder: [*program, "cluster", str(corpus), "-o", str(folder / "run"), "-q"],
        ),
        Case("serve", "400 queries by REST, the server", serve, True),
    ]  # fmt: skip


def made_tree(folder: Path) -> Path:
    """Write a tree of C-like files, as far as none is given."""
    write_class(folder / "tree", 2000)
    return folder / "tree"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", default="4cc08f4", help="the older version (default: 0.1)")
    parser.add_argument("--tree", type=Path, help="a folder with two versions of kernel headers")
    parser.add_argument("--corpus", type=Path, help="records with id and text")
    parser.add_argument("--only", default="", help="names of cases, with commas")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    versions = older(given.commit), Version("this", ROOT)
    with tempfile.TemporaryDirectory(prefix="copysift-bench-", dir=CACHE) as place:
        work = Path(place)
        tree = given.tree.resolve() if given.tree else made_tree(work)
        corpus = given.corpus.resolve() if given.corpus else work / "corpus.jsonl"
        if not given.corpus:
            write_corpus(corpus, 4000)
        print(f"| bench | what | {given.commit} CPU s | this CPU s | ratio | |\n|---|---|--:|--:|--:|---|")
        for case in cases(tree, corpus, work):
            if given.only and case.name not in given.only.split(","):
                continue
            best = dict.fromkeys(versions, float("inf"))
            for turn in range(given.rounds):
                for version in versions:
                    folder = work / f"{case.name}-{turn}-{version.tree.name}"
                    folder.mkdir()
                    took = version.measured(case.run(version, folder), printed=case.printed)
                    best[version] = min(best[version], took)
                    shutil.rmtree(folder)
            old, new = best.values()
            note = "slower" if new / old > LIMIT else ""
            print(
                f"| {case.name} | {case.what} | {old:.3f} | {new:.3f} | {new / old:.2f} | {note} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
