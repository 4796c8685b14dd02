"""Which languages there are: the files of this package, entry points and files of the user.

The head of a file (all before its first empty line) names the language, its aliases and its
extensions; the rest is only read when the language is used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property, lru_cache
from pathlib import Path

from copysift.errors import UsageError
from copysift.kinds.language import Language, parse
from copysift.kinds.lextable import Table, compiled
from copysift.runtime import registry
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.small_files import read_small

HEAD = 16 * 1024  # bytes in which a pattern that tells languages of one extension apart is sought


@dataclass(frozen=True)
class Entry:
    """A language that can be loaded: what its head says, and its text."""

    name: str
    title: str
    aliases: tuple[str, ...]
    extensions: tuple[str, ...]
    looks_like: str
    origin: str
    text: str = field(repr=False)

    @cached_property
    def language(self) -> Language:
        """The language itself."""
        return parse(self.text, self.origin, _parent)

    @cached_property
    def table(self) -> Table:
        """The language as the kernel reads it."""
        return compiled(self.language)

    def claims(self, head: bytes) -> bool:
        """Say whether a file with one of the extensions is of this language, by its head."""
        return not self.looks_like or re.search(self.looks_like.encode(), head[:HEAD]) is not None


class Languages:
    """A set of languages; of two with one name, alias or extension the first given has it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._names: dict[str, Entry] = {}
        self._extensions: dict[str, tuple[Entry, ...]] = {}
        for entry in self.entries:
            self._names.setdefault(entry.name, entry)
        for entry in self.entries:
            for alias in entry.aliases:
                self._names.setdefault(alias, entry)
            for each in entry.extensions:
                self._extensions[each.lower()] = (*self._extensions.get(each.lower(), ()), entry)

    def find(self, name: str) -> Entry:
        """Give a language by its name or an alias, in any case."""
        entry = self._names.get(name.lower())
        if entry is None:
            raise UsageError(f"there is no language {name!r}", hint="`copysift languages` lists them")
        return entry

    def by_extension(self, name: str, head: bytes) -> Entry | None:
        """Give the language of a file by its name; where several use its extension, by its head too."""
        claimants = self._extensions.get(_suffix(name), ())
        if len(claimants) < 2:  # this runs for every file
            return next((entry for entry in claimants if entry.claims(head)), None)
        ordered = sorted(claimants, key=lambda entry: not entry.looks_like)
        return next((entry for entry in ordered if entry.claims(head)), None)

    def has_extension(self, name: str) -> bool:
        """Say whether any language uses the extension of a file, whatever its head is like."""
        return _suffix(name) in self._extensions

    def is_decided(self, name: str) -> bool:
        """Say whether one language alone has the extension of a file, whatever its head is like."""
        claimants = self._extensions.get(_suffix(name), ())
        return len(claimants) == 1 and not claimants[0].looks_like

    def with_files(self, paths: Iterable[str]) -> Languages:
        """Give these languages and those of some files, which come first."""
        added = tuple(from_file(path) for path in paths)
        return Languages((*added, *self.entries)) if added else self


def _suffix(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 and name[dot - 1] not in "/\\" else ""


def _entry(text: str, origin: str, whole: bool = True) -> Entry:
    """Read the head of a language file; `whole` checks all of it, as for a file of the user."""
    if whole:
        head = parse(text, origin, _parent)
        return Entry(head.name, head.title, head.aliases, head.extensions, head.looks_like, origin, text)
    table = tomllib.loads(text.partition("\n\n")[0])
    return Entry(
        table["name"], table["title"], tuple(table.get("aliases", ())), tuple(table.get("extensions", ())),
        table.get("looks_like", ""), origin, text,
    )  # fmt: skip


def _built_in() -> Iterator[Entry]:
    folder = Path(__file__).with_name("languages")  # `importlib.resources` would load a dozen modules
    for each in sorted(folder.iterdir(), key=lambda found: found.name):
        if each.name.endswith(".toml"):
            yield _entry(each.read_text("utf-8"), each.name, whole=False)


def _plugged() -> Iterator[Entry]:
    """Give the languages of other packages: an entry point is the text of a file, or a path to it."""
    for name in registry.plug_in_names(registry.LANGUAGES):
        given = registry.load(registry.LANGUAGES, name)
        value = given() if callable(given) else given
        text = value.read_text("utf-8") if isinstance(value, Path) else str(value)
        yield _entry(text, f"language {name}")


@lru_cache(maxsize=1)
def languages() -> Languages:
    """Give the languages of this package and of plug-ins, by name."""
    return Languages(sorted((*_built_in(), *_plugged()), key=lambda entry: entry.name))


def _parent(name: str) -> Language:
    return languages().find(name).language


def from_file(path: str) -> Entry:
    """Read a language file of the user."""
    try:
        text = read_small(path).decode()
    except OSError as error:
        raise UsageError(f"cannot read the language file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the language file {path} is not UTF-8") from error
    return _entry(text, path)
