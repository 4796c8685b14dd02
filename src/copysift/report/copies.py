"""Who holds a document: text and CSV, grouped by host or folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby

from copysift.model.sweeps import Alteration, Holder, Holders
from copysift.report.csv_cells import csv_lines
from copysift.report.view import View
from copysift.report.wording import excerpt, pad, percent, plural, styled, visible

COLUMNS = (
    "group",
    "uri",
    "state",
    "share",
    "resemblance",
    "since",
    "version",
    "version_date",
    "closeness",
    "new",
    "changed",
    "gone_since",
    "last_seen",
)
SHOWN = 5  # alterations of a holder


def table(found: Holders, view: View) -> str:
    """Show the holders of each group with share, state, date and what was altered."""
    what = "new or changed since " + found.before if found.watched and found.before else f"on {found.as_of}"
    title = f"{visible(found.name)}: {plural(len(found.holders), 'holder')} {what}"
    rows = [styled(title, "bold", view.color)]
    if found.original:
        rows.append(f"original: {visible(found.original)}")
    for name, holders in groupby(found.holders, key=lambda each: each.group):
        if name:
            rows.append(styled(visible(name), "cyan", view.color))
        for holder in holders:
            rows.append(
                f"  {pad(percent(holder.share), 4, right=True)}  {visible(holder.uri)}  ({_told(holder)})"
            )
            rows += [line for each in (holder.alterations or ())[:SHOWN] for line in _altered(each, view)]
            hidden = len(holder.alterations or ()) - SHOWN
            if hidden > 0:
                rows.append(f"          and {hidden:,} more (--format json lists all)")
    if found.lost:
        rows.append(styled("copies that are gone", "bold", view.color))
        rows += [
            f"  {visible(each.uri)}  (gone since {each.gone_since}, last seen on {each.last_seen})"
            for each in found.lost
        ]
    if not found.kept and found.holders:
        rows.append("differences cannot be shown: the index stores no texts (--keep-text)")
    return "\n".join(rows) + "\n"


def _told(holder: Holder) -> str:
    version = f", like version {holder.version} of {holder.version_date}" if holder.version else ""
    turned = ", new" if holder.new else ", changed" if holder.changed else ""
    return f"{holder.state}{version}, since {holder.since}{turned}"


def _altered(each: Alteration, view: View) -> list[str]:
    lines = (
        f"line {each.first_line}"
        if each.first_line == each.last_line
        else f"lines {each.first_line}-{each.last_line}"
    )
    return [
        f"          {lines}",
        styled(f"          - {excerpt(' '.join(each.before.split()))}", "red", view.color),
        styled(f"          + {excerpt(' '.join(each.after.split()))}", "green", view.color),
    ]


def rows(found: Holders, view: View) -> str:
    """Show the holders, then those who no longer have it, as CSV with a header."""
    table: list[Iterable[object]] = [COLUMNS]
    table += [[getattr(holder, name, "") for name in COLUMNS] for holder in found.holders]
    for lost in found.lost:
        told = {"state": "gone", **asdict(lost)}
        table.append([told.get(name, "") for name in COLUMNS])
    return csv_lines(table)
