"""Manual pages and other troff: requests and escapes are overwritten, text is kept."""

from __future__ import annotations

import re
import unicodedata

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_LINE = re.compile(rb"^[.'][ \t]*([^\s\\\"]*)(.*)$", re.MULTILINE)
_ESCAPE = re.compile(
    rb"\\(?:\".*|#.*|f(?:\[[^\]\n]{0,40}\]|\([!-~]{2}|[!-~])|s[+-]?(?:\[[^\]\n]{0,40}\]|'[^'\n]{0,80}'|\(?\d{1,2})"
    rb"|\*(?:\[[^\]\n]{0,40}\]|\([!-~]{2}|[!-~])|n[+-]?(?:\[[^\]\n]{0,40}\]|\([!-~]{2}|[!-~])|[hvwlLbDoSRXZ]'[^'\n]{0,80}'"
    rb"|\[([^\]\n]{0,40})\]|\(([!-~]{2})|([\x00-\x7f])|)"
)
_QUOTED = re.compile(rb'"')
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?[a-z]?")
_MOST_UNCLOSED = 16  # marks that are looked for in vain; a page of nothing but beginnings is read so often
# Macros with text behind them: those of man, mdoc, ms and mm are in capitals, those of me are not.
_TEXT_MACROS = re.compile(rb"[A-Z][A-Za-z0-9]?$|[A-Z]{2,3}$|(?:b|i|r|bi|u|q|sh|uh|bx)$")
_NO_TEXT = frozenset(
    b"TH Dd Dt Os PP LP P RS RE PD UR UE MT ME Bl El Bd Ed TS TE EQ EN PS PE DT AT UC IX Id".split()
)
_MDOC = re.compile(
    rb"(?<!\S)(?:Ac|Ad|An|Ao|Ap|Aq|Ar|Bc|Bo|Bq|Brq|Cd|Cm|Dc|Do|Dq|Dv|Ec|Em|Eo|Er|Ev|Fa|Fl|Fn|Ic|Li|Lk|Mt|Nm|No|Ns"
    rb"|Oc|Oo|Op|Pa|Pc|Pf|Po|Pq|Qc|Ql|Qo|Qq|Sc|Sm|So|Sq|Sx|Sy|Tn|Ta|Ux|Va|Vt|Xc|Xo|Xr)(?!\S)"
)
_MARKS = {ord("'"): "\u0301", ord("`"): "\u0300", ord("^"): "\u0302", ord(":"): "\u0308", ord("~"): "\u0303",
          ord(","): "\u0327", ord("o"): "\u030a", ord("v"): "\u030c"}  # fmt: skip
_SIGNS = {b"ss": "ß", b"ae": "æ", b"AE": "Æ", b"/o": "ø", b"/O": "Ø", b"oe": "œ", b"hy": "-", b"-D": "Ð"}


class TroffReader(TextReader):
    """The text of a troff file."""

    traits = definition("troff", "Manual pages and other troff")
    says = "troff without its requests"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite requests and escapes."""
        return Extracted(blank_troff(data))


def blank_troff(data: bytes) -> bytes:
    """Overwrite requests, definitions of macros, and escapes."""
    canvas = Canvas(data)
    skip_until, unclosed = 0, set[bytes]()
    for line in _LINE.finditer(data):
        start, end = line.span()
        if start < skip_until:
            continue
        name = line.group(1)
        if name in (b"de", b"am", b"ig", b"de1"):
            mark = _end_of(line.group(2), name)
            lost = mark in unclosed or len(unclosed) == _MOST_UNCLOSED
            close = None if lost else re.compile(rb"^[.']" + mark, re.MULTILINE).search(data, end)
            if close is None and not lost:
                unclosed.add(mark)
            skip_until = close.end() if close else end
            canvas.blank(start, skip_until)
        elif name in _NO_TEXT or not _TEXT_MACROS.match(name):
            canvas.blank(start, end)
        else:
            _macro(canvas, line)
    made = canvas.made()
    escapes = Canvas(made)
    for escape in _ESCAPE.finditer(made):
        _escape(escapes, escape)
    return escapes.made()


def _end_of(rest: bytes, name: bytes) -> bytes:
    words = rest.split()
    at = 0 if name == b"ig" else 1
    return (
        re.escape(words[at]) if len(words) > at and not words[at].startswith(b"\\") else rb"\."
    ) + rb"[ \t]*\r?$"


def _last_word(rest: bytes) -> tuple[int, bytes]:
    """Give where the blanks before the last word of a line start, and the word; no word if there are none."""
    text = rest.rstrip(b" \t")
    blank = max(text.rfind(b" "), text.rfind(b"\t"))
    return len(text[: max(blank, 0)].rstrip(b" \t")), text[blank + 1 :] if blank >= 0 else b""


def _macro(canvas: Canvas, line: re.Match[bytes]) -> None:
    """Overwrite the name of a macro and the quotes of its arguments, which are text."""
    start, at = line.start(), line.end(1)
    canvas.blank(start, at)
    for quote in _QUOTED.finditer(line.group(2)):
        canvas.join(at + quote.start(), at + quote.end())
    if line.group(1) in (b"IP", b"TP", b"HP"):
        before, last = _last_word(line.group(2))
        if _NUMBER.fullmatch(last):
            canvas.blank(at + before, line.end())
    if line.group(1)[1:].islower():  # of mdoc, whose macros may follow each other
        for inner in _MDOC.finditer(line.group(2)):
            canvas.blank(at + inner.start(), at + inner.end())


def _escape(canvas: Canvas, found: re.Match[bytes]) -> None:
    start, end = found.span()
    long, short, sign = found.groups()
    name = long if long is not None else short
    if name is not None:
        canvas.put(start, end, _character(name))
    elif sign == b"-":
        canvas.join(start, start + 1)
    elif sign is not None and sign in b" ~0t":
        canvas.blank(start, end)
    elif sign is not None and sign in b"e\\'`.":
        canvas.join(start, start + 1)
        if sign == b"e":
            canvas.put(start, end, "\\")
    else:
        canvas.join(start, end)


def _character(name: bytes) -> str:
    if name in _SIGNS:
        return _SIGNS[name]
    if name[:1] == b"u" and 5 <= len(name) <= 7:
        try:
            return chr(int(name[1:], 16))
        except ValueError:
            return " "
    if len(name) == 2 and name[0] in _MARKS and name[1:].isalpha():
        return unicodedata.normalize("NFC", chr(name[1]) + _MARKS[name[0]])
    return " "


TROFF = TroffReader()
