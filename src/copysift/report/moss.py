"""MOSS's own report: a folder with index.html and four pages per match, in MOSS's markup.

Programs that read MOSS results look for exact tags, blanks and line ends, so these pages repeat them: what
looks clumsy here (the second </PRE>, the fifth <TH>, the empty line after a mark) is what a reader looks for.
Nothing in the pages runs or is fetched from elsewhere.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations, islice, product, takewhile

from copysift._version import __version__
from copysift.model.values import Group, Pair, Result, Side
from copysift.report.units import files_of
from copysift.report.view import View
from copysift.report.wording import visible

LARGEST_SOURCE = 2_000_000  # bytes of one file that are shown
COLOURS = ("#FF0000", "#0000FF", "#00C000", "#C000C0", "#C08000", "#0080A0", "#804000", "#600080")
BAR = 60  # width of the bar of a whole file, in pixels
_START = '<HTML>\n<HEAD>\n<META CHARSET="utf-8">\n'  # alone in the page of frames: a policy would block these
_HEAD = (
    f'{_START}<META HTTP-EQUIV="Content-Security-Policy" '
    "CONTENT=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
)


@dataclass(frozen=True, slots=True)
class Query:
    """What a client requested, as the index repeats it: its options, its comment, and the date."""

    options: str = ""
    comment: str = ""
    date: str = ""


def report(result: Result, view: View, query: Query | None = None) -> dict[str, str]:
    """Show a result as files by name, the pairs with the most matched tokens first."""
    matched = list(takewhile(lambda pair: pair.lines is not None, result.pairs)) or result.pairs[: view.limit]
    found = sorted((pair for pair in matched if pair.lines != 0), key=_tokens, reverse=True)
    pairs = list(islice(_with_equal(found, result), view.limit))
    sides = _Sides(result, view)
    asked = query or Query(_options(result.settings), view.title, view.date)
    files = {"index.html": _index(pairs, sides, result, asked)}
    for number, pair in enumerate(pairs):
        files |= _match(f"match{number}", pair, sides)
    return files


def _with_equal(pairs: Sequence[Pair], result: Result) -> Iterator[Pair]:
    """Add the pairs of files that are equal to one of a pair: a result has only the first of equal files."""
    alone = {each.name for each in result.documents if each.name == each.group}
    equal = {members[0]: members for members in result.equal if alone.issuperset(members)}
    listed = {(pair.left, pair.right) for pair in pairs}
    for pair in pairs:
        yield pair
        lefts, rights = equal.get(pair.left, (pair.left,)), equal.get(pair.right, (pair.right,))
        others = combinations(lefts, 2) if pair.right in lefts else product(lefts, rights)
        for left, right in others:
            if (left, right) not in listed:
                listed.add((left, right))
                yield _renamed(pair, left, right)


def _renamed(pair: Pair, left: str, right: str) -> Pair:
    regions = tuple(
        replace(each, left=replace(each.left, file=left), right=replace(each.right, file=right))
        for each in pair.regions or ()
    )
    return replace(pair, left=left, right=right, regions=regions)


class _Sides:
    """The groups as the pages show them: their names, and their files as the lines of one text."""

    def __init__(self, result: Result, view: View) -> None:
        self._files, self._view = files_of(result), view

    def name(self, group: str) -> str:
        """Give the name of a group: blanks are _ as MOSS's clients send them, folders end with a slash."""
        return _shown(f"{group.rstrip('/')}/" if self._is_folder(group) else group)

    def lines(self, group: str) -> tuple[list[str], dict[str, int]]:
        """Give all lines of a group, escaped, and how many come before the first line of each file."""
        lines: list[str] = []
        before = {}
        for file in self._files[group]:
            if self._is_folder(group):
                lines.append(f"&gt;&gt;&gt;&gt; file: {_shown(file.name.removeprefix(group).lstrip('/'))}")
            before[file.name] = len(lines)
            lines += self._lines(file)
        return lines, before

    def _is_folder(self, group: str) -> bool:
        return any(file.name != group for file in self._files[group])

    def _lines(self, file: Group) -> list[str]:
        if file.kind == "bytes":
            return ["(not text)"]
        text = self._view.source(file.name, 0, LARGEST_SOURCE).decode("utf-8", "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�")
        return escape(text.removesuffix("\n"), quote=False).split("\n")


