"""What a job does, inside a process of its own: files in, a folder of results out."""

from __future__ import annotations

import dataclasses
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

from copysift.errors import InputError, UsageError
from copysift.model.values import Result, Skipped, Submission
from copysift.report import json_report as records
from copysift.report import moss, page
from copysift.report.anonymise import anonymised, read_key, written_key
from copysift.report.units import totals_of
from copysift.report.view import View, under_other_names
from copysift.report.wording import plural
from copysift.runtime import durable
from copysift.serve import indexes
from copysift.serve.class_list import write_class_list
from copysift.serve.cleared_passages import BEFORE, Before, lowered
from copysift.serve.course_index import earlier_index, one_submission_each, stage_terms
from copysift.serve.courses import PAIRS_FILE, people, person
from copysift.serve.incoming import UploadedFile, nothing_read, uploaded
from copysift.serve.language_check import language_warning
from copysift.serve.pseudonyms import KEY
from copysift.serve.requests import MOST_PAIRS, PAIRS
from copysift.serve.staging import StagedScan, stage
from copysift.serve.transfer import data_of
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.settings.selection import REVIEW
from copysift.sources.containers import member_filter
from copysift.sources.inputs import UNOPENED
from copysift.sources.walk import WalkSettings
from copysift.workflows.scan_choice import scan_of
from copysift.workflows.stored_settings import Places

TOLD = 0.3  # seconds between two notes on progress
NOTED = 20  # notes that the page of a check shows
FILTERS = ("include", "exclude")
LARGEST_SET = 60  # equal files of which every two are a pair


class Told:
    """Writes progress to a file that the page reads."""

    def __init__(self, path: Path, claim: int) -> None:
        self._path, self._claim = path, claim
        self._phase, self._total, self._done = "", None, 0  # type: tuple[str, int | None, int]
        self._last = 0.0

    def phase(self, name: str, total: int | None) -> None:
        """Start a phase."""
        self._phase, self._total, self._done = name, total, 0
        self._tell()

    def advance(self, count: int = 1) -> None:
        """Count steps that are done."""
        self._done += count
        if time.monotonic() - self._last > TOLD:
            self._tell()

    def _tell(self) -> None:
        self._last = time.monotonic()
        told = {"claim": self._claim, "phase": self._phase, "done": self._done, "total": self._total}
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(told), encoding="utf-8")
        part.replace(self._path)


def scan(folder: Path, out: Path, request: Mapping[str, Any], told: Told, threads: int) -> dict[str, Any]:
    """Compare what was uploaded; write the result, the report and, for a MOSS client, its pages."""
    asked = dict(request["settings"])
    by, anonymise = asked.pop("by", "auto"), asked.pop("anonymise", False)
    files = list(uploaded(folder / "in"))
    staged = stage(files, folder / "work", by, _filter(asked))
    notes = _about_names(staged, asked)
    index = _named_index(folder, request.get("earlier_index", {}))
    if course := request.get("course"):
        if staged.by == "dir":
            course = one_submission_each(data_of(folder), course, folder / "in")
        if index:
            stage_terms(data_of(folder), course, folder / "work" / "terms", staged)
        else:
            index = earlier_index(data_of(folder), course, asked, told)
    given: dict[str, Any] = {
        **asked, "by": staged.by, "base": tuple(staged.base), "earlier": tuple(staged.earlier),
        "jobs": threads, "max_seconds_per_file": _seconds(asked, request),
    }  # fmt: skip
    skipped = _class_list(files, folder / "work" / "class-list.csv", staged, given)
    if index:
        given["earlier"] = (*given["earlier"], str(index))
        staged.folders.append(f"{Places(Path(index)).shown_unit('.')}/")  # as the scan shows it from here
    settings = make(Settings, given)
    most = settings.limit or PAIRS
    # MOSS orders by matched tokens: more pairs than it shows are matched to find those that have the most.
    matched = min(MOST_PAIRS, 2 * most + 50) if request.get("moss") else most
    with staged.naming():
        run, places = scan_of(staged.paths, settings, given)
        result = run.run(places, regions=True, most=matched, progress=told)
    told.phase("writing the report", None)
    shown = _without_paths(staged.renamed(result))
    new = [each.name for each in shown.documents if staged.is_new(each.name)]
    if warning := language_warning(new, asked.get("language")):
        notes.append(warning)
    shown = dataclasses.replace(
        shown, skipped=(*skipped, *shown.skipped), notes=(*notes, *(map(staged.in_words, shown.notes)))
    )
    if request.get("course"):
        shown = dataclasses.replace(shown, submissions=tuple(map(_with_term, shown.submissions)))
    if all(each.read_as == UNOPENED for each in shown.documents):
        raise nothing_read(shown.skipped, "there is nothing to compare: no files, or hidden ones only")
    view = View(
        limit=most,
        title=request.get("title", ""),
        date=f"{date.today():%-d %B %Y}",
        source=lambda name, start, end: run.source(staged.path(name), start, end),
        base=lambda name: run.base(staged.path(name)),
        holders=lambda name, *place: run.holders(staged.path(name), *place),
        explain=under_other_names(run.explain, staged.path, staged.name),
    )
    if anonymise:
        shown, view = _anonymous(shown, view, folder, out)
    if (folder / "in" / BEFORE).exists() and settings.measure == "similarity":
        least = REVIEW if settings.threshold is None else settings.threshold
        shown = lowered(shown, Before.read(folder / "in" / BEFORE), least)
    _write(out / "result.json", records.report(shown, view))
    _write(out / "page.json", json.dumps(page.contents(shown, view)))
    _write(out / PAIRS_FILE, json.dumps(_pairs(shown, most, _earlier_names(request, files))))
    if request.get("moss"):
        pages = out / "moss"
        pages.mkdir()
        query = request["moss"]
        asked_for = moss.Query(**query) if isinstance(query, dict) else None  # jobs of version 0.1 have none
        for name, content in moss.report(shown, view, asked_for).items():
            _write(pages / name, content, sync=False)
        durable.sync_all((*pages.iterdir(), pages))
    totals = totals_of(shown)
    return {
        "pairs": len(shown.pairs),
        "listed": min(most, len(shown.pairs)),
        "similar": totals.similar,
        "equal_sets": totals.equal,
        "unit": totals.unit,
        "documents": len(shown.documents),
        "earlier_documents": len(shown.documents) - len(new),
        "units": totals.units,
        "earlier_units": totals.earlier,
        "highest": max((pair.similarity for pair in shown.pairs), default=0.0),
        "skipped": len(shown.skipped),
        "clusters": len(shown.clusters),
        "notes": list(shown.notes[:NOTED]),
        "anonymised": bool(anonymise),
        "by": staged.by,
        "earlier": bool(index),
    }


