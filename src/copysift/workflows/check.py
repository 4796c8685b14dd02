"""Check files for what they copy from the others of a repository: for pull requests and commit hooks."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from copysift.errors import UsageError
from copysift.model.document import Document
from copysift.model.values import Pair, Region, Result
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.places import is_uri
from copysift.sources.repository import Lines, Repository
from copysift.sources.walk import WalkSettings, is_index, is_run, walk
from copysift.workflows.scan import Scan
from copysift.workflows.scan_choice import scan_of

LONG = 8  # guarantee thresholds; shorter passages are idiom
PROJECT_TEXT = 10  # what more files than this have is the project's own text, such as a licence header
SAME = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found: copied files (left) and what they are copied from, and how much of each."""

    result: Result
    files: int  # that were checked
    copied: Mapping[str, float]  # file → share of its lines, or of its new lines


def check(
    paths: Sequence[str],
    settings: Settings,
    given: Mapping[str, object],
    *,
    since: str = "",
    progress: Progress | None = None,
) -> tuple[CheckResult, Scan]:
    """Compare files with the rest of their repository, or with `settings.earlier`.

    With `since` only lines that are new since that commit count, of all changed files unless some are named.
    """
    if not paths and not since:
        raise UsageError("nothing to check", hint="name files, or use --since COMMIT")
    for path in paths:
        if is_uri(path):
            raise UsageError(f"{path} is a URI, and check reads files of this machine", hint="copy it first")
        if is_index(path) or is_run(path):
            what = "an index" if is_index(path) else "a run"
            raise UsageError(
                f"{path} is {what}, and check reads files as they are", hint="use copysift query"
            )
    repository = Repository.around(Path.cwd()) if since or not settings.earlier else None
    wanted = _wanted(paths, since, repository)
    others = settings.earlier
    if not others and repository is not None:
        others = tuple(name for name in repository.files() if name not in wanted)
    changes: dict[str, Any] = {"earlier": others, "threshold": 0.0, "measure": "containment", "min_shared": 2}
    asked = dataclasses.replace(settings, **changes)
    if not wanted:
        scan = Scan(asked)
        empty = Result(settings={}, documents=(), pairs=(), clusters=())
        return CheckResult(empty, 0, {}), scan
    scan, places = scan_of(list(wanted), asked, {**given, **changes})
    result = scan.run(places, regions=True, progress=progress)
    pairs = list({(pair.left, pair.right): pair for pair in _oriented(result, wanted, settings)}.values())
    copied = _copied(pairs, wanted, settings.cut)
    kept = sorted(
        (pair for pair in pairs if pair.left in copied),
        key=lambda pair: (-copied[pair.left], pair.left, -pair.containment_left, pair.right),
    )
    described = {
        **result.settings, "measure": "containment-left", "threshold": settings.cut,
        "earlier": list(settings.earlier),
    }  # fmt: skip
    equal = tuple(names for names in result.equal if not copied.keys().isdisjoint(names))
    shown = dataclasses.replace(
        result, pairs=tuple(kept), equal=equal, clusters=(), submissions=(), settings=described
    )
    return CheckResult(shown, len(wanted), copied), scan


def _wanted(paths: Sequence[str], since: str, repository: Repository | None) -> dict[str, Lines | None]:
    """Give the files to check, with their new lines, or None where all lines count."""
    if since and repository is not None:
        return dict(repository.changed(since, paths))
    if repository is not None:
        below = [path for path in paths if Path(path).is_dir()]
        named = [os.path.normpath(path) for path in paths if path not in below]
        return dict.fromkeys([*named, *(repository.files(below) if below else ())])
    return dict.fromkeys(name for path in paths for name in _files_below(path))


def _files_below(path: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield os.path.normpath(path)
        return
    for found in walk([path], WalkSettings(hidden=True, vcs=True)):
        if isinstance(found, Document):
            yield os.path.normpath(found.name)


def _oriented(result: Result, wanted: Iterable[str], settings: Settings) -> Iterator[Pair]:
    """Give every pair of a checked file, that file on the left, with its long passages."""
    checked = set(wanted)
    twins = {each: names for names in result.equal for each in names}
    for names in result.equal:
        for left in sorted(checked.intersection(names)):
            right = next(each for each in names if each != left)
            yield Pair(left, right, True, SAME, SAME, SAME, SAME, 0, regions=())
    for pair in result.pairs:
        for each in () if pair.equal else (pair, _turned(pair)):
            least = LONG * settings.thresholds(each.channel).guarantee
            long = tuple(region for region in each.regions or () if region.length >= least)
            for name in sorted(checked.intersection(twins.get(each.left, (each.left,)))) if long else ():
                yield dataclasses.replace(each, left=name, regions=long)


def _turned(pair: Pair) -> Pair:
    """Give a pair with its sides exchanged."""
    regions = tuple(Region(each.length, each.right, each.left) for each in pair.regions or ())
    return dataclasses.replace(
        pair, left=pair.right, right=pair.left, regions=regions,
        containment_left=pair.containment_right, containment_right=pair.containment_left,
    )  # fmt: skip


def _copied(pairs: Iterable[Pair], wanted: Mapping[str, Lines | None], threshold: float) -> dict[str, float]:
    """Give the files of which at least a share of the lines, or of the new lines, is elsewhere."""
    found: dict[str, set[int]] = {}
    for pair in pairs:
        lines = found.setdefault(pair.left, set())
        if pair.equal:
            lines.update(range(1, _length(pair.left) + 1))
        for region in pair.regions or ():
            lines.update(_lines(region))
    copied = {}
    for name, lines in found.items():
        new = wanted[name]
        every = _length(name) if new is None else len(new)
        shared = len(lines if new is None else lines & new)
        if shared and shared >= threshold * every:
            copied[name] = min(1.0, shared / every)
    return copied


def _lines(region: Region) -> range:
    """Give the lines of the left side."""
    return range(region.left.first_line, region.left.last_line + 1)


def _length(name: str) -> int:
    """Count the lines of a file."""
    content = Path(name).read_bytes()
    return content.count(b"\n") + (not content.endswith(b"\n"))
