"""The documents of an index and its numbers, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from copysift.errors import UsageError
from copysift.model.answers import Indexed
from copysift.report.csv_cells import csv_lines
from copysift.report.json_report import encoded
from copysift.report.wording import plural, size, spelled

COLUMNS = ("name", "kind", "bytes", "fingerprints", "checksum", "kept", "unit")


def lines(documents: Iterable[Indexed], format: str) -> Iterator[str]:  # noqa: A002 - the option's name
    """Give one document a line: table, csv, json (one object a line) or names (NUL after each)."""
    if format not in ("table", "csv", "json", "names"):
        raise UsageError(f"list has no format {format!r}", hint="choose table, csv or json")
    for number, document in enumerate(documents):
        if format == "json":
            yield encoded(asdict(document)).replace("\n", "") + "\n"
        elif format == "csv":
            yield (_row(COLUMNS) if not number else "") + _row([asdict(document)[name] for name in COLUMNS])
        elif format == "names":
            yield f"{document.name}\0"
        else:
            numbers = f"{document.bytes:>12,}  {document.fingerprints:>10,}"
            unit = f"  (of {spelled(document.unit)})" if document.unit else ""
            yield f"{numbers}  {document.kind:<15}  {spelled(document.name)}{unit}\n"


def _row(values: Iterable[object]) -> str:
    return csv_lines([values])


def described(numbers: dict[str, Any]) -> str:
    """Give the numbers of an index in words."""
    postings, sweeps = numbers["postings"], numbers.get("sweeps", [])
    texts = numbers["contents_bytes"] if sweeps else numbers["text_bytes"]
    stored = numbers["postings_bytes"] + numbers["catalog_bytes"]
    rows = [
        *_counted(numbers, sweeps),
        ("on disk", f"{size(stored)}: {size(numbers['postings_bytes'])} of postings in "
                    f"{plural(numbers['segments'], 'segment')}, {size(numbers['catalog_bytes'])} of catalog"),
        ("share", f"{stored / texts:.1%} of the text" if texts else "nothing is indexed yet"),
    ]  # fmt: skip
    if postings:
        rows.insert(
            len(rows) - 1,
            (
                "",
                f"{numbers['postings_bytes'] / postings:.1f} bytes per fingerprint, "
                f"{stored / postings:.1f} in all",
            ),
        )
    if numbers["kept_text_bytes"]:
        rows.append(("kept texts", size(numbers["kept_text_bytes"])))
    if numbers["removed"]:
        rows.append(
            ("removed", f"{numbers['removed']:,} fingerprints wait for a merge (copysift index compact)")
        )
    made = numbers["settings"]
    settings = [
        f"{name.replace('_', '-')} {_spelled(value)}".rstrip()
        for name, value in made.items()
        if value not in (None, [], False, "") and name not in ("thresholds", "programs", "sketch")
    ]
    if made["kind"] == "auto" and not made["language"] and numbers["documents"]:
        programs = made.get("programs")
        both = programs in (None, "both")
        how = "as text and by tokens" if both else "by tokens" if programs else "as text"
        rows.append(("programs", f"compared {how}"))
    rows.append(("made with", ", ".join(settings)))
    return "\n".join(f"{label:<13} {text}".rstrip() for label, text in rows)


def _counted(numbers: dict[str, Any], sweeps: list[str]) -> list[tuple[str, str]]:
    """Say what there is: of an index of sweeps, whatever any of them met, each content once."""
    if not sweeps:
        units = [("submissions", f"{numbers['units']:,}")] if numbers.get("units") else []
        return [
            *units,
            ("documents", f"{numbers['documents']:,} ({numbers['contents']:,} different)"),
            ("text", size(numbers["text_bytes"])),
            ("fingerprints", f"{numbers['fingerprints']:,}"),
        ]
    between = f", {sweeps[0]} to {sweeps[-1]}" if len(sweeps) > 1 else f", of {sweeps[0]}"
    return [
        ("sweeps", f"{len(sweeps):,}{between}"),
        ("documents", f"{numbers['documents']:,} in the newest"),
        ("contents", f"{numbers['contents']:,} in all sweeps"),
        ("text", f"{size(numbers['contents_bytes'])}, each content once"),
        ("fingerprints", f"{numbers['postings']:,}"),
    ]


def compacted(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Say what a compaction did."""
    parts = [
        f"{plural(each['segments'], 'segment')} of {size(each['postings_bytes'])}" for each in (before, after)
    ]
    return f"{parts[0]}, now {parts[1]}"


def _spelled(value: object) -> str:
    return "" if value is True else " ".join(value) if isinstance(value, list) else str(value)
