"""JSON, schema version 1: the same result always gives the same bytes."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

from copysift.report.view import View
from copysift.values import Pair, Region, Result

VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")


def report(result: Result, view: View) -> str:
    """Show a result as one JSON object."""
    content = {
        "version": VERSION,
        "settings": result.settings,
        "documents": [asdict(group) for group in result.documents],
        "pairs": [record(pair) for pair in result.pairs[: view.limit]],
        "clusters": [{"members": list(cluster.members)} for cluster in result.clusters],
        "ignored": [
            {"hash": f"{each.hash:016x}", "groups": each.groups, "text": each.text} for each in result.ignored
        ],
        "skipped": [{"name": each.name, "reason": each.reason} for each in result.skipped],
    }
    return encoded(content) + "\n"


def record(pair: Pair) -> dict[str, Any]:
    """Give a pair as it stands in JSON; regions are null where they were not asked for."""
    return {
        "left": pair.left,
        "right": pair.right,
        "equal": pair.equal,
        "similarity": round(pair.similarity, 6),
        "resemblance": round(pair.resemblance, 6),
        "containment_left": round(pair.containment_left, 6),
        "containment_right": round(pair.containment_right, 6),
        "shared": pair.shared,
        "longest": pair.longest,
        "lines": pair.lines,
        "regions": None if pair.regions is None else [_region(region) for region in pair.regions],
    }


def _region(region: Region) -> dict[str, Any]:
    return {"length": region.length, "left": asdict(region.left), "right": asdict(region.right)}


def encoded(content: object) -> str:
    """Encode as JSON that is valid UTF-8: bytes of names that are not become \\udcXX escapes."""
    written = json.dumps(content, ensure_ascii=False, indent=1)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)