def _index(pairs: Sequence[Pair], sides: _Sides, result: Result, query: Query) -> str:
    rows = []
    for number, pair in enumerate(pairs):
        link = f'<A HREF="match{number}.html">'
        rows.append(
            f"<TR><TD>{link}{sides.name(pair.left)} ({_percent(pair.containment_left)})</A>\n"
            f"    <TD>{link}{sides.name(pair.right)} ({_percent(pair.containment_right)})</A>\n"
            f"<TD ALIGN=right>{pair.lines or 0}\n"
        )
    comment = f"<p>\n{escape(visible(query.comment))}\n" if query.comment else ""
    none = "" if rows else "No matches were found in your submission.<p>\n"
    errors = [f"{each.name}: {each.reason}" for each in result.skipped] + list(result.notes)
    if any(pair.lines is None for pair in pairs):
        errors.append("a saved run does not store which lines match")
    return (
        f"{_HEAD}<TITLE>Moss Results</TITLE>\n</HEAD>\n<BODY>\n"
        f"Moss Results<p>\n{escape(query.date)}\n<p>\n"
        f"Options {escape(visible(query.options))}\n{comment}<HR>\n"
        f"[ Made by copysift {__version__} ]\n<HR>\n"
        f"<TABLE>\n<TR><TH>File 1<TH>File 2<TH>Lines Matched\n{''.join(rows)}</TABLE>\n{none}<HR>\n"
        "Any errors encountered during this query are listed below.<p>"
        f"{''.join(f'{escape(visible(each))}<p>' for each in errors)}</BODY>\n</HTML>\n"
    )


def _match(name: str, pair: Pair, sides: _Sides) -> dict[str, str]:
    names = (sides.name(pair.left), sides.name(pair.right))
    frames = (
        f"{_START}<TITLE>Matches for {names[0]} and {names[1]}</TITLE>\n</HEAD>\n"
        '<FRAMESET ROWS="150,*"><FRAMESET COLS="1000,*">'
        f'<FRAME SRC="{name}-top.html" NAME="top" FRAMEBORDER=0></FRAMESET>\n'
        f'<FRAMESET COLS="50%,50%"><FRAME SRC="{name}-0.html" NAME="0">'
        f'<FRAME SRC="{name}-1.html" NAME="1"></FRAMESET></FRAMESET>\n</HTML>\n'
    )
    texts = []
    spans: list[list[tuple[int, int]]] = []
    for frame, group in enumerate((pair.left, pair.right)):
        lines, before = sides.lines(group)
        texts.append(lines)
        spans.append([_span((each.left, each.right)[frame], before) for each in pair.regions or ()])
    return {
        f"{name}.html": frames,
        f"{name}-top.html": _top(name, pair, names, texts, spans),
        f"{name}-0.html": _side(names[0], _marked(texts[0], spans[0], name, 0)),
        f"{name}-1.html": _side(names[1], _marked(texts[1], spans[1], name, 1)),
    }


def _span(side: Side, before: Mapping[str, int]) -> tuple[int, int]:
    """Give the first and last line of a passage among all lines of its group, from 1, both included."""
    return before[side.file] + side.first_line, before[side.file] + side.last_line


