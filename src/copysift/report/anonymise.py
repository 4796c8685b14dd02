"""Put pseudonyms instead of names: in groups, in paths, and in the sources that are shown.

Pseudonyms are numbers in the order of a keyed hash of the names: the same names, secret and key file give
the same ones again, and their order says nothing. Without a secret (--seed) whoever has a list of
the class could try its names.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from copysift.errors import UsageError
from copysift.model.values import Cluster, Group, Listing, Pair, Region, Result, Side, Skipped, Submission
from copysift.report.csv_cells import as_text, from_text
from copysift.report.units import files_of, submissions_of
from copysift.report.view import View, under_other_names

HEAD = ("pseudonym", "name")
_WORD = re.compile(r"[^\W\d_]{3,}")
# What Moodle and Canvas put behind a name is no name: `Jane Doe_12345_assignsubmission_file_…`,
# `doejane_LATE_1234_5678_…`.
_MOODLE = re.compile(r"(.+?)_\d+_assignsubmission_(?:file|onlinetext).*", re.DOTALL)
_CANVAS = re.compile(r"([^_]+)_(?:LATE_)?\d+_\d+_.+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Anonymous:
    """A result and a view without names, and the key to them: pseudonym → name."""

    result: Result
    view: View
    key: dict[str, str]


def anonymised(result: Result, view: View, known: Mapping[str, str], secret: int) -> Anonymous:
    """Replace every name; `known` are the pseudonyms of an earlier key, which stay as they are."""
    aliases = _aliases([each.name for each in submissions_of(result)], known, secret)
    names = _Names(result, aliases)
    shown = dataclasses.replace(
        view,
        source=lambda name, start, end: names.hidden(view.source(names.real[name], start, end)),
        base=lambda name: view.base(names.real[name]),
        holders=lambda name, *place: view.holders(names.real[name], *place),
        explain=under_other_names(view.explain, names.real.__getitem__, names.alias),
        decisions=tuple(names.decisions(view.decisions)),
    )
    return Anonymous(names.result(result), shown, {alias: name for name, alias in aliases.items()})


def written_key(key: Mapping[str, str]) -> str:
    """Write a key as CSV."""
    out = io.StringIO()
    returns = any("\r" in name for name in key.values())  # which csv quotes only if told to
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    writer.writerow(HEAD)
    writer.writerows((alias, as_text(name)) for alias, name in sorted(key.items()))
    return out.getvalue()


def read_key(text: str, path: str) -> dict[str, str]:
    """Read a key that was written before; anything else is refused, and so never overwritten."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows or tuple(rows[0]) != HEAD or any(len(row) != 2 for row in rows):
        raise UsageError(f"{path} exists and is not a key of pseudonyms", hint="use another --key-file")
    return {row[0]: from_text(row[1]) for row in rows[1:]}


def _aliases(names: Iterable[str], known: Mapping[str, str], secret: int) -> dict[str, str]:
    """Give every name its pseudonym; the key may hold names that are not here."""
    found = {name: alias for alias, name in known.items()}
    fresh = sorted((name for name in names if name not in found), key=lambda name: _keyed(name, secret))
    number = max((int(alias[1:]) for alias in known if alias[1:].isdecimal()), default=0)
    width = len(str(number + len(fresh)))
    for name in fresh:
        number += 1
        found[name] = f"S{number:0{max(2, width)}}"
    return found


def _keyed(name: str, secret: int) -> bytes:
    raw = name.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(raw, key=secret.to_bytes(8, "little"), digest_size=16).digest()


