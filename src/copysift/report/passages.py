"""The longest shared passages, with their line numbers on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple

from copysift.model.values import Pair, Region, Result, Side
from copysift.report.view import View
from copysift.report.wording import cells, excerpt, pad, plural, shorten, spelled, styled

MOST_LINES = 24  # of one passage unless it is to be shown whole; the rest is counted
MOST_BYTES = 64 * 1024  # of such a passage that are looked at: one line may be a whole file
MOST_HEX = 16  # bytes of a passage that is no text
TAB = "    "
WHOLE = "(--whole shows all)"


def passages(result: Result, view: View) -> str:
    """Show the longest regions of all pairs: where they are, and the text of the left side."""
    regions = longest_regions(result.pairs)[: view.passages]
    if not regions:
        return ""
    blocks = [styled(f"Longest shared passages: {len(regions)}", "bold", view.color)]
    for number, region in enumerate(regions, 1):
        blocks.append(styled(f"{number}. {plural(region.length, 'symbol')}", "cyan", view.color))
        blocks += [f"   {where(region.left, view)}", f"   {where(region.right, view)}"]
        blocks += [f"   {line}".rstrip() for line in numbered(region.left, view)]
        blocks.append("")
    return "\n".join(blocks)


def longest_regions(pairs: Iterable[Pair]) -> list[Region]:
    """Give the regions of all pairs, the longest first; equal files have one only, the whole."""
    found = [region for pair in pairs if not pair.equal for region in pair.regions or ()]
    return sorted(found, key=lambda each: (-each.length, astuple(each.left), astuple(each.right)))


def where(side: Side, view: View) -> str:
    """Name a file and lines, as compilers do."""
    lines = f":{side.first_line}" + (f"-{side.last_line}" if side.last_line > side.first_line else "")
    room = None if view.width is None else max(20, view.width - len(lines) - 3)
    return shorten(spelled(side.file), room) + lines


def numbered(side: Side, view: View, style: str = "") -> Iterator[str]:
    """Give the lines of one side with their numbers, cut to the width of the view."""
    gutter = len(str(side.last_line))
    room = None if view.width is None else max(20, view.width - gutter - 6)
    total = 0
    most = most_lines(view)
    for total, line in enumerate(source_lines(side, view), 1):
        if most is not None and total > most:
            break
        number = styled(f"{side.first_line + total - 1:>{gutter}} │", "dim", view.color)
        yield f"{number} {styled(clip(line, room), style, view.color)}"
    hidden = 0 if most is None else side.last_line - side.first_line + 1 - most
    if hidden > 0:
        yield styled(f"{'':>{gutter}} │ … {plural(hidden, 'more line')} {WHOLE}", "dim", view.color)


def most_lines(view: View) -> int | None:
    """Give how many lines of a passage are shown; None: all."""
    return None if view.whole else MOST_LINES


def source_lines(side: Side, view: View) -> list[str]:
    """Give the text of one side as lines that are safe to print."""
    raw = view.source(
        side.file, side.start, side.end if view.whole else min(side.end, side.start + MOST_BYTES)
    )
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text or 10 * text.count("\ufffd") > len(text):  # no text: its place, and how it begins
        more = " …" if side.end - side.start > MOST_HEX else ""
        return [f"bytes {side.start:,} to {side.end:,}: {raw[:MOST_HEX].hex(' ')}{more}"]
    return [excerpt(line.replace("\t", TAB)) for line in text.split("\n")]


def clip(line: str, room: int | None) -> str:
    """Cut a line that is too long, and mark that it was cut; without space given it is not cut."""
    if room is None or cells(line) <= room:
        return line
    kept = ""
    for character in line:
        if cells(kept) + cells(character) > room - 1:
            break
        kept += character
    return kept + "…"


def fitted(line: str, room: int) -> str:
    """Cut or fill a line to exactly this many columns."""
    return pad(clip(line, room), room)
