"""What an index remembers of how it was made, and how its documents are named and read again."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from copysift.errors import InputError, StoreError, UsageError
from copysift.kinds import Canonicaliser
from copysift.kinds.kind import CODE, TEXT, family
from copysift.model.document import INSIDE, Document
from copysift.model.traits import default_thresholds, scheme_traits
from copysift.model.values import Skipped
from copysift.runtime import registry
from copysift.settings.comparison import Settings, Thresholds
from copysift.settings.config import seed_check
from copysift.settings.declaration import make, settings_of
from copysift.sources.file_content import file_at
from copysift.sources.files import load
from copysift.sources.inputs import Inputs
from copysift.sources.places import exists, forbidden, is_file, is_uri, size_of
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.walk import is_index
from copysift.store.catalog import Catalog
from copysift.store.catalog_rows import ContentRow, DocumentRow
from copysift.store.snapshot import Snapshot
from copysift.store.units import has_units
from copysift.workflows.reading import Reader
from copysift.workflows.submission_content import MIXED
from copysift.workflows.submissions import reading_of

_READ_AS = ("text", "html", CODE, "bytes", "executable")  # what --kind auto reads documents as
STORED = ("kind", "language", "noise", "guarantee", "scheme", "modulus", "sketch", "anchor", "disjoint")
# How the sources of an index are read: what was given last holds for later adds and updates, too.
READING = ("by", "id_field", "text_field", "input_format", "records", "no_containers")


HASH_BITS = 36  # among 10 million others, one in 6,900 hashes that are not there is found


def remembered(settings: Settings, keep_text: bool) -> dict[str, object]:
    """Give what an index keeps of the settings that it is made with; of the seed only a check."""
    traits = scheme_traits(settings.scheme)
    if traits.sketch:
        raise UsageError(
            f"the scheme {settings.scheme} sketches whole documents, and an index finds parts of them",
            hint=f"choose one of {', '.join(_indexed())}",
        )
    if traits.learned and not getattr(settings, traits.learned):
        raise UsageError(
            f"the scheme {settings.scheme} needs its {traits.learned}s when an index is created",
            hint=f"add --{traits.learned}: {traits.learned}s cannot be learned from later files",
        )
    kept: dict[str, object] = {name: getattr(settings, name) for name in STORED}
    kept["anchor"] = list(settings.anchor)
    thresholds = {kind: list(limits) for kind, limits in default_thresholds().items()}
    kept |= {"seed": seed_check(settings.seed), "keep_text": keep_text, "thresholds": thresholds}
    return {**kept, "programs": "both", "hash_bits": HASH_BITS}


def _indexed() -> list[str]:
    names = registry.names(registry.SCHEMES)
    return [name for name in names if not scheme_traits(name).sketch]


def programs_in(stored: Mapping[str, Any]) -> str:
    """Give how an index reads programs: one of version 0.1 as its first files decided, for good."""
    known = stored.get("programs", False)
    return "both" if known in (None, "both") else "code" if known else "text"


def bits_in(stored: Mapping[str, Any]) -> int:
    """Give how many bits of a hash an index keeps: up to format 3 all."""
    bits = stored.get("hash_bits", 64)
    if type(bits) is not int or not 32 <= bits <= 64:
        raise StoreError(
            f"the index keeps {bits!r} bits of a hash, and 32 to 64 are possible",
            hint="restore it from a backup",
        )
    return bits


def reader_of(settings: Settings, stored: Mapping[str, Any]) -> Reader:
    """Make a reader that takes programs as the documents of an index were taken."""
    return Reader(settings, programs=programs_in(stored), bits=bits_in(stored))


def question_reader(
    path: Path, settings: Settings, stored: Mapping[str, Any], kind: str = "auto", language: str = ""
) -> Reader:
    """Make a reader of what is looked up; refuse a kind that the documents of the index do not have."""
    reader = reader_of(settings, stored)
    if language:
        reader.kind_in(language)  # refuses what the index does not have
    if kind == "auto":
        return reader
    registry.check(registry.KINDS, kind)
    made = CODE if settings.language else settings.kind
    known = [each for each in _READ_AS if each != CODE or programs_in(stored) != TEXT]
    if made != "auto":
        alike = (each for each in default_thresholds() if family(each) == family(made) and each != made)
        known = [made, *alike]
    if kind not in known:
        few = ", ".join(known[:-1]) + f" or {known[-1]}" if len(known) > 1 else known[0]
        raise UsageError(
            f"{path} has no documents read as {kind}: it was created with --kind {settings.kind}",
            hint=f"choose --kind {few}, or leave it out",
        )
    return Reader(
        dataclasses.replace(settings, kind=kind), programs=programs_in(stored), bits=bits_in(stored)
    )


def reading_settings(path: Path, catalog: Catalog, given: Mapping[str, object]) -> Settings:
    """Give the settings of an index with those by which its sources were read, where none are given."""
    known = catalog.about("reading") or ({"by": "dir"} if has_units(catalog) else {})
    return reconciled(path, catalog.about("settings"), {**known, **given})


def reconciled(path: Path, stored: Mapping[str, Any], given: Mapping[str, object]) -> Settings:
    """Give the settings of an index together with others that were given; refuse what contradicts them."""
    asked = make(Settings, given)
    theirs, ours = [], []
    for name in STORED:
        value = list(asked.anchor) if name == "anchor" else getattr(asked, name)
        if name in given and value != stored[name]:
            ours.append(f"{_flag(name)} {_spelled(value)}")
            theirs.append(f"{_flag(name)} {_spelled(stored[name])}")
    if ours:
        raise StoreError(
            f"{path} was created with {', '.join(theirs)}; you gave {', '.join(ours)}",
            hint="leave them out, or create another index",
        )
    _check_seed(path, stored.get("seed"), asked.seed)
    _check_thresholds(path, stored)
    values = {name: stored[name] for name in STORED if stored[name] is not None}
    return make(Settings, {**given, **values})


def _check_seed(path: Path, stored: object, seed: int) -> None:
    if not seed or seed_check(seed) == stored:
        return  # what needs the seed asks for it by `require_seed`
    if stored is None:
        raise StoreError(f"{path} was created without a seed", hint="leave it out")
    raise StoreError(f"wrong seed for {path}", hint="use the seed it was created with")


def _check_thresholds(path: Path, stored: Mapping[str, Any]) -> None:
    """Refuse an index whose thresholds by kind were others than they are today, unless it has its own."""
    if stored["noise"] is not None and stored["guarantee"] is not None:
        return
    known = default_thresholds()
    for kind, limits in stored["thresholds"].items():
        if kind in known and known[kind] != Thresholds(*limits):
            noise, guarantee = known[kind]
            raise StoreError(
                f"{path} was made with thresholds {limits[0]} / {limits[1]} for {kind}, and they are now "
                f"{noise} / {guarantee}",
                hint="recreate the index, or use the copysift that created it",
            )


def require_seed(path: Path, stored: Mapping[str, object], settings: Settings) -> None:
    """Refuse to fingerprint without the seed of the index."""
    if stored.get("seed") is not None and not settings.seed:
        raise StoreError(f"{path} was created with a secret seed", hint="add --seed-file")


def _flag(name: str) -> str:
    return settings_of(Settings)[name].flags[-1]


def _spelled(value: object) -> str:
    if value is None:
        return "by kind"
    return (" ".join(value) if isinstance(value, list) else str(value)) or "none"


class Places:
    """Names of documents: files are known by their place beside the index, and shown from here.

    A file below the folder that the index is in keeps its place when both are moved together.
    """

    def __init__(self, index: Path) -> None:
        self.index = os.path.abspath(index) + os.sep
        self._base = os.path.dirname(os.path.abspath(index))
        self._here = os.getcwd()

    def stored(self, path: str) -> str:
        """Give the name under which the index knows a file."""
        return path if is_uri(path) else _relative(os.path.abspath(path), self._base)

    def located(self, name: str) -> str:
        """Give the absolute path of a file that the index knows."""
        return name if is_uri(name) else os.path.normpath(os.path.join(self._base, name))

    def parted(
        self, paths: Iterable[str | os.PathLike[str]], reading: Reading
    ) -> tuple[list[str], list[str]]:
        """Give the paths of files, and those of other indexes whose documents are wanted."""
        files: list[str] = []
        indexes: list[str] = []
        for place in paths:
            path = os.fspath(place)
            opened = reading.containers and not forbidden() and is_index(path)
            if opened and os.path.abspath(path) + os.sep == self.index:
                raise UsageError(f"{path} is the index itself", hint="name files, or another index")
            (indexes if opened else files).append(path)
        return files, indexes

    def below(self, name: str, place: str) -> bool:
        """Say whether a file that the index knows is, or lies below, a path."""
        top, path = place if is_uri(place) else os.path.abspath(place), self.located(name)
        return path == top or path.startswith((top.rstrip(os.sep) + os.sep, top + INSIDE))

    def shown(self, row: DocumentRow) -> str:
        """Give the name to show: a path from the current folder where it is below it."""
        return _relative(self.located(row.name), self._here) if row.file else row.name

    def shown_unit(self, name: str, of: DocumentRow | None = None) -> str:
        """Give the name of a unit to show, which is that of its folder or archive; empty for none.

        A document that is a unit itself, as in a sweep, is shown by its own name.
        """
        if of is not None and of.name == name:
            return self.shown(of)
        return _relative(self.located(name), self._here) if name else ""


def _relative(path: str, base: str) -> str:
    prefix = base.rstrip(os.sep) + os.sep
    return path[len(prefix) :] if path.startswith(prefix) and len(path) > len(prefix) else path


def entry_of(path: str, size: int = 0, mtime: int = 0) -> Document:
    """Give a document for a file that is known by its path."""
    return Document(path, file_at(path, size, mtime))


def members_of(path: Path, catalog: Catalog) -> Members:
    """Give what opens the documents of an index inside their containers, as its sources were read."""
    return Members(reading_of(reading_settings(path, catalog, {})))


class Members:
    """Reads files and documents in containers by name; a container is opened once."""

    def __init__(self, reading: Reading) -> None:
        self._reading, self._spool = reading, Spool()
        self._opened: dict[str, dict[str, Document]] = {}

    def load(self, path: str) -> Document | Skipped:
        """Read a file, a member or a record."""
        outer = outer_file(path)
        if not outer:
            return self._load_file(path)
        if outer not in self._opened:
            inputs = Inputs(self._reading, self._spool, qualified=True)
            found = inputs.documents([outer])
            self._opened[outer] = {each.name: each for each in found if isinstance(each, Document)}
        document = self._opened[outer].get(path)
        return Skipped(path, "not found") if document is None else load(document)

    def _load_file(self, path: str) -> Document | Skipped:
        """Read a file, as its text where its format has a reader."""
        if not is_file(path):
            return load(entry_of(path))
        document = entry_of(path, size_of(path))
        inputs = Inputs(self._reading, self._spool, qualified=True)
        if inputs.source_of(document) is None:
            return load(document)
        found = next(inputs.documents([path]), None)
        if isinstance(found, Document) and found.name == path:
            return load(found)
        return found if isinstance(found, Skipped) else load(document)


def outer_file(path: str) -> str:
    """Give the file that a member or record is in; "" for what is a file, or nothing."""
    at = path.find(INSIDE)
    if at >= 0 and exists(path):
        return ""
    while at >= 0 and not is_file(path[:at]):
        at = path.find(INSIDE, at + 1)
    return path[: max(at, 0)]


def unchanged(members: Members, places: Places, document: DocumentRow, content: ContentRow) -> Document | str:
    """Give a document of an index as its file has it; or say why it does not."""
    if not document.file:
        return "it is not a file"
    loaded = members.load(places.located(document.name))
    if isinstance(loaded, Skipped):
        return loaded.reason
    same = (loaded.checksum, loaded.size) == (content.original, content.bytes)
    return loaded if same else "it has changed"


class StoredReader(Reader):
    """A reader that also gives the sources of an index: the file if it is the same, else the kept text."""

    def __init__(self, settings: Settings, snapshot: Snapshot, places: Places) -> None:
        stored = snapshot.settings
        super().__init__(settings, programs=programs_in(stored), bits=bits_in(stored))
        self._snapshot, self._places = snapshot, places
        self._rows: dict[str, tuple[DocumentRow, ContentRow]] = {}
        self._members = Members(reading_of(settings))

    def learn(self, entries: Sequence[Document]) -> None:
        """Learn nothing: new files are read as the documents of the index were."""

    def know(self, shown: str, document: DocumentRow, content: ContentRow) -> None:
        """Take note of a document of the index by the name under which it is shown."""
        self._rows[shown] = (document, content)

    def _canonicaliser(self, kind: str) -> Canonicaliser:
        """Read the joined files of a swept submission as text where they are of several kinds."""
        return super()._canonicaliser(TEXT if kind == MIXED else kind)

    def _readable(self, entry: Document, kind: str) -> Iterator[bytes]:
        if entry.path not in self._rows:
            return super()._readable(entry, kind)
        return self.content(*self._rows[entry.path], kind)

    def content(self, document: DocumentRow, content: ContentRow, kind: str) -> Iterator[bytes]:
        """Give the readable source of a document of the index; raises InputError when it is gone."""
        found = unchanged(self._members, self._places, document, content)
        if isinstance(found, Document):
            return self.chunks(found, kind)
        text = self._snapshot.text(content.number)
        if text is not None:
            return iter([text])
        raise InputError(f"{self._places.shown(document)}: {found}, and the index stores no texts")
