"""Compare two files, or the documents of two folders, archives or files of records."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from copysift.errors import InputError, UsageError
from copysift.kinds.kind import family
from copysift.model.document import INSIDE, Document
from copysift.model.folders import Folders
from copysift.model.values import LINK, Listing, Pair, Result, Skipped
from copysift.runtime.plurals import plural
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.containers import PACKED
from copysift.sources.detection import Detector
from copysift.sources.file_content import FileContent, file_at
from copysift.sources.inputs import Inputs
from copysift.sources.places import has_glob, is_file, is_folder, is_uri, size_of
from copysift.sources.source import MEMBERS, RECORDS
from copysift.sources.spool import Spool
from copysift.sources.submission_intake import Intake
from copysift.sources.walk import RUN, is_index, is_run, walk, walk_settings
from copysift.workflows.folder_evidence import FolderEvidence, folder_weights
from copysift.workflows.folders import SMALL, match_folders, sides_of
from copysift.workflows.members import two_of
from copysift.workflows.scan import Scan
from copysift.workflows.selection import described, folder_of
from copysift.workflows.submissions import reading_of
from copysift.workflows.wrappers import equal_on_disk, same_in_other_wrappers, with_content


def compare_files(left: str, right: str, settings: Settings) -> tuple[Result, Scan]:
    """Compare two files whatever they share: the result always has their one pair, with its regions.

    Each may be a document in another file, as a scan names it: `mail.mbox!12!a.docx`.
    The scan that comes with it gives pieces of their source.
    """
    measure = "sif" if settings.measure == "sif" else "containment"
    settings = dataclasses.replace(
        settings, threshold=0.0, measure=measure, min_shared=1, min_match=None, same_suffix=False,
        size_ratio=None,
    )  # fmt: skip
    scan = Scan(settings, sides=False)
    result = scan.compare(left, right, two_of((left, right), settings))
    if result.skipped:
        each = result.skipped[0]
        raise InputError(f"{each.name}: {each.reason}")
    kinds = {family(group.kind) for group in result.documents}
    if len(kinds) > 1:  # what was understood in two ways shares no symbols: read both in the plainer one
        kind = "bytes" if "bytes" in kinds else "text"
        settings = dataclasses.replace(settings, kind=kind, language="")
        scan = Scan(settings, sides=False)
        result = scan.compare(left, right, two_of((left, right), settings))
    pair = with_content(result.pairs[0], result, scan, left, right)
    documents = {each.name: each for each in result.documents}  # a document named twice is read twice
    result = dataclasses.replace(result, pairs=(pair,), documents=tuple(documents.values()))
    if pair.equal:
        return dataclasses.replace(result, equal=((left, right),), listings=()), scan
    listing = Listing(pair.left, ((pair.right, pair.containment_left),))
    return dataclasses.replace(result, listings=(listing,) if pair.shared else ()), scan


def compare_submissions(
    left: str, right: str, settings: Settings, progress: Progress | None = None
) -> tuple[Result, Scan]:
    """Compare two folders, archives or files as two submissions: one pair of all that each of them has."""
    settings = dataclasses.replace(settings, by="dir", min_shared=1, min_match=None, threshold=0.0)
    intake = Intake(reading_of(settings), Spool(folder_of(settings)), by_dir=True)
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for path in (left, right):
        if is_index(path):
            files, unread = _below_index(path, settings)
        else:
            taken = intake.take([path])
            files, unread = [each for each, _ in taken.files], taken.skipped
        skipped += unread
        documents += (dataclasses.replace(each, unit=path) for each in files)
        if not files:
            raise InputError(f"{path} has no files of its own", hint="name two folders or archives")
    scan = Scan(settings)
    result = scan.run([], regions=True, progress=progress, documents=documents)
    notes = (*result.notes, *(each for each in intake.notes if each not in result.notes))
    return dataclasses.replace(result, skipped=(*skipped, *result.skipped), notes=notes), scan


def compare_folders(
    left: str, right: str, settings: Settings, progress: Progress | None = None
) -> tuple[Folders, Result]:
    """Compare two folders, archives or files of records by content; give the scan's result, too."""
    for folder in (left, right):
        if not holds_files(folder, settings):
            raise InputError(f"{folder} is not a folder, an archive or a file of records")
    if settings.measure == "sif":
        raise UsageError(
            "--measure sif counts occurrences, and files of two folders are paired by what they have at all",
            hint="choose containment-left, compare two files, or use --by dir",
        )
    # Pairs of all files are not needed, only who has which fingerprint.
    whole = dataclasses.replace(settings, threshold=1.0, measure="resemblance", min_match=None)
    scan = Scan(whole, weigh=folder_weights, qualified=True, listed=True, sides=False)
    indexed: list[Document] = []
    unread: list[Skipped] = []
    for index in dict.fromkeys(path for path in (left, right) if is_index(path)):
        documents, gone = _below_index(index, settings)
        indexed += documents
        unread += gone
    files = [path for path in (left, right) if not is_index(path)]
    result = scan.run(files, progress=progress, documents=indexed)
    result = dataclasses.replace(
        result, settings=described(settings), equal=scan.equal_files(), skipped=(*unread, *result.skipped),
        notes=(*result.notes, *_hidden(files, settings)),
    )  # fmt: skip
    if not scan.lists:
        raise InputError(f"{left} and {right} have no files")
    further, links = _links(files, settings)
    sides = sides_of(result, left, right, further, links)
    evidence = FolderEvidence(scan.lists, settings.jobs or os.cpu_count() or 1)

    def read(number: int) -> bytes:
        document = result.documents[number]
        return scan.source(document.name, 0, min(document.bytes, SMALL + 1))

    accept = None if settings.threshold is None else partial(reaches, settings=settings)
    found = match_folders(result, left, right, sides, evidence, read, accept)
    changes = sorted(
        same_in_other_wrappers(found.changes, scan, left, right),
        key=lambda change: (change.place, change.left, change.right),
    )
    wrappers = equal_on_disk(left, right)
    return dataclasses.replace(found, changes=tuple(changes), equal_wrappers=wrappers), result


