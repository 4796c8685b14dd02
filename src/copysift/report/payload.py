"""The data of the HTML report: numbers and texts that its script turns into pages.

Groups and files are named by number. Offsets are UTF-16 units of the text shown, half-open; lines
count from 1. A source appears once, packed, however many pairs show it, and only the sources of
reported pairs are included.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

from copysift._version import __version__
from copysift.match.measures import TOO_SMALL
from copysift.model.distribution import FEWEST
from copysift.model.explanation import NOTHING, RARE, STATEMENT, STRING, Clue, Explanation, Occurrence
from copysift.model.traits import kind_traits
from copysift.model.values import Group, Pair, Region, Result, Side
from copysift.report.highlight import CLASS_NAMES, coloured, readable
from copysift.report.units import bytes_of, files_of, labels_of, submissions_of, totals_of
from copysift.report.view import View
from copysift.report.wording import visible
from copysift.sources.file_types import PROGRAMS

LARGEST_SOURCE = 400_000  # bytes of one file that are shown
IGNORED_TEXT = 300
UNITS = {"code": "token", "text": "character", "words": "word", "bytes": "byte", "executable": "instruction"}
CLUES = (RARE, STRING, STATEMENT)  # by number
DIGITS = 4  # of a share, everywhere the same: the page compares them


def limited(result: Result, view: View) -> Sequence[Pair]:
    """Give the pairs that the report has; equal files have a page of their own."""
    if result.submissions:
        return result.pairs[: view.limit]
    return tuple(islice((pair for pair in result.pairs if not pair.equal), view.limit))


class Payload:
    """Everything that the page needs, made once."""

    def __init__(self, result: Result, view: View) -> None:
        self._result, self._view = result, view
        self._groups = files_of(result)
        self._number = {name: number for number, name in enumerate(self._groups)}
        self._files: list[Group] = [each for files in self._groups.values() for each in files]
        self._file = {each.name: number for number, each in enumerate(self._files)}
        self.pairs = limited(result, view)
        self._explained = [self._explain(pair) for pair in self.pairs]
        self._places = self._sources()

    def overview(self) -> dict[str, Any]:
        """Give all but the sources."""
        result, totals = self._result, totals_of(self._result)
        return {
            "version": __version__,
            "title": self._view.title,
            "date": self._view.date,
            "settings": [[name, _spelled(value)] for name, value in result.settings.items()],
            "base": bool(result.settings.get("base")),
            "measure": result.settings.get("measure", "similarity"),
            "threshold": result.settings.get("threshold", 0.0),
            "allPairs": len(result.pairs) if result.submissions else totals.similar,
            "similar": totals.similar,
            "equalSets": totals.equal,
            "clusters": [
                {
                    "members": sorted(self._number[name] for name in each.members),
                    "strength": None if each.strength is None else round(each.strength, DIGITS),
                }
                for each in result.clusters
            ],
            "unit": totals.unit,
            "equal": self._equal(),
            "folders": [
                {"bytes": each.bytes, "members": [visible(name) for name in each.members]}
                for each in result.folder_sets
            ],
            "submissions": self._submissions(),
            "files": [
                {
                    "name": visible(each.name),
                    "short": visible(_short(each)),
                    "kind": each.kind,
                    "readAs": visible(each.how_read),
                    "bytes": each.size,
                }
                for each in self._files
            ],
            "pairs": [self._pair(pair, why) for pair, why in zip(self.pairs, self._explained, strict=True)],
            "clues": list(CLUES),
            "ignored": [[each.groups, each.text[:IGNORED_TEXT]] for each in result.ignored],
            "ignoredCount": result.ignored_count,
            "notes": [visible(each) for each in result.notes],
            "skipped": [[visible(each.name), visible(each.reason)] for each in result.skipped],
            "classes": list(CLASS_NAMES),
            "distribution": self._distribution(),
            "decisions": [
                {**each, "left": visible(each["left"]), "right": visible(each["right"])}
                for each in self._view.decisions
            ],
        }

    def _distribution(self) -> dict[str, Any] | None:
        """Give how similar all pairs of a class are, or None where that is not known."""
        found = self._result.distribution
        if found is None:
            return None
        return {
            "pairs": found.pairs,
            "histogram": found.histogram,
            "strips": found.strips,
            "nearest": [[(round(share, DIGITS), at) for share, at in each] for each in found.nearest],
            "suggested": found.suggested,
            "scores": base64.b64encode(zlib.compress(found.scores, 9)).decode("ascii"),
            "fewest": FEWEST,
        }

    def _chance(self, similarity: float) -> float | None:
        found = self._result.distribution
        return None if found is None else found.chance(similarity)

    def packed_sources(self) -> dict[int, str]:
        """Give the sources by number of file: zlib in base64."""
        return {number: packed for number, (packed, _) in self._places.items()}

    def edges(self) -> list[tuple[int, int, float]]:
        """Give the pairs as edges between groups by number, with their similarity."""
        return [
            (self._number[each.left], self._number[each.right], round(each.similarity, DIGITS))
            for each in self.pairs
        ]

    def labels(self) -> list[str]:
        """Give the label of every group."""
        labels = labels_of(self._result)
        return [visible(labels[name]) for name in self._groups]

    def _equal(self) -> list[dict[str, Any]]:
        """Give the sets of equal files, those that waste most first."""
        sets = [
            [self._file[name] for name in names]
            for names in self._result.equal
            if all(name in self._file for name in names)  # not those of submissions
        ]
        found: list[dict[str, Any]] = [
            {"bytes": self._files[numbers[0]].size, "members": numbers} for numbers in sets
        ]
        return sorted(found, key=lambda each: -each["bytes"] * (len(each["members"]) - 1))

    def _submissions(self) -> list[dict[str, Any]]:
        sizes = bytes_of(self._result)
        found = []
        for each, label in zip(submissions_of(self._result), self.labels(), strict=True):
            files = self._groups[each.name]
            found.append(
                {
                    "name": visible(each.name),
                    "label": label,
                    "author": visible(each.author),
                    "team": visible(each.team),
                    "when": visible(each.when),
                    "attempt": visible(each.attempt),
                    "earlier": each.earlier,
                    "covered": None if each.covered is None else round(each.covered, DIGITS),
                    "note": each.note,
                    "files": [self._file[file.name] for file in files],
                    "bytes": sizes.get(each.name, 0),
                    "fingerprints": sum(file.fingerprints for file in files),
                }
            )
        return found

    def _explain(self, pair: Pair) -> Explanation:
        left, right = (self._groups[name] for name in (pair.left, pair.right))
        if pair.equal or not left or not right:
            return NOTHING
        return self._view.explain(left[0].name, right[0].name, pair.channel, pair.regions or ())

    def _pair(self, pair: Pair, why: Explanation) -> dict[str, Any]:
        made = [(self._region(region), self._holders(region, pair)) for region in pair.regions or ()]
        # the most surprising first
        order = sorted(range(len(made)), key=lambda at: (made[at][1] or len(self._groups), -made[at][0][0]))
        rank = {at: number for number, at in enumerate(order)}
        sizes = [sum(file.fingerprints for file in self._groups[name]) for name in (pair.left, pair.right)]
        return {
            "left": self._number[pair.left],
            "right": self._number[pair.right],
            "equal": pair.equal,
            **({"sameContent": True} if pair.same_content and not pair.equal else {}),
            "similarity": round(pair.similarity, DIGITS),
            "resemblance": round(pair.resemblance, DIGITS),
            "ofLeft": round(pair.containment_left, DIGITS),
            "ofRight": round(pair.containment_right, DIGITS),
            "intervals": pair.intervals and [[round(end, DIGITS) for end in each] for each in pair.intervals],
            "shared": pair.shared,
            "longest": pair.longest,
            "lines": pair.lines,
            "regions": [[*made[at][0], made[at][1]] for at in order],
            "shares": [[name, round(share, DIGITS)] for name, share in why.shares],
            "types": [
                [name, share if share is None else round(_type_share(pair, name, share), DIGITS), *some]
                for name, share, *some in why.types
            ],
            "clues": [self._clues(side) for side in why.clues],
            "again": [
                [
                    [
                        rank[each.region],
                        *self._place(each.file, each.start, each.end),
                        each.first_line,
                        each.last_line,
                    ]
                    for each in side
                ]
                for side in why.occurrences
            ],
            "unit": UNITS.get(pair.channel, "symbol"),
            "noise": self._noise(pair.channel),
            "distinct": [
                _whole(pair.shared, each) for each in (pair.containment_left, pair.containment_right)
            ],
            "chance": self._chance(pair.similarity),
            "small": bool(self._result.submissions) and min(sizes) < TOO_SMALL,
        }

    def _noise(self, channel: str) -> int | None:
        """Give how many symbols a fingerprint of a channel is made of."""
        given = self._result.settings.get("noise")
        if isinstance(given, int):
            return given
        return kind_traits(channel).thresholds.noise if channel in UNITS else None

    def _clues(self, clues: tuple[Clue, ...]) -> list[int]:
        """Give what, file, start and end of each clue, all in a row."""
        return [
            number
            for each in clues
            for number in (CLUES.index(each.what), *self._place(each.file, each.start, each.end))
        ]

    def _place(self, file: str, start: int, end: int) -> list[int]:
        """Give the number of a file, and a span of its source in the text shown."""
        number = self._file[file]
        places = self._places[number][1] if number in self._places else {}
        return [number, places.get(start, 0), places.get(end, 0)]

    def _holders(self, region: Region, pair: Pair) -> int:
        """Count who has a passage; two at least, where it is known."""
        side = region.left
        found = self._view.holders(side.file, pair.channel, side.start, side.end)
        return max(2, found) if found else 0

    def _region(self, region: Region) -> list[int]:
        """Give length, then file, start, end, first and last line of the left, then of the right."""
        found = [region.length]
        for side in (region.left, region.right):
            found += [*self._place(side.file, side.start, side.end), side.first_line, side.last_line]
        return found

    def _sources(self) -> dict[int, tuple[str, dict[int, int]]]:
        """Pack the source of every file of a reported pair; give where its offsets are."""
        offsets: dict[str, set[int]] = {
            file.name: set()
            for pair in self.pairs
            for name in (pair.left, pair.right)
            for file in self._groups[name]
        }
        for pair, why in zip(self.pairs, self._explained, strict=True):
            places: list[Side | Clue | Occurrence] = list(chain(*why.clues, *why.occurrences))
            places += [side for region in pair.regions or () for side in (region.left, region.right)]
            for place in places:
                offsets[place.file] |= {place.start, place.end}
        return {
            self._file[name]: self._source(name, wanted)
            for name, wanted in offsets.items()
            if self._files[self._file[name]].kind != "bytes"
        }

    def _source(self, name: str, offsets: set[int]) -> tuple[str, dict[int, int]]:
        base = self._view.base(name)
        data = self._view.source(name, 0, LARGEST_SOURCE + 1)
        shown = data[:LARGEST_SOURCE]
        text, places = readable(shown, {*offsets, *(edge for span in base for edge in span)})
        made = coloured(name, text)
        content = {
            "text": made.text,
            "runs": made.runs,
            "base": [
                edge
                for start, end in base
                if places[end] > places[start]
                for edge in (places[start], places[end])
            ],
            "cut": len(data) > LARGEST_SOURCE,
        }
        written = json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()
        return base64.b64encode(zlib.compress(written, 9)).decode("ascii"), places


def _whole(shared: int, share: float) -> int | None:
    """Give how many distinct fingerprints there are, of which this many are this share."""
    return round(shared / share) if share else None


def _type_share(pair: Pair, name: str, share: float) -> float:
    """Give the similarity of one type of work: of programs, that of the pair if they decided it."""
    return pair.similarity if name == PROGRAMS and pair.channel == "code" else share


def _short(document: Group) -> str:
    if document.name == document.group:
        return document.name.rpartition("/")[2] or document.name
    return document.name.removeprefix(document.group).lstrip("/") or document.name


def _spelled(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(visible(str(each)) for each in value)
    return "" if value is None else visible(str(value))
