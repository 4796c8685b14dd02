"""Two folders compared: as a tree, JSON, CSV or an HTML page."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from copysift.model.folders import GONE, MERGED, NEW, RELATIONS, SAME, SAME_CONTENT, FolderChange, Folders
from copysift.model.values import Pair
from copysift.report.csv_cells import csv_lines
from copysift.report.json_report import encoded
from copysift.report.plain_page import plain_page
from copysift.report.view import View
from copysift.report.wording import percent, plural, shorten, shorten_among, spelled, styled

STYLES = {
    "same": "dim", "same content": "dim", "changed": "yellow", "moved": "cyan", "renamed": "cyan",
    "split": "cyan", "merged": "cyan", "new": "green", "gone": "red",
}  # fmt: skip
_MEASURES = ("similarity", "resemblance", "containment_left", "containment_right")
WHOLE = (NEW, GONE)  # relations of which a folder that has nothing else is one line
TITLE = 30  # columns of a name in the title of a page


@dataclass(slots=True)
class Node:
    """A folder: what is directly in it, and its folders by name."""

    path: str
    changes: list[FolderChange] = field(default_factory=list)
    folders: dict[str, Node] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def only(self) -> str:
        """The relation of all that is in it, if it is one."""
        return next(iter(self.counts)) if len(self.counts) == 1 else ""


def tree_of(found: Folders) -> Node:
    """Put the changes into their folders."""
    root = Node("")
    for change in found.changes:
        node = root
        node.counts[change.relation] += 1
        for part in posixpath.dirname(change.place).split("/"):
            if part:
                path = f"{node.path}{part}/"
                node = node.folders.setdefault(part, Node(path))
                node.counts[change.relation] += 1
        node.changes.append(change)
    return root


def described(change: FolderChange) -> str:
    """Spell out the file, and where it went or came from."""
    folder = posixpath.dirname(change.place)

    def near(path: str) -> str:
        return spelled(posixpath.basename(path) if posixpath.dirname(path) == folder else path)

    if change.relation == MERGED:
        return f"{near(change.right[0])} ← {', '.join(map(near, change.left))}"
    if change.relation in WHOLE:
        how = "equal to" if change.equal else "like"
        like = f" ({how} {near(change.like)})" if change.like else ""
        return near(change.place) + like
    if change.left == change.right:
        return near(change.place)
    return f"{near(change.left[0])} → {', '.join(map(near, change.right))}"


def share_of(change: FolderChange) -> str:
    """Give the percentage that is the same, where there are two versions that differ."""
    return "" if change.equal or change.resemblance is None else percent(change.resemblance)


def table(found: Folders, view: View) -> str:
    """Show what changed as a tree; what is the same is only counted."""
    lines = list(_lines(tree_of(found), 0, view))
    if not view.quiet:
        lines += [""] if lines else []
        names = f"{spelled(found.left)} → {spelled(found.right)}"
        lines.append(styled(f"{names}: {summary(found)}", "bold", view.color))
        if answers := wrapper_answers(found):
            lines.append(answers)
    return "\n".join([*lines, ""])


def summary(found: Folders) -> str:
    """Count the changes by relation."""
    return (
        ", ".join(f"{count:,} {relation}" for relation, count in found.counts.items() if count) or "no files"
    )


def wrapper_answers(found: Folders) -> str:
    """Give the two answers for archives: of what is in them, and of their own bytes; "" for folders."""
    if found.equal_wrappers is None:
        return ""
    same = all(change.relation in (SAME, SAME_CONTENT) for change in found.changes)
    wrapper = "equal byte for byte" if found.equal_wrappers else "differs"
    return f"content: {'the same' if same else 'differs'}; wrapper: {wrapper}"


def _lines(node: Node, depth: int, view: View, name: str = "") -> Iterator[str]:
    if node.only == SAME:
        return
    indent = "  " * depth
    if node.only in WHOLE and name:
        label = styled(f"{node.only:<8}", STYLES[node.only], view.color)
        yield f"{indent}{label}       {spelled(name)}/  ({plural(node.counts[node.only], 'file')})"
        return
    shown = [folder for folder in node.folders.values() if folder.only != SAME]
    listed = [change for change in node.changes if change.relation != SAME]
    if name and not listed and len(shown) == 1:  # a folder with one folder is a line with it
        inner = next(part for part, folder in node.folders.items() if folder is shown[0])
        yield from _lines(shown[0], depth, view, f"{name}/{inner}")
        return
    if name:
        yield f"{indent}{spelled(name)}/"
        depth, indent = depth + 1, indent + "  "
    for change in listed:
        label = styled(f"{change.relation:<8}", STYLES[change.relation], view.color)
        room = None if view.width is None else max(20, view.width - len(indent) - 15)
        share = f"{share_of(change):>4}"
        if change.relation == SAME_CONTENT:  # as wide as a relation with a share
            label, share = styled(f"{change.relation:<12}", STYLES[change.relation], view.color), ""
        yield f"{indent}{label} {share}  {_fitted(described(change), room)}"
    for part, folder in node.folders.items():
        yield from _lines(folder, depth, view, part)


def _fitted(text: str, room: int | None) -> str:
    for arrow in (" → ", " ← "):
        if room is not None and len(text) > room and arrow in text:
            first, _, rest = text.partition(arrow)
            own = shorten(first, max(10, room // 2 - 2))
            return own + arrow + shorten(rest, max(10, room - len(own) - 3))
    return shorten(text, room)


def json(found: Folders, view: View) -> str:
    """Show the comparison as JSON, schema version 1."""
    return encoded(
        {
            "version": 1,
            "left": found.left,
            "right": found.right,
            "settings": found.settings,
            "counts": found.counts,
            **({} if found.equal_wrappers is None else {"equal_wrappers": found.equal_wrappers}),
            "changes": [
                {
                    "relation": each.relation,
                    "left": list(each.left),
                    "right": list(each.right),
                    "equal": each.equal,
                    "like": each.like,
                    "pairs": [_measured(pair) for pair in each.pairs],
                }
                for each in found.changes
            ],
            "equal": [{"left": left, "right": right} for left, right in found.equal],
            "similar": [_measured(pair) for pair in found.similar],
            "only_left": list(found.only_left),
            "only_right": list(found.only_right),
            "skipped": [{"name": each.name, "reason": each.reason} for each in found.skipped],
        }
    ) + "\n"  # fmt: skip


def _measured(pair: Pair) -> dict[str, object]:
    shares = {name: round(getattr(pair, name), 6) for name in _MEASURES}
    return {"left": pair.left, "right": pair.right, **shares, "shared": pair.shared}


def rows(found: Folders, view: View) -> str:
    """Show the comparison as CSV: a row for each pair of names."""
    lines: list[tuple[str, ...]] = [("relation", "resemblance", "left", "right")]
    for change in found.changes:
        known = {(pair.left, pair.right): f"{pair.resemblance:.6f}" for pair in change.pairs}
        for left in change.left or ("",):
            for right in change.right or ("",):
                share = "1.000000" if change.equal else known.get((left, right), "")
                lines.append((change.relation, share, left, right))
    return csv_lines(lines)


def page(found: Folders, view: View) -> str:
    """Show the comparison as one HTML page: a tree that opens and closes, with a switch for each relation."""
    return plain_page(
        "folders.html.j2",
        title=view.title or " → ".join(shorten_among([found.left, found.right], TITLE)),
        found=found,
        counts=found.counts,
        relations=[relation for relation in RELATIONS if relation != SAME],
        root=tree_of(found),
        described=described,
        answers=wrapper_answers(found),
        share_of=share_of,
        spelled=spelled,
        date=view.date,
    )


REPORTS: dict[str, Callable[[Folders, View], str]] = {"table": table, "json": json, "csv": rows, "html": page}
