"""reStructuredText: directives, roles and targets are overwritten; other markup is punctuation."""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_MARKUP = re.compile(
    rb"^[ \t]*\.\. (?:_[^\n]*:[^\n]*|\|[^|\n]*\| [^\n]*)$"  # targets and substitutions
    rb"|^[ \t]*\.\. (?:image|figure|include|literalinclude|toctree|raw|index|highlight|automodule|autoclass"
    rb"|autofunction|contents|role|default-role|module|currentmodule|csv-table|list-table)::[^\n]*$"
    rb"|^[ \t]*\.\. [\w:+.-]+::"  # other directives, whose arguments are text
    rb"|^[ \t]+:[\w-]+:(?:[ \t][^\n]*)?$"  # options
    rb"|:[\w:+.-]{1,60}:(?=`)"  # roles
    rb"|[ \t]?<[^<>`\n]{1,500}>(?=`)",  # targets of links
    re.MULTILINE,
)


class RestReader(TextReader):
    """The text of a reStructuredText file."""

    traits = definition("rst", "reStructuredText")
    says = "reStructuredText without its directives"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite what is not text."""
        canvas = Canvas(data)
        for found in _MARKUP.finditer(data):
            canvas.blank(*found.span())
        return Extracted(canvas.made())


RST = RestReader()
