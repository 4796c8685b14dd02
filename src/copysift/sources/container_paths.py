"""Turn the names of members, which anyone may have written, into safe relative names."""

from __future__ import annotations

import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:")


def safe_name(name: str) -> str:
    """Give a relative name with forward slashes that climbs nowhere; empty if nothing is left of it."""
    parts = name.replace("\0", "").replace("\\", "/").split("/")
    kept = [part for part in parts if part not in ("", ".", "..")]
    while kept and _DRIVE.match(kept[0]):
        kept[0] = kept[0][2:]
        if kept[0] in ("", ".", ".."):
            del kept[0]
    return "/".join(kept)


def climbs(name: str) -> bool:
    """Say whether a name leads upwards: nobody packs such a thing by accident."""
    return ".." in name.replace("\0", "").replace("\\", "/").split("/")


class Names:
    """The names given out in one archive: a name that comes again gets a number."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Give the name itself the first time, then a#2.c, a#3.c and so on for a.c."""
        taken = name
        stem, extension = posixpath.splitext(name)
        while taken in self._uses:
            self._uses[name] += 1
            taken = f"{stem}#{self._uses[name]}{extension}"
        self._uses[taken] = 1
        return taken