def _seconds(asked: Mapping[str, Any], request: Mapping[str, Any]) -> float | None:
    """Give how long one file may take: what the client says, but no longer than the server allows."""
    given = (asked.get("max_seconds_per_file"), request.get("read_seconds"))
    return min((float(each) for each in given if each), default=None)


def _named_index(folder: Path, named: Mapping[str, str]) -> Path | None:
    """Give the path of the index of earlier years: the operator's, or one of a user."""
    if named.get("folder"):
        return data_of(folder) / "indexes" / named["folder"]
    if named.get("path"):
        if not Path(named["path"]).is_dir():
            raise InputError(f"this machine has no {named['path']}", hint="share the index on every machine")
        return Path(named["path"])
    return None


def _earlier_names(request: Mapping[str, Any], files: Sequence[tuple[UploadedFile, Path]]) -> tuple[str, ...]:
    """Give what the names of documents of earlier terms start with."""
    terms = [f"{each['name']}/" for each in request.get("course", {}).get("checks", ())]
    return (*terms, *(each.name for each, _ in files if each.role == "earlier"))


def _pairs(result: Result, most: int, earlier: tuple[str, ...]) -> list[tuple[str, str, float, str, str]]:
    """Give the pairs and their people, without passages.

    Of equal files every two are a pair, where the result names them once.
    Two documents of earlier terms are not a pair of this check.
    """
    found = [(each.left, each.right, each.similarity) for each in result.pairs[:most]]
    sets = [each for each in result.equal if len(each) <= LARGEST_SET]
    equal = (both for each in sets for both in combinations(each, 2))
    new = [
        (left, right) for left, right in equal if not (left.startswith(earlier) and right.startswith(earlier))
    ]
    found += [(left, right, 1.0) for left, right in new]
    authors = {each.name: each.author for each in result.submissions}
    who = people(dict.fromkeys(each.group for each in result.documents), authors)
    return [(*each, who.get(each[0], person(each[0])), who.get(each[1], person(each[1]))) for each in found]


def _with_term(submission: Submission) -> Submission:
    """Give a submission of an earlier term with its term in every page; the end of its name may be unique."""
    if not submission.earlier or submission.label or submission.author:
        return submission
    return dataclasses.replace(submission, label=submission.name)


def _filter(asked: Mapping[str, Any]) -> Callable[[str], bool]:
    """Give what --include and --exclude say of the names of single files."""
    include, exclude = (tuple(asked.get(name, ())) for name in FILTERS)
    return member_filter(WalkSettings(hidden=True, vcs=True, include=include, exclude=exclude))


def _about_names(staged: StagedScan, asked: dict[str, Any]) -> list[str]:
    """Say what depends on names; filters of single files have been applied, those of archives are left."""
    notes = []
    if any(name in asked for name in FILTERS):
        if not staged.archives:
            for name in FILTERS:
                asked.pop(name, None)
        elif staged.names:
            raise UsageError(
                "include and exclude work for single files or archives, not for both at once",
                hint="put all files into one archive",
            )
    if staged.left_out:
        notes.append(f"{plural(staged.left_out, 'file')} left out by include and exclude")
    return notes


def _class_list(
    files: Sequence[tuple[UploadedFile, Path]], target: Path, staged: StagedScan, given: dict[str, Any]
) -> list[Skipped]:
    lists = [(each, path) for each, path in files if each.role == "metadata"]
    if len(lists) > 1:
        raise UsageError("there are two class lists", hint="send one")
    if not lists:
        return []
    ((each, path),) = lists
    given["metadata"] = str(target)
    return write_class_list(path, each.name, target, staged)


def _anonymous(result: Result, view: View, folder: Path, out: Path) -> tuple[Result, View]:
    """Give result and view without names; the key is private to the owner, and that of a rerun the same."""
    kept = folder / "in" / KEY
    known = read_key(kept.read_text(encoding="utf-8"), KEY) if kept.exists() else {}
    made = anonymised(result, view, known, secrets.randbits(64))
    _write(out / KEY, written_key(made.key))
    return made.result, made.view


KINDS: dict[str, Callable[[Path, Path, Mapping[str, Any], Told, int], dict[str, Any]]] = {
    "scan": scan,
    "index": indexes.add,
}


def _without_paths(result: Result) -> Result:
    """Give a result whose settings name no path of the server."""
    paths = ("base", "earlier", "metadata", "tmp_dir")
    kept = {name: value for name, value in result.settings.items() if name not in paths}
    return dataclasses.replace(result, settings=kept)


def _write(path: Path, content: str, *, sync: bool = True) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(content)
    if sync:
        durable.sync(path)
