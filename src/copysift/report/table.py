"""The table: equal files first, then pairs or groups, then passages, then one line that sums up."""

from __future__ import annotations

from itertools import islice

from copysift.model.values import Pair, Result
from copysift.report import folder_tables, listing, set_table
from copysift.report.folder_tables import more
from copysift.report.passages import passages
from copysift.report.units import bytes_of, known_of, outside_folders, similar_of, totals_of, unit_of
from copysift.report.view import View
from copysift.report.wording import (
    cells,
    estimated,
    pad,
    percent,
    plural,
    shorten,
    shorten_beside,
    size,
    spelled,
    styled,
)

WIDE = 100  # columns from which a table has room for sizes and intervals beside names


def report(result: Result, view: View) -> str:
    """Show a result as aligned text."""
    parts = [folder_tables.same(result, view)]
    if view.sets:
        parts.append(set_table.sets(result, view))
    if view.folders:
        parts.append(folder_tables.similar(result, view))
    if not view.sets and not view.folders:
        parts.append(_equal(result, view))
        parts.append(_groups(result, view) if view.groups else _pairs(result, view))
    if view.passages:
        parts.append(passages(result, view))
    if not view.quiet:
        parts += [_notes(result, view), summary(result, view)]
    return "\n".join(part for part in parts if part)


def _equal(result: Result, view: View) -> str:
    if not result.equal:
        return ""
    sizes, known = bytes_of(result), known_of(result)
    waste = sum(sizes[names[0]] * (len(names) - 1) for names in result.equal)
    listed = outside_folders(result)
    sets = sorted(listed, key=lambda names: (-sizes[names[0]] * (len(names) - 1), names))
    heading = f"Equal {unit_of(result)}s: {plural(len(result.equal), 'set')}, {size(waste)} wasted"
    if len(sets) < len(result.equal):
        heading += f"; {len(sets):,} not only in equal folders"
    lines = [_heading(heading, view)]
    for names in sets[: view.limit]:
        label = f"{len(names)} × {size(sizes[names[0]])}"
        for number, name in enumerate(names):
            room = None if view.width is None else max(20, view.width - 18)
            beside = names[1] if name == names[0] else names[0]
            shown = shorten_beside(spelled(known.get(name, name)), spelled(known.get(beside, beside)), room)
            lines.append(f"  {pad('' if number else label, 14)}  {shown}")
    return "\n".join([*lines, *more(len(sets), view), ""])


def _pairs(result: Result, view: View) -> str:
    found = similar_of(result)
    shown = list(islice((pair for pair in result.pairs if not pair.equal), view.limit))
    if not shown:
        return ""
    sizes, known = bytes_of(result), known_of(result)
    longest = all(pair.longest is not None for pair in shown)
    heads = ["similarity", "of left", "of right", "shared", *(["longest"] if longest else [])]
    heads += ["size", "size"] if view.width is None or view.width >= WIDE else []
    if result.settings.get("measure") == "resemblance":
        heads.insert(1, "resemblance")
    if result.settings.get("measure") == "sif":
        heads.insert(1, "sif")
    rows = [_cells(pair, heads, sizes) for pair in shown]
    widths = [max(map(cells, column)) for column in zip(heads, *rows, strict=True)]
    named = [[spelled(known.get(name, name)) for name in (pair.left, pair.right)] for pair in shown]
    left, right = _name_widths(named, sum(widths) + 2 * len(widths) + 4, view)
    lines = [_heading(f"Similar {unit_of(result)}s: {plural(found, 'pair')}", view)]
    head = "  ".join(pad(text, width, right=True) for text, width in zip(heads, widths, strict=True))
    lines.append(styled(f"  {head}  {pad('left', left)}  right", "dim", view.color))
    for pair, row, names in zip(shown, rows, named, strict=True):
        numbers = [pad(text, width, right=True) for text, width in zip(row, widths, strict=True)]
        numbers[0] = styled(numbers[0], _heat(pair.similarity), view.color)
        first = pad(shorten_beside(names[0], names[1], left), left)
        lines.append(f"  {'  '.join(numbers)}  {first}  {shorten_beside(names[1], names[0], right)}")
    return "\n".join([*lines, *more(found, view), ""])


