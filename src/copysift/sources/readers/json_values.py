"""JSON by value: escapes in strings become what they mean, in place. Layout and punctuation never count.

Names stay: in a file of settings they are most of what it says.
"""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_ESCAPE = re.compile(
    rb"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)


class JsonReader(TextReader):
    """The values of a JSON file."""

    traits = definition("json", "JSON")
    says = "JSON by value"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite escapes; a \\n is not a letter n."""
        canvas = Canvas(data)
        for found in _ESCAPE.finditer(data):
            high, low, code, sign = found.groups()
            if high:
                canvas.put(
                    *found.span(),
                    (bytes.fromhex(high.decode()) + bytes.fromhex(low.decode())).decode("utf-16-be"),
                )
            elif code:
                canvas.put(*found.span(), chr(int(code, 16)))
            elif sign in b"nrtbf":
                canvas.blank(*found.span())
        return Extracted(canvas.made())


JSON = JsonReader()
