"""What a source of records gives: batches of documents as Arrow columns, and notes on what was left out.

A batch has `id` (string), `text` (binary: UTF-8, or the bytes of a file as they are), `date` (string),
`other` (the remaining fields of the record as a JSON object) and `features` (lists of strings, where
wanted).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

import pyarrow as pa

from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.field_paths import has_field, value_at, without
from copysift.sources.fields import Fields
from copysift.sources.source import BATCH_BYTES

BATCH_ROWS = 4096
MISSING = "has no field"  # begins the reason
DEEPEST = 200  # lists and objects in one another: libraries that read and write records go little deeper
TOO_DEEP = f"has more than {DEEPEST} lists and objects in one another"
ROW = "row"  # a column with the rows of a table as they came, where all fields are wanted
LANGUAGE = "content_language"  # a field of pages of web archives
UNIT = "unit"  # a column with the submission of documents, where one batch has all of it
RAW = {b"copysift": b"raw"}  # schema metadata: `text` holds files as they are, of any encoding

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.large_binary()),
        ("date", pa.string()),
        ("other", pa.string()),
        ("features", pa.list_(pa.string())),
    ]
)


@dataclass(slots=True)
class Builder:
    """Collects records and gives them in batches."""

    raw: bool = False
    limit: int = BATCH_BYTES
    ids: list[str] = field(default_factory=list)
    texts: list[bytes | str] = field(default_factory=list)
    dates: list[str | None] = field(default_factory=list)
    others: list[str | None] = field(default_factory=list)
    features: list[list[str] | None] = field(default_factory=list)
    size: int = 0

    def add(
        self,
        name: str,
        text: bytes | str,
        date: str | None = None,
        other: str | None = None,
        features: list[str] | None = None,
    ) -> None:
        """Take one record."""
        self.ids.append(name)
        self.texts.append(text)
        self.dates.append(date)
        self.others.append(other)
        self.features.append(features)
        self.size += len(text) + 64

    @property
    def full(self) -> bool:
        """Say whether the batch should be given."""
        return self.size >= self.limit or len(self.ids) >= BATCH_ROWS

    def give(self) -> Iterator[pa.RecordBatch]:
        """Give what was collected, if anything, and start again."""
        if not self.ids:
            return
        schema = SCHEMA.with_metadata(RAW) if self.raw else SCHEMA
        columns = (self.ids, self.texts, self.dates, self.others, self.features)
        yield pa.record_batch(
            [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)],
            schema=schema,
        )
        self.ids, self.texts, self.dates, self.others, self.features = [], [], [], [], []
        self.size = 0


def is_too_deep(record: Any) -> bool:
    """Say whether lists and objects of a record are in one another more often than may be."""
    level = [record]
    for _ in range(DEEPEST):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for group in inner for each in group if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def name_of(record: dict[str, Any], fields: Fields, place: str) -> tuple[str, str | None]:
    """Give the field that names a record and its value; None when the field that was wanted is missing."""
    for key in (fields.id,) if fields.id else fields.names:
        value = value_at(record, key)
        if value is not None and value != "":
            return key, value if isinstance(value, str) else str(value)
    return "", None if fields.id or fields.named else place


def add_record(built: Builder, record: Any, fields: Fields, place: str, others: Any = None) -> Skipped | None:
    """Take a record that was parsed, or say why it is left out; `others` spells the remaining fields."""
    if not isinstance(record, dict):
        return Skipped(place, "is not an object with fields")
    key, name = name_of(record, fields, place)
    if name is None:
        return Skipped(place, f"{MISSING} {fields.id or fields.names[0]!r}")
    features = None
    if fields.features:
        listed = value_at(record, fields.features)
        if not isinstance(listed, list):
            return Skipped(place, f"its field {fields.features!r} is not a list")
        features = [feature if isinstance(feature, str) else str(feature) for feature in listed]
    text = value_at(record, fields.text)
    if text is None and features is None:
        null = has_field(record, fields.text)
        return Skipped(place, f"its field {fields.text!r} is null" if null else f"{MISSING} {fields.text!r}")
    if text is not None and not isinstance(text, str):
        return Skipped(place, f"its field {fields.text!r} is not text")
    date = value_at(record, fields.date) if fields.date else None
    rest = None
    if others is not None and fields.whole:
        rest = others(record)
    elif others is not None:
        left = without(record, fields.text)
        taken = {fields.features}
        taken |= {
            each for each in (key, fields.date) if isinstance(record.get(each), str)
        }  # other types stay
        left = {each: value for each, value in left.items() if each not in taken}
        rest = others(left) if left else None
    built.add(name, text or "", None if date is None else str(date), rest, features)
    return None
