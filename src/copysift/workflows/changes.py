"""How a collection changes over time: what appears, dies, moves, changes, and how much (section 6.5).

A document has moved when its address goes and another one comes in the same sweep with the same
content, or one that resembles it enough: the surest pairs are taken first, each address once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from copysift.errors import UsageError
from copysift.model.sweeps import Changes, Lives, Move, Turn
from copysift.settings.sweeps import spelled
from copysift.store.timeline import VersionRow
from copysift.workflows.addresses import move, shared_tail
from copysift.workflows.trace import Trace

BINS = 10
DAY = 86_400


@dataclass(slots=True)
class _Stay:
    """A run of sweeps that met an address, by their places in time; the first and last content."""

    uri: int
    first: int
    last: int
    opening: int
    closing: int
    begun: int = 0  # where its life began, moves included
    moved: bool = False


@dataclass(slots=True)
class _Turns:
    """What came, went and changed with each sweep, by its place in time."""

    came: dict[int, list[_Stay]] = field(default_factory=lambda: defaultdict(list))
    went: dict[int, list[_Stay]] = field(default_factory=lambda: defaultdict(list))
    changed: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))


def changes(trace: Trace, threshold: float, start: int | None, end: int | None) -> Changes:
    """Count what happened between the sweeps from `start` to `end`."""
    chosen = [at for at in trace.times if (start is None or at >= start) and (end is None or at <= end)]
    if not chosen:
        raise UsageError("no sweep between these dates", hint=f"the sweeps: {_listed(trace)}")
    turns, stays = _Turns(), []
    for _, rows in groupby(trace.timeline.versions(), key=lambda row: row.uri):
        stays += _stays(trace, list(rows), chosen, turns)
    moves = [
        each for place in range(1, len(chosen)) for each in _moves(trace, turns, place, threshold, chosen)
    ]
    counted = Counter((each.date, each.kind) for each in moves)
    steps = [len(turns.came[place]) - len(turns.went[place]) for place in range(len(chosen))]
    alive = list(accumulate(steps))
    made = []
    for place in range(1, len(chosen)):
        date = spelled(chosen[place])
        hosts, folders, renamed = (counted[date, kind] for kind in ("hosts", "folders", "name"))
        moved = hosts + folders + renamed
        came, went, changed = len(turns.came[place]), len(turns.went[place]), len(turns.changed[place])
        made.append(
            Turn(
                spelled(chosen[place - 1]), date, alive[place], came - moved, went - moved, hosts,
                folders, renamed, changed,
                alive[place] - came - changed,
            )
        )  # fmt: skip
    lives, days = _lives(stays, chosen)
    return Changes(tuple(made), _histogram(trace, turns), lives, days, tuple(moves))


def _listed(trace: Trace) -> str:
    shown = [spelled(at) for at in trace.times]
    return ", ".join(shown if len(shown) < 8 else [*shown[:3], "…", *shown[-3:]])


def _stays(trace: Trace, rows: list[VersionRow], times: list[int], turns: _Turns) -> list[_Stay]:
    """Part the versions of an address into stays, and note what came, went and changed."""
    stays: list[_Stay] = []
    for row in rows:
        first, last = bisect_left(times, row.first), bisect_right(times, trace.last_of(row)) - 1
        if first > last:
            continue
        if stays and stays[-1].last == first - 1:
            stay = stays[-1]
            if stay.closing != row.content:
                turns.changed[first].append((stay.closing, row.content))
            stay.last, stay.closing = last, row.content
        else:
            stays.append(_Stay(row.uri, first, last, row.content, row.content, first))
    for stay in stays:
        turns.came[stay.first].append(stay)
        turns.went[stay.last + 1].append(stay)
    return stays


def _moves(trace: Trace, turns: _Turns, place: int, threshold: float, chosen: list[int]) -> list[Move]:
    """Pair what went with what came, and let lives continue there."""
    came, went = turns.came[place], turns.went[place]
    if not came or not went:
        return []
    names = trace.timeline.uris({stay.uri for stay in (*came, *went)})
    by_content: dict[int, list[_Stay]] = defaultdict(list)
    for stay in came:
        by_content[stay.opening].append(stay)
    pairs = []
    for left in went:
        found = {left.closing: 1.0} | {
            other: measure.resemblance
            for other, measure in trace.partners(left.closing).items()
            if measure.resemblance >= threshold
        }
        for content, resemblance in found.items():
            for right in by_content.get(content, ()):
                one, other = names[left.uri], names[right.uri]
                exact = content == left.closing
                key = (not exact, -resemblance, -shared_tail(one, other), one, other)
                pairs.append((key, left, right, resemblance))
    done: list[Move] = []
    taken: set[int] = set()
    for _, left, right, resemblance in sorted(pairs, key=lambda each: each[0]):
        if left.moved or right.uri in taken:
            continue
        left.moved = True
        taken.add(right.uri)
        right.begun = left.begun
        one, other = names[left.uri], names[right.uri]
        done.append(Move(spelled(chosen[place]), one, other, move(one, other), resemblance))
    return sorted(done, key=lambda each: each.uri)


def _histogram(trace: Trace, turns: _Turns) -> tuple[int, ...]:
    counts = [0] * BINS
    for pairs in turns.changed.values():
        for one, other in pairs:
            found = trace.between(one, other)
            counts[min(BINS - 1, int((found.resemblance if found else 0.0) * BINS))] += 1
    return tuple(counts)


def _lives(stays: list[_Stay], chosen: list[int]) -> tuple[tuple[Lives, ...], float | None]:
    """Count lives by the sweeps that saw them, and give the mean days that those seen no more were seen."""
    died: Counter[int] = Counter()
    alive: Counter[int] = Counter()
    days = []
    for stay in stays:
        if stay.moved:
            continue
        seen = stay.last - stay.begun + 1
        if stay.last == len(chosen) - 1:
            alive[seen] += 1
        else:
            died[seen] += 1
            days.append((chosen[stay.last] - chosen[stay.begun]) / DAY)
    rows = tuple(Lives(sweeps, died[sweeps], alive[sweeps]) for sweeps in sorted({*died, *alive}))
    return rows, sum(days) / len(days) if days else None
