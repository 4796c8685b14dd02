"""MOSS's own kind of report: a folder with index.html and four files a match, as the server made them.

Tools that read MOSS results find the table they know; nothing in it runs or is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from copysift._version import __version__
from copysift.model.values import Group, Pair, Result, Side
from copysift.report.payload import limited
from copysift.report.units import files_of
from copysift.report.view import View
from copysift.report.wording import percent, visible

LARGEST_SOURCE = 2_000_000  # bytes of one submission that are shown
# MOSS's colours, in turn.
COLOURS = ("#FF0000", "#0000FF", "#00C000", "#C000C0", "#C08000", "#0080A0", "#804000", "#600080")


def report(result: Result, view: View) -> dict[str, str]:
    """Show a result as files by name."""
    pairs = limited(result, view)
    files = {"index.html": _index(pairs)}
    groups = files_of(result)
    for number, pair in enumerate(pairs):
        files |= _match(number, pair, groups, view)
    return files


def _index(pairs: Sequence[Pair]) -> str:
    rows = []
    for number, pair in enumerate(pairs):
        link = f'<A HREF="match{number}.html">'
        rows.append(
            f"<TR><TD>{link}{_name(pair.left)} ({percent(pair.containment_left)})</A>\n"
            f"    <TD>{link}{_name(pair.right)} ({percent(pair.containment_right)})</A>\n"
            f"<TD ALIGN=right>{'' if pair.lines is None else pair.lines}\n"
        )
    return _page(
        "copysift Results",
        f"copysift Results<p>Made by copysift {__version__}<p>\n<HR>\n"
        f"<TABLE>\n<TR><TH>File 1<TH>File 2<TH>Lines Matched\n{''.join(rows)}</TABLE>\n<HR>\n",
    )


def _match(number: int, pair: Pair, groups: dict[str, list[Group]], view: View) -> dict[str, str]:
    name = f"match{number}"
    title = f"Matches for {_name(pair.left)} and {_name(pair.right)}"
    frames = (
        f'<HTML><HEAD><META CHARSET="utf-8"><TITLE>{title}</TITLE></HEAD>\n'
        '<FRAMESET ROWS="150,*"><FRAMESET COLS="1000,*">'
        f'<FRAME SRC="{name}-top.html" NAME="top" FRAMEBORDER=0></FRAMESET>\n'
        f'<FRAMESET COLS="50%,50%"><FRAME SRC="{name}-0.html" NAME="0">'
        f'<FRAME SRC="{name}-1.html" NAME="1"></FRAMESET></FRAMESET></HTML>\n'
    )
    return {
        f"{name}.html": frames,
        f"{name}-top.html": _top(name, pair),
        f"{name}-0.html": _side(name, 0, pair, groups[pair.left], view),
        f"{name}-1.html": _side(name, 1, pair, groups[pair.right], view),
    }


def _top(name: str, pair: Pair) -> str:
    rows = []
    for number, region in enumerate(pair.regions or ()):
        colour = COLOURS[number % len(COLOURS)]
        cells = [
            f'<TD><A HREF="{name}-{frame}.html#{number}" TARGET="{frame}">{_lines(side, pair)}</A>'
            for frame, side in ((0, region.left), (1, region.right))
        ]
        rows.append(f'<TR>{cells[0]}<TD><FONT COLOR="{colour}">&#9632;</FONT>{cells[1]}\n')
    heads = (
        f"<TH>{_name(pair.left)} ({percent(pair.containment_left)})<TH>"
        f"<TH>{_name(pair.right)} ({percent(pair.containment_right)})"
    )
    return _page(
        "Top", f'<CENTER><TABLE BORDER="1" CELLSPACING="0">\n<TR>{heads}\n{"".join(rows)}</TABLE></CENTER>\n'
    )


def _lines(side: Side, pair: Pair) -> str:
    where = "" if side.file in (pair.left, pair.right) else f"{_name(side.file.rpartition('/')[2])}: "
    return f"{where}{side.first_line}-{side.last_line}"


def _side(name: str, frame: int, pair: Pair, files: list[Group], view: View) -> str:
    parts = []
    for file in files:
        if len(files) > 1:
            parts.append(f"<HR>\n{_name(file.name)}<p>\n")
        parts.append(f"<PRE>\n{_source(name, frame, pair, file, view)}</PRE>\n")
    return _page(_name(pair.left if frame == 0 else pair.right), "".join(parts))


def _source(name: str, frame: int, pair: Pair, file: Group, view: View) -> str:
    if file.kind == "bytes":
        return "(not text)\n"
    data = view.source(file.name, 0, LARGEST_SOURCE)
    sides = [(region.left, region.right)[frame] for region in pair.regions or ()]
    spans = sorted(
        (side.start, side.end, number) for number, side in enumerate(sides) if side.file == file.name
    )
    written, at = [], 0
    for start, end, number in spans:
        colour = COLOURS[number % len(COLOURS)]
        target = f'"{name}-{1 - frame}.html#{number}" TARGET="{1 - frame}"'
        link = f'<A NAME="{number}"></A><A HREF={target}>&#9654;</A>'
        written += [
            _text(data[at:start]), f'<FONT COLOR="{colour}">{link}', _text(data[start:end]), "</FONT>"
        ]  # fmt: skip
        at = end
    return "".join([*written, _text(data[at:])])


def _text(data: bytes) -> str:
    return escape(
        data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�")
    )


def _name(name: str) -> str:
    return escape(visible(name))


def _page(title: str, body: str) -> str:
    return (
        '<HTML><HEAD><META CHARSET="utf-8"><META HTTP-EQUIV="Content-Security-Policy" '
        "CONTENT=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<TITLE>{title}</TITLE></HEAD>\n<BODY BGCOLOR="white">\n{body}</BODY></HTML>\n'
    )
