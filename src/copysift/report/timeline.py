"""The timeline of a document as HTML: where it was when, its versions and what changed in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from copysift.model.sweeps import History, Located, Passage, Stay, Sweep, Version
from copysift.report.sweeps import located as told
from copysift.report.view import View
from copysift.report.wording import percent, plural, size, visible

WIDTH, LEFT, ROW = 860, 20, 34
_COLORS = ("#3b78c2", "#2a9d5c", "#d9a21b", "#8a56b0", "#c4453a")
SHOWN = 20  # passages of a version
LINES = 40  # of a passage


def body(
    found: Located, versions: History, sweeps: Sequence[Sweep], link: Callable[[str], str] | None = None
) -> str:
    """Give the chart of addresses, the answer in words, and the table of versions.

    `link` gives the page of an address.
    """
    words = escape(told(found, View()))
    rows = "".join(map(_version, versions.versions))
    return (
        f"<h1>{escape(visible(found.uri))}</h1>\n{_chart(found, sweeps, link)}\n<pre>{words}</pre>\n"
        f"<h2>{plural(len(versions.versions), 'version')}</h2>\n<table><thead><tr><th>from<th>to"
        '<th class="number">size<th class="number">similarity to previous'
        '<th class="number">to first</thead>'
        f"{rows}</table>"
        f"{''.join(map(_changes, versions.versions))}"
    )


def listed(sweeps: Sequence[Sweep]) -> str:
    """Give the sweeps as a table, newest first; where they came from is nothing for a reader from outside."""
    rows = "".join(
        f'<tr><td class="number">{escape(each.date)}<td class="number">{each.documents:,}\n'
        for each in reversed(sweeps)
    )
    heads = '<th>date<th class="number">documents'
    return f"<h2>{plural(len(sweeps), 'sweep')}</h2>\n<table><thead><tr>{heads}</thead>{rows}</table>"


def _chart(found: Located, sweeps: Sequence[Sweep], link: Callable[[str], str] | None) -> str:
    """Draw a bar for every stay, over the sweeps at equal distances."""
    stays = found.addresses
    places = {sweep.date: at for at, sweep in enumerate(sweeps)}
    step = (WIDTH - LEFT) / max(1, len(sweeps))
    height = ROW * len(stays) + 40
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="addresses over time">'
    ]
    every = -(-len(sweeps) // 10)
    for date, at in places.items():
        x = LEFT + at * step
        parts.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{height - 20}" stroke="#9995"/>')
        if at % every == 0:
            label = escape(date[:10])
            parts.append(
                f'<text x="{x:.1f}" y="{height - 6}" font-size="11" fill="currentColor">{label}</text>'
            )
    colors = {
        uri: _COLORS[at % len(_COLORS)] for at, uri in enumerate(dict.fromkeys(stay.uri for stay in stays))
    }
    for row, stay in enumerate(stays):
        x = LEFT + places[stay.first] * step
        width = (places[stay.last] - places[stay.first] + (1 if stay.alive else 0.6)) * step
        parts.append(
            f'<rect x="{x:.1f}" y="{row * ROW + 16}" width="{width:.1f}" height="10" rx="3" '
            f'fill="{colors[stay.uri]}">'
            f"<title>{escape(stay.first)} to {escape('now' if stay.alive else stay.last)}</title></rect>"
            + _label(stay, f'x="{x:.1f}" y="{row * ROW + 12}"', None if stay.uri == found.uri else link)
        )
    return "".join([*parts, "</svg>"])


def _label(stay: Stay, place: str, link: Callable[[str], str] | None) -> str:
    made = f'<text {place} font-size="12" fill="currentColor">{escape(visible(stay.uri))}</text>'
    return f'<a href="{escape(link(stay.uri))}">{made}</a>' if link else made


def _version(version: Version) -> str:
    shares = "".join(
        f'<td class="number">{"" if share is None else percent(share)}'
        for share in (version.to_previous, version.to_first)
    )
    last = "now" if version.alive else version.last
    dates = f'<td class="date">{escape(version.first)}<td class="date">{escape(last)}'
    return f'<tr>{dates}<td class="number">{size(version.bytes)}{shares}\n'


def _changes(version: Version) -> str:
    if not version.changes:
        return ""
    shown = "".join(_passage(each) for each in version.changes[:SHOWN])
    return f"<h3>What changed by {escape(version.first)}</h3>{shown}"


def _passage(passage: Passage) -> str:
    gone = "".join(f"<del>{escape(visible(line))}</del>\n" for line in passage.before[:LINES])
    come = "".join(f"<ins>{escape(visible(line))}</ins>\n" for line in passage.after[:LINES])
    return (
        f'<p>line {passage.first_before:,} → {passage.first_after:,}</p><pre class="diff">{gone}{come}</pre>'
    )
