"""What an index answers: as a table, JSON, CSV, sif's listing, or names alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from copysift.model.answers import Answer, Hit
from copysift.model.values import Group, Region
from copysift.report.csv_cells import csv_lines
from copysift.report.json_report import encoded, index_settings, intervals
from copysift.report.passages import numbered, where
from copysift.report.view import View
from copysift.report.wording import (
    cells,
    estimated,
    pad,
    percent,
    plural,
    shorten_among,
    size,
    spelled,
    styled,
)

VERSION = 1
WIDE = 100  # columns from which a table has room for intervals
COLUMNS = (
    "left", "right", "equal", "resemblance", "containment_left", "containment_right", "sif", "shared",
    "longest", "lines", "bytes_right", "similarity",
)  # fmt: skip
_GROUP = tuple(each.name for each in fields(Group))  # plain values all, for which `asdict` is slow
_SIMILARITY = "similarity"
_HEADS = ("of query", "of document", "resemblance", "sif", "shared", "size")


def table(answer: Answer, view: View) -> str:
    """Show the hits of each query as aligned text."""
    parts = []
    for query in answer.queries:
        hits = [hit for hit in answer.hits if hit.left == query.name]
        parts.append(_block(query, hits, view))
    if view.passages:
        parts.append(_passages(answer, view))
    return "\n".join(part for part in parts if part)


def _block(query: Group, hits: list[Hit], view: View) -> str:
    title = f"{spelled(query.name)}: {plural(len(hits), 'document')}"
    if not hits:
        return "" if view.quiet else f"{title}\n"
    wide = view.width is None or view.width >= WIDE
    rows = [_cells(hit, wide) for hit in hits]
    heads = _HEADS if hits[0].similarity is None else (_SIMILARITY, *_HEADS)
    widths = [max(map(cells, column)) for column in zip(heads, *rows, strict=True)]
    lines = [styled(title, "bold", view.color)]
    head = "  ".join(pad(text, width, right=True) for text, width in zip(heads, widths, strict=True))
    lines.append(styled(f"  {head}  document", "dim", view.color))
    room = None if view.width is None else max(20, view.width - sum(widths) - 2 * len(widths) - 4)
    names = shorten_among([spelled(hit.right) for hit in hits], room)
    for hit, row, name in zip(hits, rows, names, strict=True):
        numbers = "  ".join(pad(text, width, right=True) for text, width in zip(row, widths, strict=True))
        equal = styled("  (equal)", "green", view.color) if hit.equal else ""
        lines.append(f"  {numbers}  {name}{equal}")
    return "\n".join([*lines, ""])


def _cells(hit: Hit, wide: bool) -> list[str]:
    near = hit.intervals if wide else None
    first = [] if hit.similarity is None else [percent(hit.similarity)]
    return [
        *first,
        estimated(hit.containment_left, near and near.containment_left),
        estimated(hit.containment_right, near and near.containment_right),
        estimated(hit.resemblance, near and near.resemblance),
        percent(hit.sif),
        f"{hit.shared:,}",
        size(hit.bytes),
    ]


def _passages(answer: Answer, view: View) -> str:
    regions = [region for hit in answer.hits if not hit.equal for region in hit.regions or ()]
    regions.sort(
        key=lambda each: (-each.length, each.left.file, each.left.start, each.right.file, each.right.start)
    )
    if not regions:
        return ""
    shown = regions[: view.passages]
    blocks = [styled(f"Longest shared passages: {len(shown)}", "bold", view.color)]
    for number, region in enumerate(shown, 1):
        blocks.append(styled(f"{number}. {plural(region.length, 'symbol')}", "cyan", view.color))
        blocks += [f"   {where(region.left, view)}", f"   {_place(region, view)}"]
        blocks += [f"   {line}" for line in numbered(region.left, view)]
        blocks.append("")
    return "\n".join(blocks)


def _place(region: Region, view: View) -> str:
    if region.right.first_line:
        return where(region.right, view)
    return f"{spelled(region.right.file)} bytes {region.right.start}-{region.right.end}"


def record(hit: Hit) -> dict[str, Any]:
    """Give a hit as it is in JSON; regions are null where they cannot be had."""
    made: dict[str, Any] = {
        "left": hit.left,
        "right": hit.right,
        "equal": hit.equal,
        "resemblance": round(hit.resemblance, 6),
        "containment_left": round(hit.containment_left, 6),
        "containment_right": round(hit.containment_right, 6),
        "sif": round(hit.sif, 6),
        "shared": hit.shared,
        "bytes_right": hit.bytes,
        "longest": hit.longest,
        "lines": hit.lines,
        "similarity": None if hit.similarity is None else round(hit.similarity, 6),
        "channel": hit.channel or None,
        "intervals": intervals(hit.intervals),
        "regions": None,
    }
    if hit.regions is not None:
        made["regions"] = [
            {"length": each.length, "left": asdict(each.left), "right": asdict(each.right)}
            for each in hit.regions
        ]
    return made


def content(answer: Answer) -> dict[str, Any]:
    """Give an answer as it is in JSON, schema version 1."""
    return {
        "version": VERSION,
        "settings": index_settings(answer.settings),
        "queries": [{name: getattr(query, name) for name in _GROUP} for query in answer.queries],
        "hits": [record(hit) for hit in answer.hits],
        "skipped": [{"name": each.name, "reason": each.reason} for each in answer.skipped],
    }


def records(answer: Answer, view: View) -> str:
    """Show an answer as one JSON object."""
    return encoded(content(answer)) + "\n"


def rows(answer: Answer, view: View) -> str:
    """Show the hits as CSV with a header."""
    table: list[Iterable[object]] = [COLUMNS]
    for hit in answer.hits:
        made = record(hit)
        shares = ("resemblance", "containment_left", "containment_right", "sif")
        made |= {name: f"{made[name]:.6f}" for name in shares}
        made["equal"] = str(hit.equal).lower()
        table.append(["" if made[name] is None else made[name] for name in COLUMNS])
    return csv_lines(table)


def listing(answer: Answer, view: View) -> str:
    """Show each query as sif's R file, and the documents with sif's percentage of occurrences (§3)."""
    blocks = []
    for query in answer.queries:
        lines = [f"R100 {spelled(query.name)} {query.bytes}"]
        for hit in answer.hits:
            if hit.left == query.name:
                share = "EQUAL" if hit.equal else f"{round(hit.sif * 100)}"
                lines.append(f"{share:>6} {spelled(hit.right)} {hit.bytes}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def names(answer: Answer, view: View) -> str:
    """Show the names of the documents, NUL after each."""
    return "".join(f"{hit.right}\0" for hit in answer.hits)
