"""Know whose work a file is by the names that learning platforms give to their exports.

Moodle puts each submission into `Jane Doe_12345_assignsubmission_file_/` or, without folders, names its
files `Jane Doe_12345_assignsubmission_file_main.py`. Canvas names them `doejane_LATE_1234_5678_main-1.py`:
user, late or not, numbers of user and submission, and `-1` when the file was handed in again. Blackboard
names them `Lab 3_jdoe_attempt_2026-03-01-12-30-00_main.cpp` and adds a receipt for each attempt; Brightspace
`1234-5678 - Jane Doe - Mar 1, 2026 1230 PM`, a folder or, with ` - main.cpp`, a file; Gradescope
`submission_12345/`, with one list of names for all (`listed_authors` reads it). GitHub Classroom makes
folders, which need no more.
"""

from __future__ import annotations

import re

from copysift.model.document import INSIDE
from copysift.runtime.lazy_dataclass import dataclass

# Compiled, and kept by `re`, when they are first used: few names come from a platform.
_MOODLE = r"(?s)(?P<author>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"
_CANVAS = r"(?s)(?P<author>[^\W\d_][^\W_]*)_(?:LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<rest>.+)"
_BLACKBOARD = (
    r"(?s)(?P<task>[^/]+?)_(?P<author>[^_/]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|\.txt)"
)
_BRIGHTSPACE = (
    r"(?s)(?P<id>\d+-\d+) - (?P<author>[^/]+?) - "
    r"(?P<when>[^\W\d]{3,}\.? \d{1,2}, \d{4} \d{3,4}(?: [AP]M)?)(?: - (?P<rest>.+))?"
)
_GRADESCOPE = r"submission_(?P<id>\d{4,})"
GRADESCOPE_LIST = "submission_metadata.yml"
_ANY = re.compile(r"_\d|\d - ")  # in every name of theirs, and in few others
_AGAIN = r"-(\d{1,3})(?=\.[^.]*$|$)"


@dataclass(frozen=True, slots=True)
class Export:
    """What a name says: `key` is the same for all files of one author, `author` is for people."""

    author: str
    key: str
    attempt: str = ""


def known_export(name: str) -> Export | None:
    """Give what the first part of a path that a platform has named says, or None."""
    if not _ANY.search(name):
        return None
    for part in name.replace(INSIDE, "/").split("/"):
        found = _of_part(part)
        if found is not None:
            return found
    return None


def _of_part(part: str) -> Export | None:
    if moodle := re.fullmatch(_MOODLE, part):
        return Export(moodle["author"], f"{moodle['author']}_{moodle['id']}")
    if canvas := re.fullmatch(_CANVAS, part):
        again = re.search(_AGAIN, canvas["rest"])
        return Export(canvas["author"], f"{canvas['author']}_{canvas['id']}", again[1] if again else "")
    if blackboard := re.fullmatch(_BLACKBOARD, part):
        return Export(blackboard["author"], blackboard["author"], blackboard["when"])
    if brightspace := re.fullmatch(_BRIGHTSPACE, part):
        key = f"{brightspace['author']}_{brightspace['id'].partition('-')[0]}"
        return Export(brightspace["author"], key, brightspace["when"])
    if gradescope := re.fullmatch(_GRADESCOPE, part):
        return Export("", f"submission_{gradescope['id']}")
    return None


def listed_authors(content: str) -> dict[str, str]:
    """Give the authors in the list of Gradescope (`submission_metadata.yml`), by the key of a submission."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in content.splitlines():
        if key := re.fullmatch(rf"({_GRADESCOPE}):\s*", line):
            names = found.setdefault(key[1], [])
        elif name := re.fullmatch(r"\s+(?:- )?:name: (.+)", line):
            names.append(name[1].strip().strip("'\""))
    return {key: " and ".join(names) for key, names in found.items() if names}


def receipt(name: str, beside: bool = False) -> str:
    """Say what a file is that a platform added to an export and no student wrote, or nothing.

    `beside`: it is beside the submissions of an export, where Brightspace puts its list.
    """
    leaf = name.replace(INSIDE, "/").rpartition("/")[2]
    blackboard = re.fullmatch(_BLACKBOARD, leaf)
    if blackboard and blackboard["rest"] is None:
        return "receipt of Blackboard"
    if beside and leaf == "index.html":
        return "list of Brightspace"
    return "list of Gradescope" if leaf == GRADESCOPE_LIST else ""
