"""Numbers, sizes and names as words that are safe to print.

A name or a passage may hold anything, escape sequences and right-to-left overrides included: what
could drive a terminal or disguise a name is spelled out.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from copysift.runtime.plurals import plural as plural

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
PASSAGE_STYLES = ("36", "33", "32", "35", "34", "31")  # one colour a passage, in turn
LEAST_OWN = 8  # columns for what is different about a name, before its file name is left out
_PLAIN = re.compile(r"[ -~]*")


def percent(share: float) -> str:
    """Spell a share as whole percent; 100% and 0% only where they are exact."""
    if share >= 1:
        return f"{round(share * 100)}%"
    if 0 < share < 0.005:
        return "<1%"
    return f"{min(99, round(share * 100))}%" if share > 0 else "0%"


def estimated(share: float, interval: tuple[float, float] | None) -> str:
    """Spell a share with the ends of its interval, in whole percent and outwards: 82% (78–87)."""
    if interval is None:
        return percent(share)
    low, high = math.floor(interval[0] * 100 + 1e-9), math.ceil(interval[1] * 100 - 1e-9)
    return f"{percent(share)} ({low}–{high})"


def size(count: float) -> str:
    """Spell a number of bytes with three digits."""
    if count < 1000:
        return f"{count:.0f} B"
    for unit in ("kB", "MB", "GB", "TB"):
        count /= 1000
        if count < 999.5 or unit == "TB":
            return f"{count:.{2 if count < 9.995 else 1 if count < 99.95 else 0}f} {unit}"
    raise AssertionError("unreachable")


def visible(text: str) -> str:
    """Spell out every character that is not a printed one: controls, overrides, undecodable bytes."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(map(_visible_character, text))


def excerpt(text: str) -> str:
    """Spell out a part of a source; what a reader put in place of markup inside of words is left out."""
    return visible(text.replace("\x7f", ""))


def spelled(name: str) -> str:
    """Spell a name so that it differs from every other: a backslash of its own is doubled.

    Not where backslashes part folders: names hold nothing there that would have to be spelled out.
    """
    return visible(name if os.sep == "\\" else name.replace("\\", "\\\\"))


@lru_cache(maxsize=4096)
def _visible_character(character: str) -> str:
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"):
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cells(text: str) -> int:
    """Count the terminal columns that a visible text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_character_cells, text))


@lru_cache(maxsize=4096)
def _character_cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, width: int, right: bool = False) -> str:
    """Fill a text with blanks up to a number of columns."""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def shorten(name: str, width: int | None) -> str:
    """Shorten a path in the middle, keeping its first folders and its file name."""
    if width is None or cells(name) <= width:
        return name
    *folders, last = name.split("/")
    if folders and cells(last) + 2 <= width:
        head = ""
        for folder in folders:
            if cells(head) + cells(folder) + cells(last) + 3 > width:
                break
            head += folder + "/"
        return f"{head}…/{last}"
    return _cut(last, width)


def _cut(name: str, width: int) -> str:
    tail = max(1, (width - 1) // 2)
    back = ""
    for character in reversed(name):
        if cells(character + back) > tail:
            break
        back = character + back
    front = ""
    for character in name:
        if cells(front + character + back) + 1 > width:
            break
        front += character
    return f"{front}…{back}"


def styled(text: str, style: str, color: bool) -> str:
    """Colour a text, or leave it."""
    return f"\x1b[{STYLES.get(style, style)}m{text}\x1b[0m" if color and style and text else text


def shorten_beside(name: str, other: str, width: int | None) -> str:
    """Shorten a path so that what makes it different from another one stays in view.


    >>> shorten_beside("headers-6.1.0-47/include/net/sock.h", "headers-6.1.0-55/include/net/sock.h", 20)
    '…0-47/…/sock.h'
    """
    if width is None or cells(name) <= width:
        return name
    parts, others = name.split("/"), other.split("/")
    before = _common(parts[:-1], others[:-1])
    after = _common(parts[before:][::-1], others[before:][::-1])
    own = parts[before : len(parts) - after]
    if not own:  # all of it is in the other
        return shorten(name, width)
    start = "…/" if before else ""
    rest = parts[len(parts) - after :] if after else []
    tails = [f"/{'/'.join(rest)}", f"/…/{rest[-1]}"] if len(rest) > 1 else [f"/{rest[0]}"] if rest else [""]
    middles = ["/".join(own), f"{own[0]}/…/{own[-1]}"] if len(own) > 2 else ["/".join(own)]
    for tail in tails:
        for middle in middles:
            if cells(start + middle + tail) <= width:
                return start + middle + tail
    short = middles[-1]
    if rest and cells(short) <= width // 2:
        return f"{short}/…{_end(rest[-1], width - cells(short) - 2)}"
    same = _common(list("/".join(own)), list("/".join(others[before : len(others) - after])))
    tail = tails[-1] if width - cells(tails[-1]) >= LEAST_OWN else ""
    return _cut_around("/".join(own), same, width - cells(tail)) + tail


def shorten_among(names: Sequence[str], width: int | None) -> list[str]:
    """Shorten the paths of a list by the folders that all of them start with, then each in the middle.

    >>> shorten_among(["srv/backup/2024/a.h", "srv/backup/2025/a.h"], 12)
    ['…/2024/a.h', '…/2025/a.h']
    """
    if width is None or all(cells(name) <= width for name in names):
        return list(names)
    parts = [name.split("/") for name in names]
    # What the first and the last begin with, all begin with; of one name nothing is in common with others.
    before = _common(min(parts)[:-1], max(parts)[:-1]) if len(parts) > 1 else 0
    return [shorten("/".join(["…", *each[before:]] if before else each), width) for each in parts]


def _end(text: str, width: int) -> str:
    """Give the end of a text."""
    back = ""
    for character in reversed(text):
        if cells(character + back) > width:
            break
        back = character + back
    return back


def _common(one: list[str], other: list[str]) -> int:
    """Count the parts that two lists both start with."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _cut_around(text: str, place: int, width: int) -> str:
    """Cut a text so that the character at a place is in view."""
    if cells(text) <= width:
        return text
    first = max(0, min(place - width // 2, len(text) - width + 1))
    front, back = "…" * bool(first), ""
    for character in text[first:]:
        if cells(front + back + character) > width - 1:
            return f"{front}{back}…"
        back += character
    return front + back