def reaches(pair: Pair, settings: Settings) -> bool:
    """Say whether two files share anything, or enough for --threshold."""
    if pair.equal:
        return True
    if settings.threshold is None:
        return bool(pair.shared or pair.regions)
    if settings.measure == "containment":
        return max(pair.containment_left, pair.containment_right) >= settings.threshold
    return (getattr(pair, settings.measure.replace("-", "_")) or 0) >= settings.threshold


def holds_files(path: str, settings: Settings) -> bool:
    """Say whether a path holds several documents: a folder, an archive or a file of records."""
    if has_glob(path):
        raise UsageError(f"{path} names several places", hint="name the folder that they are in")
    if is_run(path):
        raise UsageError(f"{path} {RUN}")
    if is_folder(path):
        return True
    if not is_file(path):
        return False
    document = Document(path, file_at(path, size_of(path)))
    found = Detector(reading_of(settings)).source(document, named=True)
    return found is not None and found is not PACKED and found.traits.gives in (MEMBERS, RECORDS)


def _below_index(index: str, settings: Settings) -> tuple[list[Document], list[Skipped]]:
    """Give the documents of an index, named below it as if it were the folder that has all of them."""
    found = list(Inputs(reading_of(settings), Spool(folder_of(settings))).documents([index]))
    documents = [each for each in found if isinstance(each, Document)]
    folders = [Path(each.name.replace(INSIDE, "/")).parent for each in documents]
    together = folders and len({each.is_absolute() for each in folders}) == 1
    top = os.path.commonpath(folders) if together else ""
    start = len(top) + bool(top)
    return (
        [
            dataclasses.replace(each, name=f"{index}{INSIDE}{each.name[start:]}", unit="")
            for each in documents
        ],
        [each for each in found if isinstance(each, Skipped)],
    )


def _hidden(folders: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Say how many files are compared with --hidden only: `diff` compares them."""
    if settings.hidden or any(map(is_uri, folders)):
        return ()
    walking = dataclasses.replace(walk_settings(settings), hidden=True)
    count = sum(
        any(part.startswith(".") for part in Path(found.name).relative_to(folder).parts)
        for folder in folders
        for found in walk([folder], walking)
        if isinstance(found, Document)
    )
    verb = "was" if count == 1 else "were"
    return (f"{plural(count, 'hidden file')} {verb} not compared: add --hidden",) if count else ()


def _links(folders: Sequence[str], settings: Settings) -> tuple[dict[str, str], dict[str, str]]:
    """Give further names of files, each with the one that a scan keeps, and the targets of symbolic links."""
    first: dict[tuple[int, int], str] = {}
    further: dict[str, str] = {}
    links: dict[str, str] = {}
    walking = dataclasses.replace(walk_settings(settings), name_links=True)
    for folder in folders:
        for found in walk([folder], walking):
            if isinstance(found, Document) and found.same_as:
                further[found.name] = further.get(found.same_as, found.same_as)
            elif isinstance(found, Skipped) and found.code == LINK:
                with suppress(OSError):
                    links[found.name] = str(Path(found.name).readlink())
            elif isinstance(found, Document) and isinstance(found.content, FileContent):
                place = found.content
                if not place.inode:
                    continue
                kept = first.setdefault((place.device, place.inode), found.path)
                if kept != found.path:
                    further[found.path] = kept
    return further, links
