"""Fields inside of fields: `meta.text`, `choices[0]`, `messages[*].content`, and several: `title,body`.

A name that a record has itself wins, dots and all. `[*]` takes every element of a list; the texts of elements
and of several fields are one, with a line end between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any

JOIN = "\n"  # between the texts of several elements
EVERY = "*"
_STEP = re.compile(r"(?P<name>[^.\[\]]+)|\[(?P<place>\*|\d+)\]")

Step = str | int


@cache
def steps_of(path: str) -> tuple[Step, ...]:
    """Give the steps of a path; a path that cannot be read as several is one name."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        if path[at] == "." and steps and at + 1 < len(path):
            at += 1
        found = _STEP.match(path, at)
        if found is None or (found["place"] and not steps):
            return (path,)
        place = found["place"]
        steps.append(found["name"] if place is None else EVERY if place == EVERY else int(place))
        at = found.end()
    return tuple(steps) or (path,)


def is_nested(path: str) -> bool:
    """Say whether a name may be a path into fields, or several."""
    return "," in path or len(steps_of(path)) > 1


def roots_of(path: str, names: Collection[str]) -> list[str]:
    """Give the columns that hold the fields at a path, of those that there are; none if one is missing."""
    if path in names:
        return [path]
    if "," in path:
        found = [roots_of(each.strip(), names) for each in path.split(",")]
        return [root for roots in found for root in roots] if all(found) else []
    first = str(steps_of(path)[0])
    return [first] if first in names else []


def values_at(record: Any, path: str) -> Iterator[Any]:
    """Give the values at a path that are there, null ones too."""
    if isinstance(record, dict) and path in record:
        yield record[path]
    elif "," in path:
        for each in path.split(","):
            yield from values_at(record, each.strip())
    elif is_nested(path):
        yield from _values(record, steps_of(path))


def _values(value: Any, steps: tuple[Step, ...]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and step == EVERY:
        for each in value:
            yield from _values(each, rest)
    elif _has(value, step):
        yield from _values(value[step], rest)


def _has(value: Any, step: Step) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def has_field(record: Any, path: str) -> bool:
    """Say whether a record has a field, if only with null in it."""
    return any(True for _ in values_at(record, path))


def value_at(record: Any, path: str) -> Any:
    """Give the only value at a path; the texts of several as one; None where there is none."""
    found = [each for each in values_at(record, path) if each is not None]
    if len(found) < 2:
        return found[0] if found else None
    return JOIN.join(found) if all(isinstance(each, str) for each in found) else found


def without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """Give a record without a field; what held nothing else goes too."""
    if path in record or not is_nested(path):
        return {name: value for name, value in record.items() if name != path}
    if "," in path:
        for each in path.split(","):
            record = without(record, each.strip())
        return record
    left: dict[str, Any] = _left(record, steps_of(path)) or {}
    return left


def _left(value: Any, steps: tuple[Step, ...]) -> Any:
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and step == EVERY:
        some = [_left(each, rest) if rest else None for each in value]
        return some if any(each is not None for each in some) else None
    if isinstance(value, dict) and _has(value, step):
        inner = _left(value[step], rest) if rest else None
        kept = {name: each for name, each in value.items() if name != step}
        return (kept | {step: inner} if inner is not None else kept) or None
    if isinstance(value, list) and isinstance(step, int) and _has(value, step):
        return [*value[:step], _left(value[step], rest) if rest else None, *value[step + 1 :]]
    return value


def with_text(record: dict[str, Any], path: str, change: Callable[[int, int], str]) -> dict[str, Any]:
    """Give a record with other texts at a path.

    `change` gets where a text is among all of them, as half-open bytes of their UTF-8, and gives what it
    becomes.
    """
    at = [0]

    def changed(text: str) -> str:
        start = at[0]
        end = start + len(text.encode("utf-8", "replace"))
        at[0] = end + len(JOIN)
        return change(start, end)

    return _with(record, path, changed)


def _with(record: dict[str, Any], path: str, change: Callable[[str], str]) -> dict[str, Any]:
    if path in record or not is_nested(path):
        value = record.get(path)
        return record | {path: change(value)} if isinstance(value, str) else record
    if "," in path:
        for each in path.split(","):
            record = _with(record, each.strip(), change)
        return record
    made: dict[str, Any] = _changed(record, steps_of(path), change)
    return made


def _changed(value: Any, steps: tuple[Step, ...], change: Callable[[str], str]) -> Any:
    if not steps:
        return change(value) if isinstance(value, str) else value
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and step == EVERY:
        return [_changed(each, rest, change) for each in value]
    if isinstance(value, list) and isinstance(step, int) and _has(value, step):
        return [*value[:step], _changed(value[step], rest, change), *value[step + 1 :]]
    if isinstance(value, dict) and step in value:
        return value | {step: _changed(value[step], rest, change)}
    return value
