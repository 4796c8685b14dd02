"""What is shown of sweeps, places and versions: text and JSON."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any

from copysift.model.sweeps import History, IgnoredInSweep, Located, Passage, Place, Stay, Swept, Version
from copysift.report.json_report import encoded
from copysift.report.view import View
from copysift.report.wording import pad, percent, plural, size, styled, visible

VERSION = 1
SHOWN_COPIES = 20
_RELATIONS = {
    "here": "at the same address",
    "same": "identical",
    "resembles": "resembles it",
    "within": "contains it, among other things",
    "part": "is a part of it",
}


def record(value: Any, view: View) -> str:
    """Show an answer as one JSON object, schema version 1."""
    assert is_dataclass(value)
    assert not isinstance(value, type)
    return encoded({"version": VERSION, **asdict(value)}) + "\n"


def swept(done: Swept) -> str:
    """Say in one line what a sweep did."""
    if done.same:
        return f"{done.date}: {plural(done.documents, 'document')}, identical to the sweep of that date"
    parts = [
        f"{done.new:,} new",
        f"{done.changed:,} changed",
        f"{done.unchanged:,} unchanged",
        f"{done.gone:,} gone",
    ]
    if done.repeated:
        parts.append(f"{done.repeated:,} repeated")
    if done.skipped:
        parts.append(f"{len(done.skipped):,} skipped")
    told = (
        f"{done.date}: {plural(done.documents, 'document')}: {', '.join(parts)}; {done.sketched:,} sketched"
    )
    if done.skipped and done.gone:
        told += (
            "\nskipped documents without an address count as gone: fix the source and repeat with --overwrite"
        )
    return f"{told}\n{_ignored(done.ignored)}" if done.ignored is not None else told


def _ignored(found: IgnoredInSweep) -> str:
    """Say what is boilerplate and not compared."""
    what = []
    if found.fingerprints:
        many = plural(found.fingerprints, "fingerprint")
        what.append(f"{many} that more than {found.limit:,} documents of one sweep have")
    if found.base:
        what.append("starter code (--base)")
    told = (
        f"ignored: {' and '.join(what)}, {percent(found.share)} of {plural(found.documents, 'document')} "
        "on average"
    )
    if found.bare:
        told += f"; {plural(found.bare, 'document')} with nothing else compared by all they have"
    shown = "".join(f"\n  {visible(text)}" for text in found.texts)
    return f"{told}{' (--max-shared)' if found.fingerprints else ''}{shown}"


def located(found: Located, view: View) -> str:
    """Show where something is now, where it was, and who else has it."""
    rows = [styled(f"{visible(found.uri)}: {_headline(found)}", "bold", view.color)]
    if found.now is not None and found.now.relation != "here":
        rows.append(f"  {visible(found.now.uri)}  ({_sure(found.now)}, there since {found.now.since})")
    if found.addresses:
        rows.append(styled("addresses", "dim", view.color))
        rows += [f"  {_dates(stay)}  {visible(stay.uri)}" for stay in found.addresses]
    if found.ignored:
        rows.append(
            styled(f"{percent(found.ignored)} of it is boilerplate and was ignored", "dim", view.color)
        )
    if found.copies:
        rows.append(styled(f"also present on {found.as_of}", "dim", view.color))
        rows += [
            f"  {pad(percent(copy.confidence), 4, right=True)}  {visible(copy.uri)}  "
            f"({_RELATIONS[copy.relation]})"
            for copy in found.copies[:SHOWN_COPIES]
        ]
        hidden = len(found.copies) - SHOWN_COPIES
        if hidden > 0:
            rows.append(f"        and {hidden:,} more (--format json lists all)")
    return "\n".join(rows) + "\n"


def _headline(found: Located) -> str:
    where = f" at {visible(found.seen_at)}" if found.seen_at else ""
    return {
        "here": f"there on {found.as_of}, the newest sweep",
        "moved": f"gone since {found.gone_since}, and now at",
        "copied": f"gone since {found.gone_since}; copies remain at",
        "gone": f"gone since {found.gone_since}, last seen on {found.seen}{where}",
        "found": "seen, and now at",
        "unseen": "no sweep has seen it",
    }[found.status]


def _sure(place: Place) -> str:
    if place.relation == "same":
        return "identical, confidence 100%"
    over = f", over {plural(place.steps - 1, 'version')} in between" if place.steps > 1 else ""
    return f"{_RELATIONS[place.relation]}, confidence {percent(place.confidence)}{over}"


def _dates(stay: Stay | Version) -> str:
    return f"{stay.first} to {'now' if stay.alive else stay.last}"


def history(found: History, view: View) -> str:
    """Show the versions of a document, and what changed where it was wanted."""
    ended = f", gone since {found.gone_since}" if found.gone_since else ""
    title = f"{visible(found.uri)}: {plural(len(found.versions), 'version')}{ended}"
    rows = [styled(title, "bold", view.color)]
    width = max(len(_dates(version)) for version in found.versions)
    rows.append(styled(f"  {pad('seen', width)}  {'size':>8}  to previous  to first", "dim", view.color))
    for version in found.versions:
        dates = pad(_dates(version), width)
        shares = f"{_share(version.to_previous):>11}  {_share(version.to_first):>8}"
        rows.append(f"  {dates}  {size(version.bytes):>8}  {shares}".rstrip())
        for passage in version.changes or ():
            rows += _passage(passage, view)
    return "\n".join(rows) + "\n"


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)


def _passage(passage: Passage, view: View) -> list[str]:
    where = f"    line {passage.first_before:,} → {passage.first_after:,}"
    return [
        styled(where, "cyan", view.color),
        *(styled(f"    - {visible(line)}", "red", view.color) for line in passage.before),
        *(styled(f"    + {visible(line)}", "green", view.color) for line in passage.after),
    ]
