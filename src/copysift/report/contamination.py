"""What a corpus has of the items of benchmarks, as HTML, JSON and CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from copysift.errors import UsageError
from copysift.model.contamination import Contamination, TestItem
from copysift.report.csv_cells import csv_lines
from copysift.report.plain_page import plain_page
from copysift.report.wording import percent

VERSION = 1
PAGE = 2000  # items in a page that a browser still shows quickly; JSON and CSV have all
COLUMNS = (
    "benchmark", "item", "share", "documents", "document", "document_share", "start", "end", "words", "text",
)  # fmt: skip


def limits_of(found: Contamination) -> list[str]:
    """Say what was not looked for, and why."""
    said = []
    if found.too_short:
        many = "1 item has" if len(found.too_short) == 1 else f"{len(found.too_short):,} items have"
        said.append(f"{many} too few words to be looked for, such as {found.too_short[0][1]}")
    if found.ignored:
        said.append(
            f"{found.ignored:,} shingles are in more than 100 items of the benchmarks, and count for none"
        )
    return said


def as_json(found: Contamination) -> str:
    """Give everything."""
    made = {
        "version": VERSION,
        "benchmarks": [
            {"name": name, "items": items, "found": dirty} for name, items, dirty in found.benchmarks
        ],
        "settings": {
            "shingle": found.width,
            "min_passage": found.min_passage,
            "min_overlap": found.min_overlap,
        },
        "documents": found.documents_total,
        "documents_compared": found.documents,
        "ignored_shingles": found.ignored,
        "too_short": [{"benchmark": benchmark, "item": name} for benchmark, name in found.too_short],
        "items": [_record(item) for item in found.items],
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _record(item: TestItem) -> dict[str, object]:
    return {
        "benchmark": item.benchmark,
        "item": item.name,
        "words": item.words,
        "share": round(item.share, 6),
        "documents": item.documents,
        "covered": [list(span) for span in item.covered],
        "text": item.text,
        "holders": [
            {
                "document": holder.document,
                "share": round(holder.share, 6),
                "passages": [passage._asdict() for passage in holder.passages],
            }
            for holder in item.holders
        ],
    }


def as_csv(found: Contamination) -> str:
    """Give a row for each passage of the documents that have most of an item."""
    return csv_lines([COLUMNS, *_rows(found)])


def _rows(found: Contamination) -> Iterator[tuple[object, ...]]:
    for item in found.items:
        head = (item.benchmark, item.name, round(item.share, 6), item.documents)
        for holder in item.holders:
            for start, end, words, text in holder.passages:
                yield (*head, holder.document, round(holder.share, 6), start, end, words, text)


def as_html(found: Contamination) -> str:
    """Give a page: each item with the words that the corpus has, and the documents that have them."""
    return plain_page(
        "contamination.html.j2",
        title="Benchmarks in the corpus",
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        found=found,
        items=found.items[:PAGE],
        more=max(0, len(found.items) - PAGE),
        marked=marked,
        percent=percent,
        limits=limits_of(found),
    )


def marked(item: TestItem) -> Iterator[tuple[str, bool]]:
    """Give the text of an item in pieces, and of each whether the corpus has it."""
    at = 0
    for start, end in item.covered:
        if at < start:
            yield item.text[at:start], False
        yield item.text[start:end], True
        at = end
    if at < len(item.text):
        yield item.text[at:], False


def contamination_format(path: str | os.PathLike[str]) -> str:
    """Choose the format of a report by its name."""
    suffix = Path(path).suffix.lower()[1:]
    if suffix not in WRITERS:
        raise UsageError(f"no format for {Path(path).name}", hint="name it .html, .json or .csv")
    return suffix


WRITERS: Mapping[str, Callable[[Contamination], str]] = {"html": as_html, "json": as_json, "csv": as_csv}
