"""Lost and found: the current address of what once was at another (Broder et al. 1997, section 6.2).

From the last content of an address the pairs that resemble enough are followed, over versions that are
gone too, to contents of the newest sweep: a page that moved and was edited since is found by the versions
in between. Where nothing resembles enough, those are named that contain it, or that are in it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from copysift.model.sweeps import Located, Place
from copysift.settings.sweeps import spelled
from copysift.store.timeline import VersionRow
from copysift.workflows.addresses import shared_tail
from copysift.workflows.chains import earlier, onwards, stays
from copysift.workflows.trace import Measure, Trace

REACH = 10_000  # contents that are followed at most
FAINTEST = 0.2  # confidence below which a path is given up
BESIDE = 0.75
_ORDER = {"here": 0, "same": 0, "resembles": 1, "within": 2, "part": 3}


class _Found(NamedTuple):
    """A content of any time that has to do with what was wanted."""

    relation: str
    confidence: float
    steps: int


def locate(trace: Trace, uri: str, threshold: float) -> Located:
    """Say where the document of an address is now."""
    number = trace.number_of(uri)
    versions = trace.timeline.versions_of(number)
    last = versions[-1]
    found = _related(trace, last.content, threshold, trace.last_of(last))
    alive = last.last is None
    places = _places(trace, found, number, trace.last_of(last), uri)
    if alive:
        now: Place | None = Place(uri, "here", 1.0, spelled(_since(trace, versions)), 0)
        copies = places
    else:
        now, copies = (places[0] if places else None), places[1:]
    kin = [*versions, *trace.timeline.places_of([last.content])]
    stay = stays(trace, number)[-1]
    kin += [*earlier(trace, stay, threshold), *onwards(trace, stay, threshold)]
    if now is not None and not alive:
        kin += trace.timeline.versions_of(trace.number_of(now.uri))
    # Where it is nowhere now, what is told is when the document went, not only from this address.
    seen = max(kin, key=trace.last_of) if now is None else last
    seen = last if trace.last_of(last) == trace.last_of(seen) else seen
    gone = None if alive else trace.after(trace.last_of(seen))
    status = "here" if alive else _status(now, gone)
    return Located(
        uri, status, now, "" if gone is None else spelled(gone), trace.stays(kin), tuple(copies),
        len(trace.timeline.cluster(last.content)), spelled(trace.last_of(seen)), spelled(trace.latest),
        "" if seen is last else trace.timeline.uris([seen.uri])[seen.uri], trace.ignored(last.content),
    )  # fmt: skip


def locate_contents(
    trace: Trace, name: str, exact: Iterable[int], measures: dict[int, Measure], threshold: float
) -> Located:
    """Say where a document from outside is, or was, from what it shares with contents of any time."""
    same = set(exact)
    found = {content: _Found("same", 1.0, 1) for content in same}
    for content, measure in measures.items():
        relation = _relation(measure, threshold)
        if content not in same and relation is not None:
            found[content] = _Found(*relation, 1)
    places = _places(trace, found, 0, 0, name)
    rows = trace.timeline.places_of([each for each, how in found.items() if _ORDER[how.relation] < 2])
    seen = max((trace.last_of(row) for row in rows), default=0)
    now = places[0] if places else None
    gone = trace.after(seen) if seen and now is None else None
    status = "found" if now is not None else "gone" if seen else "unseen"
    return Located(
        name, status, now, "" if gone is None else spelled(gone), trace.stays(rows), tuple(places[1:]), 0,
        spelled(seen) if seen else "", spelled(trace.latest),
    )  # fmt: skip


def _status(now: Place | None, gone: int | None) -> str:
    if now is None:
        return "gone"
    return "moved" if gone is not None and now.since >= spelled(gone) else "copied"


def _relation(measure: Measure, threshold: float) -> tuple[str, float] | None:
    if measure.resemblance >= threshold:
        return "resembles", measure.resemblance
    if measure.of_one >= threshold:
        return "within", measure.of_one
    return ("part", measure.of_other) if measure.of_other >= threshold else None


def _related(trace: Trace, content: int, threshold: float, left: int) -> dict[int, _Found]:
    """Follow the pairs that resemble enough, the surest path first; then the direct parts and wholes.

    Where a content was after sweep `left`, the next version at its address is followed, too: the address
    is evidence besides the text, and such a step counts (1 + resemblance) / 2.
    """
    found: dict[int, _Found] = {}
    waiting = [(-1.0, 0, content)]
    direct = trace.partners(content)
    while waiting and len(found) < REACH:
        confidence, steps, at = heapq.heappop(waiting)
        if at in found:
            continue
        found[at] = _Found("same" if at == content else "resembles", -confidence, max(steps, 1))
        onwards = {other: each.resemblance for other, each in trace.partners(at).items()}
        onwards = {other: share for other, share in onwards.items() if share >= threshold}
        for other, share in _next_versions(trace, at, left).items():
            onwards[other] = max(onwards.get(other, 0.0), share)
        for other, share in onwards.items():
            near = direct.get(other)
            if near is not None and near.resemblance >= max(threshold, -confidence * share):
                heapq.heappush(waiting, (-near.resemblance, 1, other))
            elif -confidence * share >= FAINTEST:
                heapq.heappush(waiting, (confidence * share, steps + 1, other))
    for other, measure in direct.items():
        relation = _relation(measure, threshold)
        if other not in found and relation is not None:
            found[other] = _Found(*relation, 1)
    return found


def _next_versions(trace: Trace, content: int, left: int) -> dict[int, float]:
    """Give what came after a content where it was after sweep `left`, with what such a step counts."""
    onwards = {}
    for row in trace.timeline.places_of([content]):
        if row.last is None or row.last <= left:
            continue
        later = next((each for each in trace.timeline.versions_of(row.uri) if each.first > row.last), None)
        if later is not None and later.first == trace.after(row.last):
            measure = trace.between(content, later.content)
            onwards[later.content] = (1 + (measure.resemblance if measure else 0.0)) / 2
    return onwards


def _places(trace: Trace, found: dict[int, _Found], own: int, left: int, uri: str) -> list[Place]:
    """Give the addresses of the newest sweep that have a content, surest first.

    One that was beside the address before it went, and is not identical, counts a quarter less: it is
    rather a relative. Among equally sure ones, those come first that appeared when the address went, then
    those whose last parts are the same, then those seen first.
    """
    rows = [row for row in trace.timeline.places_of(found) if row.last is None and row.uri != own]
    names = trace.timeline.uris(row.uri for row in rows)
    came = trace.after(left) if left else None
    ranked = []
    for row in rows:
        how, name = found[row.content], names[row.uri]
        since = _since(trace, trace.timeline.versions_of(row.uri))
        beside = came is not None and since < came and how.relation != "same"
        sure = round(how.confidence * (BESIDE if beside else 1), 6)
        key = (_ORDER[how.relation], -sure, since != came, -shared_tail(name, uri), since, name)
        ranked.append((key, Place(name, how.relation, how.confidence, spelled(since), how.steps)))
    return [place for _, place in sorted(ranked, key=lambda each: each[0])]


def _since(trace: Trace, versions: list[VersionRow]) -> int:
    """Give the sweep since which an address is there without a gap."""
    since = versions[-1].first
    for row in reversed(versions[:-1]):
        if trace.after(trace.last_of(row)) != since:
            break
        since = row.first
    return since
