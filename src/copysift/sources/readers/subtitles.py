"""Subtitles, SubRip and WebVTT: numbers, times and tags are overwritten, what is said is kept."""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import plural

_TIMES = rb"^[ \t]*(?:\d+:)?\d\d?:\d\d[,.]\d+[ \t]*-->[^\n]*$"
_TAGS = rb"</?[A-Za-z][^<>\n]{0,200}>|<\d[\d:.]*>|\{\\[^{}\n]{0,200}\}"
_SUBRIP = re.compile(rb"^[ \t]*\d+[ \t]*\r?$(?=\r?\n[ \t]*\d+:)|" + _TIMES + rb"|" + _TAGS, re.MULTILINE)
_WEBVTT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?WEBVTT[^\n]*(?:\n[^\n]+)*|^(?:NOTE|STYLE|REGION)\b(?:[^\n]*\n)(?:[^\n]+\n)*"
    rb"|^[^\n]*\r?\n(?=[ \t]*(?:\d+:)?\d\d:\d\d\.\d+[ \t]*-->)|" + _TIMES + rb"|" + _TAGS,
    re.MULTILINE,
)


class SubtitleReader(TextReader):
    """What is said, at the places where the file has it."""

    in_place = True

    def __init__(self, name: str, description: str, markup: re.Pattern[bytes]) -> None:
        self.traits = definition(name, description)
        self.says = "subtitles without numbers and times"
        self._markup = markup

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite what is not said."""
        canvas, count = Canvas(data), 0
        for found in self._markup.finditer(data):
            count += b"-->" in found.group()
            canvas.blank(*found.span())
        return Extracted(canvas.made(), plural(count, "cue"))


SUBRIP = SubtitleReader("subrip", "SubRip subtitles", _SUBRIP)
WEBVTT = SubtitleReader("webvtt", "WebVTT subtitles", _WEBVTT)
