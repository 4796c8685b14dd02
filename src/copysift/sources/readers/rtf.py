"""Rich Text Format: control words dropped, text kept.

The libraries for it (striprtf, pyth) decode one code page or build a tree; the format is small enough to be
read here in one pass, in time linear in the file.
"""

from __future__ import annotations

import codecs
import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import plural

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
# Groups that hold no text of the document.
_HIDDEN = frozenset(
    b"fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator info pict object header "
    b"headerl headerr headerf footer footerl footerr footerf themedata colorschememapping latentstyles "
    b"datastore xmlnstbl fldinst filetbl revtbl mmathPr pgdsctbl nonshppict bkmkstart bkmkend datafield "
    b"fchars lchars template private".split()
)
_SIGNS = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"row": "\n", b"tab": "\t", b"cell": "\t",
    b"emdash": "—", b"endash": "–", b"emspace": " ", b"enspace": " ", b"bullet": "•",
    b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
}  # fmt: skip
_SYMBOLS = {b"~": "\xa0", b"_": "-", b"-": "", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n"}


class RichTextReader(TextReader):
    """The text of an RTF file."""

    traits = definition("rtf", "Rich Text Format")
    says = "rtf text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text; headers, footers, pictures and tables of fonts are left out."""
        text = _Text()
        for token in _TOKEN.finditer(data):
            text.take(token)
        made = text.made()
        return Extracted(made.encode("utf-8", "replace"), plural(made.count("\n"), "line"))


class _Text:
    """The text so far, and what the open groups say."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._bytes = bytearray()  # in the code page
        self._page = "cp1252"
        self._groups: list[tuple[bool, int]] = []
        self._hidden = False
        self._skip = 1  # characters that follow \\uN for readers that do not know it
        self._left = 0  # of them still to skip
        self._star = False

    def made(self) -> str:
        """Give the text."""
        self._flush()
        return "".join(self._out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def take(self, token: re.Match[bytes]) -> None:
        """Take one token of the file."""
        word, number, code, symbol, brace, plain = token.groups()
        star, self._star = self._star, False
        if brace == b"{":
            self._groups.append((self._hidden, self._skip))
        elif brace:
            if self._groups:
                self._hidden, self._skip = self._groups.pop()
            self._left = 0
        elif word is not None:
            self._word(word, number, star)
        elif symbol == b"*":
            self._star = True
        elif self._hidden:
            return
        elif code is not None:
            self._coded(bytes([int(code, 16)]))
        elif symbol is not None:
            self._add(_SYMBOLS.get(symbol, ""))
        elif plain is not None:
            self._coded(plain)

    def _word(self, word: bytes, number: bytes | None, star: bool) -> None:
        if star or word in _HIDDEN:
            self._hidden = True
        elif self._hidden:
            return
        elif word == b"u" and number is not None:
            self._add(chr(int(number) & 0xFFFF))
            self._left = self._skip
        elif word == b"uc" and number is not None:
            self._skip = max(0, min(int(number), 16))
        elif word == b"ansicpg" and number is not None:
            self._flush()
            page = f"cp{int(number)}"
            self._page = page if _known(page) else "cp1252"
        elif word == b"bin":
            self._hidden = True  # the rest of this group is a picture
        elif word in _SIGNS:
            self._add(_SIGNS[word])

    def _coded(self, data: bytes) -> None:
        if self._left:
            cut = min(self._left, len(data))
            self._left -= cut
            data = data[cut:]
        self._bytes += data

    def _add(self, text: str) -> None:
        self._flush()
        self._out.append(text)

    def _flush(self) -> None:
        if self._bytes:
            self._out.append(self._bytes.decode(self._page, "replace"))
            self._bytes.clear()


def _known(page: str) -> bool:
    try:
        codecs.lookup(page)
    except LookupError:
        return False
    return True


RTF = RichTextReader()
