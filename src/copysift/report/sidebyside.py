"""Two files side by side: their measures, then every shared passage, each in its colour."""

from __future__ import annotations

from itertools import zip_longest

from copysift.report.passages import MOST_LINES, fitted, source_lines, where
from copysift.report.units import bytes_of
from copysift.report.view import View
from copysift.report.wording import PASSAGE_STYLES, pad, percent, plural, size, styled, visible
from copysift.values import Pair, Region, Result

WIDTH = 120  # columns where there is no terminal


def side_by_side(result: Result, view: View) -> str:
    """Show one pair: measures, then its passages in the order of the left file."""
    if not result.pairs:
        names = " and ".join(visible(group.name) for group in result.documents)
        return f"{names} share nothing\n"
    pair = result.pairs[0]
    lines = [_measures(result, pair, view)]
    if not pair.equal:
        lines += _passages(pair, view)
    return "\n".join(lines)


def _measures(result: Result, pair: Pair, view: View) -> str:
    sizes = bytes_of(result)
    left, right = visible(pair.left), visible(pair.right)
    rows = [
        ("left", f"{left} ({size(sizes[pair.left])})"),
        ("right", f"{right} ({size(sizes[pair.right])})"),
    ]
    if pair.equal:
        rows.append(("equal", "byte for byte"))
    else:
        rows += [
            ("similarity", percent(pair.similarity)),
            ("resemblance", percent(pair.resemblance)),
            ("of left in right", percent(pair.containment_left)),
            ("of right in left", percent(pair.containment_right)),
            ("shared", plural(pair.shared, "fingerprint")),
        ]
        if pair.regions is not None:
            rows += [
                ("longest match", plural(pair.longest or 0, "symbol")),
                ("passages", f"{len(pair.regions):,}, in {plural(pair.lines or 0, 'line')}"),
            ]
    shown = [f"{styled(pad(name, 16, right=True), 'dim', view.color)}  {value}" for name, value in rows]
    return "\n".join([*shown, ""])


def _passages(pair: Pair, view: View) -> list[str]:
    ranked = sorted(pair.regions or (), key=lambda each: (-each.length, each.left.start, each.right.start))
    shown = sorted(ranked[: view.passages], key=lambda each: (each.left.start, each.right.start))
    lines: list[str] = []
    for number, region in enumerate(shown):
        lines += [*_passage(region, PASSAGE_STYLES[number % len(PASSAGE_STYLES)], view), ""]
    hidden = len(ranked) - len(shown)
    if hidden:
        lines += [f"… and {plural(hidden, 'shorter passage')} (--passages)", ""]
    return lines


def _passage(region: Region, style: str, view: View) -> list[str]:
    half = ((view.width or WIDTH) - 3) // 2
    gutter = len(str(max(region.left.last_line, region.right.last_line)))
    room = max(10, half - gutter - 1)
    heads = [fitted(where(side, View(width=half)), half) for side in (region.left, region.right)]
    lines = [styled(" │ ".join(heads), "bold", view.color).rstrip()]
    columns = [source_lines(side, view) for side in (region.left, region.right)]
    rows = list(zip_longest(*columns))
    for number, (left, right) in enumerate(rows[:MOST_LINES]):
        lines.append(
            f"{_cell(left, region.left.first_line + number, gutter, room, style, view)} │ "
            f"{_cell(right, region.right.first_line + number, gutter, room, style, view)}".rstrip()
        )
    if len(rows) > MOST_LINES:
        lines.append(styled(f"… {plural(len(rows) - MOST_LINES, 'more line')}", "dim", view.color))
    return lines


def _cell(line: str | None, number: int, gutter: int, room: int, style: str, view: View) -> str:
    if line is None:
        return " " * (gutter + 1 + room)
    label = styled(f"{number:>{gutter}}", "dim", view.color)
    return f"{label} {styled(fitted(line, room), style, view.color)}"
