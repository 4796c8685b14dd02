"""Power loss: every change that a writer makes to the disk is recorded, and what may be left is replayed.

strace records the system calls of a real writer, SQLite's own among them. A disk that loses power has what
was synced, and of the rest any part: a file has the writes since its last sync or not, each for itself, and
a folder the names. The model is stricter than most file systems: syncing a file does not keep its name, and
nothing is kept in order but what concerns the same name. Run as a program, it is the writer that is recorded.
"""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from copysift.errors import CopysiftError
from copysift.store.writer import Views, Writer
from tests.store.crashes import SETTINGS, SMALL, State, entry, fingerprints, found_in, postings_of, steps

CALLS = (
    "openat,open,creat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,ftruncate,truncate,rename,renameat,"
    "renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,lseek,link,linkat,fallocate,copy_file_range,sendfile"
)
LOST = ("-shm", "writer.lock")  # memory that processes share, and a note: what they say is not read again
TORN = 512  # bytes that a disk writes as a whole


# ---- what is recorded


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the disk, or a sync, or the word that a commit is done (`told`)."""

    kind: str
    path: str
    data: bytes = b""
    at: int = 0
    other: str = ""


_LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += +(-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_PATH = re.compile(r"<((?:\\x[0-9a-f]{2})*)>")


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def recorded(top: Path, command: list[str], told_in: Path) -> list[Change]:
    """Run a command and give what it changes below a folder, in order."""
    log = top.with_name(f"{top.name}.strace")
    told_in.write_bytes(b"")
    subprocess.run(
        ["strace", "-f", "-y", "-xx", "-s", str(1 << 24), "-e", f"trace={CALLS}", "-o", str(log), *command],
        check=True, capture_output=True,
    )  # fmt: skip
    places: dict[tuple[str, str], int] = {}  # where the next write to an open file goes
    made = [
        change
        for line in log.read_text(encoding="ascii").splitlines()
        for change in _changes(line, places)
        if Path(change.path).is_relative_to(top) or change.path == str(told_in)
    ]
    log.unlink()
    return [
        Change("told", "") if each.path == str(told_in) else each for each in made if _counts(each, told_in)
    ]


def _counts(change: Change, told_in: Path) -> bool:
    return change.kind == "write" if change.path == str(told_in) else not change.path.endswith(LOST)


def _changes(line: str, places: dict[tuple[str, str], int]) -> Iterator[Change]:
    found = _LINE.match(line)
    if found is None or int(found[3]) < 0:
        return
    call, told, result = found[1], found[2], int(found[3])
    texts = [_plain(each[1]) for each in _TEXT.finditer(told)]
    held = _PATH.search(told)
    path = os.fsdecode(_plain(held[1])) if held else ""
    numbers = told.rsplit(">", 1)[-1].split(", ")
    descriptor = told.split("<", 1)[0]
    if call in ("openat", "open", "creat"):
        name = os.fsdecode(texts[0])
        places[str(result), name] = 0
        if "O_CREAT" in told:
            yield Change("create", name)
        if "O_TRUNC" in told:
            yield Change("truncate", name, at=0)
    elif call == "write":
        at = places.get((descriptor, path), 0)
        places[descriptor, path] = at + result
        yield Change("write", path, texts[0][:result], at)
    elif call == "pwrite64":
        yield Change("write", path, texts[0][:result], int(numbers[-1].split(", ")[-1]))
    elif call == "lseek":
        places[descriptor, path] = result
    elif call in ("fsync", "fdatasync"):
        yield Change("sync", path)
    elif call == "ftruncate":
        yield Change("truncate", path, at=int(numbers[-1]))
    elif call in ("unlink", "unlinkat", "rmdir"):
        yield Change("unlink", os.fsdecode(texts[-1]))
    elif call in ("mkdir", "mkdirat"):
        yield Change("mkdir", os.fsdecode(texts[-1]))
    elif call in ("rename", "renameat", "renameat2"):
        yield Change("rename", os.fsdecode(texts[0]), other=os.fsdecode(texts[1]))
    else:
        raise AssertionError(f"the model does not know {call}")


# ---- what a disk may have


@dataclass(slots=True)
class Node:
    """A file or folder: what the disk has of it, and the writes and names that are not synced."""

    folder: bool = False
    data: bytearray = field(default_factory=bytearray)
    names: dict[str, "Node"] = field(default_factory=dict)
    waiting: list[tuple] = field(default_factory=list)


def _written(data: bytearray, change: tuple) -> None:
    kind, at, piece = change
    if kind == "truncate":
        del data[at:]
        data.extend(bytes(at - len(data)))
        return
    data.extend(bytes(max(0, at - len(data))))
    data[at : at + len(piece)] = piece


def _named(names: dict[str, Node], change: tuple) -> None:
    for name, node in change:
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


class Disk:
    """A disk below one folder, as its system sees it (`now`) and as far as it is durable."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.now: dict[Path, Node] = {top: Node(folder=True)}
        self.told = 0

    def apply(self, change: Change) -> bool:
        """Take a change in; tell whether it changed anything."""
        path = Path(change.path) if change.path else self.top
        if change.kind == "told":
            self.told += 1
        elif change.kind in ("create", "mkdir"):
            if path in self.now:
                return False
            self.now[path] = Node(folder=change.kind == "mkdir")
            self.now[path.parent].waiting.append(((path.name, self.now[path]),))
        elif change.kind in ("write", "truncate"):
            self.now[path].waiting.append((change.kind, change.at, change.data))
        elif change.kind == "unlink":
            del self.now[path]
            self.now[path.parent].waiting.append(((path.name, None),))
        elif change.kind == "rename":
            other = Path(change.other)
            assert path.parent == other.parent
            self.now[other] = self.now.pop(path)
            self.now[path.parent].waiting.append(((path.name, None), (other.name, self.now[other])))
        elif change.kind == "sync" and path in self.now:
            node = self.now[path]
            for each in node.waiting:
                (_named(node.names, each) if node.folder else _written(node.data, each))
            node.waiting = []
        return True

    def waiting(self) -> int:
        """Count the changes that are not synced."""
        return sum(len(node.waiting) for node in self._nodes())

    def _nodes(self) -> list[Node]:
        found: dict[int, Node] = {}
        queue = list(self.now.values())
        while queue:
            node = queue.pop()
            if id(node) not in found:
                found[id(node)] = node
                queue += node.names.values()
                if node.folder:
                    queue += [each for change in node.waiting for _, each in change if each is not None]
        return list(found.values())

    def after_loss(self, keep: Callable[[], float]) -> dict[str, bytes | None]:
        """Give files by name, None for a folder, after a loss of power: `keep` says how much of each change stays."""
        found: dict[str, bytes | None] = {}
        chosen = {id(node): [keep() for _ in node.waiting] for node in self._nodes()}

        def put(node: Node, name: str) -> None:
            shares = chosen.get(id(node), [])
            if not node.folder:
                data = bytearray(node.data)
                for change, share in zip(node.waiting, shares, strict=True):
                    if share and change[0] == "write" and share < 1:  # torn
                        part = int(len(change[2]) * share) // TORN * TORN
                        change = (change[0], change[1], change[2][:part])
                    if share and (change[0] != "write" or change[2]):
                        _written(data, change)
                found[name] = bytes(data)
                return
            if name:
                found[name] = None
            names = dict(node.names)
            for change, share in zip(node.waiting, shares, strict=True):
                if share:
                    _named(names, change)
            for each, inside in names.items():
                put(inside, f"{name}/{each}" if name else each)

        put(self.now[self.top], "")
        return found


