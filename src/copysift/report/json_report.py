"""JSON, schema version 1: the same result always gives the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

from copysift.model.intervals import Intervals
from copysift.model.values import Listing, Pair, Region, Result, Side, Submission
from copysift.report.units import bytes_of
from copysift.report.view import View

VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def report(result: Result, view: View) -> str:
    """Show a result as one JSON object."""
    return "".join(parts(result, view))


def parts(result: Result, view: View) -> Iterator[str]:
    """Show a result as one JSON object, in parts: whole it may be larger than all that it is made from."""
    sizes = bytes_of(result)
    content = {
        "version": VERSION,
        "settings": result.settings,
        "documents": (
            {
                "name": each.name,
                "group": each.group,
                "kind": each.kind,
                "bytes": each.bytes,
                "fingerprints": each.fingerprints,
                "read_as": each.how_read,
                **({} if each.file_bytes is None else {"file_bytes": each.file_bytes}),
            }
            for each in result.documents
        ),
        **({"submissions": map(_submission, result.submissions)} if result.submissions else {}),
        "pairs": (record(pair) for pair in islice(result.pairs, view.limit)),
        "equal": (
            {
                "members": list(names),
                "bytes": sizes[names[0]],
                "wasted": sizes[names[0]] * (len(names) - 1),
            }
            for names in result.equal
        ),
        "clusters": (
            {
                "members": list(cluster.members),
                "strength": None if cluster.strength is None else round(cluster.strength, 6),
            }
            for cluster in result.clusters
        ),
        **({"groups": (_group(each) for each in islice(result.listings, view.limit))} if view.groups else {}),
        **({"sets": [asdict(each) for each in result.sets]} if result.sets else {}),
        **folder_records(result),
        "ignored": [
            {"hash": f"{each.hash:016x}", "groups": each.groups, "text": each.text} for each in result.ignored
        ],
        "skipped": [{"name": each.name, "reason": each.reason} for each in result.skipped],
        "notes": list(result.notes),
    }
    yield from _written(content)
    yield "\n"


def _group(listing: Listing) -> dict[str, Any]:
    """Give sif's group: a file, and the share of it that is in each of the files similar to it."""
    members = [{"name": name, "share": round(share, 6)} for name, share in listing.members]
    return {"reference": listing.reference, "members": members}


def folder_records(result: Result) -> dict[str, Any]:
    """Give the folders that are the same or similar, where they were wanted."""
    if not result.folder_sets and not result.folder_pairs:
        return {}
    return {
        "folder_sets": [
            {"members": list(each.members), "files": each.files, "bytes": each.bytes, "wasted": each.wasted}
            for each in result.folder_sets
        ],
        "folder_pairs": [asdict(each) for each in result.folder_pairs],
    }


def _submission(each: Submission) -> dict[str, Any]:
    """Give what is known of a submission; `note` says why one has no score: it is empty, unreadable …"""
    known = asdict(each)
    return known | {"covered": None if each.covered is None else round(each.covered, 6)}


def record(pair: Pair) -> dict[str, Any]:
    """Give a pair as it is in JSON; regions are null where they were not wanted."""
    return {
        "left": pair.left,
        "right": pair.right,
        "equal": pair.equal,
        "similarity": round(pair.similarity, 6),
        "resemblance": round(pair.resemblance, 6),
        "containment_left": round(pair.containment_left, 6),
        "containment_right": round(pair.containment_right, 6),
        **({} if pair.sif is None else {"sif": round(pair.sif, 6)}),
        "shared": pair.shared,
        "longest": pair.longest,
        "lines": pair.lines,
        "channel": pair.channel or None,
        **({} if pair.same_content is None else {"same_content": pair.same_content}),
        "intervals": intervals(pair.intervals),
        "regions": None if pair.regions is None else [_region(region) for region in pair.regions],
    }


def intervals(found: Intervals | None) -> dict[str, list[float]] | None:
    """Give the ends of intervals by measure; null where the measures are exact."""
    if found is None:
        return None
    return {name: [round(end, 6) for end in getattr(found, name)] for name in found._fields}


def _region(region: Region) -> dict[str, Any]:
    return {"length": region.length, "left": _side(region.left), "right": _side(region.right)}


def _side(side: Side) -> dict[str, Any]:
    """Give a side as a mapping; a report has millions of them, and `asdict` copies what it finds."""
    return {
        "file": side.file,
        "start": side.start,
        "end": side.end,
        "first_line": side.first_line,
        "last_line": side.last_line,
    }


def encoded(content: Mapping[str, object]) -> str:
    """Encode as JSON that is valid UTF-8, an element of a list a line.

    Bytes of names that are not UTF-8 become \\udcXX escapes.
    """
    return "".join(_written(content))


def _written(content: Mapping[str, object]) -> Iterator[str]:
    for number, (key, value) in enumerate(content.items()):
        yield f"{',' if number else '{'}\n {_json(key)}: "
        if not isinstance(value, list | tuple | Iterator):
            yield _json(value)
            continue
        empty = True
        for each in value:
            yield f"{'[' if empty else ','}\n  {_json(each)}"
            empty = False
        yield "[]" if empty else "\n ]"
    yield "\n}"


def _json(value: object) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", _ENCODER.encode(value))


def index_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Give the settings of an index as JSON has them: `programs` is true where programs are read by tokens.

    An index stores "both" for programs that are also read as text.
    """
    return {**settings, "programs": settings.get("programs", False) is not False}