def _cells(pair: Pair, heads: list[str], sizes: dict[str, int]) -> list[str]:
    row = [percent(pair.similarity)]
    if "resemblance" in heads:
        row.append(estimated(pair.resemblance, pair.intervals and pair.intervals.resemblance))
    if "sif" in heads:
        row.append(percent(pair.containment_left if pair.sif is None else pair.sif))
    near = pair.intervals if "size" in heads else None  # a narrow table has no room for them
    row += [
        estimated(pair.containment_left, near and near.containment_left),
        estimated(pair.containment_right, near and near.containment_right),
        f"{pair.shared:,}",
    ]
    if "longest" in heads:
        row.append(f"{pair.longest:,}")
    return [*row, size(sizes[pair.left]), size(sizes[pair.right])] if "size" in heads else row


def _name_widths(names: list[list[str]], taken: int, view: View) -> tuple[int, int | None]:
    """Share the rest of a line between two names, giving one what the other does not need."""
    left, right = (max(map(cells, column)) for column in zip(*names, strict=True))
    if view.width is None:
        return left, None
    room = max(24, view.width - taken)
    if left + right <= room:
        return left, right
    half = room // 2
    if left <= half:
        return left, room - left
    if right <= half:
        return room - right, right
    return half, room - half


def _groups(result: Result, view: View) -> str:
    if not result.listings:
        return ""
    lines = [_heading(f"Similar {unit_of(result)}s: {plural(len(result.listings), 'group')}", view)]
    return "\n".join([*lines, listing.groups(result, view), *more(len(result.listings), view), ""])


def _notes(result: Result, view: View) -> str:
    """Name the submissions that have no score, and why."""
    noted = [each for each in result.submissions if each.note]
    if not noted:
        return ""
    lines = [_heading(f"Without a score: {plural(len(noted), 'submission')}", view)]
    room = None if view.width is None else max(20, view.width - 32)
    known = known_of(result)
    lines += [
        f"  {pad(each.note, 28)}  {shorten(spelled(known.get(each.name, each.name)), room)}" for each in noted
    ]
    return "\n".join([*lines, ""])


def summary(result: Result, view: View) -> str:
    """Sum a result up in one line."""
    totals = totals_of(result)
    total = sum(group.size for group in result.documents)
    earlier = f", {totals.earlier:,} of earlier years" if totals.earlier else ""
    parts = [f"{plural(totals.units, totals.unit)} compared ({size(total)}{earlier}): "]
    if result.settings.get("equal_only"):
        parts[0] += plural(totals.equal, "equal set")
        parts.append("similar files were not looked for (--equal-only)")
    else:
        parts[0] += f"{totals.found()} {_condition(result)}"
    if result.clusters and not result.settings.get("equal_only"):
        parts.append(plural(totals.clusters, "cluster"))
    if result.ignored_count:
        parts.append(f"{plural(result.ignored_count, 'fingerprint')} ignored as too common")
    if result.skipped:
        parts.append(f"{len(result.skipped):,} skipped")
    return styled(", ".join(parts), "bold", view.color) + "\n"


def _condition(result: Result) -> str:
    measure = str(result.settings.get("measure", "similarity"))
    threshold = result.settings.get("threshold", 0.0)
    number = float(threshold) if isinstance(threshold, int | float) else 0.0
    match = result.settings.get("min_match")
    longer = "" if match is None else f" or a match of {match:,} symbols"
    if measure in ("shared", "longest"):
        return f"with {measure} ≥ {number:.0f}{longer}"
    return f"with {measure} ≥ {number * 100:.3g}%{longer}"


def _heading(text: str, view: View) -> str:
    return styled(text, "bold", view.color)


def _heat(share: float) -> str:
    return "red" if share >= 0.75 else "yellow" if share >= 0.5 else "green"