def losses(disk: Disk, rng: random.Random, times: int) -> Iterator[dict[str, bytes | None]]:
    """Give what may be left: nothing of what was not synced, all of it, all but one change, one, and random parts."""
    yield disk.after_loss(lambda: 0)
    yield disk.after_loss(lambda: 1)
    waiting = disk.waiting()
    for left_out in rng.sample(range(waiting), min(times, waiting)):
        for alone in (0, 1):
            numbers = iter(range(10**9))
            yield disk.after_loss(
                lambda numbers=numbers, alone=alone: abs(alone - (next(numbers) != left_out))
            )
    for _ in range(times):
        yield disk.after_loss(lambda: rng.choice((0, 0, 1, 1, rng.random())))


# ---- replay


def replayed(
    changes: list[Change], top: Path, spare: Path, times: int, stride: int = 1
) -> tuple[int, list[str]]:
    """Check what may be left after each change; give how many different states there were, and what was wrong."""
    states: list[State] = [{}, *(state for _, state in steps())]
    disk, rng = Disk(top), random.Random(17)
    seen: set[int] = set()
    wrong = []
    for number, change in enumerate(changes):
        if not disk.apply(change) or (number % stride and change.kind not in ("told", "sync", "rename")):
            continue
        for left in losses(disk, rng, times):
            mark = hash((disk.told, tuple(sorted((name, data) for name, data in left.items() if data))))
            if mark in seen:
                continue
            seen.add(mark)
            problem = _problem(left, spare, disk.told, states, grows=len(seen) % 5 == 0)
            if problem:
                wrong.append(f"after {change.kind} {change.path} ({number}), {disk.told} told: {problem}")
    return len(seen), wrong


