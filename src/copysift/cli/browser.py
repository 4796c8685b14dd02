"""The screen of `copysift browse`: groups, their pairs, and what a pair shares, side by side.

Names and texts become `Text`, never markup, with all that could drive a terminal spelled out.
"""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Footer, Header, Static

from copysift.errors import CopysiftError
from copysift.model.values import Pair, Result
from copysift.report.sidebyside import side_by_side
from copysift.report.view import View
from copysift.report.wording import percent, shorten, shorten_beside, spelled, visible
from copysift.runtime.plurals import plural
from copysift.settings.comparison import Settings
from copysift.workflows.compare import compare_files

PASSAGES = 20
PREVIEW = 4000  # bytes of a file that has an equal one
MOST_PAIRS = 2000  # of a group that are listed
COLUMNS = ("left", "right", "relation", "similarity", "resemblance", "containment_left", "containment_right")


def visible_lines(data: bytes) -> str:
    """Give the beginning of a file as text that is safe to print."""
    return "\n".join(visible(line) for line in data.decode("utf-8", "replace").splitlines())


class Browser(App[None]):
    """Groups at the left, pairs of a group below them, passages at the right."""

    TITLE = "copysift"
    CSS = """
    #lists { width: 45%; }
    #groups { height: 40%; border: round $primary; }
    #pairs { height: 60%; border: round $primary; }
    #passages { border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("space", "mark", "Mark"),
        ("e", "export", "Export"),
        ("q", "quit", "Quit"),
    ]

    def __init__(self, result: Result, settings: Settings, output: Path) -> None:
        super().__init__()
        self.result, self.settings, self.output = result, settings, output
        self.marked: dict[tuple[str, str], Pair] = {}
        self.listed: list[Pair] = []  # the pairs of the group
        self.groups = sorted(result.clusters, key=lambda each: (-len(each.members), each.members))
        self._pairs: dict[str, list[Pair]] = {}
        for pair in result.pairs:
            self._pairs.setdefault(pair.left, []).append(pair)

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Header()
        with Horizontal():
            with Vertical(id="lists"):
                yield DataTable(id="groups", cursor_type="row")
                yield DataTable(id="pairs", cursor_type="row")
            with VerticalScroll(id="passages"):
                yield Static(id="preview")
        yield Footer()

    def on_mount(self) -> None:
        """Fill the list of groups."""
        table = self.query_one("#groups", DataTable)
        table.add_columns("files", "strength", "first")
        for group in self.groups:
            strength = "" if group.strength is None else percent(group.strength)
            table.add_row(str(len(group.members)), strength, Text(shorten(spelled(group.members[0]), 50)))
        self.query_one("#pairs", DataTable).add_columns(" ", "similarity", "left", "right")
        table.focus()
        if not self.groups:
            self._say("No group reaches the threshold.")

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show what is under the cursor."""
        if event.data_table.id == "groups":
            self._show_pairs(event.cursor_row)
        elif event.cursor_row < len(self.listed):
            self._show_pair(self.listed[event.cursor_row])

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Go from a group to its pairs."""
        if event.data_table.id == "groups":
            self.query_one("#pairs", DataTable).focus()

    def _show_pairs(self, number: int) -> None:
        members = set(self.groups[number].members)
        found = (pair for name in self.groups[number].members for pair in self._pairs.get(name, ()))
        self.listed = list(islice((pair for pair in found if pair.right in members), MOST_PAIRS))
        table = self.query_one("#pairs", DataTable)
        table.clear()
        for pair in self.listed:
            left, right = spelled(pair.left), spelled(pair.right)
            shown = "equal" if pair.equal else percent(pair.similarity)
            names = (Text(shorten_beside(*two, 30)) for two in ((left, right), (right, left)))
            table.add_row(self._sign(pair), shown, *names)
        if self.listed:
            self._show_pair(self.listed[0])

    def _sign(self, pair: Pair) -> str:
        return "●" if (pair.left, pair.right) in self.marked else " "

    def _show_pair(self, pair: Pair) -> None:
        width = max(40, self.query_one("#passages").size.width - 4)
        try:
            found, scan = compare_files(pair.left, pair.right, self.settings)
            view = View(passages=PASSAGES, width=width, source=scan.source)
            shown = side_by_side(found, view)
            if pair.equal:
                shown += "\n" + visible_lines(scan.source(pair.left, 0, PREVIEW))
            self._say(shown)
        except CopysiftError as error:
            self._say(f"{spelled(pair.left)}\n{spelled(pair.right)}\n\nCannot be shown: {error.message}")

    def _say(self, text: str) -> None:
        self.query_one("#preview", Static).update(Text(text, no_wrap=True))

    def action_mark(self) -> None:
        """Mark the pair under the cursor, or take the mark away."""
        table = self.query_one("#pairs", DataTable)
        if not self.listed or table.cursor_row >= len(self.listed):
            return
        pair = self.listed[table.cursor_row]
        if self.marked.pop((pair.left, pair.right), None) is None:
            self.marked[pair.left, pair.right] = pair
        table.update_cell_at(table.cursor_coordinate._replace(column=0), self._sign(pair))
        self.sub_title = f"{len(self.marked)} marked"

    def action_export(self) -> None:
        """Write the marked pairs as CSV."""
        try:
            with self.output.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(COLUMNS)
                for pair in self.marked.values():
                    shares = (
                        pair.similarity,
                        pair.resemblance,
                        pair.containment_left,
                        pair.containment_right,
                    )
                    relation = "equal" if pair.equal else "similar"
                    writer.writerow((pair.left, pair.right, relation, *(f"{share:.6f}" for share in shares)))
        except OSError as error:
            self.notify(f"cannot write {self.output}: {error.strerror}", severity="error")
            return
        self.notify(f"{plural(len(self.marked), 'pair')} written to {self.output}")
