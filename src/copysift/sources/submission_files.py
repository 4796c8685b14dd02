"""Submissions as they were handed in: what of them no student wrote, and who their authors are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from copysift.errors import CopysiftError
from copysift.model.document import INSIDE, Document
from copysift.sources.exports import GRADESCOPE_LIST, known_export, listed_authors, receipt
from copysift.sources.metadata import Metadata
from copysift.sources.roster import Roster, roster
from copysift.sources.submission_intake import Taken
from copysift.sources.vendored import machine_made, vendored

SOURCES = (".js", ".mjs", ".cjs", ".css", ".ts", ".py", ".go", ".java", ".cs", ".c", ".h", ".cpp", ".dart")
MOST_LISTED = 32 << 20  # bytes of a list of authors
NOUN = r"^(?:receipt|list)(?= of )| file$"  # of a reason for which a file is left out
PEEK = 64 << 10  # bytes that show whether a program wrote a source


def authors_in(entries: Iterable[Document]) -> dict[str, str]:
    """Read the lists of authors that a platform has put beside the submissions."""
    found: dict[str, str] = {}
    for entry in entries:
        if not entry.path.endswith(GRADESCOPE_LIST):
            continue
        try:
            with entry.content.open() as stream:
                found |= listed_authors(stream.read(MOST_LISTED).decode("utf-8", "replace"))
        except (OSError, CopysiftError):
            continue  # names are a help, not the answer
    return found


def leave_out(*taken: Taken) -> str:
    """Take away what no student wrote: libraries, build products, receipts; say how much of what that is.

    A submission that has nothing else is left as it is.
    """
    reasons: Counter[str] = Counter()
    for each in taken:
        found = [_not_written(entry, group) for entry, group in each.files]
        kept = {group for (_, group), reason in zip(each.files, found, strict=True) if not reason}
        both = list(zip(each.files, found, strict=True))
        reasons.update(reason for (_, group), reason in both if reason and group in kept)
        loose = {group for (entry, group), _ in both if entry.path == group}
        exported = any(known_export(entry.path) for entry, _ in each.files)
        platform = {group: reason for group in loose if (reason := receipt(group, exported))}
        reasons.update(reason for group, reason in platform.items() if group not in kept or exported)
        each.files[:] = [
            file for file, reason in both if file[1] not in platform and not (reason and file[1] in kept)
        ]
        for group in platform:
            each.groups.pop(group, None)
    if not reasons:
        return ""
    counts = ", ".join(_counted(reason, count) for reason, count in reasons.most_common(8))
    more = f" and {len(reasons) - 8} other kinds" if len(reasons) > 8 else ""
    total = sum(reasons.values())
    return (
        f"{total:,} {'file' if total == 1 else 'files'} that no student wrote left out: {counts}{more}; "
        "--include '*' compares them"
    )


def _counted(reason: str, count: int) -> str:
    """Spell how many files a reason is for: `1 list of Brightspace`, `2 generated files`."""
    more = re.sub(NOUN, r"\g<0>s", reason)
    return f"{count:,} {reason if count == 1 else more}"


def _not_written(entry: Document, group: str) -> str:
    """Say why a file is not a student's own work, or nothing."""
    inside = entry.path.removeprefix(group).replace(INSIDE, "/").strip("/")
    parts = inside.split("/") if inside else [entry.path.rpartition("/")[2]]
    if reason := receipt(parts[-1]) or vendored(parts):
        return reason
    if not parts[-1].lower().endswith(SOURCES):
        return ""
    try:
        with entry.content.open() as stream:
            return machine_made(parts[-1], stream.read(PEEK))
    except (OSError, CopysiftError):
        return ""  # the scan reads it again, and says why it cannot


def submission_roster(
    new: Taken, past: Taken, metadata: Metadata, path: str, listed: Mapping[str, str]
) -> Roster:
    """Put together what is known of the submissions; `past` are those of earlier years."""
    files: dict[str, list[str]] = {}
    for entry, group in (*new.files, *past.files):
        files.setdefault(group, []).append(entry.path)
    groups = list(new.groups | past.groups)
    earlier = [name for name in past.groups if name not in new.groups]
    return roster(groups, files, earlier, metadata.rows, path, listed)
