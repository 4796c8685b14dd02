"""How a collection changed: a table, and a page with charts that opens offline."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from copysift.model.sweeps import Changes, Turn
from copysift.report.plain_page import plain_page
from copysift.report.view import View
from copysift.report.wording import pad, plural, styled, visible

_HEADS = (
    "sweep", "documents", "appeared", "gone", "new host", "new folder", "renamed", "changed", "unchanged",
)  # fmt: skip
_SERIES = (("appeared", "#2a9d5c"), ("moved", "#3b78c2"), ("changed", "#d9a21b"), ("gone", "#c4453a"))
SHOWN_MOVES = 1000


def table(found: Changes, view: View) -> str:
    """Show the turns as aligned text, then how much changed and how long things live."""
    if not found.turns:
        return "only one sweep: nothing to compare\n"
    rows = [_HEADS, *(tuple(_cells(turn)) for turn in found.turns)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADS))]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            pad(cell, width, right=at > 0) for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  ".join(cells)
        lines.append(styled(line, "dim", view.color) if not number else line)
    lines += ["", styled("resemblance of changed documents to their previous version", "bold", view.color)]
    most = max(found.resemblances) or 1
    for at, count in enumerate(found.resemblances):
        lines.append(
            f"  {at * 10:>3}–{at * 10 + 10:<3}%  {count:>7,}  {'█' * round(30 * count / most)}".rstrip()
        )
    lines += ["", styled("number of sweeps in which a document was seen, moves included", "bold", view.color)]
    lines += [f"  {each.sweeps:>3}  {each.died:>7,} gone  {each.alive:>7,} present" for each in found.lives]
    if found.days_lived is not None:
        lines.append(f"  those that are gone were seen over {found.days_lived:.0f} days on average")
    return "\n".join(lines) + "\n"


def _cells(turn: Turn) -> list[str]:
    numbers = (
        turn.documents, turn.appeared, turn.died, turn.between_hosts, turn.between_folders, turn.renamed,
        turn.changed, turn.unchanged,
    )  # fmt: skip
    return [turn.after, *(f"{number:,}" for number in numbers)]


def page(found: Changes, view: View) -> str:
    """Show the same as a page of its own: charts and tables, no scripts, nothing from elsewhere."""
    return plain_page("changes.html.j2", title="Changes", date="", body=body(found))


def body(found: Changes, link: Callable[[str], str] | None = None) -> str:
    """Give the charts and tables as HTML, for a page around them; `link` gives the page of an address."""
    if not found.turns:
        return "<h1>Changes</h1><p>One sweep alone shows no change.</p>"
    return "\n".join(
        (
            f"<h1>Changes from {escape(found.turns[0].before)} to {escape(found.turns[-1].after)}</h1>",
            _turn_chart(found), _turn_table(found),
            "<h2>How much a changed document resembles its version before</h2>", _histogram(found),
            "<h2>How long documents live</h2>", _life_table(found), _move_table(found, link),
        )
    )  # fmt: skip


def _turn_chart(found: Changes) -> str:
    """Draw what happened with each sweep as bars beside each other."""
    width, height, left = 860, 220, 50
    values = [
        (turn.appeared, turn.between_hosts + turn.between_folders + turn.renamed, turn.changed, turn.died)
        for turn in found.turns
    ]
    most = max(max(each) for each in values) or 1
    step = (width - left) / len(values)
    bar = max(1.0, step * 0.8 / len(_SERIES))
    parts = [
        f'<svg viewBox="0 0 {width} {height + 50}" width="{width}" role="img" fill="currentColor" '
        'aria-label="what happened">',
        f'<text x="0" y="12" font-size="12">{most:,}</text><text x="0" y="{height}" font-size="12">0</text>',
        f'<line x1="{left}" y1="{height}" x2="{width}" y2="{height}" stroke="#999"/>',
    ]
    every = -(-len(values) // 12)  # dates that fit below
    for at, (turn, counts) in enumerate(zip(found.turns, values, strict=True)):
        for place, ((name, color), count) in enumerate(zip(_SERIES, counts, strict=True)):
            tall = count / most * (height - 10)
            parts.append(
                f'<rect x="{left + at * step + place * bar:.1f}" y="{height - tall:.1f}" width="{bar:.1f}" '
                f'height="{tall:.1f}" fill="{color}"><title>'
                f"{escape(turn.after)}: {count:,} {name}</title></rect>"
            )
        if at % every == 0:
            parts.append(
                f'<text x="{left + at * step:.1f}" y="{height + 16}" font-size="11">'
                f"{escape(turn.after[:10])}</text>"
            )
    for place, (name, color) in enumerate(_SERIES):
        x = left + place * 110
        parts.append(f'<rect x="{x}" y="{height + 30}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{x + 18}" y="{height + 41}" font-size="12">{name}</text>')
    return "".join([*parts, "</svg>"])


def _turn_table(found: Changes) -> str:
    heads = "".join(f'<th class="number">{head}' for head in _HEADS)
    rows = "".join(
        "<tr>" + "".join(f'<td class="number">{escape(cell)}' for cell in _cells(turn)) + "\n"
        for turn in found.turns
    )
    return f'<div class="wide"><table><tr>{heads}\n{rows}</table></div>'


def _histogram(found: Changes) -> str:
    most = max(found.resemblances) or 1
    width, height, bar = 860, 180, 80
    parts = [
        f'<svg viewBox="0 0 {width} {height + 40}" width="{width}" role="img" fill="currentColor" '
        'aria-label="resemblance">'
    ]
    for at, count in enumerate(found.resemblances):
        tall, x = count / most * (height - 20), 20 + at * (bar + 4)
        parts.append(
            f'<rect x="{x}" y="{height - tall:.1f}" width="{bar}" height="{tall:.1f}" fill="#3b78c2"/>'
        )
        parts.append(
            f'<text x="{x + bar / 2}" y="{height - tall - 4:.1f}" font-size="12" '
            f'text-anchor="middle">{count:,}</text>'
        )
        span = f"{at * 10}–{at * 10 + 10}%"
        parts.append(
            f'<text x="{x + bar / 2}" y="{height + 18}" font-size="12" text-anchor="middle">{span}</text>'
        )
    return "".join([*parts, "</svg>"])


def _life_table(found: Changes) -> str:
    rows = "".join(
        f'<tr><td class="number">{each.sweeps}<td class="number">{each.died:,}'
        f'<td class="number">{each.alive:,}\n'
        for each in found.lives
    )
    mean = (
        f"<p>Those that are gone were seen over {found.days_lived:.0f} days on average.</p>"
        if found.days_lived is not None
        else ""
    )
    heads = '<th class="number">sweeps seen in<th class="number">gone<th class="number">present'
    return f"<table><tr>{heads}\n{rows}</table>{mean}"


def _move_table(found: Changes, link: Callable[[str], str] | None) -> str:
    if not found.moves:
        return ""

    def named(uri: str) -> str:
        shown = escape(visible(uri))
        return f'<a href="{escape(link(uri))}">{shown}</a>' if link else shown

    rows = "".join(
        f'<tr><td class="number">{escape(each.date)}<td class="name">{named(each.uri)}<td class="name">'
        f'{named(each.to)}<td class="number">{each.resemblance:.0%}\n'
        for each in found.moves[:SHOWN_MOVES]
    )
    hidden = len(found.moves) - SHOWN_MOVES
    more = f"<p>And {hidden:,} more: --format json lists all.</p>" if hidden > 0 else ""
    title = plural(len(found.moves), "document") + " moved"
    heads = '<th>sweep<th class="name">from<th class="name">to<th class="number">resemblance'
    return f'<h2>{title}</h2><div class="wide"><table><tr>{heads}\n{rows}</table></div>{more}'
