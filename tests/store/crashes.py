"""A writer that is stopped: what it was doing, what must be there afterwards, and how it is stopped.

The children are forked by a process of their own (see `main`), so that nothing of pytest is
copied. After every commit a child tells so through a pipe: what it told must be there.
"""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from copysift.errors import StoreError
from copysift.model.values import Fingerprints
from copysift.runtime import durable as disk
from copysift.store.check import verify
from copysift.store.merge import Policy
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot, exists
from copysift.store.writer import Entry, Views, Writer

SMALL = Policy(fanout=2, floor=4, slice=24)
SETTINGS = {"kind": "text", "scheme": "robust", "seed": None, "keep_text": True}
State = dict[str, list[tuple[int, int, int]]]


def fingerprints(number: int) -> Fingerprints:
    """Give made-up fingerprints, some of which other numbers have too."""
    rng = np.random.default_rng(number)
    own = rng.integers(0, 2**64, 7, dtype=np.uint64)
    shared = np.arange(number % 3 + 1, dtype=np.uint64) * np.uint64(2**40)
    starts = np.arange(len(own) + len(shared), dtype=np.uint32) * np.uint32(10)
    return Fingerprints(np.concatenate([own, shared]), starts, starts + np.uint32(25), 100)


def entry(name: str, number: int) -> Entry:
    return Entry(name, number.to_bytes(16, "little"), "text", number, True, number)


def steps() -> Iterator[tuple[Callable[[Writer], None], State]]:
    """Give what the writer does for each commit, and the documents that are there after it."""
    state: dict[str, int] = {}

    def putting(pairs: list[tuple[str, int]]) -> Callable[[Writer], None]:
        def do(writer: Writer) -> None:
            for name, number in pairs:
                writer.put(
                    entry(name, number),
                    Views(fingerprints(number)),
                    lambda number=number: [b"text of %d" % number],
                )
            writer.commit()

        return do

    def removing(name: str) -> Callable[[Writer], None]:
        def do(writer: Writer) -> None:
            assert writer.remove(name)
            writer.commit()

        return do

    for number in range(1, 8):
        pairs = [(f"{number}", number), (f"twin of {number}", number)]
        state |= dict(pairs)
        yield putting(pairs), postings_of(state)
    del state["3"], state["twin of 3"]
    for name in ("3", "twin of 3"):
        yield removing(name), postings_of(state | ({"twin of 3": 3} if name == "3" else {}))
    state["5"] = 50  # replaced
    yield putting([("5", 50)]), postings_of(state)
    yield Writer.compact, postings_of(state)
    state["9"] = 9
    yield putting([("9", 9)]), postings_of(state)


def postings_of(state: dict[str, int]) -> State:
    made = {}
    for name, number in state.items():
        found = fingerprints(number)
        columns = (found.hashes.tolist(), found.starts.tolist(), found.ends.tolist())
        made[name] = sorted(zip(*columns, strict=True))
    return made


def found_in(folder: Path) -> State:
    """Read an index whole, through a snapshot, and check it on the way."""
    if not exists(folder):
        return {}
    snapshot = Snapshot(folder)
    try:
        verified = verify(snapshot)
        assert not verified.damages, verified.damages
        by_content: dict[int, list[tuple[int, int, int]]] = {}
        for columns in snapshot.postings():
            rows = zip(
                hashes_of(columns.keys), columns.documents, columns.starts, columns.lengths, strict=True
            )
            for value, content, start, length in rows:
                by_content.setdefault(int(content), []).append((int(value), int(start), int(start + length)))
        state = {}
        for row in snapshot.documents():
            content = snapshot.contents([row.content])[row.content]
            assert snapshot.text(row.content) == b"text of %d" % content.bytes
            state[row.name] = sorted(by_content[row.content])
        return state
    finally:
        snapshot.close()


def write(folder: Path, tell: Callable[[], None]) -> None:
    """Do all steps, each in a commit."""
    with Writer(folder, SETTINGS, SMALL) as writer:
        tell()
        for do, _ in steps():
            do(writer)
            tell()


def stopped(folder: Path, prepare: Callable[[], None], wait: Callable[[int], None]) -> tuple[int, int]:
    """Run the writer in a child; give how many commits it told of, and how it ended."""
    shutil.rmtree(folder, ignore_errors=True)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 0
        try:
            os.close(reading)
            prepare()
            write(folder, lambda: os.write(writing, b".") and None)
        except StoreError:
            status = 7
        finally:
            os._exit(status)
    os.close(writing)
    wait(child)
    _, ended = os.waitpid(child, 0)
    told = 0
    while chunk := os.read(reading, 4096):
        told += len(chunk)
    os.close(reading)
    return told, ended


