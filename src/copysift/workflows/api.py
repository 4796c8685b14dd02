"""What `import copysift` offers: the same settings as keywords, values back, nothing printed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from copysift.errors import InputError
from copysift.model.values import Fingerprints, Folders, Pair, Result
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.workflows import compare as comparing
from copysift.workflows import scan as local
from copysift.workflows.index_scan import scan_of
from copysift.workflows.reading import Reader

Place = str | os.PathLike[str]
LONG_NAME = 255  # characters: what is longer and no file is hardly meant as one


def scan(
    paths: Place | Iterable[Place], *, regions: bool = False, groups: bool = False, **settings: object
) -> Result:
    """Compare every file at or below the paths with every other.

    Settings are those of the command line with _ for -: `scan("essays", threshold="40%")`. With
    `regions` every reported pair carries its exact matches, with byte and line spans; with `groups` the
    result has sif's listings.
    """
    places = [os.fspath(each) for each in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    scan, files = scan_of(places, make(Settings, settings), settings)
    return scan.run(files, regions=regions, groups=groups)


def show(run: Place, *, groups: bool = False, **settings: object) -> Result:
    """Answer from a run that `copysift scan --save` or `copysift cluster` kept, without its files."""
    from copysift.runs.tables import is_corpus
    from copysift.workflows import shown

    answering = shown.show if is_corpus(Path(run)) else local.show
    return answering(Path(run), make(Settings, settings), groups=groups)


def compare(left: Place, right: Place, **settings: object) -> Pair:
    """Compare two files and give their measures and exact matches."""
    for each in (os.fspath(left), os.fspath(right)):
        if os.path.isdir(each):  # noqa: PTH112
            raise InputError(f"{each} is a folder", hint="compare_folders compares two folders")
        # Not Path.exists, which raises for a name that is too long.
        if len(each) > LONG_NAME and not os.path.exists(each):  # noqa: PTH110
            raise InputError(
                f"{each[:60]!r}…: there is no such file",
                hint="compare takes paths; for texts there are resemblance and containment",
            )
    result, _ = comparing.compare_files(os.fspath(left), os.fspath(right), make(Settings, settings))
    return result.pairs[0]


def compare_folders(left: Place, right: Place, **settings: object) -> Folders:
    """Compare two folders by content; names only break ties."""
    found, _ = comparing.compare_folders(os.fspath(left), os.fspath(right), make(Settings, settings))
    return found


def fingerprint(content: str | bytes, **settings: object) -> Fingerprints:
    """Give the fingerprints of a text or of bytes, with half-open byte offsets of its UTF-8."""
    reader = Reader(make(Settings, settings))
    data = _encoded(content)
    return reader.fingerprints_of(data, "text" if isinstance(content, str) else reader.kind_of(data))


def resemblance(left: str | bytes, right: str | bytes, **settings: object) -> float:
    """Give r(A, B) = |S(A) ∩ S(B)| / |S(A) ∪ S(B)|, exactly, over all shingles of 10 words.

    Two contents without any shingle resemble each other if their words are the same.
    """
    a, b = _shingles(left, settings), _shingles(right, settings)
    if not a and not b:
        return float(_symbols(left, settings) == _symbols(right, settings))
    return len(a & b) / len(a | b)


def containment(left: str | bytes, right: str | bytes, **settings: object) -> float:
    """Give c(A, B) = |S(A) ∩ S(B)| / |S(A)|: the share of the left that stands in the right, exactly."""
    a, b = _shingles(left, settings), _shingles(right, settings)
    if not a:
        few, many = _symbols(left, settings), _symbols(right, settings)
        return float(any(many[at : at + len(few)] == few for at in range(len(many) - len(few) + 1)))
    return len(a & b) / len(a)


def _exact(settings: dict[str, object]) -> Settings:
    return make(Settings, {"kind": "words", "scheme": "all", **settings})


def _shingles(content: str | bytes, settings: dict[str, object]) -> set[int]:
    made = _exact(settings)
    found = Reader(made).fingerprints_of(_encoded(content), made.kind)
    return set(found.hashes.tolist())


def _symbols(content: str | bytes, settings: dict[str, object]) -> list[int]:
    made = _exact(settings)
    symbols: list[int] = Reader(made).canonical_of(_encoded(content), made.kind).symbols.tolist()
    return symbols


def _encoded(content: str | bytes) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8", "surrogatepass")
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    raise TypeError(f"content is str or bytes, not {type(content).__name__}")
