"""Two files side by side: their measures, then every shared passage, each in its colour."""

from __future__ import annotations

from itertools import zip_longest

from copysift.model.values import Pair, Region, Result
from copysift.report.passages import WHOLE, fitted, most_lines, source_lines, where
from copysift.report.units import bytes_of
from copysift.report.view import View
from copysift.report.wording import (
    PASSAGE_STYLES,
    cells,
    estimated,
    pad,
    percent,
    plural,
    size,
    spelled,
    styled,
)

WIDEST = 200  # columns that a left side is filled up to where there is no terminal; longer lines pass it


def side_by_side(result: Result, view: View) -> str:
    """Show one pair: measures, then its passages in the order of the left file."""
    if not result.pairs:
        names = " and ".join(spelled(group.name) for group in result.documents)
        return f"{names} share nothing\n"
    pair = result.pairs[0]
    lines = [_measures(result, pair, view)]
    if not pair.equal:
        lines += _passages(pair, view)
    return "\n".join(lines)


def _measures(result: Result, pair: Pair, view: View) -> str:
    sizes = bytes_of(result)
    left, right = spelled(pair.left), spelled(pair.right)
    rows = [
        ("left", f"{left} ({size(sizes[pair.left])})"),
        ("right", f"{right} ({size(sizes[pair.right])})"),
    ]
    if pair.same_content is not None:
        rows += _wrapped(result, pair)
    if pair.equal and pair.same_content is None:
        rows.append(("equal", "byte for byte"))
    elif not pair.equal:
        near = pair.intervals
        rows += [
            ("similarity", percent(pair.similarity)),
            ("resemblance", estimated(pair.resemblance, near and near.resemblance)),
            ("of left in right", estimated(pair.containment_left, near and near.containment_left)),
            ("of right in left", estimated(pair.containment_right, near and near.containment_right)),
            ("shared", plural(pair.shared, "fingerprint")),
        ]
        if pair.regions is not None:
            rows += [
                ("longest match", plural(pair.longest or 0, "symbol")),
                ("passages", f"{len(pair.regions):,}, in {plural(pair.lines or 0, 'line')}"),
            ]
    shown = [f"{styled(pad(name, 16, right=True), 'dim', view.color)}  {value}" for name, value in rows]
    return "\n".join([*shown, ""])


def _wrapped(result: Result, pair: Pair) -> list[tuple[str, str]]:
    """Give the two answers for files that were opened: of their content, and of their wrappers."""
    content = "the same" if pair.same_content else f"{percent(pair.resemblance)} the same"
    ways = list(dict.fromkeys(each.how_read for each in result.documents))
    wrapper = "equal byte for byte" if pair.equal else "differs"
    return [("read as", " │ ".join(ways)), ("content", content), ("wrapper", wrapper)]


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
    gutter = len(str(max(region.left.last_line, region.right.last_line)))
    columns = [source_lines(side, view) for side in (region.left, region.right)]
    most = most_lines(view)
    if view.width is None:  # a file or a pipe: as wide as the left side is, and nothing is cut
        named = where(region.left, view)
        half = min(WIDEST, max(cells(named), *(gutter + 1 + cells(line) for line in columns[0][:most])))
        heads = [pad(named, half), where(region.right, view)]
    else:
        half = (view.width - 3) // 2
        heads = [fitted(where(side, View(width=half)), half) for side in (region.left, region.right)]
    room = max(10, half - gutter - 1)
    lines = [styled(" │ ".join(heads), "bold", view.color).rstrip()]
    rows = list(zip_longest(*columns))
    for number, (left, right) in enumerate(rows[:most]):
        lines.append(
            f"{_cell(left, region.left.first_line + number, gutter, room, style, view)} │ "
            f"{_cell(right, region.right.first_line + number, gutter, room, style, view)}".rstrip()
        )
    if most is not None and len(rows) > most:  # the source was read only as far as it is shown
        longest = max(side.last_line - side.first_line + 1 for side in (region.left, region.right))
        hidden = max(longest, len(rows)) - most
        lines.append(styled(f"… {plural(hidden, 'more line')} {WHOLE}", "dim", view.color))
    return lines


def _cell(line: str | None, number: int, gutter: int, room: int, style: str, view: View) -> str:
    """Give a numbered line that fills its space; it is cut to it on a terminal only."""
    if line is None:
        return " " * (gutter + 1 + room)
    label = styled(f"{number:>{gutter}}", "dim", view.color)
    shown = pad(line, room) if view.width is None else fitted(line, room)
    return f"{label} {styled(shown, style, view.color)}"