def _problem(
    left: dict[str, bytes | None], spare: Path, told: int, states: list[State], *, grows: bool
) -> str:
    shutil.rmtree(spare, ignore_errors=True)
    spare.mkdir()
    for name, data in left.items():
        (spare / name).mkdir() if data is None else (spare / name).write_bytes(data)
    try:
        state = found_in(spare / "x.sift")
    except (CopysiftError, AssertionError, sqlite3.Error, OSError, KeyError) as error:
        return f"{type(error).__name__}: {error}"[:300]
    # The first word is that the empty index is made; each later one is of a commit.
    allowed = states[max(0, told - 1) : told + 1] if told else [{}]
    if state not in allowed:
        return f"has {sorted(state)}"
    return _growth_problem(spare / "x.sift", state) if grows else ""


def _growth_problem(folder: Path, state: State) -> str:
    """Add a document to what is left."""
    try:
        with Writer(folder, SETTINGS, SMALL) as writer:
            writer.put(entry("after", 99), Views(fingerprints(99)), lambda: [b"text of 99"])
            writer.commit()
        grown = found_in(folder)
    except (CopysiftError, AssertionError, sqlite3.Error, OSError, KeyError) as error:
        return f"then {type(error).__name__}: {error}"[:300]
    return "" if grown == state | postings_of({"after": 99}) else f"then has {sorted(grown)}"


# ---- the writer, whole or with a defect


def defect(name: str) -> None:
    """Leave out syncs, as a mistake in the code would."""
    skipped = {"segment": ".seg", "postings folder": "postings", "index folder": "x.sift", "sums": ".part"}
    if name == "synchronous":
        connect = sqlite3.connect

        class Careless(sqlite3.Connection):
            def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
                return super().execute(statement.replace("synchronous=FULL", "synchronous=NORMAL"), *values)

        sqlite3.connect = lambda *given, **named: connect(*given, factory=Careless, **named)
    elif name:
        fsync = os.fsync

        def some(descriptor: int) -> None:
            if not os.readlink(f"/proc/self/fd/{descriptor}").endswith(skipped[name]):
                fsync(descriptor)

        os.fsync = some


def write(folder: Path, told_in: Path, commits: int) -> None:
    """Do some steps, each in a commit, and say so after each; then close and open again for the last ones."""
    descriptor = os.open(told_in, os.O_WRONLY | os.O_APPEND)
    every = list(steps())[:commits]
    for part in (every[: commits // 2], every[commits // 2 :]):
        with Writer(folder, SETTINGS, SMALL) as writer:
            if part is not every[commits // 2 :] and not os.fstat(descriptor).st_size:
                os.write(descriptor, b".")
            for do, _ in part:
                do(writer)
                os.write(descriptor, b".")


def main() -> None:
    """Record a writer, with a defect if one is named, replay it, and print what was found."""
    place, way, commits, name = Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3]), sys.argv[4]
    top, told_in = place / "disk", place / "told"
    if way == "write":
        defect(name)
        write(top / "x.sift", told_in, commits)
        return
    top.mkdir()
    command = [sys.executable, "-m", "tests.store.power", str(place), "write", str(commits), name]
    changes = recorded(top, command, told_in)
    count, wrong = replayed(changes, top, place / "spare", int(sys.argv[5]), int(sys.argv[6]))
    print(json.dumps({"changes": len(changes), "states": count, "wrong": wrong}))


if __name__ == "__main__":
    main()
