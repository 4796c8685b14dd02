"""A run of a corpus at a glance: how much is duplicate, sizes of clusters, the largest with a diff."""

from __future__ import annotations

import html
from dataclasses import dataclass

from copysift.report.wording import plural, size, visible


@dataclass(frozen=True, slots=True)
class Portrait:
    """One cluster: its members, the beginning of the first, and what the most different one shown changes."""

    name: str
    members: int
    joined: tuple[tuple[str, int], ...]
    shown: tuple[tuple[str, str], ...]  # the first of the members, and how each joined
    sample: str
    other: str
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """What a report of a run of a corpus is made from; sizes count clusters by their number of documents."""

    name: str
    documents: int
    bytes: int
    clusters: int
    clustered: int
    duplicate_bytes: int
    pairs: int
    kinds: tuple[tuple[str, int], ...]
    sizes: tuple[tuple[str, int], ...]
    largest: tuple[Portrait, ...]
    ignored: tuple[tuple[int, str], ...]
    ignored_count: int
    notes: tuple[str, ...]
    skipped: int
    threshold: float
    measure: str = "resemblance"
    found: tuple[str, ...] = ()  # what was ignored and sampled, and how many pairs the run has, in sentences


def heading(view: Overview) -> str:
    """Sum a run up in one sentence."""
    duplicates = view.clustered - view.clusters
    share = duplicates / view.documents if view.documents else 0.0
    return (
        f"{plural(view.documents, 'document')} ({size(view.bytes)}): {plural(view.clusters, 'cluster')} with "
        f"{view.clustered:,} documents at {_least(view)}; "
        f"{share:.1%} of the documents "
        f"({duplicates:,}, {size(view.duplicate_bytes)}) are redundant copies"
    )


def _least(view: Overview) -> str:
    """Say what makes two documents near-duplicates: a share, or a number of fingerprints or symbols."""
    if view.measure == "shared":
        return plural(int(view.threshold), "shared shingle")
    if view.measure == "longest":
        return f"a common passage of {plural(int(view.threshold), 'word')}"
    return f"a {view.measure} of {view.threshold:.0%}"


def as_text(view: Overview) -> str:
    """Show a run as text."""
    lines = [heading(view), ""]
    lines += [f"  {count:>12,}  {kind}" for kind, count in view.kinds]
    lines += [
        "",
        "Sizes of clusters",
        *(f"  {count:>12,}  of {label} documents" for label, count in view.sizes),
    ]
    for portrait in view.largest:
        how = ", ".join(f"{count:,} {word}" for word, count in portrait.joined)
        lines += ["", f"{visible(portrait.name)}: {portrait.members:,} documents ({how})"]
        lines += [f"    {visible(name)}  {how}" for name, how in portrait.shown]
        if portrait.members > len(portrait.shown):
            lines.append(f"    … {portrait.members - len(portrait.shown):,} more")
        if portrait.sample:
            lines.append(f"  {visible(portrait.sample)}")
        if portrait.diff:
            lines.append(f"  against {visible(portrait.other)}:")
            lines += [f"    {visible(line)}" for line in portrait.diff]
    if view.found:
        lines += ["", *(f"{each}." for each in view.found)]
    if view.ignored_count:
        lines += [
            "",
            *(f"{note[0].upper()}{note[1:]}." for note in view.notes),
            f"{plural(view.ignored_count, 'shingle')} ignored; the most common:",
        ]
        lines += [f"  {count:>12,}  {visible(text)}" for count, text in view.ignored]
    if view.skipped:
        lines += ["", f"{plural(view.skipped, 'record')} skipped or changed: see run.json"]
    return "\n".join(lines) + "\n"


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse }
td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.bar { background: #4a7ebb; height: .8rem; min-width: 2px; margin-top: .35rem }
details { margin: .8rem 0; border-top: 1px solid #ccc; padding-top: .6rem }
summary { cursor: pointer }
pre { white-space: pre-wrap; background: #f5f5f5; padding: .6rem; overflow-wrap: anywhere }
ul.members { columns: 20rem 3; margin: .4rem 0; padding-left: 1.2rem; overflow-wrap: anywhere }
ul.members i { color: #767676; font-style: normal }
.add { color: #176117 } .del { color: #8c1d1d }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #ddd } pre { background: #262626 }
  details { border-color: #444 } ul.members i { color: #aaa }
  .add { color: #8fd18f } .del { color: #f0a0a0 }
}
"""


def as_html(view: Overview) -> str:
    """Show a run as one page that needs nothing else."""
    most = max((count for _, count in view.sizes), default=1)
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{_spell(view.name)}</title><style>{_STYLE}</style><h1>{_spell(view.name)}</h1>",
        f"<p>{_spell(heading(view))}.</p><table>",
        *(f"<tr><td class=n>{count:,}<td>{_spell(kind)}" for kind, count in view.kinds),
        "</table><h2>Sizes of clusters</h2><table>",
        *(
            f"<tr><td>{_spell(label)} documents<td class=n>{count:,}"
            f"<td><div class=bar style='width:{max(1, round(300 * count / most))}px'></div>"
            for label, count in view.sizes
        ),
        "</table><h2>Largest clusters</h2>",
        *map(_portrait, view.largest),
    ]
    if view.found:
        parts.append("<h2>What was found</h2>" + "".join(f"<p>{_spell(each)}." for each in view.found))
    if view.ignored_count:
        parts.append(
            "<h2>Boilerplate</h2>"
            + "".join(f"<p>{_spell(note[0].upper() + note[1:])}.</p>" for note in view.notes)
            + f"<p>{plural(view.ignored_count, 'shingle')} ignored; the most common:</p><table>"
        )
        parts += [f"<tr><td class=n>{count:,}<td>{_spell(text)}" for count, text in view.ignored]
        parts.append("</table>")
    if view.skipped:
        parts.append(f"<p>{plural(view.skipped, 'record')} skipped or changed: see run.json.</p>")
    return "\n".join(parts) + "\n"


def _portrait(portrait: Portrait) -> str:
    how = ", ".join(f"{count:,} {word}" for word, count in portrait.joined)
    lines = []
    for line in portrait.diff:
        kind = {"+": " class=add", "-": " class=del"}.get(line[:1], "")
        lines.append(f"<span{kind}>{_spell(line)}</span>")
    members = [f"<li>{_spell(name)} <i>{how}</i>" for name, how in portrait.shown]
    if portrait.members > len(portrait.shown):
        members.append(f"<li>… {portrait.members - len(portrait.shown):,} more")
    diff = f"<p>Against {_spell(portrait.other)}:</p><pre>{chr(10).join(lines)}</pre>" if lines else ""
    return (
        f"<details open><summary><b>{_spell(portrait.name)}</b>: {portrait.members:,} documents "
        f"({how})</summary>"
        f"<ul class=members>{''.join(members)}</ul>"
        f"<pre>{_spell(portrait.sample)}</pre>{diff}</details>"
    )


def _spell(text: str) -> str:
    return html.escape(visible(text))