class _Names:
    """The names of a result, real and replaced."""

    def __init__(self, result: Result, aliases: Mapping[str, str]) -> None:
        self._groups = aliases
        self._files: dict[str, str] = {}
        for group, files in files_of(result).items():
            for number, file in enumerate(files, 1):
                self._files[file.name] = self._file(aliases[group], group, file.name, number)
        self.real = {alias: name for name, alias in self._files.items()}
        self._words = _pattern(submissions_of(result))

    def alias(self, file: str) -> str:
        """Give the name of a file under its pseudonym."""
        return self._files[file]

    def hidden(self, source: bytes) -> bytes:
        """Blot names out of a source; as many bytes as before, so that every offset holds."""
        if self._words is None:
            return source
        return self._words.sub(lambda found: b"*" * len(found.group()), source)

    def decisions(self, decisions: Iterable[Mapping[str, str]]) -> Iterator[dict[str, str]]:
        """Give the decisions on pairs that are here, under pseudonyms; a note may have names too."""
        for each in decisions:
            if each["left"] in self._groups and each["right"] in self._groups:
                note = self.hidden(each["note"].encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
                sides = {side: self._groups[each[side]] for side in ("left", "right")}
                yield {**sides, "state": each["state"], "note": note, "when": each["when"]}

    def result(self, result: Result) -> Result:
        """Give the result under pseudonyms."""
        return dataclasses.replace(
            result,
            settings={
                name: "hidden" if name in ("base", "earlier", "metadata") and value else value
                for name, value in result.settings.items()
            },
            documents=tuple(self._document(each) for each in result.documents),
            pairs=tuple(self._pair(each) for each in result.pairs),
            clusters=tuple(Cluster(self._all(each.members), each.strength) for each in result.clusters),
            ignored=tuple(
                dataclasses.replace(each, text=self.hidden(each.text.encode()).decode("utf-8", "replace"))
                for each in result.ignored
            ),
            skipped=tuple(self._note(each, number) for number, each in enumerate(result.skipped, 1)),
            equal=tuple(self._all(each) for each in result.equal),
            listings=tuple(
                Listing(
                    self._groups[each.reference],
                    tuple((self._groups[name], share) for name, share in each.members),
                )
                for each in result.listings
            ),
            submissions=tuple(self._submission(each) for each in result.submissions),
        )  # fmt: skip

    def _file(self, alias: str, group: str, name: str, number: int) -> str:
        if name == group:
            return alias
        dot = name.rpartition("/")[2].rpartition(".")
        return f"{alias}/{number}.{dot[2]}" if dot[1] and dot[0] else f"{alias}/{number}"

    def _all(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(self._groups[name] for name in names)

    def _document(self, each: Group) -> Group:
        return dataclasses.replace(each, name=self._files[each.name], group=self._groups[each.group])

    def _submission(self, each: Submission) -> Submission:
        return Submission(
            self._groups[each.name],
            earlier=each.earlier,
            covered=each.covered,
            note=each.note,
            attempt=each.attempt,
        )

    def _pair(self, each: Pair) -> Pair:
        regions = None if each.regions is None else tuple(self._region(region) for region in each.regions)
        return dataclasses.replace(
            each, left=self._groups[each.left], right=self._groups[each.right], regions=regions
        )

    def _region(self, each: Region) -> Region:
        return Region(each.length, self._side(each.left), self._side(each.right))

    def _side(self, side: Side) -> Side:
        return dataclasses.replace(side, file=self._files[side.file])

    def _note(self, each: Skipped, number: int) -> Skipped:
        """Name what was skipped by its submission, if it has one; a reason may quote a name."""
        holder = next(
            (name for name in self._groups if each.name == name or each.name.startswith(f"{name}/")), ""
        )
        reason = self.hidden(each.reason.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
        return Skipped(f"{self._groups[holder]}/…" if holder else f"input {number}", reason)


def _named(each: Submission) -> str:
    """Give the part of a submission's name that names a person; in doubt more is blotted out, not less."""
    *_, leaf = parts = each.name.split("/")
    for part in parts:
        moodle = _MOODLE.fullmatch(part)
        if moodle:
            return moodle[1]
    canvas = _CANVAS.fullmatch(leaf)
    return canvas[1] if canvas and canvas[1] == each.author else leaf.partition(".")[0]


def _pattern(submissions: Iterable[Submission]) -> re.Pattern[bytes] | None:
    """Match labels and authors, and each word of them, wherever they are words."""
    words: set[str] = set()
    for each in submissions:
        for told in (each.author, each.label, each.team, _named(each)):
            words |= {told, *_WORD.findall(told)}
    spelled = sorted(
        (word for word in words if len(word) >= 3 and _WORD.search(word)), key=lambda word: (-len(word), word)
    )
    if not spelled:
        return None
    choice = "|".join(re.escape(word) for word in spelled)
    letters = rb"[A-Za-z0-9\x80-\xff]"
    text = choice.encode("utf-8", "surrogateescape")
    return re.compile(rb"(?<!" + letters + rb")(?:" + text + rb")(?!" + letters + rb")", re.IGNORECASE)