def check(folder: Path, told: int, states: list[State]) -> None:
    """What was told is there, at most the commit under way besides, and nothing is left over."""
    state = found_in(folder)
    allowed = states[max(0, told - 1) : told + 1] if told else [{}]
    assert state in allowed, f"after {told} commits: {sorted(state)}"
    with Writer(folder, SETTINGS, SMALL) as writer:
        live = {
            path.name
            for path in map(writer.catalog.segment_path, [r.number for r in writer.catalog.segments()])
        }
        assert {path.name for path in (folder / "postings").iterdir()} == live
        writer.put(entry("after", 99), Views(fingerprints(99)), lambda: [b"text of 99"])
        writer.commit()
    made = {"catalog.sqlite", "catalog.sums", "postings", "writer.lock"}
    assert {path.name for path in folder.iterdir()} == made
    assert found_in(folder) == {**state, **postings_of({"after": 99})}


def at_every_step(
    folder: Path, act: Callable[[str], None], only: tuple[str, ...] = (), stride: int = 1
) -> int:
    """Stop the writer before its first step, its second, … until it gets through; give how often it was.

    With a stride, so many steps lie between one stop and the next.
    """
    states = [{}, *(state for _, state in steps())]
    number = stops = 0
    while True:
        number += stride

        def prepare(stop: int = number) -> None:
            left = stop

            def watch(name: str) -> None:
                nonlocal left
                left -= not only or name in only
                if left == 0:
                    left = -1
                    act(name)

            disk.watch = watch

        told, ended = stopped(folder, prepare, lambda child: None)
        if ended == 0:
            assert told == len(states)
            return stops
        stops += 1
        check(folder, told, states)


def kill(name: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def no_room(name: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def at_random_moments(folder: Path, times: int) -> int:
    """Kill the writer at so many random moments of its life, not counting those when it was done already."""
    states = [{}, *(state for _, state in steps())]
    rng = random.Random(times)
    life = min(timed(lambda: stopped(folder, lambda: None, lambda child: None)) for _ in range(3))
    killed = tried = 0
    while killed < times and tried < 4 * times:
        tried += 1
        moment = rng.uniform(0, life)

        def wait(child: int, pause: float = moment) -> None:
            time.sleep(pause)
            os.kill(child, signal.SIGKILL)

        told, ended = stopped(folder, lambda: None, wait)
        killed += ended != 0
        check(folder, told, states)
    return killed


def on_small_disks(folder: Path) -> int:
    """Let no file grow beyond a size, the catalog's included; give how many sizes were too small."""
    states = [{}, *(state for _, state in steps())]
    failures = 0
    for room in [*range(0, 4000, 400), *range(4096, 90_000, 6000)]:

        def prepare(most: int = room) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        told, ended = stopped(folder, prepare, lambda child: None)
        assert os.WIFEXITED(ended), ended
        failures += os.WEXITSTATUS(ended) == 7
        check(folder, told, states)
    return failures


CALLS = ("pwrite64", "write", "fsync", "fdatasync", "ftruncate", "unlink")


def at_system_calls(folder: Path, stride: int) -> int:
    """Kill the writer on entry to its system calls that change the disk, SQLite's own among them."""
    return sum(at_calls_of(folder, call, stride) for call in CALLS)


def at_calls_of(folder: Path, call: str, stride: int) -> int:
    """Kill the writer on entry to every stride-th system call of one name; give how often it was."""
    states = [{}, *(state for _, state in steps())]
    told_in = folder.with_name("told")
    number, stops = 1 - stride, 0
    while True:
        number += stride
        shutil.rmtree(folder, ignore_errors=True)
        told_in.write_bytes(b"")
        inject = f"inject={call}:signal=SIGKILL:when={number}"
        done = subprocess.run(
            ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, sys.executable,
             "-m", "tests.store.crashes", str(folder.parent), "write", str(told_in)],
            check=False, capture_output=True,
        )  # fmt: skip
        told = len(told_in.read_bytes())
        if done.returncode == 0:
            assert told == len(states)
            return stops
        assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), done.stderr
        stops += 1
        check(folder, told, states)


def write_telling(folder: Path, told_in: Path) -> None:
    """Do all steps and tell of each commit by a byte in a file."""
    descriptor = os.open(told_in, os.O_WRONLY | os.O_APPEND)
    write(folder, lambda: os.write(descriptor, b".") and None)


def main() -> None:
    """Run one of the ways to stop a writer and print what it gives."""
    folder, way = Path(sys.argv[1]) / "x.sift", sys.argv[2]
    ways = {
        "kill": lambda: at_every_step(folder, kill, stride=int(sys.argv[3])),
        "full": lambda: at_every_step(
            folder, no_room, only=("create", "write", "sync file"), stride=int(sys.argv[3])
        ),
        "moments": lambda: at_random_moments(folder, int(sys.argv[3])),
        "small": lambda: on_small_disks(folder),
        "calls": lambda: at_system_calls(folder, int(sys.argv[3])),
        "write": lambda: write_telling(folder, Path(sys.argv[3])),
    }
    print(json.dumps(ways[way]()))


if __name__ == "__main__":
    main()
