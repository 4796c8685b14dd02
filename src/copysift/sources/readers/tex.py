"""LaTeX: commands, comments and the preamble are overwritten, text is kept; offsets are those of the file.

pylatexenc and plasTeX build trees and know macros; a comparison needs the words alone, in linear time,
also of files that no TeX would accept.
"""

from __future__ import annotations

import re
import unicodedata

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_TOKEN = re.compile(rb"\\([A-Za-z@]+)\*?|\\(.)|%[^\n]*|[{}]", re.DOTALL)
_BLANKS = re.compile(rb"[ \t]*\n?[ \t]*")
_OPTION = re.compile(rb"\[[^\[\]]{0,400}\]")
_VERBATIM = re.compile(rb"(?:verbatim|lstlisting|minted|Verbatim|alltt|comment)\*?\}")
_BODY = re.compile(rb"\\begin[ \t]*\{document\}")
# Commands whose arguments are not text, and how many there are.
_SILENT: dict[bytes, int] = {
    **dict.fromkeys(
        b"label ref pageref eqref autoref cref Cref nameref cite citep citet citeauthor citeyear nocite "
        b"parencite textcite documentclass documentstyle usepackage RequirePackage input include includeonly "
        b"includegraphics bibliography bibliographystyle addbibresource pagestyle thispagestyle "
        b"pagenumbering "
        b"vspace hspace index color bibitem hypersetup geometry linespread fontsize selectlanguage "
        b"hyphenation graphicspath lstset tikzset usetikzlibrary theoremstyle phantom special "
        b"href hypertarget textcolor colorbox foreignlanguage setmainfont setcounterlabel inputenc "
        b"cmidrule cline".split(), 1
    ),
    **dict.fromkeys(
        b"setlength addtolength setcounter addtocounter newcommand renewcommand providecommand "
        b"DeclareMathOperator newtheorem definecolor newlength rule raisebox multicolumn newcounter "
        b"resizebox hyperdef".split(), 2
    ),
    **dict.fromkeys(b"newenvironment renewenvironment addcontentsline titleformat".split(), 3),
    b"newlength": 1, b"newcounter": 1,
}  # fmt: skip
_TABLES = (
    b"tabular",
    b"tabular*",
    b"array",
    b"longtable",
    b"tabularx",
    b"minipage",
    b"multicols",
    b"thebibliography",
)
_ACCENTS = {
    b"'": "\u0301", b"`": "\u0300", b"^": "\u0302", b'"': "\u0308", b"~": "\u0303", b"=": "\u0304",
    b".": "\u0307", b"c": "\u0327", b"v": "\u030c", b"H": "\u030b", b"u": "\u0306", b"k": "\u0328",
    b"r": "\u030a", b"d": "\u0323", b"b": "\u0331",
}  # fmt: skip
_LETTER = re.compile(rb"[ \t]{0,8}(?:\{\\?([A-Za-z])\}|\\([ij])(?![A-Za-z])|([A-Za-z]))")
_SIGNS = {
    b"ss": "ß", b"ae": "æ", b"AE": "Æ", b"oe": "œ", b"OE": "Œ", b"o": "ø", b"O": "Ø", b"aa": "å", b"AA": "Å",
    b"l": "ł", b"L": "Ł", b"i": "ı", b"j": "ȷ", b"dots": "…", b"ldots": "…", b"S": "§", b"LaTeX": "LaTeX",
    b"TeX": "TeX", b"textbackslash": "\\", b"textasciitilde": "~", b"textunderscore": "_",
}  # fmt: skip
_WORD_SIGNS = (b"textit", b"textbf", b"emph", b"textsc", b"texttt", b"textrm", b"textsf", b"underline")


