"""Power loss: every change that a writer makes to the disk is recorded, and what may be left is replayed.

strace records the system calls of a real writer, SQLite's own among them. A disk that loses power has what
was synced, and of the rest any part: a file has the writes since its last sync or not, each for itself, and
a folder the names. The model is stricter than most file systems: syncing a file does not keep its name, and
nothing is kept in order but what concerns the same name.
`outages.py` has what is recorded and checked.
"""

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

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
        for line in _whole_lines(log.read_text(encoding="ascii"))
        for change in _changes(line, places)
        if Path(change.path).is_relative_to(top) or change.path == str(told_in)
    ]
    log.unlink()
    return [
        Change("told", "") if each.path == str(told_in) else each for each in made if _counts(each, told_in)
    ]


def _whole_lines(text: str) -> Iterator[str]:
    """Join the lines of calls during which another thread was seen, at the place where they ended."""
    begun: dict[str, str] = {}
    for line in text.splitlines():
        thread = line.split(" ", 1)[0]
        if line.endswith(" <unfinished ...>"):
            begun[thread] = line.removesuffix(" <unfinished ...>")
        elif (found := re.match(r"\d+ +<\.\.\. \w+ resumed>", line)) is not None:
            yield begun.pop(thread) + line[found.end() :]
        else:
            yield line


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
    elif call in ("link", "linkat"):
        yield Change("link", os.fsdecode(texts[0]), other=os.fsdecode(texts[1]))
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
        elif change.kind == "link":
            other = Path(change.other)
            self.now[other] = self.now[path]
            self.now[other.parent].waiting.append(((other.name, self.now[path]),))
        elif change.kind == "rename":
            other = Path(change.other)
            moved = self.now[path]
            below = [each for each in self.now if each.is_relative_to(path)]
            self.now |= {other / each.relative_to(path): self.now.pop(each) for each in below}
            if path.parent == other.parent:
                self.now[path.parent].waiting.append(((path.name, None), (other.name, moved)))
            else:
                self.now[path.parent].waiting.append(((path.name, None),))
                self.now[other.parent].waiting.append(((other.name, moved),))
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
        """Give files by name after a loss, None for a folder: `keep` says how much of a change stays."""
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
    """Give what may be left: of what was not synced nothing, all, all but one, one alone, random parts."""
    yield disk.after_loss(lambda: 0)
    yield disk.after_loss(lambda: 1)
    waiting = disk.waiting()
    for left_out in rng.sample(range(waiting), min(times, waiting)):
        for alone in (0, 1):
            yield disk.after_loss(_chooser(left_out, alone))
    for _ in range(times):
        yield disk.after_loss(lambda: rng.choice((0, 0, 1, 1, rng.random())))


def _chooser(number: int, alone: int) -> Callable[[], float]:
    """Keep one change alone (1), or all others (0)."""
    count = iter(range(1 << 30))
    return lambda: alone if next(count) == number else 1 - alone


def put_down(left: dict[str, bytes | None], folder: Path) -> None:
    """Write what is left of a disk to a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in left.items():
        (folder / name).mkdir() if data is None else (folder / name).write_bytes(data)


Check = Callable[[Path, int, bool], str]  # the folder, how often success was told, and whether to add to it


def replayed(
    changes: list[Change], top: Path, spare: Path, times: int, check: Check
) -> tuple[int, list[str]]:
    """Check what may be left after each change; give how many disks there were, and what is wrong."""
    disk, rng = Disk(top), random.Random(17)
    seen: set[int] = set()
    wrong = []
    for number, change in enumerate(changes):
        if not disk.apply(change):
            continue
        for left in losses(disk, rng, times):
            mark = hash((disk.told, tuple(sorted((name, data or b"") for name, data in left.items()))))
            if mark in seen:
                continue
            seen.add(mark)
            put_down(left, spare)
            problem = check(spare, disk.told, len(seen) % 5 == 0)
            if problem:
                wrong.append(f"after {change.kind} {change.path} ({number}), {disk.told} told: {problem}")
    return len(seen), wrong
