"""What `import copysift` offers: the same settings as keywords, values back, nothing printed."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Unpack

from copysift.errors import InputError, UsageError
from copysift.model.folders import Folders
from copysift.model.traits import is_raw
from copysift.model.values import Fingerprints, Pair, Result, Skipped
from copysift.runtime.encoding import to_utf8
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.settings.keywords import CompareKeywords, FingerprintKeywords, ScanKeywords, ShowKeywords
from copysift.sources.fields import Fields
from copysift.sources.places import is_folder
from copysift.workflows import compare as comparing
from copysift.workflows import scan as local
from copysift.workflows.folder_groups import with_folders
from copysift.workflows.python_documents import (
    Columns,
    Documents,
    Items,
    columns_of,
    in_memory,
    items_of,
    several,
)
from copysift.workflows.reading import Reader
from copysift.workflows.scan_choice import scan_of
from copysift.workflows.shared_sets import with_sets
from copysift.workflows.show import show as answer_from

Place = str | os.PathLike[str]
LONG_NAME = 255  # characters: what is longer and no file is hardly meant as one


def scan(
    documents: Documents,
    *,
    regions: bool = False,
    groups: bool = False,
    folders: bool = False,
    sets: bool = False,
    **settings: Unpack[ScanKeywords],
) -> Result:
    """Compare every document with every other.

    A string is a path or a glob, also in a list. Documents in memory are a list of mappings, `Document`s
    or (name, text); an Arrow table or reader; a frame of pandas or Polars, also a lazy one; a relation of
    DuckDB; a data set of Hugging Face.

    Settings are those of the command line with _ for -: `scan("essays", threshold="40%")`. With
    `regions` every reported pair carries its exact matches, with byte and line spans; with `groups` the
    result has sif's listings, with `folders` the folders that are the same or similar, with `sets` sif's
    interesting sets.

    >>> result = copysift.scan("essays", threshold="40%")
    >>> result.pairs[0].left, result.pairs[0].right
    ('essays/lighthouse.txt', 'essays/old/copy of lighthouse.txt')
    """
    made = make(Settings, settings, "scan")
    places, given = _parted(documents)
    skipped: list[Skipped] = []
    fields = Fields(made.id_field, made.text_field)
    listed = [] if given is None else list(in_memory(given, fields, skipped))
    if listed or given is not None:
        scan, files = local.Scan(made), [os.fspath(each) for each in several(places)]
    else:
        scan, files = scan_of([os.fspath(each) for each in several(places)], made, settings)
    scan.listed = sets
    result = scan.run(files, regions=regions, groups=groups, documents=listed)
    if folders:
        result = with_folders(result, made)
    if sets:
        result = with_sets(result, scan, made.min_shared)
    return dataclasses.replace(result, skipped=(*skipped, *result.skipped)) if skipped else result


def _parted(documents: Documents) -> tuple[list[Place], Items | Columns | None]:
    """Part paths from documents in memory; a string is always a path here."""
    if isinstance(documents, str | os.PathLike):
        return [documents], None
    table = columns_of(documents)
    if table is not None:
        return [], table
    items = items_of(documents)
    places = [item for item in items if isinstance(item, str | os.PathLike)]
    others = [item for item in items if not isinstance(item, str | os.PathLike)]
    return places, Items(others) if others else None


def show(run: Place, *, groups: bool = False, **settings: Unpack[ShowKeywords]) -> Result:
    """Answer from a run that `copysift scan --save` or `copysift cluster` kept, without its files.

    >>> result = copysift.cluster(["one text", "another text", "one text"], run="RUN")
    >>> copysift.show("RUN", threshold="90%")
    <Result: 3 documents, 1 pair (1 identical), 1 cluster>
    """
    return answer_from(Path(run), make(Settings, settings, "show"), groups=groups)


def compare(left: Place, right: Place, **settings: Unpack[CompareKeywords]) -> Pair:
    """Compare two files and give their measures and exact matches; with by="dir" two folders as submissions.

    >>> pair = copysift.compare("essays/bees.txt", "essays/bees-rearranged.txt")
    >>> round(pair.resemblance, 2), len(pair.regions)
    (0.9, 2)
    """
    made = make(Settings, settings, "compare")
    if made.by == "dir":
        whole, _ = comparing.compare_submissions(os.fspath(left), os.fspath(right), made)
        nothing = Pair(os.fspath(left), os.fspath(right), False, 0.0, 0.0, 0.0, 0.0, 0)
        return whole.pairs[0] if whole.pairs else nothing
    for each in (os.fspath(left), os.fspath(right)):
        if len(each) <= LONG_NAME and comparing.holds_files(each, made):
            what = "a folder" if is_folder(each) else "an archive or a file of records"
            raise InputError(f"{each} is {what}", hint="compare_folders compares two of them")
        # Not Path.exists, which raises for a name that is too long.
        if len(each) > LONG_NAME and not os.path.exists(each):  # noqa: PTH110
            raise InputError(
                f"{each[:60]!r}…: no such file",
                hint="compare takes paths; for texts use resemblance and containment",
            )
    result, _ = comparing.compare_files(os.fspath(left), os.fspath(right), made)
    return result.pairs[0]


def compare_folders(left: Place, right: Place, **settings: Unpack[CompareKeywords]) -> Folders:
    """Compare two folders by content and names: what is the same, changed, moved, renamed, new or gone.

    >>> copysift.compare_folders("essays/drafts", "essays/web").only_right
    ('index.html',)
    """
    made = make(Settings, settings, "compare")
    if made.by == "dir":
        raise UsageError("compare_folders compares file by file", hint='compare(…, by="dir") gives one pair')
    found, _ = comparing.compare_folders(os.fspath(left), os.fspath(right), made)
    return found


def fingerprint(content: str | bytes, **settings: Unpack[FingerprintKeywords]) -> Fingerprints:
    """Give the fingerprints of a text or of bytes, with half-open byte offsets of its UTF-8.

    A string is text unless `kind` or `language` says otherwise: `fingerprint(program, language="python")`.

    >>> found = copysift.fingerprint("It was the best of times, it was the worst of times.")
    >>> found.starts.tolist(), found.ends.tolist()
    ([12], [45])
    """
    made = make(Settings, settings)
    reader = Reader(made)
    kind, data = _understood(content, made, reader)
    return reader.fingerprints_of(data, kind)


def resemblance(left: str | bytes, right: str | bytes, **settings: Unpack[FingerprintKeywords]) -> float:
    """Give r(A, B) = |S(A) ∩ S(B)| / |S(A) ∪ S(B)|, exactly, over all shingles of 10 words.

    `shingle=5` takes shingles of 5 words, `kind` and `language` shingles of other symbols. Two contents
    without any shingle resemble each other if their symbols are the same.

    >>> round(copysift.resemblance("a b c d e f", "a b c d e g", shingle=5), 2)
    0.33
    """
    one, other = _canonical(left, settings), _canonical(right, settings)
    a, b = _shingles(one), _shingles(other)
    if not a and not b:
        return float(one.symbols == other.symbols)
    return len(a & b) / len(a | b)


def containment(left: str | bytes, right: str | bytes, **settings: Unpack[FingerprintKeywords]) -> float:
    """Give c(A, B) = |S(A) ∩ S(B)| / |S(A)|: the share of the left that is in the right, exactly.

    >>> copysift.containment("a b c", "x a b c d", shingle=2)
    1.0
    """
    one, other = _canonical(left, settings), _canonical(right, settings)
    a, b = _shingles(one), _shingles(other)
    if not a:
        few, many = one.symbols, other.symbols
        return float(any(many[at : at + len(few)] == few for at in range(len(many) - len(few) + 1)))
    return len(a & b) / len(a)


class _Content(NamedTuple):
    """A content as it is compared exactly: its symbols and the hashes of its shingles."""

    symbols: list[int]
    hashes: list[int]


def _shingles(content: _Content) -> set[int]:
    return set(content.hashes)


def _canonical(content: str | bytes, settings: Mapping[str, object]) -> _Content:
    made = make(Settings, _exact(settings))
    reader = Reader(made)
    kind, data = _understood(content, made, reader)
    found = reader.fingerprints_of(data, kind)
    return _Content(reader.canonical_of(data, kind).symbols.tolist(), found.hashes.tolist())


def _exact(settings: Mapping[str, object]) -> dict[str, object]:
    """Give the settings of an exact measure: every k-gram, of words unless a kind or language is named."""
    kind = settings.get("kind") or ("code" if settings.get("language") else "words")
    return {"scheme": "all", **settings, "kind": kind}


def _understood(content: str | bytes, settings: Settings, reader: Reader) -> tuple[str, bytes]:
    """Give the kind of a content and its bytes, in UTF-8 unless they are compared as bytes."""
    if settings.kind == "code" and not settings.language:
        raise UsageError(
            "a program without a file name needs its language", hint='for example language="python"'
        )
    data = _encoded(content)
    if isinstance(content, str):
        auto = settings.kind == "auto" and not settings.language
        return ("text" if auto else reader.plain_kind("", data)), data
    kind = reader.kind_of(data)
    return kind, data if is_raw(kind) else to_utf8(data)[0]


def _encoded(content: str | bytes) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8", "surrogatepass")
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    raise TypeError(f"content is str or bytes, not {type(content).__name__}")
