"""Folders that are the same or similar, as parts of the table."""

from __future__ import annotations

from copysift.model.values import Result
from copysift.report.view import View
from copysift.report.wording import (
    cells,
    pad,
    percent,
    plural,
    shorten_among,
    shorten_beside,
    size,
    spelled,
    styled,
)


def same(result: Result, view: View) -> str:
    """List the sets of folders that are the same, those that waste most first."""
    sets = result.folder_sets
    if not sets:
        return ""
    wasted = size(sum(each.wasted for each in sets))
    lines = [styled(f"Equal folders: {plural(len(sets), 'set')}, {wasted} wasted", "bold", view.color)]
    room = None if view.width is None else max(20, view.width - 30)
    for each in sets[: view.limit]:
        label = f"{len(each.members)} × {size(each.bytes)}, {plural(each.files, 'file')}"
        for number, name in enumerate(shorten_among([spelled(name) for name in each.members], room)):
            lines.append(f"  {pad('' if number else label, 26)}  {name}")
    return "\n".join([*lines, *more(len(sets), view), ""])


def similar(result: Result, view: View) -> str:
    """List the pairs of similar folders."""
    found = result.folder_pairs
    if not found:
        return ""
    heads = ("similarity", "of left", "of right", "files", "size", "size")
    rows = [
        (
            percent(pair.similarity), percent(pair.containment_left), percent(pair.containment_right),
            f"{pair.files:,}", size(pair.bytes_left), size(pair.bytes_right),
        )
        for pair in found[: view.limit]
    ]  # fmt: skip
    widths = [max(map(cells, column)) for column in zip(heads, *rows, strict=True)]
    names = [(spelled(pair.left), spelled(pair.right)) for pair in found[: view.limit]]
    room = None if view.width is None else max(24, view.width - sum(widths) - 2 * len(widths) - 4) // 2
    left = max(cells(shorten_beside(one, other, room)) for one, other in names)
    lines = [styled(f"Similar folders: {plural(len(found), 'pair')}", "bold", view.color)]
    head = "  ".join(pad(text, width, right=True) for text, width in zip(heads, widths, strict=True))
    lines.append(styled(f"  {head}  {pad('left', left)}  right", "dim", view.color))
    for row, (one, other) in zip(rows, names, strict=True):
        numbers = "  ".join(pad(text, width, right=True) for text, width in zip(row, widths, strict=True))
        first = pad(shorten_beside(one, other, room), left)
        lines.append(f"  {numbers}  {first}  {shorten_beside(other, one, room)}")
    return "\n".join([*lines, *more(len(found), view), ""])


def more(total: int, view: View) -> list[str]:
    """Say how many rows are not listed."""
    hidden = total - (view.limit or total)
    return [f"  … and {hidden:,} more (--limit 0 lists all)"] if hidden > 0 else []