def _top(
    name: str, pair: Pair, names: Sequence[str], texts: Sequence[Sequence[str]],
    spans: Sequence[Sequence[tuple[int, int]]],
) -> str:  # fmt: skip
    shares = (pair.containment_left, pair.containment_right)
    heads = "".join(
        f"<TH>{shown} ({_percent(share)})<TH>{_bar(COLOURS[0], share, 'share')}"
        for shown, share in zip(names, shares, strict=True)
    )
    rows = []
    for number in range(len(spans[0])):
        cells = []
        for frame in (0, 1):
            first, last = spans[frame][number]
            link = f'<TD><A HREF="{name}-{frame}.html#{number}" NAME="{number}" TARGET="{frame}">'
            bar = _bar(_colour(number), (last - first + 1) / max(1, len(texts[frame])), "link")
            cells.append(f"{link}{first}-{last}</A>\n{link}{bar}</A>\n")
        rows.append(f"<TR>{''.join(cells)}")
    return (
        f"{_HEAD}<TITLE>Top</TITLE>\n</HEAD><BODY BGCOLOR=white><CENTER>"
        f'<TABLE BORDER="1" CELLSPACING="0" BGCOLOR="#d0d0d0"><TR>{heads}<TH>\n'
        f"{''.join(rows)}</TABLE></CENTER></BODY></BODY></HTML>\n"
    )


def _side(shown: str, text: Iterable[str]) -> str:
    return (
        f"{_HEAD}<TITLE>{shown}</TITLE>\n</HEAD>\n<BODY BGCOLOR=white>\n<HR>\n{shown}<p><PRE>\n"
        f"{''.join(text)}</PRE>\n</PRE>\n</BODY>\n</HTML>\n"
    )


def _marked(lines: Sequence[str], spans: Sequence[tuple[int, int]], name: str, frame: int) -> Iterator[str]:
    """Mark passages in a text, whole lines each; lines of two passages belong to the earlier one."""
    at = 0
    for (first, last), number in sorted((span, number) for number, span in enumerate(spans)):
        start = max(at, first - 1)
        end = max(start, last)
        share = (last - first + 1) / max(1, len(lines))
        yield from (f"{line}\n" for line in lines[at:start])
        yield f'<A NAME="{number}"></A><FONT color = {_colour(number)}>'
        yield f'<A HREF="{name}-{1 - frame}.html#{number}" TARGET="{1 - frame}">'
        yield f"{_bar(_colour(number), share, 'other')}</A>\n\n"
        yield from (f"{line}\n" for line in lines[start:end])
        yield "</FONT>"
        at = end
    yield from (f"{line}\n" for line in lines[at:])


def _bar(colour: str, share: float, words: str) -> str:
    """Give a bar as an image of one pixel that is stretched, where MOSS has one image for every share."""
    pixel = b"GIF89a\1\0\1\0\x80\0\0" + bytes.fromhex(colour[1:]) + b"\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
    source = f"data:image/gif;base64,{base64.b64encode(pixel).decode()}"
    width = max(3, min(BAR, round(BAR * share)))
    return f'<IMG SRC="{source}" ALT="{words}" BORDER="0" ALIGN=left WIDTH={width} HEIGHT=8>'


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _tokens(pair: Pair) -> tuple[int, int]:
    """Give the matched tokens; of a pair that was not matched exactly, the shared fingerprints."""
    return sum(region.length for region in pair.regions or ()), pair.shared


def _percent(share: float) -> str:
    """Spell a share as MOSS does, in digits only; 100% only where it is exact, and no match is 0%."""
    return "100%" if share >= 1 else f"{min(99, max(1, round(share * 100)))}%"


def _options(settings: Mapping[str, object]) -> str:
    """Give settings of ours as options of MOSS's client."""
    parts = [f"-l {settings['language']}"] if settings.get("language") else []
    parts += ["-d"] if settings.get("by") == "dir" else []
    parts += [f"-m {settings['max_shared']}"] if "max_shared" in settings else []
    return " ".join(parts)


def _shown(name: str) -> str:
    return escape(re.sub(r"\s", "_", visible(name)))
