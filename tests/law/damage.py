"""Indexes and runs to damage, what is asked of each, and ways to damage a file."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from tests.cli.program import Done, copysift, write
from tests.cli.texts import prose
from tests.workflows.test_programs import PROGRAM, RENAMED

Command = tuple[str, ...]
LEGAL = prose(900, 40)  # in every record: boilerplate
HANDED = prose(901, 40)  # the base
RANKED = "".join(f"e{number}\n" for number in range(0, 48, 2)).encode()
SOUND = ("writer.lock",)  # files with nothing in them that is read


@dataclass(frozen=True)
class Store:
    """A folder to damage, and what is asked of it: commands, and the file that each of them writes."""

    name: str
    asked: tuple[tuple[Command, str], ...]


STORES = (
    Store(
        "x.sift",
        (
            (("query", "x.sift", "q.txt", "--format", "json"), ""),
            (("query", "x.sift", "d/b.py", "--passages", "3"), ""),
            (("query", "x.sift", "d/4.txt", "--measure", "similarity", "--threshold", "1%"), ""),
            (("scan", "x.sift", "--format", "csv"), ""),
            (("scan", "q.txt", "d/1.txt", "--earlier", "x.sift", "--format", "csv"), ""),
            (("index", "list", "x.sift"), ""),
            (("index", "info", "x.sift"), ""),
            (("index", "check", "x.sift"), ""),
        ),
    ),
    Store(
        "s.sift",
        (
            (("locate", "s.sift", "http://a.org/2"), ""),
            (("locate", "s.sift", "q.txt"), ""),
            (("copies", "s.sift", "q.txt"), ""),
            (("copies", "s.sift", "http://a.org/3", "--format", "json"), ""),
            (("history", "s.sift", "http://a.org/1", "--diff"), ""),
            (("changes", "s.sift", "--format", "json"), ""),
            (("index", "info", "s.sift"), ""),
            (("index", "check", "s.sift"), ""),
        ),
    ),
    Store(
        "scanned",
        (
            (("show", "scanned", "--format", "json"), ""),
            (("show", "scanned", "--threshold", "5%", "--groups"), ""),
            (("show", "scanned", "--folders"), ""),
        ),
    ),
    Store(
        "run",
        (
            (("show", "run"), ""),
            (("show", "run", "--format", "json"), ""),
            (("query", "run", "r.txt", "--format", "json"), ""),
            (("query", "run", "e7", "--threshold", "1%"), ""),
            (("cluster-of", "run", "e4"), ""),
            (("recluster", "run", "--threshold", "60%", "-o", "again.parquet"), "again.parquet"),
            (("recluster", "run", "--measure", "similarity", "-o", "weighed.parquet"), "weighed.parquet"),
            (("recluster", "run", "--policy", "complete", "-o", "full.parquet"), "full.parquet"),
            (("dedup", "--from", "run", "--overwrite", "-o", "clean.jsonl"), "clean.jsonl"),
            (
                ("dedup", "--from", "run", "--overwrite", "--keep", "longest", "-o", "long.jsonl"),
                "long.jsonl",
            ),
            (("dedup", "--from", "run", "--overwrite", "--passages", "cut", "-o", "cut.jsonl"), "cut.jsonl"),
            (("collapse", "run"), ""),
            (("cluster", "more.jsonl", "--extend", "run", "-o", "both"), "both/pairs.parquet"),
        ),
    ),
)


def records() -> Iterator[dict[str, str]]:
    """Give families of three records that differ in a line, with boilerplate, base code and a template."""
    for number in range(48):
        lines = prose(number // 3, 120).splitlines()
        lines[number % 3] = prose(500 + number, 8).strip()
        yield {"id": f"e{number}", "text": "\n".join([*lines, LEGAL, HANDED if number % 4 == 0 else ""])}
    for number in range(14):
        yield {"id": f"form {number}", "text": prose(950, 60) + prose(600 + number, 30)}


def build(here: Path) -> None:
    """Make all stores, each with more than one of everything."""
    files = {f"d/{number}.txt": prose(number, 500) for number in range(1, 7)}
    files |= {"d/a.py": PROGRAM, "d/b.py": RENAMED, "d/twin.txt": prose(2, 500), "base.txt": HANDED}
    files |= {"e/7.txt": prose(7, 300) + prose(3, 300), "e/old.txt": prose(8, 400)}
    files |= {"q.txt": prose(2, 250) + prose(20, 40) + prose(5, 200)}
    files |= {"r.txt": prose(3, 100) + LEGAL + HANDED + prose(950, 60)}
    files |= {"c.jsonl": "".join(json.dumps(each) + "\n" for each in records())}
    files |= {"who.csv": "name,author\n" + "".join(f"e{number},ann\n" for number in range(9, 12))}
    files |= {"more.jsonl": json.dumps({"id": "new", "text": prose(3, 120) + LEGAL}) + "\n"}
    for sweep in range(3):
        pages = {
            f"http://a.org/{number}": prose(number + (sweep if number == 1 else 0), 400)
            for number in range(1, 7)
        }
        if sweep:
            pages["http://b.org/x"] = pages.pop("http://a.org/2")
        files[f"s{sweep}.jsonl"] = "".join(
            json.dumps({"uri": uri, "text": text}) + "\n" for uri, text in sorted(pages.items())
        )
    write(here, files)
    for arguments in (
        ("index", "add", "x.sift", "d", "--keep-text", "--base", "base.txt"),
        ("index", "add", "x.sift", "e"),
        ("index", "remove", "x.sift", "e/old.txt"),
        *(
            ("sweep", "s.sift", f"s{sweep}.jsonl", "--date", f"2026-0{sweep + 1}-01", "--keep-text")
            for sweep in range(3)
        ),
        ("scan", "d", "e", "q.txt", "--save", "scanned", "--floor", "1%"),
        ("cluster", "c.jsonl", "-o", "run", "--max-shared", "20", "--base", "base.txt", "--threshold", "40%",
         "--floor", "20%", "--template", "5", "--metadata", "who.csv"),
        ("query", "run", "r.txt"),  # what questions look up is made by the first
    ):  # fmt: skip
        done = copysift(here, *arguments)
        assert done.status in (0, 1), (arguments, done)


def answers(here: Path, store: Store) -> list[Done]:
    """Ask everything of a store; what a command writes to a file belongs to its answer."""
    found = []
    for command, written in store.asked:
        path = here / written
        shutil.rmtree(here / "both", ignore_errors=True)
        if written:
            path.unlink(missing_ok=True)
        ranked = RANKED if command[0] == "collapse" else b""
        done = copysift(here, *command, stdin=ranked)
        said = done.out
        if written and path.exists():
            rows = pq.read_table(path).to_pylist() if path.suffix == ".parquet" else path.read_text()
            said += repr(rows)
        found.append(Done(done.status, said, done.err))
    return found


def _bit(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8
    return bytes(data)


def _byte(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    return bytes(data)


def _piece(data: bytearray, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data))
    return start, min(len(data), start + rng.choice([1, 4, 16, 100, 512]))


def _zeros(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    start, end = _piece(data, rng)
    data[start:end] = bytes(end - start)
    return bytes(data)


def _lost(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    start, end = _piece(data, rng)
    return bytes(data[:start] + data[end:])


def _repeated(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    start, end = _piece(data, rng)
    return bytes(data[:end] + data[start:])


def _swapped(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    size = min(64, len(data) // 3)
    one, two = (
        rng.randrange(0, len(data) // 2 - size // 2),
        rng.randrange(len(data) // 2, len(data) - size + 1),
    )
    data[one : one + size], data[two : two + size] = data[two : two + size], data[one : one + size]
    return bytes(data)


def _cut(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    return bytes(data[: rng.randrange(len(data))])


def _another(data: bytearray, rng: random.Random, other: bytes) -> bytes:
    return other


DAMAGES: dict[str, Callable[[bytearray, random.Random, bytes], bytes]] = {
    "bit": _bit, "byte": _byte, "zeros": _zeros, "lost": _lost, "repeated": _repeated, "swapped": _swapped,
    "cut": _cut, "another file": _another,
}  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """One damage of one file."""

    store: Store
    file: str
    how: str
    seed: int

    def spoil(self, folder: Path) -> bool:
        """Damage the file in a copy; say whether it is another file now."""
        path = folder / self.file
        before = path.read_bytes()
        rng = random.Random(f"{self.file} {self.how} {self.seed}")
        others = [each for each in path.parent.iterdir() if each.is_file() and each != path]
        other = rng.choice(sorted(others)).read_bytes() if others else before
        after = DAMAGES[self.how](bytearray(before), rng, other)
        path.write_bytes(after)
        return after != before


def trials(here: Path, store: Store, each: int, hows: tuple[str, ...] = tuple(DAMAGES)) -> Iterator[Trial]:
    """Give `each` trials of every file of a store and every way of damage."""
    folder = here / store.name
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size and path.name not in SOUND:
            for how in hows:
                for seed in range(each):
                    yield Trial(store, str(path.relative_to(folder)), how, seed)


def silent(expected: list[Done], given: list[Done], store: Store) -> list[str]:
    """Give the commands that answer otherwise than they should and name nothing, or that crash."""
    wrong = []
    for (command, _), one, other in zip(store.asked, expected, given, strict=True):
        same = (one.status, one.out) == (other.status, other.out)
        named = other.status in (2, 3) and other.err != one.err
        named |= any(word in other.out for word in ("is damaged", "or damaged", "is truncated"))
        if "Traceback" in other.err or "internal error" in other.err or not (same or named):
            wrong.append(f"{' '.join(command)}: {other.status} {other.err[-300:]}")
    return wrong
