"""Halves of surrogate pairs, which JSON can spell and UTF-8 cannot: U+FFFD represents each."""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def mended(value: Any) -> Any:
    """Give a value of JSON with every half of a surrogate pair replaced, in names too."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [mended(each) for each in value]
    if isinstance(value, dict):
        return {mended(name): mended(each) for name, each in value.items()}
    return value


def parsed(line: str) -> Any:
    """Read a line of JSON, repaired."""
    found = json.loads(line)
    return mended(found) if _SURROGATE.search(line) else found
