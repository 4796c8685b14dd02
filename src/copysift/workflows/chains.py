"""The chain of addresses of one document: where it came from when it came, and went when it went.

A document moved when its address went and another one came in the same sweep with the same content, or one
that resembles it enough: the surest of these is followed, from sweep to sweep.
"""

from __future__ import annotations

from copysift.store.timeline import VersionRow
from copysift.workflows.addresses import shared_tail
from copysift.workflows.trace import Trace

Stay = list[VersionRow]  # the versions of an address that follow each other without a gap


def stays(trace: Trace, number: int) -> list[Stay]:
    """Part the versions of an address into its stays, oldest first."""
    made: list[Stay] = []
    for row in trace.timeline.versions_of(number):
        if made and trace.after(trace.last_of(made[-1][-1])) == row.first:
            made[-1].append(row)
        else:
            made.append([row])
    return made


def onwards(trace: Trace, stay: Stay, threshold: float) -> list[VersionRow]:
    """Give the versions at the addresses that a document went to after a stay, one after the other."""
    made: list[VersionRow] = []
    while stay[-1].last is not None:
        came = trace.after(stay[-1].last)
        rows = [row for row in _alike(trace, stay[-1], threshold) if row.first == came]
        found = _best(trace, stay[-1], rows, 0)
        if found is None:
            break
        made += found
        stay = found
    return made


def earlier(trace: Trace, stay: Stay, threshold: float) -> list[VersionRow]:
    """Give the versions at the addresses that a document came from before a stay."""
    made: list[VersionRow] = []
    while (before := max((at for at in trace.times if at < stay[0].first), default=None)) is not None:
        rows = [row for row in _alike(trace, stay[0], threshold) if row.last == before]
        found = _best(trace, stay[0], rows, -1)
        if found is None:
            break
        made += found
        stay = found
    return made


def _alike(trace: Trace, row: VersionRow, threshold: float) -> list[VersionRow]:
    """Give the versions elsewhere that have the same content, or one that resembles it enough."""
    alike = [
        other for other, measure in trace.partners(row.content).items() if measure.resemblance >= threshold
    ]
    return [each for each in trace.timeline.places_of({row.content, *alike}) if each.uri != row.uri]


def _best(trace: Trace, row: VersionRow, rows: list[VersionRow], end: int) -> Stay | None:
    """Give the surest stay that starts (`end` 0) or ends (-1) with one of some versions."""
    names = trace.timeline.uris({row.uri, *(each.uri for each in rows)})
    shares = {each.content: trace.between(row.content, each.content) for each in rows}

    def order(each: VersionRow) -> tuple[float, int, str]:
        share, name = shares[each.content], names[each.uri]
        return -share.resemblance if share else 0.0, -shared_tail(name, names[row.uri]), name

    for each in sorted(rows, key=order):
        found = next((stay for stay in stays(trace, each.uri) if stay[end] == each), None)
        if found is not None:
            return found
    return None