class TexReader(TextReader):
    """The text of a LaTeX file."""

    traits = definition("tex", "LaTeX and TeX")
    says = "LaTeX without its commands"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite commands."""
        return Extracted(blank_tex(data))


def blank_tex(data: bytes) -> bytes:
    """Overwrite the commands of LaTeX; of the preamble only the title and the authors stay."""
    return _Blanking(data).made()


class _Blanking:
    def __init__(self, data: bytes) -> None:
        self._data, self._canvas = data, Canvas(data)
        self._closing = _braces(data)
        body = _BODY.search(data)
        self._start = body.start() if body else 0

    def made(self) -> bytes:
        at, canvas, data = 0, self._canvas, self._data
        if self._start:
            self._preamble()
            at = self._start
        while (token := _TOKEN.search(data, at)) is not None:
            at = token.end()
            word, sign = token.group(1), token.group(2)
            if word is not None:
                at = self._word(word, token)
            elif sign is not None:
                at = self._sign(sign, token)
            elif token.group().startswith(b"%"):
                canvas.blank(*token.span())
            else:
                canvas.join(*token.span())
        return canvas.made()

    def _preamble(self) -> None:
        """Overwrite all but the arguments of \\title and \\author."""
        kept = []
        for found in re.finditer(rb"\\(?:title|author)[ \t]*(?=\{)", self._data[: self._start]):
            close = self._closing.get(found.end())
            if close is not None and close < self._start:
                kept.append((found.end() + 1, close))
        at = 0
        for start, end in kept:
            self._canvas.blank(at, start)
            at = end
        self._canvas.blank(at, self._start)

    def _word(self, word: bytes, token: re.Match[bytes]) -> int:
        canvas, data = self._canvas, self._data
        start, at = token.span()
        if word in (b"begin", b"end"):
            return self._environment(word, start, at)
        if word in _SIGNS:
            canvas.put(start, at, _SIGNS[word])
            return at
        if word in _ACCENTS and (done := self._accent(_ACCENTS[word], start, at)):
            return done
        if word in (b"verb", b"lstinline") and at < len(data):
            canvas.blank(start, at + 1)
            close = data.find(data[at : at + 1], at + 1, at + 1000)
            return close + 1 if close >= 0 else at
        if word in (b"def", b"edef", b"gdef", b"let"):
            opening = data.find(b"{", at, at + 200)
            end = self._closing.get(opening, at)
            canvas.blank(start, max(at, end))
            return max(at, end)
        if word in _WORD_SIGNS:
            canvas.join(start, at)
        else:
            canvas.blank(start, at)
        option = _OPTION.match(data, at)
        if option and word != b"item":
            canvas.blank(*option.span())
            at = option.end()
        return self._arguments(at, _SILENT.get(word, 0))

    def _arguments(self, at: int, count: int) -> int:
        """Overwrite arguments that are not text."""
        for _ in range(count):
            blanks = _BLANKS.match(self._data, at)
            opening = blanks.end() if blanks else at
            option = _OPTION.match(self._data, opening)
            while option:
                self._canvas.blank(*option.span())
                opening = option.end()
                option = _OPTION.match(self._data, opening)
            close = self._closing.get(opening)
            if close is None:
                return at
            self._canvas.blank(opening, close + 1)
            at = close + 1
        return at

    def _environment(self, word: bytes, start: int, at: int) -> int:
        close = self._closing.get(at)
        if close is None or close - at > 100:
            self._canvas.blank(start, at)
            return at
        name = self._data[at + 1 : close]
        self._canvas.blank(start, close + 1)
        if word == b"begin" and _VERBATIM.match(self._data, at + 1):
            end = self._data.find(b"\\end{" + name, close)
            end = len(self._data) if end < 0 else end
            if name == b"comment":
                self._canvas.blank(close, end)
            return end
        option = _OPTION.match(self._data, close + 1) if word == b"begin" else None
        if option:
            self._canvas.blank(*option.span())
            close = option.end() - 1
        silent = 2 if name in (b"tabular*", b"tabularx") else 1
        return self._arguments(close + 1, silent if word == b"begin" and name in _TABLES else 0)

    def _sign(self, sign: bytes, token: re.Match[bytes]) -> int:
        start, at = token.span()
        if sign in _ACCENTS and (done := self._accent(_ACCENTS[sign], start, at)):
            return done
        if sign in b"_%&$#{}" or sign >= b"\x80":  # of a character in UTF-8 all bytes stay
            self._canvas.join(start, start + 1)
        elif sign in b"-/":  # a place where a word may be cut, and a correction
            self._canvas.join(start, at)
        else:
            self._canvas.blank(start, at)
        return at

    def _accent(self, mark: str, start: int, at: int) -> int:
        letter = _LETTER.match(self._data, at)
        if letter is None:
            return 0
        base = (letter.group(1) or letter.group(2) or letter.group(3)).decode()
        self._canvas.put(start, letter.end(), unicodedata.normalize("NFC", base + mark))
        return letter.end()


def _braces(data: bytes) -> dict[int, int]:
    """Give the closing brace of every opening one, in one pass."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for token in _TOKEN.finditer(data):
        brace = token.group()
        if brace == b"{":
            opened.append(token.start())
        elif brace == b"}" and opened:
            found[opened.pop()] = token.start()
    return found


TEX = TexReader()
