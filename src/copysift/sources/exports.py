"""Know whose work a file is by the names that learning platforms give to their exports.

Moodle puts each submission into `Jane Doe_12345_assignsubmission_file_/` or, without folders, names its
files `Jane Doe_12345_assignsubmission_file_main.py`. Canvas names them `doejane_LATE_1234_5678_main-1.py`:
user, late or not, numbers of user and submission, and `-1` when the file was handed in again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from copysift.model.document import INSIDE

_MOODLE = re.compile(
    r"(?P<author>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)", re.DOTALL
)
_CANVAS = re.compile(
    r"(?P<author>[^\W\d_][^\W_]*)_(?:LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<rest>.+)", re.DOTALL
)
_AGAIN = re.compile(r"-(\d{1,3})(?=\.[^.]*$|$)")


@dataclass(frozen=True, slots=True)
class Export:
    """What a name tells: `key` is the same for all files of one author, `author` is for people."""

    author: str
    key: str
    attempt: str = ""


def known_export(name: str) -> Export | None:
    """Give what the first part of a path that a platform has named tells, or None."""
    for part in name.replace(INSIDE, "/").split("/"):
        moodle = _MOODLE.fullmatch(part)
        if moodle:
            return Export(moodle["author"], f"{moodle['author']}_{moodle['id']}")
        canvas = _CANVAS.fullmatch(part)
        if canvas:
            again = _AGAIN.search(canvas["rest"])
            return Export(canvas["author"], f"{canvas['author']}_{canvas['id']}", again[1] if again else "")
    return None
