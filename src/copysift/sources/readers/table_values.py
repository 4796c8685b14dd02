"""Tables in CSV and TSV by value: quotes, separators and zeros that mean nothing are overwritten in place.

So 3.50 and 3.5 are one number, and a table is the same with commas, semicolons, tabs, and any quoting.
"""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import JOINER
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import plural

SEPARATORS = b",;\t|"
_QUOTED = re.compile(rb'"[^"]*"')
_BLANKED = bytes.maketrans(SEPARATORS + b'"', b" " * (len(SEPARATORS) + 1))
_NUMBER = re.compile(rb"(?<![^ \r\n])(-?\d++)\.(\d++)(?=[ \r\n]|\Z)")


class TableReader(TextReader):
    """The cells of a table."""

    traits = definition("table", "Tables (CSV, TSV)")
    says = "table by value"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite what is not a cell."""
        bare = _QUOTED.sub(b"", data)
        rows = len(bare.splitlines())
        first = bare.lstrip().partition(b"\n")[0]
        columns = 1 + max(first.count(SEPARATORS[at : at + 1]) for at in range(len(SEPARATORS)))
        made = _NUMBER.sub(_shortened, data.translate(_BLANKED))
        return Extracted(made, f"{plural(rows, 'row')} of {plural(columns, 'column')}")


def _shortened(number: re.Match[bytes]) -> bytes:
    """Give a number without zeros at its end, as long as it was."""
    whole, digits = number.groups()
    rest = digits.rstrip(b"0")
    kept = whole + b"." + rest if rest else whole
    return kept.ljust(len(number.group()), bytes([JOINER]))


TABLE = TableReader()
