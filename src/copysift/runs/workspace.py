"""The folder of a run while it is made: which job it is, which phases are done, and what they left."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from copysift._version import __version__
from copysift.errors import InputError, RunError
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runs.scan_run import VERSION
from copysift.runtime import durable
from copysift.settings.config import seed_check
from copysift.settings.corpus import CorpusSettings, stored_settings
from copysift.sources.file_content import FileContent
from copysift.sources.walk import WalkSettings, walk

NEW = "new"  # a folder in a finished run, where the one that replaces it is made
OLD = "old"  # a folder in that one, for what it replaces
PHASES = ("sketch", "census", "entries", "join", "measure", "cluster")
NAMED = 1000  # of the records that were left out, so many are named; all are counted


@contextlib.contextmanager
def making(path: Path) -> Iterator[Path]:
    """Give the folder to make a run in: a finished run at `path` stays until the new one is complete.

    What else lies in the folder of the run stays there.
    """
    new = path / NEW
    if (new / "run.json").is_file():  # complete, but cut off while it was put in place
        _put_out(new, path)
    if (new / OLD).is_dir():  # what it replaced, left by a process that ended before it was removed
        shutil.rmtree(new, ignore_errors=True)
    if not (path / "run.json").is_file():
        yield path
        return
    yield new
    _put_out(new, path)


def _put_out(new: Path, path: Path) -> None:
    """Replace the run around a complete one with it; run.json goes first and comes last.

    If the disk refuses a step, those before it are taken back: the run that was there opens as before.
    """
    old, done = new / OLD, list[tuple[Path, Path]]()

    def move(source: Path, target: Path) -> None:
        source.rename(target)
        done.append((source, target))

    try:
        old.mkdir(exist_ok=True)
        if (path / "run.json").is_file():
            move(path / "run.json", old / "run.json")
        for part in sorted(new.iterdir()):
            if part.name not in (OLD, "run.json"):
                if (path / part.name).exists():
                    move(path / part.name, old / part.name)
                move(part, path / part.name)
        durable.sync(path)
        move(new / "run.json", path / "run.json")
        durable.sync(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            for source, target in reversed(done):
                target.rename(source)
        raise RunError(f"cannot write {path}: {error.strerror}") from error
    shutil.rmtree(new, ignore_errors=True)


class Work:
    """RUN/work: job.json says what is being made, PHASE.json that a phase is done."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.folder = run / "work"
        self.times: dict[str, float] = {}
        self.notes: list[str] = []  # what was found there and removed

    def begin(self, job: str, *, within: bool = False) -> bool:
        """Resume the job where it was left, or start it; say whether it was resumed.

        `within`: the engine continues inside the first phase, too; others start that one again.
        """
        if self.run.exists() and not self.run.is_dir():
            raise RunError(f"{self.run} exists and is not a run", hint="choose another folder, or remove it")
        self._remove_leftovers()
        known = (self.run / "run.json").is_file() or (self.folder / "job.json").is_file()
        if self.run.is_dir() and any(self.run.iterdir()) and not known:
            raise RunError(f"{self.run} exists and is not a run", hint="choose another folder, or remove it")
        parent = self.run.absolute().parent
        if not parent.is_dir():
            raise RunError(f"the folder {parent} does not exist", hint="create it first")
        if job and self._read("job").get("job") == job and (within or self.done("sketch") is not None):
            for spare in (*self.folder.rglob("*.part"), *(self.run / "sketches").glob("*.part")):
                spare.unlink()  # of tasks that were stopped
            (self.run / "sketches").mkdir(exist_ok=True)
            self.times = {phase: self._read(phase)["seconds"] for phase in self._done()}
            return True
        try:
            self.run.mkdir(exist_ok=True)
            (self.run / "run.json").unlink(missing_ok=True)
            self._remove_work()
            made = self._aside()
            made.mkdir()
            durable.replace(made / "job.json", json.dumps({"job": job}).encode())
            made.rename(self.folder)  # from here on the folder is known as a run
            (self.run / "sketches").mkdir()
        except OSError as error:
            raise RunError(f"cannot write {self.run}: {error.strerror}") from error
        return False

    def _aside(self) -> Path:
        return self.run / f"work-{os.urandom(8).hex()}.part"

    def _remove_work(self) -> None:
        """Remove what a run has made so far; work/ goes in one move, so that no half of it is left."""
        shutil.rmtree(self.run / "sketches", ignore_errors=True)
        if self.folder.exists():
            gone = self._aside()
            self.folder.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _remove_leftovers(self) -> None:
        """Remove what processes that were killed left while they began or ended."""
        for left in self.run.glob("work-????????????????.part"):
            shutil.rmtree(left, ignore_errors=True)
            self.notes.append(f"removed {left.name} of an interrupted run from {self.run}")

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any]]:
        """Time a phase, and mark it as done with what it puts into the dictionary."""
        begun = time.perf_counter()
        left: dict[str, Any] = {}
        yield left
        self.times[name] = time.perf_counter() - begun
        self._write(name, left | {"seconds": self.times[name]})

    def done(self, name: str) -> dict[str, Any] | None:
        """Give what a phase left, or None if it is still to do."""
        return self._read(name) or None

    def keep(self, name: str, content: dict[str, Any]) -> None:
        """Keep what was found out before the first phase, for when the job is resumed."""
        self._write(name, content)

    def discard(self) -> None:
        """Remove all that was begun."""
        with contextlib.suppress(OSError):
            self._remove_work()
        with contextlib.suppress(OSError):  # what else stands there stays
            self.run.rmdir()

    def drop(self) -> None:
        """Remove what is of no use after the run."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _done(self) -> list[str]:
        return [phase for phase in PHASES if (self.folder / f"{phase}.json").exists()]

    def _read(self, name: str) -> dict[str, Any]:
        try:
            loaded: dict[str, Any] = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            return loaded
        except (OSError, ValueError):
            return {}

    def _write(self, name: str, content: dict[str, Any]) -> None:
        path = self.folder / f"{name}.json"
        try:
            durable.replace(path, json.dumps(content).encode())
        except OSError as error:
            raise RunError(f"cannot write {path}: {error.strerror}") from error


def link(source: Path, target: Path) -> None:
    """Give a file that never changes a second name, or copy it where the disk has no links."""
    if target.exists():
        return
    try:
        target.hardlink_to(source)
    except OSError:
        spare = target.with_name(f"{target.name}.part")
        shutil.copyfile(source, spare)
        spare.replace(target)


class Skips:
    """Counts what was left out, by reason, and names the first of it."""

    def __init__(self) -> None:
        self.total = 0
        self.reasons: Counter[str] = Counter()
        self.named: list[Skipped] = []

    def add(self, note: Skipped) -> None:
        """Take a note."""
        self.total += 1
        self.reasons[note.reason] += 1
        if len(self.named) < NAMED:
            self.named.append(note)

    def saved(self) -> dict[str, Any]:
        """Give the notes as JSON has them: what is named, and how many others there are by reason."""
        others = self.reasons - Counter(note.reason for note in self.named)
        return {"named": [[note.name, note.reason] for note in self.named], "others": dict(others)}

    def extend(self, saved: dict[str, Any]) -> None:
        """Take notes that were saved."""
        for name, reason in saved["named"]:
            self.add(Skipped(name, reason))
        self.reasons.update(saved["others"])
        self.total += sum(saved["others"].values())


def nothing_read(first: Skipped, total: int) -> InputError:
    """Give the error for sources of which nothing could be read: not a corpus without documents."""
    more = f" (and {total - 1:,} more)" if total > 1 else ""
    return InputError(f"nothing could be read: {first.name} {first.reason}{more}", hint="nothing was written")


def job_of(sources: Iterable[str], settings: CorpusSettings, onto: str = "") -> str:
    """Name a job by its settings and its sources; "" when it can never be taken up again."""
    looks: list[object] = []
    for source in (*sources, *settings.base, *settings.language_file):
        if source == "-":
            return ""
        try:
            status = Path(source).stat()
        except OSError:
            return ""
        looks.append([str(Path(source).absolute()), status.st_size, status.st_mtime_ns, _inside(source)])
    described = json.dumps([VERSION, __version__, looks, answer_settings(settings), settings.seed, onto])
    return hashlib.blake2b(described.encode(), digest_size=16).hexdigest()


def _inside(source: str) -> str:
    """Name what lies in a folder, with its sizes and times; "" for a file."""
    seen = hashlib.blake2b(digest_size=16)
    if not Path(source).is_dir():
        return ""
    for found in walk([source], WalkSettings(hidden=True, vcs=True)):
        if isinstance(found, Document) and isinstance(found.content, FileContent):
            what: tuple[object, ...] = (found.name, found.content.size, found.content.mtime_ns)
        else:
            what = (found,)
        seen.update(repr(what).encode("utf-8", "replace"))
    return seen.hexdigest()


def decisive(settings: CorpusSettings) -> str:
    """Spell the settings of the last phase, and what is kept: they matter where that phase is kept too."""
    return json.dumps([settings.cut, settings.measure, settings.policy, settings.slim])


def answer_settings(settings: CorpusSettings) -> dict[str, object]:
    """Give the settings that decide which pairs a run finds; of the seed only a check."""
    values: dict[str, object] = stored_settings(settings)
    values["seed"] = seed_check(settings.seed)
    return values
